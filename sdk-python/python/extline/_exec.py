"""Programs that the host runs for an extension."""

from __future__ import annotations

from ._answered import then

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from os import PathLike
    from typing import Any

    from ._native import Context
    from ._services import ExecRun, ExecRunAnswer, ExecRunPart


class Ran:
    """How a program ended, and what it wrote.

    A program that fails is no exception: look at ``ok`` or ``code``. What it wrote is the end of it where that was
    more than is kept; ``truncated`` says so. Bytes that are no UTF-8 are U+FFFD.
    """

    __slots__ = ("code", "signal", "stderr", "stdout", "timed_out", "truncated")

    #: What it ended with; None where a signal ended it.
    code: int | None
    #: The signal that ended it, as ``SIGKILL``.
    signal: str | None
    #: Whether it was ended because its time was over.
    timed_out: bool
    #: Whether something of what it wrote was cut off.
    truncated: bool
    #: What it wrote to stdout.
    stdout: str
    #: What it wrote to stderr.
    stderr: str

    def __init__(self, answer: ExecRunAnswer) -> None:
        self.code = answer.get("code")
        self.signal = answer.get("signal")
        self.timed_out = answer.get("timed_out", False)
        self.truncated = answer.get("truncated", False)
        self.stdout = answer.get("stdout", "")
        self.stderr = answer.get("stderr", "")

    @property
    def ok(self) -> bool:
        """Whether it ended by itself with the code 0."""
        return self.code == 0

    def __repr__(self) -> str:
        ended = f"signal={self.signal!r}" if self.code is None else f"code={self.code}"
        return f"<extline.Ran {ended}>"


def run(
    ctx: Context,
    command: str,
    args: Iterable[str] | None,
    options: tuple[
        str | PathLike[str] | None,
        Mapping[str, str | None] | None,
        str | None,
        float | None,
        int | None,
        Callable[[str, str], object] | None,
    ],
) -> Any:
    """What ``ctx.exec`` does; the options as they stand in its signature."""
    cwd, env, stdin, timeout, max_bytes, on_output = options
    if isinstance(args, str):
        raise TypeError(f"ctx.exec takes a list of arguments, as [{args!r}]: there is no shell to split a text")
    params: ExecRun = {"command": command, "args": [str(argument) for argument in args or ()]}
    if cwd is not None:
        params["cwd"] = str(cwd)
    if env is not None:
        params["env"] = dict(env)
    if stdin is not None:
        params["stdin"] = stdin
    if timeout is not None:
        if not timeout > 0:
            raise ValueError(f"timeout={timeout}: a program needs more than 0 seconds; leave it out for no end")
        params["timeout_ms"] = max(1, round(timeout * 1000))
    if max_bytes is not None:
        params["max_bytes"] = max_bytes
    if on_output is None:
        answer = ctx.request("exec.run", params)
    else:
        params["stream"] = True
        tell = on_output

        def take(part: ExecRunPart) -> object:
            return tell(part["text"], part["stream"])

        answer = ctx.request("exec.run", params, on_part=take)
    return then(answer, Ran)
