"""What a user, a log and a registry would have seen of the extension so far."""

from __future__ import annotations

from .._response import Panel
from ._answers import Note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Seen:
    """By the names of the session's events: ``take`` has one for each that only is remembered."""

    def __init__(self, unwanted: set[tuple[str, str]]) -> None:
        self._unwanted = unwanted
        self.hello: dict[str, Any] = {}
        self.is_ready = False
        # It has said its last.
        self.has_left = False
        # Something was registered since the extension was last told of it.
        self.is_news = False
        self.tools: dict[str, dict[str, Any]] = {}
        self.commands: dict[str, dict[str, Any]] = {}
        self.subscription: dict[str, Any] = {}
        self.rejected: list[dict[str, Any]] = []
        self.notes: list[Note] = []
        self.logs: list[dict[str, Any]] = []
        self.submitted: list[str] = []
        self.panels: dict[str, Panel] = {}
        self.notices: list[str] = []

    def take(self, name: str, said: Any) -> None:
        """Takes in what happened."""
        handler = getattr(self, f"_{name}", None)
        if handler is not None:
            handler(said)

    def report(self) -> dict[str, Any]:
        """What the host took of the registrations, as a frame."""
        return {
            "type": "registered",
            "tools": list(self.tools),
            "commands": list(self.commands),
            "events": self.subscription.get("events", []),
            "intercept": self.subscription.get("intercept", []),
            "guards": self.subscription.get("guards", []),
            "rejected": self.rejected,
        }

    def _hello(self, frame: dict[str, Any]) -> None:
        self.hello = frame

    def _ready(self, _: None) -> None:
        self.is_ready = self.is_news = True

    def _shutdown_ack(self, _: None) -> None:
        self.has_left = True

    def _register_tool(self, frame: dict[str, Any]) -> None:
        if not self._rejects("tool", frame["name"]):
            self.tools[frame["name"]] = frame
            self.is_news = True

    def _unregister_tool(self, name: str) -> None:
        self.tools.pop(name, None)
        self.is_news = True

    def _register_command(self, frame: dict[str, Any]) -> None:
        if not self._rejects("command", frame["name"]):
            self.commands[frame["name"]] = frame
            self.is_news = True

    def _subscribe(self, frame: dict[str, Any]) -> None:
        kinds = {"events": "event", "intercept": "intercept", "guards": "guard"}
        kept = {
            names: [one for one in frame[names] if not self._rejects(kind, one)]
            for names, kind in kinds.items()
            if names in frame
        }
        # One without anything changes nothing.
        if kept:
            self.subscription = kept
            self.is_news = True

    def _rejected(self, rejection: dict[str, Any]) -> None:
        self.rejected.append(rejection)
        self.is_news = True

    def _rejects(self, kind: str, name: str) -> bool:
        if (kind, name) not in self._unwanted:
            return False
        message = "the test has it rejected"
        self._rejected({"kind": kind, "name": name, "code": "conflict", "message": message})
        return True

    def _notify(self, note: tuple[str, str]) -> None:
        self.notes.append(Note(*note))

    def _clear_notes(self, _: None) -> None:
        self.notes.clear()

    def _log(self, frame: dict[str, Any]) -> None:
        self.logs.append({name: value for name, value in frame.items() if name != "type"})

    def _submit(self, text: str) -> None:
        self.submitted.append(text)

    def _notice(self, text: str) -> None:
        self.notices.append(text)

    def _open_panel(self, panel: dict[str, Any]) -> None:
        self.panels.pop(panel["id"], None)
        self.panels[panel["id"]] = Panel(**panel)

    def _panel_render(self, frame: dict[str, Any]) -> None:
        panel = self.panels.get(frame["panel_id"])
        if panel is not None:
            # A title stays, what else is not drawn again does not.
            panel.title = frame.get("title", panel.title)
            panel.lines = frame.get("lines")
            panel.footer = frame.get("footer")

    def _panel_close(self, id: str) -> None:
        self.panels.pop(id, None)
