"""Stdin and stdout, taken over when the package is imported."""

from __future__ import annotations

import sys

from . import _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._extension import Extension

_claimed = False
# The extensions that the program itself made, and not a module of its own.
of_program: list[Extension] = []
# What is to be said at the end of a program whose stdin and stdout were taken for nothing.
_unused: str | None = (
    "this program imported extline and made no Extension, yet what it printed went to stderr: set "
    "EXTLINE_STDIO=leave to keep its stdout"
)


def at_import() -> None:
    """Takes them over where a host started this program; a test runner keeps its own."""
    global _claimed
    under_test = "pytest" in sys.modules or "unittest" in sys.modules
    try:
        _claimed = _native.claim_at_import(under_test)
    except RuntimeError as error:
        # At its import a package has no other way to say what is wrong with the environment.
        raise ImportError(str(error)) from None
    if _claimed:
        import atexit

        atexit.register(_say_if_unused)


def used(extension: Extension, name: str) -> None:
    """There is an extension, so this is why they were taken."""
    global _unused
    if sys._getframe(2).f_globals.get("__name__") == "__main__":
        of_program.append(extension)
    if _unused is not None:
        _unused = (
            f"this program made the extension {name} and did not run it: end it with ext.run(); or "
            "set EXTLINE_STDIO=leave to keep its stdout"
        )


def is_claimed() -> bool:
    """Whether stdin and stdout are the extension's: a host started this program."""
    return _claimed


def served() -> None:
    """An extension was served, whatever comes of it."""
    global _unused
    _unused = None


def _say_if_unused() -> None:
    # Who raised has something else to say.
    if _unused is not None and getattr(sys, "last_value", None) is None:
        _native.report(_unused)
