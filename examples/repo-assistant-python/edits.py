"""Edits that are shown before they are made: a text in place of another, in the files that git knows."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

from extline import Context, ToolError

import repository


@dataclass
class Edit:
    path: str
    before: str
    after: str

    def diff(self) -> str:
        sides = self.before.splitlines(keepends=True), self.after.splitlines(keepends=True)
        return "".join(difflib.unified_diff(*sides, f"a/{self.path}", f"b/{self.path}", n=1))


def replacing(ctx: Context, old: str, new: str) -> list[Edit]:
    """The edits that put ``new`` in the place of ``old``."""
    found = []
    for path in repository.files(ctx):
        try:
            before = Path(ctx.host.cwd, path).read_bytes().decode()
        except (OSError, UnicodeDecodeError):
            continue  # No text, or not there any more.
        if old in before:
            found.append(Edit(path, before, before.replace(old, new)))
    return found


def write(ctx: Context, edits: list[Edit]) -> None:
    """Makes them all, or none where a file is no longer as it was when they were shown."""
    for edit in edits:
        file = Path(ctx.host.cwd, edit.path)
        if not file.is_file() or file.read_bytes() != edit.before.encode():
            raise ToolError.conflict(f"{edit.path} has changed since", hint="discard this, and propose it again")
    for edit in edits:
        Path(ctx.host.cwd, edit.path).write_bytes(edit.after.encode())
