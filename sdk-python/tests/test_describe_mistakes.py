"""Mistakes in a definition are told with file, line, tool and parameter, and what to do."""

from __future__ import annotations

import dataclasses
import functools
import pathlib
from typing import Any, Literal

import pytest
from extline._describe import DefinitionError, describe


def mistake(function: Any, **options: Any) -> str:
    with pytest.raises(DefinitionError) as raised:
        describe(function, **options)
    assert isinstance(raised.value, TypeError)
    return str(raised.value)


class Socket:
    """Nothing JSON could hold."""


def line_of(text: str) -> int:
    lines = pathlib.Path(__file__).read_text().splitlines()
    return next(nth for nth, line in enumerate(lines, 1) if line.strip().startswith(text))


def test_file_line_tool_and_parameter_come_first() -> None:
    def sends_signals(to: Socket) -> None: ...

    start = f"{__file__}:{line_of('def sends_signals')}: tool sends_signals: parameter to: "
    assert mistake(sends_signals) == start + (
        f"its annotation Socket cannot come from JSON: type {Socket!r} is not supported; use another "
        "type, or pass ext.tool a schema"
    )
    held = functools.partial(sends_signals)
    assert mistake(held).startswith(start)


def test_what_is_no_function() -> None:
    class Tools:
        def method(self, x: int) -> None: ...

        @classmethod
        def of_class(cls) -> None: ...

    assert "is a class; a tool is a function" in mistake(Tools)
    assert "'abc' (str) cannot be called; a tool is a function" in mistake("abc")
    assert "None (NoneType) cannot be called" in mistake(None)
    assert "register it after the class: ext.tool(Class.method)" in mistake(
        Tools.__dict__["of_class"]
    )
    assert "register it from one: ext.tool(object.method)" in mistake(Tools.method)
    assert "does not tell its parameters; write a function around it" in mistake(max)


@pytest.mark.parametrize("name", ["", "a b", "a.b", "ä", "x" * 65, "²"])
def test_bad_names(name: str) -> None:
    def function() -> None: ...

    assert f"{name!r} is no name for a tool: 1 to 64 of" in mistake(function, name=name)


@pytest.mark.parametrize("name", ["-", "_", "a-b_C9", "x" * 64])
def test_good_names(name: str) -> None:
    def function() -> None: ...

    assert describe(function, name=name).name == name


def test_names_that_are_none() -> None:
    assert "'<lambda>' is no name" in mistake(lambda: None)
    assert 'give it one: name="..."' in mistake(lambda: None)
    assert describe(lambda: None, name="nothing").name == "nothing"
    assert "the name must be a string, and is 5" in mistake(lambda: None, name=5)


def test_parameters_without_names() -> None:
    def many(*paths: str) -> None: ...

    text = mistake(many)
    assert "parameter paths: *paths has no names a model could give" in text
    assert "@functools.wraps(function)" in text


def test_the_context_twice_or_as_something_else() -> None:
    def twice(ctx: Any, also: extline.Context) -> None: ...  # type: ignore[name-defined]  # noqa: F821
    def text(ctx: str) -> None: ...

    assert "takes the context twice, as ctx and as also; remove one" in mistake(twice)
    assert "parameter ctx: this name is kept for the context" in mistake(text)


def test_defaults_that_do_not_match() -> None:
    def count(n: int = "5") -> None: ...  # type: ignore[assignment]
    def truth(n: int = True) -> None: ...
    def unit(u: Literal["c", "f"] = "k") -> None: ...  # type: ignore[assignment]
    def tags(t: list[str] = ["a", 5]) -> None: ...  # type: ignore[list-item]  # noqa: B006
    def pair(p: tuple[int, str] = (1, 2)) -> None: ...  # type: ignore[assignment]

    assert mistake(count).endswith(
        "parameter n: its default '5' does not match its annotation: must be an integer, and is "
        '"5"; change one of them'
    )
    assert "default True does not match its annotation: must be an integer" in mistake(truth)
    assert 'must be one of "c", "f"; is "k"' in mistake(unit)
    assert "/1: must be a string, and is 5" in mistake(tags)
    assert "/1: must be a string, and is 2" in mistake(pair)


def test_annotations_that_cannot_be_read() -> None:
    def unknown(x: Nowhere) -> None: ...  # type: ignore[name-defined]  # noqa: F821
    def number(x: int) -> None: ...

    text = mistake(unknown)
    assert "parameter x: its annotation 'Nowhere' names what is not there" in text
    assert "outside of `if TYPE_CHECKING:`" in text
    number.__annotations__["x"] = Literal[b"x"]
    assert "cannot be read: no JSON is b'x'; use its value, or an enum" in mistake(number)
    number.__annotations__["x"] = "1 +"
    assert "its annotation '1 +' cannot be read" in mistake(number)
    number.__annotations__["x"] = 5
    assert "parameter x: its annotation 5 cannot come from JSON" in mistake(number)


def test_classes_that_are_not_there_when_they_are_needed() -> None:
    @dataclasses.dataclass
    class Tree:
        branches: list[Tree]

    def grow(tree: Tree) -> None: ...

    text = mistake(grow)
    assert "parameter tree: its annotation Tree names what is not there: " in text
    assert "define or import it at the top of its module" in text


def test_schemas_that_do_not_suit() -> None:
    def find(text: str, limit: int = 5) -> None: ...

    def with_schema(schema: Any) -> str:
        return mistake(find, schema=schema)

    text = {"type": "string"}
    assert "must be a dict that holds a JSON Schema, and is 'text'" in with_schema("text")
    assert 'of "type": "object", and is of \'array\'' in with_schema({"type": "array"})
    assert "parameter text: has no default, and the schema does not know" in with_schema({})
    assert "parameter text: has no default, and the schema does not require it" in with_schema(
        {"properties": {"text": text}}
    )
    assert "has the property more, which the function does not take" in with_schema(
        {"properties": {"text": text, "more": {}}, "required": ["text"]}
    )
    assert "properties must be a dict, and are []" in with_schema({"properties": []})
    assert "`required` must be a list of names" in with_schema({"required": "text"})
