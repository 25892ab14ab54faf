"""What a handler raises to say why a call failed."""

from __future__ import annotations

from ._native import ERROR_KINDS

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


class ToolError(Exception):
    """A tool call failed: a kind, a text for the model, and what helps to do better.

    ``ToolError("text")`` has the kind ``validation``: the call is wrong, and the text tells the model
    how to correct it. Each kind has a constructor of its name. The kinds ``validation``,
    ``not_found``, ``permission`` and ``stale`` say that the call was wrong. The kinds ``transient``,
    ``timeout`` and ``budget`` say that the same call may work later.

    All kinds: ``validation``, ``not_found``, ``permission``, ``transient``, ``timeout``,
    ``cancelled``, ``conflict``, ``stale``, ``budget``, ``unsupported``, ``too_large``,
    ``protocol``, ``internal``, ``fatal``: ``raise ToolError.budget("used up", retry_after=60)``.

    ``field`` is the JSON pointer of the offending member of the arguments: a missing city is
    ``/city``. ``hint`` says what to do about it. ``causes`` says what led to it. ``retry_after`` is
    the number of seconds after which another try is worth it. All are attributes too, and so is
    ``kind``. A failed ``ctx.call_tool`` or ``ctx.request`` raises such an error.
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
        """An error of any kind, with what the constructors take. Raises ValueError for an unknown
        kind."""
        if kind not in ERROR_KINDS:
            raise ValueError(f"there is no kind {kind!r}; there are {', '.join(ERROR_KINDS)}")
        error = cls(message, **more)  # type: ignore[arg-type]
        error.kind = kind
        return error


def failed(kind: str, message: str, hint: str | None, causes: list[str]) -> ToolError:
    """Why a question to the host failed; the kind may be newer than this package."""
    raised = ToolError(message, hint=hint, causes=causes)
    raised.kind = kind
    return raised


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


for _kind in ERROR_KINDS:
    setattr(ToolError, _kind, _constructor(_kind))
