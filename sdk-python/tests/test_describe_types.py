"""Every row of docs/python/tools-and-types.md, and for each annotation in it, values it refuses."""

from __future__ import annotations

import inspect
import json
import pathlib
import sys
import types
from typing import Any

import jsonschema
import pytest
from extline._describe import ArgumentError, DefinitionError, Described, describe
from extline._fits import check
from extline._references import tidied

PAGE = pathlib.Path(__file__).parents[2] / "docs/python/tools-and-types.md"


def rows() -> list[list[str]]:
    found = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("| `"):
            cells = line.removeprefix("| ").removesuffix(" |").replace("\\|", "\0").split(" | ")
            found.append([cell.strip("`").replace("\0", "|") for cell in cells])
    return found


def samples() -> dict[str, Any]:
    """The classes of the page, in a module, as an author has them."""
    code = PAGE.read_text(encoding="utf-8").partition("## The classes of the tables")[2]
    module = types.ModuleType("samples_of_the_page")
    sys.modules[module.__name__] = module
    exec(code.partition("```python\n")[2].partition("```")[0], module.__dict__)
    return module.__dict__


SAMPLES = samples()


def tool_of(annotation: str, parameter: str = "x: {}") -> Described:
    space = SAMPLES.copy()
    exec(f"def tool({parameter.replace('{}', annotation)}): return x", space)
    return describe(space["tool"])


# What each annotation refuses: the value, the pointer in it, and a part of the message.
REFUSED: dict[str, list[tuple[Any, str, str]]] = {
    "str": [(5, "", "must be a string, and is 5"), (None, "", "and is null")],
    "int": [("5", "", 'must be an integer, and is "5"'), (True, "", "is true"), (1.5, "", "1.5")],
    "float": [("5", "", "must be a number"), (False, "", "is false")],
    "bool": [(1, "", "must be a boolean, and is 1"), ("true", "", "boolean")],
    "None": [(0, "", "must be null, and is 0")],
    "Any": [],
    "object": [],
    'Literal["c", "f"]': [("k", "", 'must be one of "c", "f"; is "k"'), (1, "", "is 1")],
    "Literal[1, 2]": [(3, "", "must be one of 1, 2; is 3"), (True, "", "is true")],
    "str | None": [(5, "", "must be a string or null, and is 5")],
    "Optional[int]": [("5", "", "must be an integer or null"), (0.5, "", "is 0.5")],
    "int | str": [(None, "", "must be an integer or a string"), ([], "", "is []")],
    "Union[int, float]": [("5", "", "must be an integer or a number")],
    "list": [({}, "", "must be an array, and is {}")],
    "list[int]": [([1, "2"], "/1", "must be an integer"), (5, "", "must be an array")],
    "Sequence[str]": [(["a", 1], "/1", "must be a string"), ("ab", "", "must be an array")],
    "dict": [([], "", "must be an object, and is []")],
    "dict[str, float]": [({"a/b": "1"}, "/a~1b", "must be a number")],
    "Mapping[str, list[bool]]": [({"a": [True, 0]}, "/a/1", "must be a boolean, and is 0")],
    "dict[str, Any]": [("{}", "", "must be an object")],
    "UserId": [("7", "", "must be an integer")],
    'Annotated[str, "City name"]': [(5, "", "must be a string")],
    "Color": [("green", "", 'must be one of "blue", "red"; is "green"'), (1, "", "is 1")],
    "Size": [(3, "", "must be one of 1, 2; is 3"), ("S", "", 'is "S"')],
    "Color | None": [("green", "", 'must be one of "blue", "red" or null; is "green"')],
    "Point": [
        ({}, "/x", "required, and missing"),
        ({"x": 1, "y": "2"}, "/y", 'must be a number, and is "2"'),
        ([1, 2], "", "must be an object, and is [1"),
    ],
    "list[Point]": [([{"x": 1}, {"x": "1"}], "/1/x", "must be an integer")],
    "Filter": [({"limit": "5"}, "/limit", "must be an integer")],
    "tuple": [({}, "", "must be an array")],
    "tuple[int, ...]": [([1, "2"], "/1", "must be an integer")],
    "set[int]": [([1, "2"], "/1", "must be an integer")],
    "frozenset[str]": [([1], "/0", "must be a string")],
    "Node": [({"name": "a", "children": [{"name": "b"}, {}]}, "/children/1/name", "required")],
    "Span": [([1], "", "must be an array of length 2, and is [1]"), ([1, "2"], "/1", "integer")],
    "User": [
        ({"id": 1, "name": "x"}, "/name", "not allowed"),
        ({"id": 1, "tags": ["a", 2]}, "/tags/1", "must be a string, and is 2"),
    ],
    "tuple[int, str]": [([1], "", "must be an array of length 2"), ([1, 2], "/1", "a string")],
    "dict[int, str]": [({"1": 2}, "/1", "must be a string, and is 2")],
    "collections.abc.Set[int]": [(["1"], "/0", "must be an integer")],
    "datetime.datetime": [(5, "", "must be datetime, and is 5")],
    "datetime.date": [(5, "", "must be date")],
    "datetime.time": [(5, "", "must be time")],
    "datetime.timedelta": [([], "", "is []")],
    "uuid.UUID": [(5, "", "must be uuid")],
    "decimal.Decimal": [([], "", "must be decimal")],
    "pathlib.Path": [(5, "", "must be a string, and is 5")],
    "bytes": [(5, "", "must be bytes")],
    "Annotated[int, msgspec.Meta(ge=1, le=14)]": [
        (0, "", "must be an integer >= 1, and is 0"),
        (15, "", "must be an integer <= 14"),
    ],
    'Annotated[str, msgspec.Meta(pattern="^[A-Z]")]': [("bonn", "", "matching regex '^[A-Z]'")],
    "Order": [
        ({}, "/item", "required, and missing"),
        ({"item": "", "count": 1}, "/item", "at least 1 character"),
        ({"item": "a", "count": "2"}, "/count", 'must be a valid integer, and is "2"'),
    ],
    "list[Order]": [([{"item": "a", "count": 0}], "/0/count", "greater than or equal to 1")],
    'Annotated[int, pydantic.Field(ge=1, description="How many")]': [(0, "", "is 0")],
    "Point | Order": [({"x": "1"}, "/x", "must be a valid integer"), (5, "", "is 5")],
}

