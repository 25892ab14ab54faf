"""What is about to happen, as interceptors and guards are asked about it."""

from __future__ import annotations

from ._event import Event, payload_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ._result import Image

_set = object.__setattr__


class Decision:
    """What becomes of something that is about to happen.

    The methods of what an interceptor or a guard is given make it, and the handler returns it.
    """

    __slots__ = ("_line", "fields")

    def __init__(self, _line: str = "", /, **fields: Any) -> None:
        self.fields = fields
        # How an author returns one like it.
        self._line = _line

    def __repr__(self) -> str:
        return f"Decision({', '.join(f'{k}={v!r}' for k, v in self.fields.items())})"


class Moment(Event):
    """Something is about to happen. A handler returns what is to become of it, or None."""

    __slots__ = ("_frame", "_made", "_payload")

    _frame: dict[str, Any]
    _made: list[Decision]
    _payload: dict[str, Any] | None

    def __init__(self, frame: dict[str, Any]) -> None:
        _set(self, "event", frame["event"])
        _set(self, "_frame", frame)
        _set(self, "_payload", None)
        _set(self, "_made", [])

    @property
    def payload(self) -> dict[str, Any]:  # type: ignore[override]
        """All that the host says about it. A change of it changes nothing, and is an error."""
        if self._payload is None:
            _set(self, "_payload", _copy(payload_of(self._frame)))
        return self._payload  # type: ignore[return-value]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name} cannot be set: {self._advice()}")

    def allow(self) -> Decision:
        """It goes on. Returning None says the same."""
        return Decision()

    def block(self, reason: str) -> Decision:
        """It must not happen; the model or the user reads why.

        A handler that calls this and returns nothing blocks as well. What happens at
        ``before_agent_start`` cannot be blocked.
        """
        return self._make('block("...")', block=True, reason=_text("reason", reason))

    def _make(self, _line: str, /, **fields: Any) -> Decision:
        decision = Decision(_line, **fields)
        self._made.append(decision)
        return decision

    def _is_changed(self) -> bool:
        """Whether the handler changed what it was given, rather than say what is to become of it."""
        return self._payload is not None and self._payload != payload_of(self._frame)

    def _advice(self) -> str:
        """What to write in place of a change."""
        return 'a handler decides by what it returns: return moment.block("...")'


class _ToolMoment(Moment):
    """A tool is about to be called, or was."""

    __slots__ = ()

    @property
    def tool(self) -> str:
        """The tool's name."""
        return self._frame.get("tool_name") or ""

    @property
    def tool_id(self) -> str | None:
        """The model's id of the call; None where the host does not say it."""
        found: str | None = self._frame.get("tool_id")
        return found

    @property
    def args(self) -> dict[str, Any]:
        """The arguments; empty when there are none, and where the host does not say them. A change of them changes
        nothing, and is an error."""
        args = self.payload.get("tool_args")
        return args if isinstance(args, dict) else {}


class ToolUse(_ToolMoment):
    """A tool is about to be called: ``call.tool``, ``call.args``, ``call.tool_id``."""

    __slots__ = ()


class GuardedToolUse(ToolUse):
    """A tool call as a guard sees it: with the arguments that will run, which it cannot change."""

    __slots__ = ()

    def ask(self, reason: str) -> Decision:
        """A person is asked before it happens, and reads why.

        Where the host cannot ask one, as a zot or an agent without approvals, the call is blocked. A
        block of another guard counts for more. A guard that calls this and returns nothing asks as well.
        """
        return self._make('ask("...")', block=True, ask=True, reason=_text("reason", reason))

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name in ("rewrite", "replace", "system_prompt"):
                raise AttributeError(f"{ONLY_BLOCKS}: {self._advice()}")
            return super().__getattr__(name)

    def _advice(self) -> str:
        return 'return call.block("..."), or change the call in an @ext.intercept("tool_call")'


class RewritableToolUse(ToolUse):
    """A tool call as an interceptor sees it. Guards come after the last rewrite."""

    __slots__ = ()

    def rewrite(self, args: dict[str, Any]) -> Decision:
        """It is called with these arguments instead; the host checks them against the schema."""
        if not isinstance(args, dict):
            raise TypeError(f"arguments are a dict, and these are {type(args).__name__}")
        return self._make("rewrite({...})", modified_args=args)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name == "ask":
                raise AttributeError("only a guard may have a person asked: write an @ext.guard")
            return super().__getattr__(name)

    def _advice(self) -> str:
        return 'return call.rewrite({**call.args, "name": value})'


class ModelCall(Moment):
    """The model is about to be called."""

    __slots__ = ()

    @property
    def step(self) -> int | None:
        """The number of this call within the prompt, from 1."""
        found: int | None = self._frame.get("step")
        return found

    def _advice(self) -> str:
        return 'return turn.block("...")'


class Message(Moment):
    """A message of the model is about to count."""

    __slots__ = ()

    @property
    def text(self) -> str:
        """Its text; empty where it has none."""
        return self._frame.get("text") or ""

    def replace(self, text: str) -> Decision:
        """Another text counts instead."""
        return self._make("replace(text)", replace_text=_text("text", text))

    def _advice(self) -> str:
        return "return message.replace(text)"


