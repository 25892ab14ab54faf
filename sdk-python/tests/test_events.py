"""Events: what agents say of them."""

from __future__ import annotations

from extline import Extension, events
from extline.testing import Host


def test_a_message_has_its_role_and_its_blocks() -> None:
    ext = Extension("watch", "1.0.0")
    told = []

    @ext.on("message_end")
    def ended(event: events.MessageEnd) -> None:
        told.append(event.message)

    message = {"role": "user", "content": [{"type": "text", "text": "Hello."}]}
    with Host(ext) as host:
        host.event("message_end", message=message)
    assert told == [message]
