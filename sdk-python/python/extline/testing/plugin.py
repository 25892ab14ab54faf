"""The fixture of pytest. It is there wherever the package is installed."""

from __future__ import annotations

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import Any

    from .._extension import Extension
    from ._host import Host

_HOSTS: pytest.StashKey[list[Any]] = pytest.StashKey()


@pytest.fixture
def extline_host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., Host]]:
    """Starts testing hosts: ``host = extline_host(ext)``. They end with the test.

    What ``extline.testing.Host`` takes may follow. The extension's data is in ``tmp_path/data``.
    """
    from ._host import Host

    hosts: list[Host] = request.node.stash.setdefault(_HOSTS, [])

    def start(extension: Extension, **options: Any) -> Host:
        data = tmp_path / "data"
        data.mkdir(exist_ok=True)
        host = Host(extension, **{"data_dir": data, **options})
        hosts.append(host)
        return host.start()

    yield start
    for host in reversed(hosts):
        host.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Shows the frames of a test that failed."""
    report = yield
    if report.when == "call" and report.failed:
        for host in item.stash.get(_HOSTS, []):
            if host._conversation is not None:
                report.sections.append(("extline", host.transcript.tail()))
    return report
