"""What an extension keeps with its host: values by scope, and entries in the history of the conversation."""

from __future__ import annotations

from collections.abc import MutableMapping
from itertools import count

from ._answered import pages, then, through
from ._errors import ToolError
from ._native import tries_again

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from typing import Any

    from ._native import Context


class State:
    """Values that are there again when the extension is started again.

    ``session`` are those of the conversation: another one has its own, and one that branches off begins with what was
    there. ``project`` are those of the project's folder, ``global_`` are the same everywhere. An extension has its own
    alone. A host that keeps nothing raises ``ToolError`` of kind ``unsupported``;
    ``ctx.host.serves("state.get")`` tells before.
    """

    __slots__ = ("_ctx",)

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    @property
    def session(self) -> Slot:
        """What is kept with the conversation."""
        return Slot(self._ctx, "session")

    @property
    def project(self) -> Slot:
        """What is kept with the project's folder."""
        return Slot(self._ctx, "project")

    @property
    def global_(self) -> Slot:
        """What is kept everywhere."""
        return Slot(self._ctx, "global")

    def __repr__(self) -> str:
        return f"<extline.State of {self._ctx!r}>"


class Slot(MutableMapping[str, "Any"]):
    """The values of one scope, like a dict whose values are any JSON: ``ctx.state.session["n"] = 1``.

    Each access asks the host; what is returned is a copy, so set it again after a change to it.
    ``+=`` reads and then sets, so that of two handlers that do it at once one may be lost; ``modify`` loses
    nothing. In an ``async`` handler use ``get``, ``set``, ``delete``, ``list`` and ``modify``, and await
    each.
    """

    __slots__ = ("_ctx", "_scope")

    def __init__(self, ctx: Context, scope: str) -> None:
        self._ctx = ctx
        self._scope = scope

    def get(self, key: str, default: Any = None) -> Any:
        """The value, or ``default`` where there is none."""
        return self._ask("get", {"key": key}, lambda answer: answer.get("value", default))

    def set(self, key: str, value: Any) -> Any:
        """Keeps a value: any JSON, of 64 KiB at most."""
        return self._ask("set", {"key": key, "value": value}, lambda _: None)

    def delete(self, key: str) -> Any:
        """Takes a value away; returns whether there was one."""
        return self._ask("delete", {"key": key}, lambda answer: answer["deleted"])

    def list(self, prefix: str = "") -> Any:
        """The keys, a list in their order; only those that begin with ``prefix``."""
        asked = {"prefix": prefix} if prefix else {}
        keys = pages(lambda after: self._asked("list", {**asked, **after}), "keys")
        return then(through(keys), lambda keys: [key["key"] for key in keys])

    def modify(self, key: str, change: Callable[[Any], Any], default: Any = None) -> Any:
        """Sets a value to what ``change`` makes of the present one, or of ``default``, and returns it. Where somebody
        else has set it meanwhile, ``change`` is called again with that: nothing is lost."""
        return through(self._modifying(key, change, default))

    def _modifying(
        self, key: str, change: Callable[[Any], Any], default: Any
    ) -> Generator[Any, Any, Any]:
        for tried in count(1):
            found = yield self._asked("get", {"key": key})
            value = change(found.get("value", default))
            try:
                yield self._asked("set", {"key": key, "value": value, "revision": found["revision"]})
            except ToolError as error:
                if not tries_again(error.kind, tried):
                    raise
            else:
                return value
        return None

    def _asked(self, method: str, params: dict[str, Any]) -> Any:
        return self._ctx.request(f"state.{method}", {"scope": self._scope, **params})

    def _ask(self, method: str, params: dict[str, Any], take: Callable[[Any], Any]) -> Any:
        return then(self._asked(method, params), take)

    # As a dict, where nothing is to be awaited.

    def _now(self, method: str, params: dict[str, Any], instead: str) -> Any:
        answer = self._asked(method, params)
        if hasattr(answer, "__await__"):
            answer.close()
            # The name that Python keeps for itself has an underscore.
            scope = "global_" if self._scope == "global" else self._scope
            raise TypeError(f"in an async handler it is `await ctx.state.{scope}.{instead}`")
        return answer

    def __getitem__(self, key: str) -> Any:
        answer = self._now("get", {"key": key}, f"get({key!r})")
        if "value" not in answer:
            raise KeyError(key)
        return answer["value"]

    def __setitem__(self, key: str, value: Any) -> None:
        self._now("set", {"key": key, "value": value}, f"set({key!r}, ...)")

    def __delitem__(self, key: str) -> None:
        if not self._now("delete", {"key": key}, f"delete({key!r})")["deleted"]:
            raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and "value" in self._now("get", {"key": key}, f"get({key!r})")

    def __iter__(self) -> Iterator[str]:
        asked: dict[str, Any] = {}
        while True:
            page = self._now("list", asked, "list()")
            yield from [key["key"] for key in page["keys"]]
            if "next" not in page:
                return
            asked = {"after": page["next"]}

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<extline.Slot {self._scope} of {self._ctx!r}>"


class History:
    """The history of the conversation, and entries of the extension's own in it. In an ``async`` handler each answer is
    to be awaited.

    Entries are kept with the conversation, are not for the model, and follow its branches.
    """

    __slots__ = ("_ctx",)

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    def append(self, type: str, data: Any = None) -> Any:
        """Adds an entry behind the newest one and returns its id. ``data`` is any JSON, of 256 KiB at most."""
        answer = self._ctx.request("session.append", {"type": type, "data": data})
        return then(answer, lambda answer: answer["id"])

    def branch(self, types: Iterable[str] | None = None) -> Any:
        """The extension's entries on this branch, the oldest first: a list of dicts with ``id``, ``type``, ``data``
        and ``at_ms``. Only those of ``types``, where it is given."""
        asked = {} if types is None else {"types": list(types)}
        ask = self._ctx.request
        return through(pages(lambda after: ask("session.branch", {**asked, **after}), "entries"))

    def info(self) -> Any:
        """Which conversation it is: a dict with ``id``, ``parent``, ``leaf``, ``project`` and ``durable``. What is not
        known is not in it."""
        return self._ctx.request("session.info", {})

    def __repr__(self) -> str:
        return f"<extline.History of {self._ctx!r}>"


def migration(migrate: Callable[..., Any]) -> Callable[..., Any]:
    """What answers ``state.migrate`` by an author's function."""
    from ._signature import is_async

    if is_async(migrate):

        async def later(params: Any) -> Any:
            return {"data": await migrate(params["data"], params["from"])}

        return later

    def now(params: Any) -> Any:
        return {"data": migrate(params["data"], params["from"])}

    return now
