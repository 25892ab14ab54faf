"""What the host may ask for by method."""
import time

from memory import kit


@kit.method("kit.count")
def count(params):
    size, began = params.get("bytes"), time.monotonic()
    for i in range(1, params["n"] + 1):
        yield i if size is None else "x" * size
    is_slow = size is not None and time.monotonic() - began >= 0.5
    return "waited" if is_slow else params["n"]


@kit.method("kit.wait")
def wait(params, ctx):
    while ctx.deadline is None or time.monotonic() < ctx.deadline:
        ctx.sleep(0.002)
    return "over"
