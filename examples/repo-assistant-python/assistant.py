#!/usr/bin/env python3
"""Looks after a git repository: what has changed, notes, edits, commits, change requests."""

from __future__ import annotations

from dataclasses import dataclass

from extline import Context, Decision, Extension, GuardedToolUse, ToolError, ToolResult, view

import edits
import forge
import repository

ext = Extension("repo-assistant", "1.0.0")

# Characters of a diff that stand with a pending action; the result has all of it.
SUMMARY = 10_000


@dataclass
class Settings:
    forge_url: str = ""
    base: str = "main"
    commits: int = 5


settings = ext.config(Settings)


@ext.tool(read_only=True)
def repo_status(ctx: Context) -> ToolResult:
    """The branch, the files that have changed, the newest commits, and the notes for the next one."""
    branch, changes = repository.branch(ctx), repository.changes(ctx)
    status = {
        "branch": branch,
        "changes": changes,
        "commits": repository.commits(ctx, settings.commits),
        "notes": ctx.state.session.get("notes", []),
    }
    shown = view.table(["", "file"], [[one["state"], one["path"]] for one in changes], title=f"On {branch}")
    return ToolResult(structured=status, view=shown)


@ext.tool
def repo_note(text: str, ctx: Context) -> str:
    """Notes what was done, for the message of the next commit. Notes belong to the conversation.

    text: one thing, in a sentence
    """
    notes: list[str] = ctx.state.session.modify("notes", lambda notes: [*notes, text], [])
    return listed(notes)


@ext.tool
def repo_replace(old: str, new: str, *, ctx: Context) -> ToolResult:
    """Proposes to put a text in the place of another, in all files. Nothing is written before that is applied.

    old: the text that is there, of one line
    new: the text to stand in its place, of one line
    """
    if not old or "\n" in old + new:
        raise ToolError("both texts are of one line, and the first is not empty", field="/old")
    found = edits.replacing(ctx, old, new)
    if not found:
        raise ToolError.not_found(f"no file has {old!r}", field="/old")

    def apply() -> str:
        edits.write(ctx, found)
        return f"wrote {counted(len(found))}"

    diff = "".join(edit.diff() for edit in found)
    ctx.pending.push(f"{counted(len(found))}: {old} becomes {new}", apply=apply, summary=diff[:SUMMARY])
    return ToolResult(diff, view=view.diff(diff))


@ext.tool
def repo_commit(subject: str, paths: list[str] | None = None, *, ctx: Context) -> str:
    """Commits what has changed, once the person says so. The notes become the body of the message.

    subject: what the commit does, in a line
    paths: the files; all that have changed where nothing is said
    """
    changed = repository.changes(ctx, paths)
    if not changed:
        raise ToolError("nothing has changed", field="/paths" if paths else None)
    notes: list[str] = ctx.state.session.get("notes", [])
    shown = "\n".join(f"{one['state']} {one['path']}" for one in changed)
    if not ctx.ui.confirm(f"Commit to {repository.branch(ctx)}: {subject}?", shown):
        return "not committed: the person does not want it"
    made = repository.commit(ctx, subject, listed(notes), paths)
    ctx.state.session.delete("notes")
    return made


@ext.tool(open_world=True)
def repo_request(title: str, ctx: Context) -> str:
    """Opens a change request for the present branch at the forge, once the person says so.

    title: what the branch does, in a line
    """
    branch = repository.branch(ctx)
    if branch == settings.base:
        hint = f"commit on another branch, and ask for a change of {settings.base}"
        raise ToolError(f"{branch} is the branch that is to be changed", hint=hint)
    if not ctx.ui.confirm(f"Open a change request at {settings.forge_url}?", f"{title}\n{branch} into {settings.base}"):
        return "not opened: the person does not want it"
    token = ctx.secret("forge_token", "to open a change request")
    return forge.open_request(settings.forge_url, token, title=title, head=branch, base=settings.base)


@ext.guard
def no_force(call: GuardedToolUse) -> Decision | None:
    """Nobody's push overwrites what others have pushed, whichever tool it comes from."""
    command, args = call.args.get("command"), call.args.get("args")
    words = {*str(command).split(), *(args if isinstance(args, list) else [])}
    if {"git", "push"} <= words and words & {"--force", "-f"}:
        return call.block("a push with --force overwrites what others have pushed: use --force-with-lease")
    return None


def counted(files: int) -> str:
    return "1 file" if files == 1 else f"{files} files"


def listed(notes: list[str]) -> str:
    return "\n".join(f"- {note}" for note in notes)


if __name__ == "__main__":
    ext.run()
