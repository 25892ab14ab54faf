"""Cases from a file: the same that ``extline conformance --cases FILE`` plays against the program."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ._failure import CaseFailed, Misuse
from ._host import Host
from ._native import Case, play_case, read_cases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pytest

    from .._extension import Extension


def cases(file: str | os.PathLike[str]) -> pytest.MarkDecorator:
    """Makes a test of each case of a file; the argument ``case`` has it, its id is the test's:

        @cases("weather.toml")
        def test_weather(case):
            play(case, ext)

    A relative path counts from the folder of the file that calls. A mistake in the file is a
    ``Misuse`` with its line.
    """
    import pytest

    found = _read(file, _folder_of_caller())
    return pytest.mark.parametrize("case", [pytest.param(one, id=one.id) for one in found])


def play(what: str | os.PathLike[str] | Case, extension: Extension, **options: Any) -> None:
    """Plays the cases of a file, or one case, against an extension, each as docs/tester/cases.md has it.

    A relative path counts from the folder of the file that calls. ``options`` are those of ``Host``;
    its ``deadline`` is how long a step may take that does not say it. Cases that may share a process
    share a host and come first, in their order; each run of any other has a host of its own. What
    the extension keeps in variables of its module stays from one host to the next.

    Raises ``CaseFailed`` for the first step that did not go as it should, with its place in the file
    and the last frames, and ``Misuse`` for a mistake in the file and for what cannot be played
    without a process of its own, as a step that closes stdin.
    """
    __tracebackhide__ = True
    chosen = [what] if isinstance(what, Case) else _read(what, _folder_of_caller())
    if shared := [run for case in chosen if case.is_shared for run in _runs(case)]:
        with Host(extension, **options) as host:
            for number, (case, value) in enumerate(shared):
                _play(host, case, value, f"c{number}-" if number else "c")
    for case, value in [run for case in chosen if not case.is_shared for run in _runs(case)]:
        with Host(extension, **options) as host:
            _play(host, case, value, "c")


def _runs(case: Case) -> list[tuple[Case, int]]:
    return [(case, value) for value in case.values or [0]]


def _play(host: Host, case: Case, value: int, prefix: str) -> None:
    __tracebackhide__ = True
    try:
        finding = play_case(case, value, host._steps, _Connection(host), prefix)
    except ValueError as error:
        raise Misuse(str(error)) from None
    if finding is not None:
        raise CaseFailed(*finding, host.transcript.tail())


class _Connection:
    """What the steps of a case do to the extension of a host."""

    def __init__(self, host: Host) -> None:
        self._steps = host._steps
        self._talk = host._talk
        self.send = self._talk.send

    def wait(self, seconds: float) -> bytes | str | None:
        """What came, or how the extension has ended."""
        return self._talk.read(seconds) or self._steps.ended


def _read(file: str | os.PathLike[str], folder: Path) -> list[Case]:
    path = folder / file
    shown = os.path.relpath(path)
    try:
        return read_cases(str(path) if shown.startswith("..") else shown, path.read_text("utf-8"))
    except ValueError as error:
        raise Misuse(str(error)) from None


def _folder_of_caller() -> Path:
    path = Path(sys._getframe(2).f_code.co_filename)
    return path.parent if path.is_file() else Path()
