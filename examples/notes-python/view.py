"""The notes as a panel: a line for each, one of them selected, and a line to type a new one."""
from __future__ import annotations

from typing import TypedDict


class Drawn(TypedDict):
    """What a panel is made of."""

    title: str
    lines: list[str]
    footer: str


class View:
    """What the panel shows beside the notes themselves."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.selected = 0
        self.typed: str | None = None

    def press(self, key: str | None, text: str | None, notes: list[str]) -> list[str] | None:
        """The notes after a key; None when the panel is to go."""
        notes = list(notes)
        pressed = text if key == "rune" else key
        if self.typed is not None:
            return self._type(pressed, text, notes)
        if pressed == "up":
            self.selected -= 1
        elif pressed == "down":
            self.selected += 1
        elif pressed == "a":
            self.typed = ""
        elif pressed in ("d", "delete") and self.selected < len(notes):
            del notes[self.selected]
        elif pressed in ("esc", "q"):
            return None
        return notes

    def _type(self, pressed: str | None, text: str | None, notes: list[str]) -> list[str]:
        typed = self.typed or ""
        if pressed == "enter":
            if typed.strip():
                notes.append(typed.strip())
                self.selected = len(notes) - 1
            self.typed = None
        elif pressed == "esc":
            self.typed = None
        elif pressed == "backspace":
            self.typed = typed[:-1]
        elif text:
            self.typed = typed + text
        return notes

    def draw(self, notes: list[str]) -> Drawn:
        """What a panel is made of."""
        self.selected = max(0, min(self.selected, len(notes) - 1))
        typing = self.typed is not None
        lines = [
            f"{'>' if at == self.selected and not typing else ' '} {note}"
            for at, note in enumerate(notes)
        ]
        if typing:
            lines.append(f"> new: {self.typed}_")
        footer = "enter keeps it, esc does not" if typing else "a adds, d deletes, esc closes"
        return {"title": f"Notes ({len(notes)})", "lines": lines or ["  none yet"], "footer": footer}
