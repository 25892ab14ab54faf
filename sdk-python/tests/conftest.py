from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from wire import Peer


@pytest.fixture(autouse=True)
def _no_hang() -> Iterator[None]:
    """A test that hangs fails, and the others run."""

    def fail(*_: object) -> None:
        raise TimeoutError("the test took more than 300 s")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(300)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


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
