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

Under pytest the fixture ``extline_host`` starts hosts and ends them with the test.
"""

from ._answers import Answer, CommandAnswer, MethodAnswer, Note, Ruling
from ._failure import Ended, Failure, Misuse, TimedOut, Unusable
from ._host import Call, Host
from ._transcript import Line, Transcript

__all__ = [
    "Answer",
    "Call",
    "CommandAnswer",
    "Ended",
    "Failure",
    "Host",
    "Line",
    "MethodAnswer",
    "Misuse",
    "Note",
    "Ruling",
    "TimedOut",
    "Transcript",
    "Unusable",
]
