"""A host in the same process, for tests of an extension.

    from extline.testing import Host
    from weather import ext

    def test_weather():
        with Host(ext) as host:
            assert host.call("weather", city="Berlin").text == "Berlin: 16°C, fog"

The extension runs in threads of its own, with the native session that a real host would meet; only
its stdin and stdout are a socket here. A step that cannot be done raises a ``Failure``, which is an
``AssertionError`` and shows the last frames; ``host.transcript`` has them all. What a handler
prints and its tracebacks go where pytest shows them.

``AsyncHost`` is the same for tests that are coroutines. Under pytest the fixture ``extline_host``
starts hosts and ends them with the test. ``play`` plays the cases of a file, the same that ``extline
conformance --cases`` plays against the program; ``cases`` makes a test of each.
"""

from ._answers import Answer, CommandAnswer, MethodAnswer, Note, Ruling
from ._cases import cases, play
from ._failure import CaseFailed, Ended, Failure, HandlerFailed, Misuse, TimedOut, Unusable
from ._host import Call, Host
from ._native import Case
from ._transcript import Line, Transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._async_host import AsyncHost


def __getattr__(name: str) -> object:
    # Who writes no coroutines does not pay for asyncio.
    if name == "AsyncHost":
        from ._async_host import AsyncHost

        return AsyncHost
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Answer",
    "AsyncHost",
    "Call",
    "Case",
    "CaseFailed",
    "CommandAnswer",
    "Ended",
    "Failure",
    "HandlerFailed",
    "Host",
    "Line",
    "MethodAnswer",
    "Misuse",
    "Note",
    "Ruling",
    "TimedOut",
    "Transcript",
    "Unusable",
    "cases",
    "play",
]
