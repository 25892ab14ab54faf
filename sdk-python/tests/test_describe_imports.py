"""What describing a tool loads: nothing for plain annotations and classes made of them, msgspec
for richer ones."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import extline._describe

PACKAGE = pathlib.Path(extline._describe.__file__).parent

# The package's own __init__ may load what it likes: only this part of it is looked at. Without
# site-packages' .pth files, which load modules of their own.
SCRIPT = """
import sys
sys.path[:0] = {path!r}
import types
package = types.ModuleType("extline")
package.__path__ = [{package!r}]
sys.modules["extline"] = package
{before}
before = set(sys.modules)
from extline._describe import describe
{tool}
described = describe(tool)
{after}
print(*sorted(name for name in set(sys.modules) - before if not name.startswith("extline.")))
print(*sorted(name for name in set(sys.modules) - before if name.startswith("extline.")))
"""

PLAIN = '''
def tool(city: str, days: int = 3, heat: "float | None" = None, ok: bool = True,
         tags: list[str] = ["a"], more: dict[str, list[int]] = {}, x=None, *, y: "int | str", ctx):
    """Summary.

    Args:
        city (str): City name
    """
'''


def loaded(tool: str, before: str = "", after: str = "") -> tuple[set[str], set[str]]:
    script = SCRIPT.format(
        path=[path for path in sys.path if path],
        package=str(PACKAGE),
        before=before,
        tool=tool,
        after=after,
    )
    command = [sys.executable, "-I", "-S", "-c", script]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    others, own = run.stdout.split("\n")[:2]
    return set(others.split()), set(own.split())


def test_plain_annotations_load_nothing() -> None:
    bind = 'assert described.bind({"city": "Bonn", "days": 2.0, "y": 1})["days"] == 2'
    others, own = loaded(PLAIN, after=bind)
    assert others <= {"__future__"}
    assert own.isdisjoint({"extline._rich", "extline._msgspec", "extline._pydantic"})


def test_literal_and_optional_load_nothing_more_than_the_author_did() -> None:
    tool = """
def tool(units: Literal["c", "f"] = "c", zone: Optional[str] = None,
         ids: List[Union[int, str]] = (), text: Annotated[str, "Text"] = "", z: Any = None): ...
"""
    before = "from typing import Annotated, Any, List, Literal, Optional, Union"
    others, own = loaded(tool, before=before)
    assert others <= {"__future__"}
    assert "extline._rich" not in own


def test_the_context_and_a_partial_load_nothing() -> None:
    tool = PLAIN + "import functools\nbefore = set(sys.modules) - {'__future__'}\n"
    tool += "tool = functools.partial(tool, city='Bonn')"
    others, _ = loaded(tool)
    assert others <= {"__future__"}


OWN_CLASSES = """
import dataclasses, enum, typing
class Letter(enum.Enum):
    A = "a"
class Place(typing.TypedDict, total=False):
    row: "int"
@dataclasses.dataclass
class Word:
    letters: "list[Letter]"
    place: Place | None = None
    def __post_init__(self):
        if not self.letters: raise ValueError("no letters")
before = set(sys.modules)
def tool(word: Word, more: tuple[Word, ...] = (), seen: set[Letter] = frozenset()): ...
"""


def test_classes_made_of_plain_parts_load_nothing() -> None:
    bind = """
word = described.bind({"word": {"letters": ["a"], "place": {"row": 2.0, "unknown": 1}}})["word"]
assert word == Word([Letter.A], {"row": 2})
"""
    others, own = loaded(OWN_CLASSES, after=bind)
    assert others <= {"__future__"}
    assert "extline._classes" in own
    assert own.isdisjoint({"extline._rich", "extline._msgspec", "extline._pydantic"})


def test_richer_ones_load_msgspec_and_not_pydantic() -> None:
    tool = "import datetime\ndef tool(when: datetime.date): ..."
    others, own = loaded(tool)
    assert "msgspec" in others
    assert others.isdisjoint({"pydantic", "pathlib", "json"})
    assert "extline._rich" in own
    assert "extline._pydantic" not in own


def test_without_msgspec_the_parameter_that_needs_it_is_named() -> None:
    tool = """
import uuid
def needs_it(plain: int, letter: uuid.UUID): ...
sys.modules["msgspec"] = None
try:
    describe(needs_it)
except TypeError as error:
    assert "parameter letter: " in str(error), error
    assert "needs the package msgspec, which is installed with extline" in str(error), error
else:
    raise AssertionError
def tool(plain: int): ...
"""
    loaded(tool)


def test_what_handlers_are_given_is_loaded_when_somebody_annotates_with_it() -> None:
    script = """
import sys, extline
assert not {"extline._moment", "extline._panel", "importlib.util"} & set(sys.modules)
names = [name for name in extline.__all__ if not hasattr(extline, name)]
assert not names, names
assert {"extline._moment", "extline._panel"} <= set(sys.modules)
def guard(call: extline.ToolUse, ctx: extline.Context): ...
extline.Extension("w").guard(guard)
try:
    extline.Nothing
except AttributeError as error:
    assert "module 'extline' has no attribute 'Nothing'" in str(error)
"""
    environment = {"EXTLINE_STDIO": "leave", "PYTHONPATH": str(PACKAGE.parent)}
    # Without site-packages, whose .pth files may load what they like.
    subprocess.run([sys.executable, "-S", "-c", script], env=environment, check=True, timeout=60)
