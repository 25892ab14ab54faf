"""A tool from whatever can be called: its name, context, and the way to call it."""

from __future__ import annotations

import asyncio
import functools
import sys
from typing import TYPE_CHECKING, Any

import pytest
from extline._describe import DefinitionError, Described, describe

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator


def call(tool: Described, **args: Any) -> Any:
    return tool.function(**tool.bind(args))


def names(tool: Described) -> list[str]:
    return list(tool.schema["properties"])


def test_the_sample_of_the_readme() -> None:
    def weather(city: str, units: str = "c", *, ctx: Any) -> str:
        """Current weather for a city.

        city: City name
        """
        return f"{city} {units} {ctx}"

    tool = describe(weather)
    assert tool.name == "weather"
    assert tool.description == "Current weather for a city."
    assert tool.context == "ctx"
    assert tool.plain
    assert not tool.is_async
    assert not tool.is_generator
    assert tool.schema == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "City name"},
            "units": {"type": "string", "default": "c"},
        },
        "required": ["city"],
        "additionalProperties": False,
    }
    assert tool.function(**tool.bind({"city": "Berlin"}), ctx=1) == "Berlin c 1"


def test_a_function_without_parameters_or_docstring() -> None:
    def now() -> str:
        return "noon"

    tool = describe(now)
    assert tool.schema == {"type": "object", "properties": {}, "additionalProperties": False}
    assert tool.description == ""
    assert tool.context is None
    assert call(tool) == "noon"


def test_what_is_given_by_keyword_wins() -> None:
    def now(zone: str = "UTC") -> str:
        """The time.

        zone: of the world
        """
        return zone

    tool = describe(now, name="time-now", description="What time is it?")
    assert (tool.name, tool.description) == ("time-now", "What time is it?")
    assert tool.schema["properties"]["zone"]["description"] == "of the world"


def test_what_calling_gives_is_told() -> None:
    async def coroutine() -> None: ...
    def generator() -> Iterator[int]:
        yield 1

    async def async_generator() -> AsyncIterator[int]:
        yield 1

    class Object:
        async def __call__(self) -> None: ...
        def method(self) -> Iterator[int]:
            yield 1

        @staticmethod
        async def static() -> None: ...

    def kinds(function: Callable[..., Any]) -> tuple[bool, bool]:
        tool = describe(function)
        return tool.is_async, tool.is_generator

    assert kinds(coroutine) == (True, False)
    assert kinds(generator) == (False, True)
    assert kinds(async_generator) == (True, True)
    assert kinds(Object()) == (True, False)
    assert kinds(Object().method) == (False, True)
    assert kinds(Object.static) == (True, False)
    assert kinds(functools.partial(coroutine)) == (True, False)
    assert kinds(len) == (False, False)


def test_a_decorator_without_async_around_a_coroutine_is_called_as_a_function() -> None:
    async def coroutine(x: int) -> int:
        return x + 1

    @functools.wraps(coroutine)
    def runs_it(*args: Any, **kwargs: Any) -> int:
        return asyncio.run(coroutine(*args, **kwargs))

    tool = describe(runs_it)
    assert not tool.is_async
    assert call(tool, x=1) == 2