UUID = "12345678-1234-5678-1234-567812345678"

# What only the library can tell: JSON Schema has no word for it that every validator checks.
REFUSED_BEYOND_THE_SCHEMA: list[tuple[str, Any, str, str]] = [
    ("datetime.datetime", "noon", "", "must be a date and time such as 2026-01-31T12:00:00Z"),
    ("datetime.date", "noon", "", 'must be a date such as 2026-01-31, and is "noon"'),
    ("datetime.time", "noon", "", "must be a time such as 12:00:00"),
    ("datetime.timedelta", "1h", "", "must be a duration such as PT1H30M"),
    ("uuid.UUID", "1", "", 'must be a UUID, and is "1"'),
    ("decimal.Decimal", "1,5", "", "must be a decimal number"),
    ("bytes", "?", "", "must be base64"),
    ("dict[int, str]", {"1": "a", "b": "c"}, "/b", 'the name must be an integer, and is "b"'),
    ("dict[str, uuid.UUID]", {"a": "?"}, "/a", "must be a UUID"),
    (
        "dict[str, dict[str, User]]",
        {"a.b": {"c": {"id": 1}, "d": {"id": ""}}},
        "/a.b/d/id",
        "integer",
    ),
    ("list[dict[str, set[uuid.UUID]]]", [{}, {"a": [], "b": [UUID, "x"]}], "/1/b/1", "a UUID"),
    ("dict[int, Color]", {"1": "red", "2": "x"}, "/2", 'must be one of "blue", "red"; is "x"'),
    ("list[list[Order]]", [[], [{"item": 5}]], "/1/0/item", "must be a valid string, and is 5"),
]


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_a_row_of_the_page(row: list[str]) -> None:
    annotation, schema, value, handed = row
    tool = tool_of(annotation)
    expected = json.loads(schema)
    assert tool.schema.pop("$defs", None) == expected.pop("$defs", None)
    assert tool.schema["properties"]["x"] == expected
    assert repr(tool.function(**tool.bind({"x": json.loads(value)}))) == handed


def test_the_page_and_the_refused_values_are_about_the_same_annotations() -> None:
    assert [row[0] for row in rows()] == list(REFUSED)


def refusals() -> list[Any]:
    return [
        pytest.param(annotation, value, pointer, message, id=f"{annotation}-{value!r}")
        for annotation, values in REFUSED.items()
        for value, pointer, message in values
    ]


@pytest.mark.parametrize(("annotation", "value", "pointer", "message"), refusals())
def test_what_an_annotation_refuses_its_schema_refuses_too(
    annotation: str, value: Any, pointer: str, message: str
) -> None:
    tool = tool_of(annotation)
    assert not jsonschema.Draft202012Validator(tool.schema).is_valid({"x": value})
    with pytest.raises(ArgumentError) as raised:
        if tool.plain:
            # The core's validator refuses it; its words are those of the one for defaults.
            check(value, tool.schema["properties"]["x"], "/x")
        tool.bind({"x": value})
    assert raised.value.pointer == "/x" + pointer
    assert message in raised.value.message


