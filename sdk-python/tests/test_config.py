"""The configuration as the author's own type, and what becomes of one that changes or does not fit."""

from __future__ import annotations

import subprocess
import sys
import types
from dataclasses import dataclass, field
from typing import TypedDict

import msgspec
import pydantic
import pytest

from extline import ConfigError, Context, DefinitionError, Extension, events
from extline.testing import Host
from test_docs import fences


@dataclass
class Retry:
    times: int = 3


@dataclass
class Settings:
    url: str
    timeout_ms: int = 5000
    retry: Retry = field(default_factory=Retry)


class Struct(msgspec.Struct):
    url: str
    timeout_ms: int = 5000


class Model(pydantic.BaseModel):
    url: str
    timeout_ms: int = 5000


class Typed(TypedDict):
    url: str


def telling(model=None):
    """An extension with a tool that tells its configuration."""
    ext = Extension("weather", "1.0.0")
    settings = ext.config(model) if model is not None else None

    @ext.tool
    def told(ctx: Context) -> str:
        return repr(ctx.config)

    return ext, settings


@pytest.mark.parametrize("model", [Settings, Struct, Model])
def test_a_class_is_made_of_it(model) -> None:
    ext, settings = telling(model)
    with Host(ext, config={"url": "x"}) as host:
        assert host.call("told").text == repr(model(url="x"))
        assert settings.url == "x"
        assert settings.timeout_ms == 5000


def test_a_typed_dict_and_no_class_give_a_dict() -> None:
    ext, settings = telling(Typed)
    with Host(ext, config={"url": "x"}) as host:
        assert host.call("told").text == "{'url': 'x'}"
        assert settings["url"] == "x"
        assert list(settings) == ["url"]
    ext, _ = telling()
    with Host(ext, config={"a": [1, None]}) as host:
        assert host.call("told").text == "{'a': [1, None]}"


def test_a_host_without_configurations_leaves_the_defaults() -> None:
    ext, settings = telling(Retry)
    with Host(ext, profile="zot-0.1.62") as host:
        assert host.call("told").text == "Retry(times=3)"
        assert settings.times == 3


def test_it_is_the_new_one_after_a_change_whether_or_not_somebody_listens() -> None:
    ext, settings = telling(Settings)
    with Host(ext, config={"url": "x"}) as host:
        assert settings.url == "x"
        host.change_config({"url": "y", "retry": {"times": 1}})
        assert settings.url == "y"
        assert settings.retry == Retry(1)
        assert "url='y'" in host.call("told").text
        # One that does not fit changes nothing, and the log says so.
        host.change_config({"url": 5})
        assert settings.url == "y"
        assert "url='y'" in host.call("told").text
        assert "/url: must be a string, and is 5" in host.logs[-1]["message"]


def test_a_handler_is_told_of_a_change() -> None:
    ext, settings = telling(Settings)
    heard = []

    @ext.on("config_changed")
    def changed(event: events.ConfigChanged, ctx: Context) -> None:
        heard.append((event.config, ctx.config.url, settings.url))

    with Host(ext, config={"url": "x"}) as host:
        host.change_config({"url": "y"})
        assert heard == [({"url": "y"}, "y", "y")]


def test_setup_has_it() -> None:
    ext, settings = telling(Settings)
    seen = []

    @ext.setup
    def prepare(ctx: Context) -> None:
        seen.append((ctx.config.url, settings.url))

    with Host(ext, config={"url": "x"}):
        assert seen == [("x", "x")]


def test_an_async_handler_has_it() -> None:
    ext = Extension("weather", "1.0.0")
    settings = ext.config(Settings)

    @ext.tool
    async def told(ctx: Context) -> str:
        return f"{ctx.config.url} {settings.timeout_ms}"

    with Host(ext, config={"url": "x"}) as host:
        assert host.call("told").text == "x 5000"


PROGRAM = """
from dataclasses import dataclass
from extline import Extension

@dataclass
class Settings:
    url: str

ext = Extension("weather", "1.0.0")
settings = ext.config(Settings)

@ext.tool
def told() -> str:
    return settings.url

ext.run()
"""


def test_one_that_does_not_fit_ends_it_with_the_place_and_what_to_do(tmp_path) -> None:
    file = tmp_path / "weather.py"
    file.write_text(PROGRAM)
    for config, told in [
        ("", "/url: required, and missing"),
        (',"config":{"url":5}', "/url: must be a string, and is 5"),
    ]:
        ack = '{"type":"hello_ack","protocol_version":1,"zot_version":"0.1.62"%s}\n' % config
        run = subprocess.run(
            [sys.executable, str(file)], input=ack, capture_output=True, text=True, timeout=60
        )
        assert run.returncode == 78
        assert run.stderr.startswith(f"extline: the configuration does not fit: {told}")
        assert "extline config DIR KEY VALUE" in run.stderr
        assert "Traceback" not in run.stderr


def test_before_there_is_a_host_there_is_none() -> None:
    _, settings = telling(Settings)
    with pytest.raises(RuntimeError, match="before the host has answered"):
        settings.url  # noqa: B018


def test_what_cannot_be_meant_is_refused() -> None:
    ext, settings = telling(Settings)
    with pytest.raises(DefinitionError, match="has a model already"):
        ext.config(Settings)
    with pytest.raises(DefinitionError, match="is a class"):
        Extension("a").config({"url": str})
    with pytest.raises(AttributeError, match="by `extline config`"):
        settings.url = "x"
    assert issubclass(ConfigError, ValueError)


def test_the_page_holds() -> None:
    sample = next(text for language, name, text in fences("configuration.md") if (language, name) == ("python", ""))
    module = {"__name__": "configuration"}
    sys.modules["configuration"] = types.ModuleType("configuration")
    try:
        exec(sample, module)
        vars(sys.modules["configuration"]).update(module)
        with Host(module["ext"], config={"base_url": "https://x"}) as host:
            assert host.call("where").text == "https://x, for 5000 ms"
            host.change_config({"base_url": "https://y"})
            host.settle()
            assert host.logs[-1]["message"] == "it asks at https://y from now on"
    finally:
        del sys.modules["configuration"]
