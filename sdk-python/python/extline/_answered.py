"""What is done with answers of the host: once for handlers with ``async``, where they are awaited, and without."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from typing import Any


def then(answer: Any, take: Callable[[Any], Any]) -> Any:
    """What ``take`` makes of an answer; to be awaited where the answer is."""
    return _taken(answer, take) if hasattr(answer, "__await__") else take(answer)


async def _taken(answer: Any, take: Callable[[Any], Any]) -> Any:
    return take(await answer)


def through(steps: Generator[Any, Any, Any]) -> Any:
    """What ``steps`` returns, which yields each question that it has asked and is sent the answer; to be awaited
    where the answers are."""
    try:
        asked = next(steps)
        if hasattr(asked, "__await__"):
            return _through(steps, asked)
        while True:
            asked = steps.send(asked)
    except StopIteration as end:
        return end.value


async def _through(steps: Generator[Any, Any, Any], asked: Any) -> Any:
    try:
        while True:
            try:
                answer = await asked
            except BaseException as error:
                asked = steps.throw(error)
            else:
                asked = steps.send(answer)
    except StopIteration as end:
        return end.value


def pages(ask: Callable[[dict[str, Any]], Any], member: str) -> Generator[Any, Any, list[Any]]:
    """All of ``member`` of an answer that comes page by page."""
    page = yield ask({})
    found = list(page[member])
    while "next" in page:
        page = yield ask({"after": page["next"]})
        found += page[member]
    return found