class Notes:
    """A store of notes."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def add(self, text: str) -> int:
        """Adds a note."""
        self.texts.append(text)
        return len(self.texts)

    @classmethod
    def limit(cls, of: str) -> str:
        """How many there can be."""
        return f"{cls.__name__} {of}"

    @staticmethod
    def upper(text: str) -> str:
        """In capitals."""
        return text.upper()

    def __call__(self, text: str) -> int:
        return self.add(text)


def test_methods_lose_what_they_are_bound_to() -> None:
    notes = Notes()
    add, limit, upper = describe(notes.add), describe(Notes.limit), describe(Notes.upper)
    assert [names(one) for one in (add, limit, upper)] == [["text"], ["of"], ["text"]]
    assert [one.name for one in (add, limit, upper)] == ["add", "limit", "upper"]
    assert [one.description for one in (add, limit, upper)] == [
        "Adds a note.",
        "How many there can be.",
        "In capitals.",
    ]
    assert call(add, text="a") == 1
    assert call(limit, of="a") == "Notes a"
    assert call(upper, text="a") == "A"


def test_a_static_method_can_be_described_while_its_class_is_written() -> None:
    found: list[Any] = []

    class Tools:
        @found.append
        @staticmethod
        def double(n: int) -> int:
            """Twice."""
            return n * 2

    tool = describe(found[0])
    assert (tool.name, tool.description, names(tool)) == ("double", "Twice.", ["n"])
    assert call(tool, n=2) == 4


def test_an_object_that_can_be_called_is_named_after_its_class() -> None:
    tool = describe(Notes())
    assert (tool.name, tool.description) == ("Notes", "A store of notes.")
    assert call(tool, text="a") == 1


def test_what_a_partial_holds_is_hidden_from_the_model() -> None:
    def fetch(key: str, base: str, /, path: str, *, token: str, tries: int = 3) -> str:
        """Fetches a page."""
        return f"{key} {base} {path} {token} {tries}"

    tool = describe(functools.partial(fetch, "k", token="secret"))
    assert (tool.name, tool.description) == ("fetch", "Fetches a page.")
    assert names(tool) == ["base", "path", "tries"]
    assert "secret" not in str(tool.schema)
    assert call(tool, base="b", path="p") == "k b p secret 3"


@pytest.mark.skipif(sys.version_info < (3, 14), reason="functools.Placeholder is of 3.14")
def test_a_placeholder_of_a_partial_stays_open() -> None:
    def fetch(base: str, path: str, /) -> str:
        return base + path

    held = functools.partial(fetch, functools.Placeholder, "p")  # type: ignore[attr-defined,unused-ignore]
    tool = describe(held)
    assert names(tool) == ["base"]
    assert call(tool, base="b") == "bp"


def test_positional_only_parameters_are_given_by_name() -> None:
    def area(width: int, height: int = 2, /, *, unit: str = "m", ctx: Any) -> str:
        return f"{width * height} {unit} {ctx}"

    tool = describe(area)
    assert tool.function(**tool.bind({"width": 3.0}), ctx=7) == "6 m 7"
    assert tool.function(**tool.bind({"height": 5, "width": 1, "unit": "f"}), ctx=7) == "5 f 7"


def test_a_decorated_function_is_described_as_written_and_called_as_decorated() -> None:
    def loud(function: Callable[..., str]) -> Callable[..., str]:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> str:
            return function(*args, **kwargs).upper()

        return wrapper

    @loud
    def greet(name: str, *, ctx: Any = None) -> str:
        """Greets."""
        return f"hello {name}"

    tool = describe(greet)
    assert (tool.name, names(tool), tool.context) == ("greet", ["name"], "ctx")
    assert call(tool, name="you") == "HELLO YOU"


def test_a_signature_of_its_own_is_read() -> None:
    import inspect

    def anything(**kwargs: Any) -> Any:
        return kwargs

    own = inspect.Parameter("city", inspect.Parameter.KEYWORD_ONLY, annotation=str)
    anything.__signature__ = inspect.Signature([own])  # type: ignore[attr-defined]
    tool = describe(anything)
    assert tool.schema["properties"] == {"city": {"type": "string"}}
    assert tool.schema["required"] == ["city"]


def test_a_builtin_that_tells_its_parameters() -> None:
    tool = describe(len)
    assert (tool.name, names(tool)) == ("len", ["obj"])
    assert call(tool, obj=[1, 2]) == 2


def test_other_keywords_are_taken_as_the_function_takes_them() -> None:
    def any_tags(name: str, **tags: Any) -> Any:
        return tags

    def int_tags(name: str, **tags: int) -> Any:
        return tags

    assert "additionalProperties" not in describe(any_tags).schema
    tool = describe(int_tags)
    assert tool.schema["additionalProperties"] == {"type": "integer"}
    assert names(tool) == ["name"]
    assert repr(call(tool, name="n", a=1.0, b=2)) == "{'a': 1, 'b': 2}"


class Context:
    """Not the library's."""


def test_the_context_is_found_by_its_name_or_annotation(monkeypatch: pytest.MonkeyPatch) -> None:
    own = type("Context", (), {"__module__": "extline._context_of_a_call"})
    monkeypatch.setitem(globals(), "extline_context", own)

    def by_name(x: int, ctx: Any) -> None: ...
    def by_class(x: int, call: extline_context) -> None: ...  # type: ignore[name-defined]  # noqa: F821
    def for_checkers_only(x: int, call: library.Context) -> None: ...  # type: ignore[name-defined]  # noqa: F821
    def optional(x: int, call: library.Context | None = None) -> None: ...  # type: ignore[name-defined]  # noqa: F821
    def none(x: int, context: str = "") -> None: ...

    by_class.__annotations__["call"] = own
    found = [by_name, by_class, for_checkers_only, optional, none]
    assert [describe(one).context for one in found] == ["ctx", "call", "call", "call", None]
    assert [names(describe(one)) for one in found] == [["x"]] * 4 + [["x", "context"]]


def test_a_class_of_the_author_s_called_context_is_an_argument() -> None:
    def look(x: Context) -> None: ...

    with pytest.raises(DefinitionError, match="parameter x: its annotation .*Context"):
        describe(look)


def test_a_schema_of_the_author_s_own_is_taken_as_it_is() -> None:
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string", "pattern": "^[A-Z]"}, "days": {}},
        "required": ["city"],
    }

    def forecast(city: str, days: int = 1) -> str:
        return f"{city} {days}"

    def anything(**args: Any) -> Any:
        return args

    tool = describe(forecast, schema=schema)
    assert tool.schema == schema
    assert tool.plain
    assert call(tool, city="Bonn", unknown=1) == "Bonn 1"
    assert call(describe(anything, schema=schema), city="Bonn", unknown=1) == {
        "city": "Bonn",
        "unknown": 1,
    }


def test_names_of_the_functions_around_are_seen() -> None:
    Celsius = float

    def outer() -> Described:
        Name = str

        class Tools:
            Count = int

            @staticmethod
            def inner(name: Name, heat: Celsius, count: Count) -> None: ...  # type: ignore[valid-type]

            tool = describe(inner)

        return Tools.tool

    types = {name: one["type"] for name, one in outer().schema["properties"].items()}
    assert types == {"name": "string", "heat": "number", "count": "integer"}
    assert Celsius is float


def test_names_that_a_function_closes_over_are_seen_when_the_one_around_has_returned() -> None:
    def outer() -> Callable[..., Any]:
        Name = str

        def inner(name: Name) -> Any:  # type: ignore[valid-type]
            return Name(name)

        return inner

    assert describe(outer()).schema["properties"] == {"name": {"type": "string"}}
