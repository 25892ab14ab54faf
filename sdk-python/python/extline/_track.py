"""A loop that shows how far it is."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from ._native import Context


def track(
    ctx: Context, items: Iterable[Any], message: str | None, unit: str | None, total: float | None
) -> Iterator[Any]:
    """Goes through ``items``; ends with ``Cancelled`` when the call is cancelled."""
    if total is None:
        try:
            total = len(items)  # type: ignore[arg-type]
        except TypeError:
            total = None
    done = 0
    for item in items:
        ctx.raise_if_cancelled()
        ctx.update(message, done=done, total=total, unit=unit)
        yield item
        done += 1
    ctx.update(message, done=done, total=total, unit=unit)
