"""docs/python-reference.md is what the docstrings say: `make generate` writes it anew."""

from __future__ import annotations

import os

import reference


def test_the_page_is_made_from_the_docstrings() -> None:
    page = reference.page()
    if os.environ.get("EXTLINE_GENERATE"):
        reference.PAGE.write_text(page)
    assert reference.PAGE.read_text() == page, "run `make generate` and commit the page"


def test_everything_that_is_offered_is_on_the_page() -> None:
    assert reference.undocumented() == []