@pytest.mark.parametrize(
    ("annotation", "value", "pointer", "message"),
    REFUSED_BEYOND_THE_SCHEMA,
    ids=lambda one: str(one),
)
def test_what_only_the_library_refuses(
    annotation: str, value: Any, pointer: str, message: str
) -> None:
    with pytest.raises(ArgumentError) as raised:
        tool_of(annotation).bind({"x": value})
    assert raised.value.pointer == "/x" + pointer
    assert message in raised.value.message


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_a_value_that_is_taken_matches_the_schema(row: list[str]) -> None:
    tool = tool_of(row[0])
    jsonschema.Draft202012Validator.check_schema(tool.schema)
    assert jsonschema.Draft202012Validator(tool.schema).is_valid({"x": json.loads(row[2])}) or (
        row[0] == "set[int]"  # duplicates are refused by a host, and dropped by msgspec
    )


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_the_same_as_a_string_and_with_a_default_of_none(row: list[str]) -> None:
    plain, as_string = tool_of(row[0]), tool_of(repr(row[0]))
    assert as_string.schema == plain.schema
    optional = tool_of(row[0], "x: {} = None")
    assert "required" not in optional.schema
    assert "default" not in optional.schema["properties"]["x"]
    jsonschema.validate({"x": None}, optional.schema)
    assert optional.bind({"x": None}) == {"x": None}
    value = json.loads(row[2])
    assert repr(optional.bind({"x": value})["x"]) == repr(plain.bind({"x": value})["x"])


def test_others_and_missing_ones_beside_a_rich_parameter() -> None:
    def tool(when: Any, city: str, days: int = 1) -> None: ...

    tool.__annotations__["when"] = SAMPLES["datetime"].date
    described = describe(tool)
    assert not described.plain
    day = {"when": "2026-01-31"}
    assert described.bind({**day, "city": "Bonn", "days": 2.0})["days"] == 2
    for args, text in (
        (day, "/city: required, and missing"),
        ({**day, "city": 5}, "/city: must be a string, and is 5"),
        (
            {**day, "city": "Bonn", "x/y": 1},
            '/x~1y: not allowed; allowed are "city", "days", "when"',
        ),
    ):
        with pytest.raises(ArgumentError) as raised:
            described.bind(args)
        assert str(raised.value) == text


def test_a_field_as_the_default_says_what_it_says_in_fastmcp() -> None:
    field = SAMPLES["pydantic"].Field

    def tool(
        city: str = field(description="City name", min_length=2),
        days: int = field(default=3, ge=1),
        tags: list[str] = field(default_factory=list),
    ) -> Any:
        return city, days, tags

    described = describe(tool)
    assert described.schema["required"] == ["city"]
    assert described.schema["properties"] == {
        "city": {"type": "string", "minLength": 2, "description": "City name"},
        "days": {"type": "integer", "minimum": 1, "default": 3},
        "tags": {"type": "array", "items": {"type": "string"}, "default": []},
    }
    assert described.function(**described.bind({"city": "Bonn"})) == ("Bonn", 3, [])
    first, second = described.bind({"city": "Bonn"}), described.bind({"city": "Bonn"})
    assert first["tags"] is not second["tags"]
    with pytest.raises(ArgumentError, match="/days: must be greater than or equal to 1"):
        described.bind({"city": "Bonn", "days": 0})


def test_defaults_of_rich_types_stand_in_the_schema_as_json() -> None:
    defaults = {
        "Color": ("Color.RED", "red"),
        "Point": ("Point(1)", {"x": 1, "y": 0.0}),
        "tuple[int, str]": ("(1, 'a')", [1, "a"]),
        "datetime.date": ("datetime.date(2026, 1, 31)", "2026-01-31"),
        "pathlib.Path": ("pathlib.Path('.')", "."),
        "set[str]": ("{'a'}", ["a"]),
        "Order": ("Order(item='a')", {"item": "a", "count": 1}),
        "list[str]": ("('a',)", ["a"]),
        "float": ("1", 1),
    }
    for annotation, (default, expected) in defaults.items():
        tool = tool_of(annotation, "x: {} = " + default)
        assert tool.schema["properties"]["x"]["default"] == expected, annotation
        assert tool.bind({}) == {}
    assert "default" not in tool_of("float", "x: {} = float('nan')").schema["properties"]["x"]


