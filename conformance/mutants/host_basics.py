"""What the parts of host.py share: which rule is broken, failures, calls that wait."""

import sys
import threading
import time

LIMIT = 4194303
MUTANT = sys.argv[1] if len(sys.argv) > 1 else None


def broken(name):
    """Whether the host breaks this rule."""
    return MUTANT == name


def whole(value):
    """The value without halves of surrogate pairs."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [whole(one) for one in value]
    if isinstance(value, dict):
        return {whole(key): whole(one) for key, one in value.items()}
    return value


class Failure(Exception):
    def __init__(self, kind, message, data=None):
        super().__init__(message)
        self.kind, self.more = kind, {"data": data} if data else {}


class Pending:
    """A call that waits for its answer."""

    def __init__(self, kind, chain=()):
        self.kind = kind
        # The tools that led to it and its own, and the calls that are made for it.
        self.chain, self.children = list(chain), []
        self.done = threading.Event()
        self.answer = None
        # What comes before the answer to a request.
        self.parts = []
        # The call that it was made for, how many people are asked below it, and since when nobody
        # wants it any more.
        self.above, self.paused, self.cancelled = None, 0, False

    def give(self, answer):
        if not self.done.is_set():
            self.answer = answer
            self.done.set()

    def wait(self, seconds):
        left = seconds
        while True:
            since = time.monotonic()
            # Of a thousand each looks up once a second: they share one interpreter.
            pause = max(0.01, threading.active_count() / 1000)
            if self.done.wait(None if left is None else min(left, pause)):
                return self.answer
            is_given_up = self.cancelled and not broken("dialogs-keep-the-cancelled")
            if not self.paused or is_given_up:
                left -= time.monotonic() - since
            if is_given_up:
                left = min(left, self.cancelled + 2 - time.monotonic())
            if left <= 0:
                return Failure("cancelled" if is_given_up else "timeout", "it did not answer in time")
