"""Docstrings: what is told of the tool, what of its parameters, and what is left out."""

from __future__ import annotations

import pytest
from extline._docstring import parse

NAMES = ["city", "units", "days", "rest"]


def test_nothing() -> None:
    for docstring in (None, "", "   \n  "):
        assert parse(docstring, NAMES) == ("", {})


def test_plain_lines() -> None:
    docstring = """Current weather for a city.

    city: City name,
      or a postal code
    units: c or f
    Note: city: is not a line of its own here.
    http://example.com
    """
    assert parse(docstring, NAMES) == (
        "Current weather for a city.\n\n"
        "Note: city: is not a line of its own here.\nhttp://example.com",
        {"city": "City name, or a postal code", "units": "c or f"},
    )


def test_plain_lines_name_parameters_only() -> None:
    docstring = """Summary.

    when: it rains, take an umbrella
    days:3 is no description
    - city: in a list
    """
    assert parse(docstring, NAMES) == (
        "Summary.\n\nwhen: it rains, take an umbrella\ndays:3 is no description",
        {"city": "in a list"},
    )


GOOGLE = """Summary.

    More about it.

    Args:
        city (str): City name,
            in English.
        units (dict[str, int], optional): Units: c
            or f.
        `days`: How many.
        **rest: Others.
        unknown: dropped.

    Returns:
        The weather.

    Raises:
        ValueError: never.

    Example:
        >>> weather("Bonn")
    """

NUMPY = """Summary.

    More about it.

    Parameters
    ----------
    city : str
        City name,
        in English.
    units, days : {'c', 'f'}, optional
        Shared.

        In two paragraphs.
    unknown
        dropped

    Returns
    -------
    str
        The weather.

    Raises
    ------
    ValueError
        never

    Notes
    -----
    It rains.
    """

SPHINX = """Summary.

    More about it.

    :param city: City name,
        in English.
    :type city: str
    :param str units: c or f
    :keyword days: How many.
    :param unknown: dropped
    :returns: The weather.
    :rtype: str
    :raises ValueError: never
    """


def test_google() -> None:
    assert parse(GOOGLE, NAMES) == (
        "Summary.\n\nMore about it.\n\nReturns:\n    The weather.\n\n"
        'Example:\n    >>> weather("Bonn")',
        {
            "city": "City name, in English.",
            "units": "Units: c or f.",
            "days": "How many.",
            "rest": "Others.",
        },
    )


def test_numpy() -> None:
    assert parse(NUMPY, NAMES) == (
        "Summary.\n\nMore about it.\n\nReturns\n-------\nstr\n    The weather.\n\n"
        "Notes\n-----\nIt rains.",
        {
            "city": "City name, in English.",
            "units": "Shared. In two paragraphs.",
            "days": "Shared. In two paragraphs.",
        },
    )


def test_sphinx() -> None:
    assert parse(SPHINX, NAMES) == (
        "Summary.\n\nMore about it.\n\nReturns: The weather.",
        {"city": "City name, in English.", "units": "c or f", "days": "How many."},
    )
    assert parse("Summary.\n@param city: City name", NAMES) == ("Summary.", {"city": "City name"})


@pytest.mark.parametrize("docstring", [GOOGLE, NUMPY, SPHINX])
def test_nothing_of_the_sections_leaks(docstring: str) -> None:
    description, _ = parse(docstring, NAMES)
    for word in ("Args", "Parameters", "param", "dropped", "never", "Raises", "type", "City"):
        assert word not in description


def test_prose_is_not_taken_for_a_section() -> None:
    docstring = """Arguments

    Args:
    none of these is indented
    :city is not a field: no
    Parameters: see below
    """
    assert parse(docstring, NAMES) == (
        "Arguments\n\nArgs:\nnone of these is indented\n:city is not a field: no\n"
        "Parameters: see below",
        {},
    )


def test_sections_at_the_very_end_and_one_after_the_other() -> None:
    docstring = "Summary.\n\nArgs:\n    city: A\nKeyword Args:\n    days: B\nRaises:\n    X: y"
    assert parse(docstring, NAMES) == ("Summary.", {"city": "A", "days": "B"})
    assert parse("Summary.\n\nParameters\n----------", NAMES) == ("Summary.", {})
    assert parse("Args:", NAMES) == ("Args:", {})


def test_the_summary_may_begin_on_the_second_line() -> None:
    assert parse("\n    Summary.\n\n\n\n    More.\n    ", []) == ("Summary.\n\nMore.", {})
    assert parse("\tSummary.\n\tcity: x\n\t  y", NAMES) == ("Summary.", {"city": "x y"})
