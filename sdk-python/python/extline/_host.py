"""What an extension knows of its host."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from ._native import Session


class Host:
    """The program that the extension runs under, as its ``hello_ack`` says."""

    def __init__(self, ack: dict[str, Any], session: Session) -> None:
        self._ack = ack
        self._session = session

    @property
    def name(self) -> str:
        """Its name; ``zot`` for one that does not say it."""
        return self._ack.get("host", {}).get("name") or "zot"

    @property
    def version(self) -> str:
        """Its version."""
        return self._ack.get("host", {}).get("version") or self.zot_version

    @property
    def zot_version(self) -> str:
        """The version of zot that it is, or is like."""
        return self._ack.get("zot_version") or ""

    @property
    def provider(self) -> str:
        """The model's provider; empty where the host does not say it."""
        return self._ack.get("provider") or ""

    @property
    def model(self) -> str:
        """The model; empty where the host does not say it."""
        return self._ack.get("model") or ""

    @property
    def cwd(self) -> str:
        """The project's directory, absolute. The extension itself is started in its own."""
        return self._ack.get("cwd") or ""

    @property
    def limits(self) -> dict[str, int]:
        """What it grants: ``frame_bytes``, ``tool_timeout_ms``, ...; empty where it does not say."""
        return self._ack.get("limits") or {}

    @property
    def extension_dir(self) -> Path | None:
        """Where the extension is; None where the host does not say it."""
        return _path(self._ack.get("extension_dir"))

    @property
    def data_dir(self) -> Path | None:
        """Where the extension may keep data; it exists. None where the host does not say it."""
        return _path(self._ack.get("data_dir"))

    def supports(self, capability: str) -> bool:
        """Whether it understands what the extension would send: ``tool_update``, ``log``, ..."""
        return self._session.supports(capability)

    def serves(self, method: str) -> bool:
        """Whether it serves that method, for ``ctx.request``."""
        return method in (self._ack.get("methods") or ())

    def __repr__(self) -> str:
        return f"<extline.Host {self.name} {self.version}>"


def _path(text: str | None) -> Path | None:
    if not text:
        return None
    from pathlib import Path

    return Path(text)
