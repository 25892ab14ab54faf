"""A tool from a function: what plain annotations and docstrings say."""

from __future__ import annotations

from extline._describe import describe


def test_the_sample_of_the_readme() -> None:
    def weather(city: str, units: str = "c", *, ctx) -> str:  # type: ignore[no-untyped-def]
        """Current weather for a city.

        city: City name
        """
        return f"{city} {units} {ctx}"

    tool = describe(weather)
    assert tool.name == "weather"
    assert tool.description == "Current weather for a city."
    assert tool.context == "ctx"
    assert tool.plain
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
