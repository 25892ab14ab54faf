"""docs/python/reference.md is what the docstrings say: `make generate` writes it anew."""

from __future__ import annotations

import os

import extline
import pytest
import reference


def test_the_page_is_made_from_the_docstrings() -> None:
    page = reference.page()
    if os.environ.get("EXTLINE_GENERATE"):
        reference.PAGE.write_text(page)
    assert reference.PAGE.read_text() == page, "run `make generate` and commit the page"


def test_everything_that_is_offered_is_on_the_page() -> None:
    assert reference.undocumented() == []


@pytest.mark.parametrize("name", ["Context", "RawJson"])
def test_help_says_what_the_page_does(name: str) -> None:
    """Of what is native, the page has the docstrings of the stub, and `help` those of the code."""

    def words(text: str | None) -> str:
        return " ".join((text or "").replace("``", "`").split())

    stub = reference.package()["_native"][name]
    native = getattr(extline, name)
    assert words(native.__doc__) == words(stub.docstring.value)
    for member in stub.members.values():
        if member.has_docstring:
            assert words(getattr(native, member.name).__doc__) == words(member.docstring.value)
