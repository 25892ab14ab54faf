"""Before Python 3.13 `threading` takes the thread that imports it for the main thread.

Importing it takes some milliseconds, which a first call need not pay: most extensions never start a thread. So
the thread that goes on in the place of a long handler imports it, and sets right which one is the main thread.
"""

from __future__ import annotations

import os
import sys
import threading as _threading
from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What is set here is private to it, in those versions.
threading: Any = _threading


def set_main_thread(ident: int) -> None:
    """Sets in `threading` what it would have kept if the thread of that ident had imported it."""
    main = threading.main_thread()
    if main.ident == ident:
        return
    with threading._active_limbo_lock:
        threading._active.pop(main.ident, None)
        threading._active[ident] = main
        main._ident = ident
    if sys.platform == "linux":
        main._native_id = os.getpid()
    # It is locked as long as the thread lives, and was bound to the one that imported.
    alive = allocate_lock()
    alive.acquire()
    with threading._shutdown_locks_lock:
        threading._shutdown_locks.discard(main._tstate_lock)
        threading._shutdown_locks.add(alive)
    main._tstate_lock = alive
