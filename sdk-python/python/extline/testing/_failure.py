"""Why a step of a test could not be done."""

from __future__ import annotations


class Failure(AssertionError):
    """A step of a test could not be done. A tool that answers with an error is no failure: see
    ``Answer.error``. The text says what was wrong, and shows the last frames."""


class TimedOut(Failure):
    """The extension did not do it within the host's deadline."""


class Ended(Failure):
    """The extension ended while something was waited for, or before."""


class Unusable(Failure):
    """The answer cannot be used: it breaks the protocol or a limit."""


class Misuse(Failure):
    """The test asks for what a host would not do, as telling of an event that the extension does
    not listen to."""


class HandlerFailed(Failure):
    """A handler that answers nobody raised: that of an event or of a panel, or ``teardown``. A host
    would only log it. What it raised is the ``__cause__``. A test that means it expects it:

        with pytest.raises(HandlerFailed):
            host.event("turn_end")
    """


class CaseFailed(Failure):
    """A step of a case did not go as it should: ``place`` is its file and line, ``case`` the id,
    ``expected`` and ``got`` say what should have come and what did."""

    def __init__(self, place: str, case: str, expected: str, got: str, frames: str) -> None:
        super().__init__(f"{place}: case {case}\n  expected  {expected}\n  got       {got}\n{frames}")
        self.place = place
        self.case = case
        self.expected = expected
        self.got = got
