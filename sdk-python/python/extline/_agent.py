"""How the agent stands, and what an extension may have it do."""

from __future__ import annotations

from ._answered import then

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from ._native import Context


class Agent:
    """The agent: ``ctx.agent.state()``, ``ctx.agent.deactivate(["bash"])``.

    What a host's agent does not have raises ``ToolError`` of kind ``unsupported``;
    ``ctx.host.serves("agent.state")`` tells before. In an ``async`` handler each is to be awaited.
    """

    __slots__ = ("_ctx",)

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    def state(self) -> Any:
        """How it stands, a dict: ``idle``, ``queued``, ``model``, ``provider``, ``cwd``, ``auto_approve``, and where it
        has them ``mode`` and ``context`` with ``tokens`` and ``window``."""
        return self._ask("agent.state", {}, lambda answer: answer)

    def abort(self, reason: str = "") -> Any:
        """Ends what the agent does for its user, and every call of a tool that has not ended; the handler's own call is
        cancelled too. Returns how many other calls that were."""
        return self._ask("agent.abort", {"reason": reason}, lambda answer: answer["calls"])

    def tools(self) -> Any:
        """All tools, a list of dicts: ``name``, ``description``, ``active``, and ``extension`` where one has it."""
        return self._ask("tools.list", {}, lambda answer: answer["tools"])

    def activate(self, names: Iterable[str]) -> Any:
        """Has the model offered tools again that this extension has deactivated. Returns those that were not active."""
        return self._ask("tools.activate", {"names": _names(names)}, lambda answer: answer["changed"])

    def deactivate(self, names: Iterable[str]) -> Any:
        """Takes tools out of what the model is offered, and has calls of them refused, until this extension activates
        them or ends. Returns those that were active; the others stay as they are."""
        return self._ask("tools.deactivate", {"names": _names(names)}, lambda answer: answer["changed"])

    def models(self) -> Any:
        """The models that the agent has, a list of dicts: ``id``, ``provider``, ``current``, and where it is known
        ``name`` and ``context_window``."""
        return self._ask("models.list", {}, lambda answer: answer["models"])

    def _ask(self, method: str, params: dict[str, Any], take: Callable[[Any], Any]) -> Any:
        return then(self._ctx.request(method, params), take)

    def __repr__(self) -> str:
        return f"<extline.Agent of {self._ctx!r}>"


def _names(names: Iterable[str]) -> list[str]:
    if isinstance(names, str):
        raise TypeError(f"the names of tools are a list: [{names!r}]")
    return list(names)
