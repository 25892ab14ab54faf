"""Stdin and stdout, taken over when the package is imported."""

from __future__ import annotations

import sys

from . import _native

_claimed = False
_used = False


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


def used() -> None:
    """There is an extension, so this is why they were taken."""
    global _used
    _used = True


def _say_if_unused() -> None:
    if not _used:
        _native.report(
            "this program imported extline and made no Extension, yet what it printed went to "
            "stderr: set EXTLINE_STDIO=leave to keep its stdout"
        )