def test_numbers_that_no_float_can_hold_stay_what_they_are() -> None:
    for annotation in ("float", "dict[str, float]", "list[float]", "int"):
        tool = tool_of(annotation)
        value = {"float": 10**400, "int": 1e300}.get(annotation, 10**400)
        args: dict[str, Any] = {"x": value}
        if annotation.startswith("dict"):
            args = {"x": {"a": value}}
        if annotation.startswith("list"):
            args = {"x": [value]}
        assert tool.bind(args) == args


def test_a_literal_keeps_true_apart_from_one() -> None:
    schema = tool_of('Literal[1, "a"]').schema["properties"]["x"]
    check(1.0, schema, "/x")
    with pytest.raises(ArgumentError, match='/x: must be one of 1, "a"; is true'):
        check(True, schema, "/x")


def test_names_with_dots_are_found() -> None:
    space = SAMPLES.copy()
    exec("Dots = TypedDict('Dots', {'a': dict, 'a.b': datetime.date})\ndef tool(x: Dots): ...", space)
    with pytest.raises(ArgumentError) as raised:
        describe(space["tool"]).bind({"x": {"a": {}, "a.b": 1}})
    assert raised.value.pointer == "/x/a.b"


def test_of_a_union_of_models_the_one_that_was_meant_explains() -> None:
    with pytest.raises(ArgumentError) as raised:
        tool_of("Order | dict[str, list[Order]]").bind({"x": {"a": [{"item": 5}]}})
    assert str(raised.value) == "/x/a/0/item: must be a valid string, and is 5"


def test_a_union_of_dataclasses_needs_pydantic(monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tool_of("Point | Node")
    assert repr(tool.bind({"x": {"name": "a"}})["x"]) == "Node(name='a', children=[])"
    monkeypatch.delitem(sys.modules, "pydantic")
    with pytest.raises(DefinitionError, match="parameter x: .* more than one dataclass"):
        tool_of("Point | Node")


def test_definitions_that_are_used_too_often_stay_definitions() -> None:
    def schema_of(uses: int) -> tuple[Any, Any]:
        schema = {"anyOf": [{"$ref": "#/$defs/A"}] * uses}
        (found,), definitions = tidied([schema], {"A": {"title": "A", "type": "null"}})
        return found, definitions

    assert schema_of(200) == ({"anyOf": [{"type": "null"}] * 200}, {})
    assert schema_of(201) == ({"anyOf": [{"$ref": "#/$defs/A"}] * 201}, {"A": {"type": "null"}})


def test_two_types_of_one_name_that_contain_themselves() -> None:
    space = SAMPLES.copy()
    exec("def tool(x: Node, y: int): ...", space)
    other = types.ModuleType("other_samples")
    sys.modules[other.__name__] = other
    code = "import dataclasses\n@dataclasses.dataclass\nclass Node:\n    next: 'Node | None' = None"
    exec(code, other.__dict__)
    space["Other"] = other.__dict__["Node"]
    space["tool"].__annotations__["y"] = space["Other"]
    with pytest.raises(DefinitionError, match="two types are called Node; rename one of them"):
        describe(space["tool"])


def test_bind_leaves_the_arguments_it_was_given_alone() -> None:
    args = {"x": {"a": [1.0, 2]}}
    assert repr(tool_of("dict[str, list[int]]").bind(args)) == "{'x': {'a': [1, 2]}}"
    assert repr(args) == "{'x': {'a': [1.0, 2]}}"


def test_a_description_stands_on_what_is_annotated_and_wins_over_the_docstring() -> None:
    space = SAMPLES.copy()
    exec(
        "def tool(a: Annotated[list[Point], 'Points'], b: Annotated[int | None, 'Number'], "
        "c: Annotated[int, msgspec.Meta(description='Meta')], d: list[Annotated[str, 'Word']]):\n"
        "    '''T.\n\n    a: not this\n    b: nor this\n    c: nor that\n    d: Words'''",
        space,
    )
    properties = describe(space["tool"]).schema["properties"]
    assert {name: one["description"] for name, one in properties.items()} == {
        "a": "Points",
        "b": "Number",
        "c": "Meta",
        "d": "Words",
    }
    assert properties["d"]["items"] == {"type": "string", "description": "Word"}


def test_the_page_shows_a_tool_that_works() -> None:
    sample = PAGE.read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]
    found: list[Any] = []
    space: dict[str, Any] = {"tool": found.append}
    code = sample.replace("from extline import Extension\n", "").replace("@ext.tool", "@tool")
    exec(code.replace('ext = Extension("weather", "1.0.0")\n', ""), space)
    tool = describe(found[0])
    assert inspect.getdoc(found[0]) is not None
    assert tool.description == "Current weather for a city."
    assert tool.context == "ctx"
    assert tool.schema["properties"]["city"]["description"] == "City name"
    assert tool.schema["properties"]["days"]["description"] == "How many days"
