"""The author's own classes: what ``_classes`` makes of them, and that msgspec makes the same.

Each annotation is a tool twice, read by us and read by msgspec, and both get the same values.
"""

from __future__ import annotations

import json
import sys
import types
from collections.abc import Iterator
from typing import Any

import pytest
from extline import Extension
from extline._describe import describe
from extline._plain import Objects, Reader
from extline.testing import Host

CODE = '''
import abc, collections.abc, dataclasses, datetime, enum, typing
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Generic, Literal, Optional, TypedDict, TypeVar, Union
from typing_extensions import NotRequired, Required

class Color(enum.Enum):
    """What it looks
    like."""
    RED = "red"
    BLUE = "blue"
    ROT = "red"

class Text(str, enum.Enum):
    A = "a"

class Size(enum.IntEnum):
    S = 1
    L = 2

@dataclass
class Point:
    x: int
    y: float = 0.0

@dataclass
class Point3(Point):
    """A point
    in space."""
    z: "int | None" = None
    kind: ClassVar[int] = 3

class Mine(Point):
    pass

@dataclass(frozen=True, kw_only=True, slots=True)
class Frozen:
    tags: "tuple[str, ...]" = ()
    color: Color = Color.RED
    at: Point = field(default_factory=lambda: Point(7))

@dataclass
class Abstract(abc.ABC):
    size: Size
    text: Text = Text.A

@dataclass
class Checked:
    name: str

    def __post_init__(self):
        if self.name == "URL":
            raise ValueError("URL is none")
        if not self.name:
            raise ValueError("A name is needed")

@dataclass
class Line:
    start: Point
    end: Point | None
    names: dict[str, Checked] = field(default_factory=dict)
    more: list[Checked] = field(default_factory=list)
    style: Literal["a", "b"] = "a"
    one_or_many: Union[str, list[str]] = ""
    any: Any = None

class Filter(TypedDict, total=False):
    """How to filter."""
    text: Required[str]
    limit: "NotRequired[int]"
    colors: list[Color]

class Wider(Filter):
    deep: "Filter"
    late: "NotRequired[float]"

@dataclass
class Node:
    children: "list[Node]" = field(default_factory=list)
    color: Color = Color.BLUE

@dataclass
class Dated:
    on: datetime.date
    point: Point = field(default_factory=lambda: Point(0))

T = TypeVar("T")

@dataclass
class Box(Generic[T]):
    inside: T
'''

# Those that msgspec is not needed for, and those that it still is.
OWN = """
Color, Text, Size, Color | None, list[Color], dict[str, Size], Size | str, Point, Point3, Mine,
Optional[Point], list[Point], dict[str, Point], list[dict[str, list[Point]]], Frozen, Abstract,
Checked, list[Checked], dict[str, list[Checked]], Line, Filter, list[Filter], Wider, Point | str,
Color | Point | None, Color | int, tuple, tuple[int, ...], tuple[Point, ...], set[int], set[Color],
frozenset[str], tuple[Point, ...] | None, Annotated[Point, "Where"], "Point", Point | list[Point],
list[float] | Color
"""
LEFT = """
Node, Dated, Box[int], Box[Point], list[Dated], dict[str, Dated], Point | datetime.date,
tuple[int, Point], dict[Color, int], set[tuple[int, ...]], set[datetime.date], set
"""
VALUES: list[Any] = [
    None, True, 0, 1, 2.0, 2.5, "", "a", "red", "green", "2026-01-31", [], {}, [[]], [{}], [1],
    [1, 1], [1, "a"], ["red"], ["red", "blue"], ["a", 1], ["x"], [True], [None], [{"x": 1}],
    [{"x": 1}, {"x": 3, "y": 2}], [{"x": 1}, {"x": "1"}], [{"name": "a"}, {"name": ""}],
    {"x": 1}, {"x": 1, "unknown": 2}, {"x": 1, "y": "2"}, {"x": None}, {"y": 1}, {"x": 1.5},
    {"x": 2, "y": 3, "z": 4}, {"x": 2, "z": None}, {"x": 1, "z": "a"}, {"color": "blue"},
    {"tags": ["a", "b"], "color": "red", "at": {"x": 1, "y": 1.5}}, {"tags": ["a", 1]},
    {"at": {"x": []}}, {"color": "green"}, {"size": 2.0}, {"size": 3}, {"size": 1, "text": "a"},
    {"size": 1, "text": "b"}, {"name": "a"}, {"name": ""}, {"name": "URL"}, {"a": {"name": ""}},
    {"a~/b": [{"name": "a"}, {"name": ""}]}, {"a": {"x": 1}}, {"a/b": {"x": "1"}}, {"a": 2},
    {"a": 3}, {"a": "x"}, {"start": {"x": 1}, "end": None}, {"start": {"x": 1}},
    {"start": {"x": 1}, "end": {"x": 2, "y": 1}, "names": {"n": {"name": "k"}}, "style": "b"},
    {"start": {"x": 1}, "end": None, "names": {"n": {"name": ""}}},
    {"start": {"x": 1}, "end": None, "more": [{"name": "a"}, {"name": ""}]},
    {"start": {"x": 1}, "end": None, "more": [{"name": "a"}], "one_or_many": ["a"], "any": [1]},
    {"start": {"x": 1}, "end": {"x": "a"}}, {"start": {"x": 1}, "end": None, "style": "c"},
    {"start": {"x": 1}, "end": None, "one_or_many": [5]}, {"text": "a"}, {"text": 1}, {"limit": 1},
    {"text": "a", "limit": 5.0, "colors": ["red"], "unknown": 1}, {"text": "a", "limit": "1"},
    {"text": "a", "colors": ["red", "green"]}, {"text": "a", "deep": {"text": "b"}},
    {"text": "a", "deep": {"text": "b", "more": 1}, "late": 2}, {"text": "a", "deep": {}},
    {"children": [{"children": [], "color": "red"}]}, {"children": [{"color": "x"}]},
    {"on": "2026-01-31", "point": {"x": 1}}, {"on": "2026-01-31", "point": {}}, {"inside": 1},
    [{"a": [{"x": 1}]}], [{"a": [{"x": 1}, {"x": 1.5}]}], [{"text": "a"}], [{"text": "a"}, {}],
]  # fmt: skip


