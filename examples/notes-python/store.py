"""The notes in a file, which is whole at any time: it is written beside and moved into place."""
from __future__ import annotations

import json
import os
from pathlib import Path

from extline import ToolError


class Store:
    """Where the notes are kept. Each operation reads them anew, so no other process is overlooked."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "notes.json"

    def load(self) -> list[str]:
        try:
            notes = json.loads(self.file.read_bytes())
        except FileNotFoundError:
            return []
        except ValueError as error:
            message = f"{self.file} is damaged, so it is left as it is: {error}"
            raise ToolError.internal(message, hint="mend it, or move it away") from None
        return [str(note) for note in notes]

    def save(self, notes: list[str]) -> None:
        new = self.file.with_suffix(".new")
        with new.open("w", encoding="utf-8") as out:
            json.dump(notes, out, ensure_ascii=False, indent=1)
            out.flush()
            os.fsync(out.fileno())
        new.replace(self.file)
