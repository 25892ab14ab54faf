from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from wire import Peer


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Peer]]:
    """Starts extensions from their source, and ends them with the test."""
    peers: list[Peer] = []

    def starting(source: str | Path, **options: object) -> Peer:
        folder = tmp_path / str(len(peers))
        folder.mkdir()
        peers.append(Peer(source, folder, **options))  # type: ignore[arg-type]
        return peers[-1]

    yield starting
    for peer in peers:
        peer.kill()