def split(annotations: str) -> list[str]:
    found, depth, start = [], 0, 0
    for nth, letter in enumerate(annotations + ","):
        depth += {"[": 1, "]": -1}.get(letter, 0)
        if letter == "," and not depth:
            found.append(annotations[start:nth].strip())
            start = nth + 1
    return found


@pytest.fixture(scope="module", params=["objects", "strings"])
def space(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The classes in a module, their annotations as objects or as strings."""
    module = types.ModuleType(f"classes_with_{request.param}")
    sys.modules[module.__name__] = module
    future = "from __future__ import annotations\n" if request.param == "strings" else ""
    exec(future + CODE, module.__dict__)
    return module.__dict__


def tool_of(annotation: str, space: dict[str, Any], parameter: str = "x: {}") -> Any:
    space = space.copy()
    code = f"def tool({parameter.replace('{}', annotation)}): return repr(x)"
    # Without this file's own `from __future__ import annotations`.
    exec(compile(code, "tool", "exec", dont_inherit=True), space)
    return space["tool"]


def left_to_msgspec(patch: pytest.MonkeyPatch) -> None:
    read = Reader.read

    def reading(self: Reader, annotation: Any, depth: int) -> Any:
        found = read(self, annotation, depth)
        return self._leaf(annotation) if isinstance(found[1], Objects) else found

    patch.setattr(Reader, "read", reading)


@pytest.fixture(scope="module")
def both(space: dict[str, Any]) -> Iterator[tuple[Host, Host]]:
    own, by_msgspec = Extension("own"), Extension("msgspec")
    for annotation in split(OWN):
        own.tool(tool_of(annotation, space), name=name_of(annotation))
    with pytest.MonkeyPatch.context() as patch:
        left_to_msgspec(patch)
        for annotation in split(OWN):
            by_msgspec.tool(tool_of(annotation, space), name=name_of(annotation))
    with Host(own) as first, Host(by_msgspec) as second:
        yield first, second


def name_of(annotation: str) -> str:
    return "".join(letter if letter.isalnum() else f"-{ord(letter):x}" for letter in annotation)


def ordered(schema: Any) -> Any:
    """Without what has no meaning: the order of lists that are sets, and of spaces in a text."""
    if isinstance(schema, list):
        return [ordered(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: ordered(value) for key, value in schema.items()}
    for key in found.keys() & {"enum", "anyOf", "required"}:
        if isinstance(found[key], list):
            found[key] = sorted(found[key], key=json.dumps)
    if isinstance(text := found.get("description"), str):
        found["description"] = " ".join(text.split())
    return found


@pytest.mark.parametrize("annotation", split(OWN))
def test_a_class_of_plain_parts_is_what_msgspec_makes_of_it(
    annotation: str, both: tuple[Host, Host]
) -> None:
    name = name_of(annotation)
    own, by_msgspec = ({tool["name"]: tool for tool in host.tools}[name] for host in both)
    assert ordered(own["schema"]) == ordered(by_msgspec["schema"])
    accepted = 0
    for value in VALUES:
        mine, theirs = (host.call(name, x=value) for host in both)
        assert mine.field == theirs.field, (value, mine, theirs)
        assert mine.kind == theirs.kind == ("validation" if mine.is_error else None), mine
        if mine.is_error:
            assert about_the_same(mine.text, theirs.text), value
        else:
            accepted += 1
            assert mine.text == theirs.text, value
    assert accepted


def about_the_same(mine: str, theirs: str) -> bool:
    """The same words in any order and any spelling of a number; the core's validator also says
    which values are taken where there are few."""
    if " one of " in mine or 'must be "' in mine:
        return True
    own, others = (text.replace(".0", "").replace(",", "").split() for text in (mine, theirs))
    return set(own) == set(others)


@pytest.mark.parametrize("annotation", split(OWN))
def test_a_class_of_plain_parts_is_plain(annotation: str, space: dict[str, Any]) -> None:
    for parameter in ("x: {}", "x: {} = None", "**x: {}"):
        described = describe(tool_of(annotation, space, parameter))
        assert described.plain, parameter
        assert described.makes_objects, parameter


@pytest.mark.parametrize("annotation", split(LEFT))
def test_what_is_left_to_msgspec_is_left_to_it_as_a_whole(
    annotation: str, space: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    mixed = describe(tool_of(annotation, space))
    assert not mixed.plain
    assert not mixed.makes_objects
    left_to_msgspec(monkeypatch)
    assert mixed.schema == describe(tool_of(annotation, space)).schema


def space_of(code: str) -> dict[str, Any]:
    module = types.ModuleType("other_classes")
    sys.modules[module.__name__] = module
    exec(compile(CODE + code, "other_classes", "exec", dont_inherit=True), module.__dict__)
    return module.__dict__


def handed(annotation: str, code: str, value: Any) -> Any:
    """What a handler gets of a value, by us."""
    described = describe(tool_of(annotation, space_of(code)))
    assert described.plain
    return described.bind({"x": value})["x"]


def test_what_the_class_sees_to_itself_is_not_asked_of_the_model() -> None:
    code = """
@dataclass
class Area:
    width: int
    size: int = field(init=False)
    lock: object = field(default_factory=object, init=False)

    def __post_init__(self):
        self.size = self.width * 2
"""
    schema = describe(tool_of("Area", space_of(code))).schema["properties"]["x"]
    assert list(schema["properties"]) == schema["required"] == ["width"]
    assert handed("Area", code, {"width": 2, "size": 9}).size == 4


def test_an_init_of_the_author_s_own_is_called_where_it_takes_the_fields() -> None:
    code = """
@dataclass
class Loud:
    text: str
    def __init__(self, text):
        self.text = text.upper()
"""
    assert handed("Loud", code, {"text": "a"}).text == "A"


@pytest.mark.parametrize(
    "code",
    [
        "@dataclass\nclass C:\n    a: int\n    def __init__(self, b=1): self.a = b",
        "class C(enum.Enum):\n    A = 'a'\n    @classmethod\n"
        "    def _missing_(cls, value): return cls.A",
        "class C(TypedDict):\n    a: 'datetime.date'",
        "class C(enum.IntEnum):\n    A = 1\n    @classmethod\n"
        "    def _missing_(cls, value): return cls.A",
    ],
)
def test_what_is_odd_about_a_class_is_left_to_msgspec(code: str) -> None:
    described = describe(tool_of("C", space_of(code)))
    assert not described.plain


def test_a_dataclass_of_pydantic_s_goes_to_pydantic() -> None:
    code = "import pydantic\n@pydantic.dataclasses.dataclass\nclass P:\n    a: int = 1"
    space = space_of(code)
    described = describe(tool_of("P", space))
    assert not described.plain
    assert described.bind({"x": {}})["x"] == space["P"]()


def test_a_name_that_is_not_there_is_named_as_before() -> None:
    space = space_of("@dataclass\nclass C:\n    a: 'Nowhere'")
    with pytest.raises(TypeError, match="parameter x: its annotation C names what is not there"):
        describe(tool_of("C", space))


def test_what_else_a_class_raises_is_the_author_s_mistake() -> None:
    code = """
@dataclass
class Broken:
    a: int
    def __post_init__(self):
        {}["b"]
"""
    with pytest.raises(KeyError):
        handed("Broken", code, {"a": 1})


def test_a_class_beside_what_only_msgspec_knows() -> None:
    """The whole tool is checked by `bind` then."""
    space = space_of("def tool(at: Line, on: datetime.date = None, **more: Checked): return at")
    described = describe(space["tool"])
    assert not described.plain
    line = {"start": {"x": 1.0}, "end": None, "more": [{"name": "a"}]}
    bound = described.bind({"at": line, "on": "2026-01-31", "b": {"name": "c"}})
    assert repr(bound["at"].more) == "[Checked(name='a')]"
    assert repr(bound["b"]) == "Checked(name='c')"
    for args, text in (
        ({"at": {"start": {"x": 1}}}, "/at/end: required, and missing"),
        ({"at": {**line, "more": [{"name": ""}]}}, '/at/more/0: a name is needed; is {"name":""}'),
        ({"at": line, "b": {"name": "URL"}}, '/b: URL is none; is {"name":"URL"}'),
        ({"at": line, "on": "noon"}, '/on: must be a date such as 2026-01-31, and is "noon"'),
    ):
        with pytest.raises(ValueError) as raised:
            described.bind(args)
        assert str(raised.value) == text


def test_others_of_a_class_are_refused_by_their_name() -> None:
    described = describe(tool_of("Checked", space_of(""), "**x: {}"))
    with pytest.raises(ValueError) as raised:
        described.bind({"a/b": {"name": ""}})
    assert str(raised.value) == '/a~1b: a name is needed; is {"name":""}'


def test_defaults_stand_in_the_schema_as_json() -> None:
    space = space_of(
        "@dataclass\nclass C:\n    a: Color = Color.RED\n    b: float = float('nan')\n"
        "    c: list[int] = field(default_factory=list)\n    d: Point | None = None\n"
        "def tool(x: C = C(d=Point(1)), y: Color = Color.BLUE): ..."
    )
    properties = describe(space["tool"]).schema["properties"]
    members = properties["x"]["properties"]
    assert {name: one["default"] for name, one in members.items() if "default" in one} == {
        "a": "red",
        "d": None,
    }
    assert "default" not in properties["x"]  # that has a NaN in it
    assert properties["y"]["default"] == "blue"
    with pytest.raises(TypeError, match="its default 5 does not match its annotation: must be"):
        describe(tool_of("Color", space, "x: {} = 5"))


def test_a_text_on_a_field_describes_it() -> None:
    space = space_of("@dataclass\nclass C:\n    a: Annotated[int, 'How many']")
    schema = describe(tool_of("C", space)).schema["properties"]["x"]
    assert schema["properties"]["a"] == {"type": "integer", "description": "How many"}


def test_a_class_that_takes_many_others_is_left_to_who_has_references() -> None:
    lines = ["@dataclass\nclass C0:\n    a: int"]
    for nth in range(1, 9):
        lines.append(f"@dataclass\nclass C{nth}:\n    a: C{nth - 1}\n    b: C{nth - 1}")
    space = space_of("\n".join(lines))
    assert describe(tool_of("C5", space)).plain
    assert not describe(tool_of("C8", space)).plain
    assert "$defs" in describe(tool_of("C8", space)).schema


def test_an_inherited_field_sees_the_names_of_the_module_it_was_written_in() -> None:
    first = space_of(
        "Kind = Color\n@dataclass\nclass Base:\n    a: 'Kind'\nclass BaseDict(TypedDict):\n    a: 'Kind'\n"
    )
    module = types.ModuleType("a_third_module")
    sys.modules[module.__name__] = module
    space = module.__dict__
    space.update({"Base": first["Base"], "BaseDict": first["BaseDict"]})
    code = (
        "import dataclasses\nKind = int\n@dataclasses.dataclass\nclass Heir(Base):\n    b: 'Kind' = 1\n"
        "class HeirDict(BaseDict):\n    b: 'Kind'\n"
    )
    exec(compile(code, "a_third_module", "exec", dont_inherit=True), space)
    for heir in ("Heir", "HeirDict"):
        described = describe(tool_of(heir, space))
        assert described.plain
        bound = described.bind({"x": {"a": "red", "b": 2}})["x"]
        found = bound if isinstance(bound, dict) else vars(bound)
        assert found == {"a": first["Color"].RED, "b": 2}
