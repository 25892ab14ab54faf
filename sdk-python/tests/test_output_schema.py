"""The schema of what a tool returns, from its return annotation."""

from __future__ import annotations

import datetime
import subprocess
import sys
from collections.abc import AsyncIterator, Generator
from dataclasses import dataclass
from typing import Any, TypedDict

import msgspec
import pydantic
import pytest
from extline import Extension, Image, ToolResult
from extline.testing import Host
from wire import PACKAGE


@dataclass
class Weather:
    """What it is like."""

    celsius: float
    sky: str = "fog"


class Report(TypedDict):
    lines: list[int]


class Order(pydantic.BaseModel):
    at: datetime.datetime
    count: int = pydantic.Field(default=1, serialization_alias="n")


class User(msgspec.Struct):
    name: str


@dataclass
class Dated:
    when: datetime.datetime


NOON = datetime.datetime(2026, 1, 31, 12, tzinfo=datetime.timezone.utc)


def weather() -> Weather:
    return Weather(16.0)


async def later() -> Report:
    return {"lines": [1]}


def order() -> Order:
    return Order(at=NOON)


def user() -> User:
    return User("Ada")


def dated() -> Dated:
    return Dated(NOON)


def steps() -> Generator[str, None, Weather]:
    yield "asking"
    return Weather(1.0)


def test_an_object_of_the_authors_is_described_and_what_is_returned_matches() -> None:
    ext = Extension("x")
    for tool in (weather, later, order, user, dated, steps):
        ext.tool(tool)
    with Host(ext) as host:
        schemas = {tool["name"]: tool["output_schema"] for tool in host.tools}
        # Each answer is held to its schema by the testing host.
        values = {name: host.call(name).value for name in schemas}
    assert schemas["weather"] == schemas["steps"]
    assert schemas["weather"]["properties"].keys() == {"celsius", "sky"}
    assert schemas["weather"]["description"] == "What it is like."
    assert schemas["later"]["required"] == ["lines"]
    assert schemas["order"]["properties"].keys() == {"at", "n"}
    assert schemas["dated"]["properties"]["when"] == {"type": "string", "format": "date-time"}
    assert values["weather"] == {"celsius": 16.0, "sky": "fog"}
    assert values["user"] == {"name": "Ada"}


def unsaid():
    return {"a": 1}


def text() -> str:
    return "a"


def maybe() -> Weather | None:
    return None


def values() -> dict[str, int]:
    return {"a": 1}


def whole() -> ToolResult:
    return ToolResult("x")


def picture() -> Image | str:
    return "x"


def anything() -> Any:
    return None


def unknown() -> Nowhere:  # type: ignore[name-defined] # noqa: F821
    return None


async def stream() -> AsyncIterator[str]:
    yield "a"


@pytest.mark.parametrize("tool", [unsaid, text, maybe, values, whole, picture, anything, unknown, stream])
def test_what_is_no_such_object_has_no_schema(tool) -> None:
    ext = Extension("x")
    ext.tool(tool)
    with Host(ext) as host:
        assert "output_schema" not in host.tools[0]


def test_an_author_may_say_another_or_none() -> None:
    ext = Extension("x")
    ext.tool(name="none", output_schema=False)(weather)
    ext.tool(name="own", output_schema={"type": "object"})(weather)
    with Host(ext) as host:
        none, own = host.tools
    assert "output_schema" not in none
    assert own["output_schema"] == {"type": "object"}


def test_a_dataclass_that_is_returned_loads_no_msgspec() -> None:
    source = (
        "import sys, dataclasses\nfrom extline import Extension\next = Extension('x')\n"
        "@dataclasses.dataclass\nclass A:\n  n: int\n"
        "@ext.tool\ndef give() -> A: return A(1)\n"
        "print('msgspec' in sys.modules, 'typing' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(PACKAGE)!r})\n" + source],
        capture_output=True, text=True, check=True, env={"EXTLINE_STDIO": "leave"},
    )  # fmt: skip
    assert done.stdout.split()[0] == "False"
