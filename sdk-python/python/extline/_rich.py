"""Annotations that are not plain: their schema, and what becomes of values, by msgspec.

msgspec takes dataclasses, TypedDict, NamedTuple, Enum, tuple, set, datetime and its own Struct
and Meta. It is loaded when a tool needs it, and not before. What only pydantic understands goes
to ``_pydantic``.
"""

from __future__ import annotations

import sys
import types
import typing

import msgspec

from . import _msgspec
from ._formats import complete as complete_formats
from ._mistake import ArgumentError
from ._references import tidied
from ._signature import REQUIRED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any, TypeAlias

    from ._arguments import Argument
    from ._plain import Leaf
    from ._scope import Scope
    from ._signature import Place

    # Schemas, and the definitions that they refer to.
    Described: TypeAlias = "tuple[list[dict[str, Any]], dict[str, Any]]"
    Decoder: TypeAlias = "Callable[[Any, dict[str, Any]], Callable[[Any, str], Any]]"

REFERENCE = "#/$defs/{}"

_LIBRARIES = ("extline", "msgspec", "pydantic", "typing_extensions")


def complete(arguments: list[Argument], scope: Scope, place: Place) -> dict[str, Any]:
    """Fills the schemas of what is not plain, and gives each such parameter its decoder. Returns
    the definitions that are left to refer to."""
    definitions: dict[str, Any] = {}
    for one in arguments:
        if not one.is_plain:
            try:
                _complete(one, definitions, scope)
            except NameError as error:
                raise place.mistake(
                    f"its annotation {shown(one.parameter.annotation)} names what is not there: "
                    f"{error}; define or import it at the top of its module",
                    one.parameter.name,
                ) from None
            except Exception as error:
                mistake = place.mistake(
                    f"its annotation {shown(one.parameter.annotation)} cannot come from JSON: "
                    f"{_reason(error)}; use another type, or pass ext.tool a schema",
                    one.parameter.name,
                )
                # What a class of the author's raised when it was asked is shown where it did.
                error.__traceback__ = _authors(error.__traceback__)
                raise mistake from (error if error.__traceback__ is not None else None)
    return definitions


def _authors(trace: TracebackType | None) -> TracebackType | None:
    """A traceback from the first frame on that is of no library; None where there is none."""
    while trace is not None:
        module, _, _ = trace.tb_frame.f_globals.get("__name__", "").partition(".")
        # What was an annotation in a string has no line to show.
        is_file = not trace.tb_frame.f_code.co_filename.startswith("<")
        if is_file and module not in sys.stdlib_module_names and module not in _LIBRARIES:
            break
        trace = trace.tb_next
    return trace


def of_class(kind: Any) -> dict[str, Any]:
    """The schema of the objects of a class as they become JSON, with its definitions."""
    if wants_pydantic(kind):
        from . import _pydantic

        described = _pydantic.schemas([kind], "serialization")
    else:
        described = _msgspec_schemas([kind])
    [schema], definitions = tidied(*described)
    return {**schema, "$defs": definitions} if definitions else schema


def _complete(one: Argument, definitions: dict[str, Any], scope: Scope) -> None:
    annotation = resolved(one.parameter.annotation, scope)
    for leaf in one.shape.leaves:
        leaf.annotation = resolved(leaf.annotation, scope)
    described, decoder = _engine(one, annotation)
    one.decode = decoder(annotation, one.shape.schema)
    _fill(one.shape.leaves, described, definitions)
    if one.parameter.default is None and not _takes_none(one):
        one.shape.allow_none()
        one.decode = decoder(typing.Optional[annotation], one.shape.schema)  # noqa: UP045 - not every one takes |


def _engine(one: Argument, annotation: Any) -> tuple[Described, Decoder]:
    """The schemas of the leaves, and what makes decoders, by the library that knows the types."""
    leaves = [leaf.annotation for leaf in one.shape.leaves]
    if not any(wants_pydantic(leaf) for leaf in leaves):
        try:
            described = _msgspec_schemas(leaves)
            _msgspec.decoder(annotation, {})
        except TypeError as error:
            return _second_engine(leaves, error)
        return described, _msgspec.decoder
    from . import _pydantic

    return _pydantic.schemas(leaves), _pydantic.decoder


def _second_engine(leaves: list[Any], refusal: TypeError) -> tuple[Described, Decoder]:
    """A dataclass with a model in it, or a union of dataclasses: an author who uses pydantic
    expects it to work."""
    if "pydantic" not in sys.modules:
        raise refusal
    from . import _pydantic

    try:
        return _pydantic.schemas(leaves), _pydantic.decoder
    except Exception:
        raise refusal from None


def _takes_none(one: Argument) -> bool:
    try:
        one.decode(None, "")
    except ArgumentError:
        return False
    return True


def _fill(
    leaves: list[Leaf],
    described: Described,
    definitions: dict[str, Any],
) -> None:
    schemas, own_definitions = tidied(*described)
    for name, schema in own_definitions.items():
        if definitions.setdefault(name, schema) != schema:
            raise TypeError(f"two types are called {name}; rename one of them")
    for leaf, schema in zip(leaves, schemas):
        leaf.schema.update({**schema, **leaf.schema})


def _msgspec_schemas(leaves: list[Any]) -> Described:
    schemas, definitions = msgspec.json.schema_components(
        leaves,
        schema_hook=_schema_of,
        ref_template=REFERENCE.format("{name}"),
    )
    complete_formats(leaves, list(schemas), definitions)
    return list(schemas), definitions


def _schema_of(kind: type) -> dict[str, Any]:
    if _msgspec.is_path(kind):
        return {"type": "string", "format": "path"}
    raise NotImplementedError


def resolved(annotation: Any, scope: Scope) -> Any:
    """The annotation without strings and forward references."""
    if annotation is REQUIRED:
        return object
    holder = types.SimpleNamespace(__annotations__={"it": annotation})
    hints = typing.get_type_hints(
        holder, globalns=scope.globals, localns=scope.locals, include_extras=True
    )
    return hints["it"]


def wants_pydantic(annotation: Any) -> bool:
    """Whether there is something of pydantic's in it."""
    if isinstance(annotation, type) and hasattr(annotation, "__pydantic_core_schema__"):
        return True
    for metadata in getattr(annotation, "__metadata__", ()):
        if type(metadata).__module__.partition(".")[0] in ("pydantic", "annotated_types"):
            return True
    inside = [*getattr(annotation, "__args__", ())]
    if hasattr(annotation, "__metadata__"):
        inside.append(annotation.__origin__)
    return any(wants_pydantic(one) for one in inside)


def shown(annotation: Any) -> str:
    if isinstance(annotation, type) and not hasattr(annotation, "__args__"):
        return annotation.__qualname__
    return str(annotation)


def _reason(error: Exception) -> str:
    """What is wrong, without the advice about hooks of msgspec's and pydantic's own."""
    lines = [line for line in str(error).splitlines() if line and not line.startswith("- ")]
    if not lines:
        return type(error).__name__
    # The one says it below its advice, the other in front.
    is_pydantics = type(error).__module__.partition(".")[0] == "pydantic"
    line = lines[0].partition(". Set `")[0] if is_pydantics else lines[-1]
    return line.rstrip(".")