class ToolAnswer(_ToolMoment):
    """What a tool came to, before its caller gets it: ``result.text``, ``result.is_error``.

    The tool has run: nothing here undoes that. Results of every tool come, also of failures.
    """

    __slots__ = ()

    @property
    def content(self) -> list[dict[str, Any]]:
        """What the model is to read: every block as a dict, as ``{"type": "text", "text": ...}``."""
        content: list[dict[str, Any]] = self._result().get("content") or []
        return content

    @property
    def text(self) -> str:
        """The text blocks, joined by line ends."""
        return "\n".join(one.get("text", "") for one in self.content if one.get("type") == "text")

    @property
    def structured_content(self) -> Any:
        """The result as a JSON value; None where there is none."""
        return self._result().get("structured_content")

    @property
    def details(self) -> Any:
        """What is for the user's eyes; None where there is nothing."""
        return self._result().get("details")

    @property
    def is_error(self) -> bool:
        """Whether the call failed."""
        return bool(self._result().get("is_error"))

    @property
    def error(self) -> dict[str, Any] | None:
        """Why it failed, where that is said: ``kind``, ``message`` and what more there is."""
        found: dict[str, Any] | None = self._result().get("error")
        return found

    def replace(
        self,
        content: str | Image | Sequence[str | Image | dict[str, Any]] | None = None,
        *,
        structured_content: Any = None,
        details: Any = None,
        is_error: bool | None = None,
    ) -> Decision:
        """The caller gets this in its place; what is None stays as it was.

        ``content`` is a str, an image, or a list of these and of blocks as ``result.content`` has them.
        Where there is content and no ``structured_content``, the caller gets no value: the old one says
        what was replaced. Of an error its kind stays, with the new text.
        """
        given = {
            "content": None if content is None else _content(content),
            "structured_content": structured_content,
            "details": details,
            "is_error": is_error,
        }
        replaced = {name: value for name, value in given.items() if value is not None}
        return self._make("replace(...)", replace_result=replaced)

    def fail(self, text: str) -> Decision:
        """The call counts as failed, and the model reads this."""
        failed = {"content": _content(_text("text", text)), "is_error": True}
        return self._make('fail("...")', replace_result=failed)

    def withhold(self, reason: str) -> Decision:
        """Nobody gets the result; the model reads by whom it was withheld and why.

        A handler that calls this and returns nothing withholds it as well. ``block`` is the same.
        """
        return self._make('withhold("...")', block=True, reason=_text("reason", reason))

    def _result(self) -> dict[str, Any]:
        found = self.payload.get("result")
        return found if isinstance(found, dict) else {}

    def _advice(self) -> str:
        return "return result.replace(text)"


class UserPrompt(Moment):
    """The user has sent a prompt, which the agent is about to take: ``prompt.text``."""

    __slots__ = ()

    @property
    def text(self) -> str:
        """What the user wrote."""
        return self._frame.get("text") or ""

    @property
    def queued(self) -> bool:
        """Whether it waits for the turn to end."""
        return bool(self._frame.get("queued"))

    @property
    def image_count(self) -> int | None:
        """The images beside the text; None where the host does not say it."""
        found: int | None = self._frame.get("image_count")
        return found

    def replace(self, text: str) -> Decision:
        """The agent takes this text instead."""
        return self._make("replace(text)", replace_text=_text("text", text))

    def handled(self) -> Decision:
        """The extension has dealt with it: the agent sends nothing to the model.

        A handler that calls this and returns nothing has dealt with it as well.
        """
        return self._make("handled()", handled=True)

    def _advice(self) -> str:
        return "return prompt.replace(text)"


class AgentStart(Moment):
    """An agent is about to run."""

    __slots__ = ()

    @property
    def current_prompt(self) -> str:
        """The system prompt as it stands."""
        return self._frame.get("system_prompt") or ""

    @property
    def provider(self) -> str | None:
        """The model's provider; None where the host does not say it."""
        found: str | None = self._frame.get("provider")
        return found

    @property
    def model(self) -> str | None:
        """The model; None where the host does not say it."""
        found: str | None = self._frame.get("model")
        return found

    def system_prompt(self, prompt: str) -> Decision:
        """Another system prompt; an empty one removes it."""
        return self._make("system_prompt(prompt)", system_prompt=_text("prompt", prompt))

    def _advice(self) -> str:
        return "return start.system_prompt(prompt)"


ONLY_BLOCKS = "a guard may only block or ask; an interceptor may rewrite"


def _content(content: Any) -> list[dict[str, Any]]:
    from ._result import _blocks

    if not isinstance(content, (list, tuple)):
        return _blocks(content)
    is_block = [isinstance(one, dict) and isinstance(one.get("type"), str) for one in content]
    return [one if ready else _blocks(one)[0] for one, ready in zip(content, is_block)]


def _text(what: str, value: object) -> str:
    if isinstance(value, str):
        return value
    raise TypeError(f"the {what} is a str, and this is {type(value).__name__}")


def _copy(value: Any) -> Any:
    """A copy all through, of what came as JSON."""
    if isinstance(value, dict):
        return {name: _copy(member) for name, member in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value


POINTS: dict[str, type[Moment]] = {
    "tool_call": RewritableToolUse,
    "turn_start": ModelCall,
    "assistant_message": Message,
    "before_agent_start": AgentStart,
    "tool_result": ToolAnswer,
    "user_prompt_submit": UserPrompt,
}
