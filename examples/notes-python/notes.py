#!/usr/bin/env python3
"""Notes: a panel for the user, tools for the model, and one list that outlives both."""
from threading import Lock

from extline import Context, Extension, Panel, PanelInput, Response, ToolError
from store import Store
from view import View

PANEL = "notes"

ext = Extension("notes-python", "1.0.0")
view = View()
# Handlers without `async` run in threads, several at a time.
lock = Lock()


@ext.tool
def add_note(text: str, *, ctx: Context) -> str:
    """Keeps a note for the user.

    text: One line
    """
    with lock:
        notes = store(ctx).load()
        notes.append(one_line(text))
        return keep(notes, ctx)


@ext.tool(read_only=True)
def list_notes(*, ctx: Context) -> str:
    """The user's notes, numbered."""
    with lock:
        return numbered(store(ctx).load())


@ext.tool
def remove_note(number: int, *, ctx: Context) -> str:
    """Removes one of the user's notes.

    number: Its number in the list
    """
    with lock:
        notes = store(ctx).load()
        if not 1 <= number <= len(notes):
            hint = numbered(notes)
            raise ToolError.not_found(f"there is no note {number}", field="/number", hint=hint)
        del notes[number - 1]
        return keep(notes, ctx)


@ext.command("notes", "open the notes")
def open_notes(ctx: Context) -> Response:
    with lock:
        view.reset()
        return Response.open_panel(Panel(PANEL, **view.draw(store(ctx).load())))


@ext.panel(PANEL)
def pressed(input: PanelInput, ctx: Context) -> None:
    if input.kind != "key":
        return
    with lock:
        before = store(ctx).load()
        notes = view.press(input.key, input.text, before)
        if notes is None:
            ctx.panel(PANEL).close()
        elif notes != before:
            keep(notes, ctx)
        else:
            ctx.panel(PANEL).render(**view.draw(notes))


def store(ctx: Context) -> Store:
    """The host says which folder is this extension's own."""
    if ctx.data_dir is None:
        raise ToolError.unsupported("the host gives no data folder")
    return Store(ctx.data_dir)


def keep(notes: list[str], ctx: Context) -> str:
    store(ctx).save(notes)
    # Nothing happens when the panel is not open.
    ctx.panel(PANEL).render(**view.draw(notes))
    return numbered(notes)


def numbered(notes: list[str]) -> str:
    return "\n".join(f"{n}. {note}" for n, note in enumerate(notes, 1)) or "there are no notes"


def one_line(text: str) -> str:
    line = " ".join(text.split())
    if not line:
        raise ToolError("an empty note", field="/text")
    return line


if __name__ == "__main__":
    ext.run()
