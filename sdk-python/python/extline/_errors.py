"""What a handler raises to say why a call failed."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Protocol

    from typing_extensions import Self

    class Constructor(Protocol):
        """Makes an error of one kind."""

        def __call__(
            self,
            message: str,
            *,
            field: str | None = None,
            hint: str | None = None,
            causes: list[str] | tuple[str, ...] = (),
            retry_after: float | None = None,
        ) -> ToolError: ...


_KINDS = (
    "validation",
    "not_found",
    "permission",
    "transient",
    "timeout",
    "cancelled",
    "conflict",
    "stale",
    "budget",
    "unsupported",
    "too_large",
    "protocol",
    "internal",
    "fatal",
)


class ToolError(Exception):
    """A tool call failed: a kind, a text for the model, and what helps to do better.

    ``ToolError("text")`` means that the call is the model's fault, and the text tells it how to
    correct the call (kind ``validation``). The constructors are named after the kinds:
    ``validation``, ``not_found``, ``permission`` and ``stale`` are the model's fault;
    ``transient``, ``timeout`` and ``budget`` the world's.

    All kinds: ``validation``, ``not_found``, ``permission``, ``transient``, ``timeout``,
    ``cancelled``, ``conflict``, ``stale``, ``budget``, ``unsupported``, ``too_large``,
    ``protocol``, ``internal``, ``fatal``: ``raise ToolError.budget("used up", retry_after=60)``.

    ``field`` is the JSON pointer of the offending member of the arguments: a missing city is
    ``/city``. ``hint`` says what to do about it, ``causes`` what led to it, ``retry_after`` after
    how many seconds it is worth another try. All are attributes too, and so is ``kind``; a failed
    ``ctx.call_tool`` or ``ctx.request`` raises such an error.
    """

    __module__ = "extline"
    kind = "validation"

    if TYPE_CHECKING:
        validation: ClassVar[Constructor]
        not_found: ClassVar[Constructor]
        permission: ClassVar[Constructor]
        transient: ClassVar[Constructor]
        timeout: ClassVar[Constructor]
        cancelled: ClassVar[Constructor]
        conflict: ClassVar[Constructor]
        stale: ClassVar[Constructor]
        budget: ClassVar[Constructor]
        unsupported: ClassVar[Constructor]
        too_large: ClassVar[Constructor]
        protocol: ClassVar[Constructor]
        internal: ClassVar[Constructor]
        fatal: ClassVar[Constructor]

    def __init__(
        self,
        message: str,
        *,
        field: str | None = None,
        hint: str | None = None,
        causes: list[str] | tuple[str, ...] = (),
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.hint = hint
        self.causes = list(causes)
        self.retry_after = retry_after

    @property
    def retry_after_ms(self) -> int | None:
        """How long to wait before trying again, in milliseconds."""
        return None if self.retry_after is None else max(0, round(self.retry_after * 1000))

    @classmethod
    def of_kind(cls, kind: str, message: str, **more: object) -> Self:
        """An error of any kind; what the constructors take may follow."""
        error = cls(message, **more)  # type: ignore[arg-type]
        error.kind = kind
        return error


class Cancelled(ToolError):
    """The host no longer wants the answer. Let it pass: it becomes the answer."""

    __module__ = "extline"
    kind = "cancelled"

    def __init__(self, message: str = "cancelled") -> None:
        super().__init__(message)


def _constructor(kind: str) -> Any:
    def construct(cls: Any, /, message: str, **more: object) -> Any:
        return cls.of_kind(kind, message, **more)

    construct.__name__ = kind
    construct.__qualname__ = f"ToolError.{kind}"
    construct.__doc__ = f"An error of kind ``{kind}``."
    return classmethod(construct)


for _kind in _KINDS:
    setattr(ToolError, _kind, _constructor(_kind))
