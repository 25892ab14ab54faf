"""The repository in the project's folder, by way of git, which the host runs."""

from __future__ import annotations

from extline import Context, ToolError


def git(ctx: Context, *args: str) -> str:
    ran = ctx.exec("git", args)
    if not ran.ok:
        raise ToolError.conflict(f"git {args[0]}: {(ran.stderr or ran.stdout).strip()}")
    text: str = ran.stdout
    return text


def branch(ctx: Context) -> str:
    return git(ctx, "branch", "--show-current").strip() or "a commit that is on no branch"


def changes(ctx: Context, paths: list[str] | None = None) -> list[dict[str, str]]:
    """Each file that has changed, with git's letters for how: ``M``, ``A``, ``??``."""
    found = []
    words = iter(git(ctx, "status", "--porcelain", "-z", "--untracked-files=all", "--", *(paths or ["."])).split("\0"))
    for word in filter(None, words):
        state = word[:2].strip()
        found.append({"path": word[3:], "state": state})
        if "R" in state or "C" in state:
            next(words)  # Where it was before.
    return found


def files(ctx: Context) -> list[str]:
    """All that git knows, and what it does not ignore."""
    listed = git(ctx, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    return [path for path in listed.split("\0") if path]


def commits(ctx: Context, count: int) -> list[str]:
    """The newest commits, the newest first."""
    # A repository without a commit has no log.
    has_any = ctx.exec("git", ["rev-parse", "--verify", "--quiet", "HEAD"]).ok
    return git(ctx, "log", f"--max-count={count}", "--format=%h %s").splitlines() if has_any else []


def commit(ctx: Context, subject: str, body: str, paths: list[str] | None) -> str:
    which = paths or ["."]
    git(ctx, "add", "--all", "--", *which)
    message = ["-m", subject, *(["-m", body] if body else [])]
    git(ctx, "commit", "--quiet", *message, "--", *which)
    return commits(ctx, 1)[0]
