"""The schema of a function's parameters, and how the arguments of a call become its own."""

from __future__ import annotations

from ._fits import check
from ._mistake import ArgumentError, join
from ._native import dumps, loads
from ._plain import Objects, Shape, convert, convert_members, kinds
from ._signature import REQUIRED, VAR_KEYWORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from ._plain import Conversion
    from ._scope import Scope
    from ._signature import Parameter, Place

    Bind: TypeAlias = "Callable[[dict[str, Any]], dict[str, Any]]"


class Argument:
    """A parameter that the model gives."""

    __slots__ = ("decode", "make_default", "parameter", "shape")

    def __init__(self, parameter: Parameter, shape: Shape) -> None:
        self.parameter = parameter
        self.shape = shape
        # Makes the value of one left out, where the function's own default is a Field.
        self.make_default: Callable[[], Any] | None = None
        # What makes of a value in JSON, and its pointer, what the handler gets.
        self.decode: Callable[[Any, str], Any] = self._decode_plain

    @property
    def is_plain(self) -> bool:
        return not self.shape.leaves

    @property
    def makes_objects(self) -> bool:
        return isinstance(self.shape.conversion, Objects)

    def _decode_plain(self, value: Any, pointer: str) -> Any:
        check(value, self.shape.schema, pointer)
        try:
            return convert(value, self.shape.conversion)
        except ArgumentError as error:
            raise ArgumentError(error.message, pointer + error.pointer) from None


class Arguments:
    """How the arguments of a tool are described, and what ``bind`` does to them: see Described."""

    __slots__ = ("bind", "makes_objects", "plain", "schema")

    def __init__(
        self, schema: dict[str, Any], bind: Bind, *, plain: bool, makes_objects: bool
    ) -> None:
        self.schema = schema
        self.bind = bind
        self.plain = plain
        self.makes_objects = makes_objects


def of_annotations(
    found: list[Parameter], texts: dict[str, str], scope: Scope, place: Place
) -> Arguments:
    """Of a function's own parameters."""
    arguments = [_argument(one, scope, place) for one in found]
    definitions: dict[str, Any] = {}
    plain = all(one.is_plain for one in arguments)
    if not plain:
        definitions = _complete(arguments, scope, place)
    for one in arguments:
        _note_default(one, place)
        if text := texts.get(one.parameter.name):
            one.shape.schema.setdefault("description", text)
    return Arguments(
        _object(arguments, definitions),
        _bind_plain(arguments) if plain else _bind_rich(arguments),
        plain=plain,
        makes_objects=any(one.makes_objects for one in arguments),
    )


def _argument(parameter: Parameter, scope: Scope, place: Place) -> Argument:
    if type(parameter.default).__module__ == "pydantic.fields":
        from ._pydantic import without_field

        parameter, make_default = without_field(parameter, scope)
        one = Argument(parameter, _shape(parameter, scope, place))
        one.make_default = make_default
        return one
    return Argument(parameter, _shape(parameter, scope, place))


def _complete(arguments: list[Argument], scope: Scope, place: Place) -> dict[str, Any]:
    try:
        from ._rich import complete
    except ImportError as error:
        odd = next(one.parameter for one in arguments if not one.is_plain)
        raise place.mistake(
            f"its annotation {odd.annotation!r} needs the package msgspec, which is installed with "
            f"extline, and cannot be loaded: {error}; pip install msgspec",
            odd.name,
        ) from None
    return complete(arguments, scope, place)


def _shape(parameter: Parameter, scope: Scope, place: Place) -> Shape:
    annotation = parameter.annotation
    if annotation is REQUIRED:
        annotation = object
    try:
        shape = Shape(annotation, scope.resolve)
        if parameter.default is None and not _takes_none(shape):
            # ``city: str = None`` means what ``city: str | None = None`` says.
            shape.allow_none()
    except NameError as error:
        raise place.mistake(
            f"its annotation {annotation!r} names what is not there: {error}; import it outside "
            "of `if TYPE_CHECKING:`, above the function",
            parameter.name,
        ) from None
    except Exception as error:
        raise place.mistake(
            f"its annotation {annotation!r} cannot be read: {error}", parameter.name
        ) from None
    return shape


def _takes_none(shape: Shape) -> bool:
    if shape.leaves:
        return True  # for msgspec or pydantic to say
    return type(None) in kinds(shape.schema)


def _note_default(one: Argument, place: Place) -> None:
    """Checks the default, and puts it into the schema if JSON can hold it."""
    default = one.parameter.default
    if default is REQUIRED or default is None:
        return
    value, is_json = default, True
    if type(default) not in (str, int, bool):
        try:
            value = loads(dumps(default))
        except (TypeError, ValueError):
            if not one.is_plain or one.makes_objects:
                return  # a value of the author's own class, which no model ever sees
            is_json = False
    try:
        one.decode(value, "")
    except ArgumentError as error:
        raise place.mistake(
            f"its default {default!r} does not match its annotation: {error}; change one of them",
            one.parameter.name,
        ) from None
    if is_json:
        one.shape.schema["default"] = value


def _object(arguments: list[Argument], definitions: dict[str, Any]) -> dict[str, Any]:
    named = [one for one in arguments if one.parameter.kind != VAR_KEYWORD]
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {one.parameter.name: one.shape.schema for one in named},
    }
    if required := [one.parameter.name for one in named if one.parameter.default is REQUIRED]:
        schema["required"] = required
    # A model that misspells the name of an optional argument learns it, and tries again.
    others = [one.shape.schema for one in arguments if one.parameter.kind == VAR_KEYWORD]
    if not others:
        schema["additionalProperties"] = False
    elif others[0]:
        schema["additionalProperties"] = others[0]
    if definitions:
        schema["$defs"] = definitions
    return schema


def _bind_plain(arguments: list[Argument]) -> Bind:
    """Everything was checked: only numbers may have to change, and objects are made."""
    changing = {
        one.parameter.name: one.shape.conversion
        for one in arguments
        if one.shape.conversion and one.parameter.kind != VAR_KEYWORD
    }
    named = {one.parameter.name for one in arguments if one.parameter.kind != VAR_KEYWORD}
    others: Conversion = next(
        (one.shape.conversion for one in arguments if one.parameter.kind == VAR_KEYWORD), {}
    )

    def bind(args: dict[str, Any]) -> dict[str, Any]:
        bound = args
        for name, conversion in changing.items():
            if name in args and (change := conversion.get(type(args[name]))) is not None:
                bound = dict(args) if bound is args else bound
                try:
                    bound[name] = change(args[name])
                except ArgumentError as error:
                    raise error.inside(name) from None
        if others:
            bound = convert_members(bound, {n: {} if n in named else others for n in bound})
        return bound

    return bind


def _bind_rich(arguments: list[Argument]) -> Bind:
    by_name = {one.parameter.name: one for one in arguments if one.parameter.kind != VAR_KEYWORD}
    required = [name for name, one in by_name.items() if one.parameter.default is REQUIRED]
    others = next((one for one in arguments if one.parameter.kind == VAR_KEYWORD), None)
    makers = {
        one.parameter.name: one.make_default for one in arguments if one.make_default is not None
    }

    def bind(args: dict[str, Any]) -> dict[str, Any]:
        bound = {name: make() for name, make in makers.items() if name not in args}
        for name, value in args.items():
            one = by_name.get(name, others)
            pointer = join("", name)
            if one is None:
                allowed = ", ".join(f'"{known}"' for known in sorted(by_name))
                raise ArgumentError(
                    f"not allowed; allowed are {allowed}" if allowed else "not allowed", pointer
                )
            bound[name] = one.decode(value, pointer)
        for name in required:
            if name not in args:
                raise ArgumentError("required, and missing", join("", name))
        return bound

    return bind


def of_schema(schema: Any, found: list[Parameter], place: Place) -> Arguments:
    """The author's own schema: arguments go to the handler as they are."""
    if not isinstance(schema, dict):
        raise place.mistake(
            f"the schema must be a dict that holds a JSON Schema, and is {schema!r}"
        )
    if schema.get("type", "object") != "object":
        raise place.mistake(
            f'the schema must be of "type": "object", and is of {schema["type"]!r}; make the '
            "value a property"
        )
    properties = schema.get("properties", {})
    if not isinstance(properties, dict):
        raise place.mistake(f"the schema's properties must be a dict, and are {properties!r}")
    needed = schema.get("required", [])
    if not isinstance(needed, (list, tuple)):
        raise place.mistake(f"the schema's `required` must be a list of names, and is {needed!r}")
    takes_all = any(one.kind == VAR_KEYWORD for one in found)
    names = {one.name for one in found if one.kind != VAR_KEYWORD}
    for one in found:
        if one.default is REQUIRED and one.name in names and one.name not in properties:
            raise place.mistake(
                "has no default, and the schema does not know it; add it to the schema's "
                "properties, or give it a default",
                one.name,
            )
        if one.default is REQUIRED and one.name in names - set(needed):
            raise place.mistake(
                "has no default, and the schema does not require it; add it to `required`, or "
                "give it a default",
                one.name,
            )
    if unknown := [name for name in properties if not takes_all and name not in names]:
        raise place.mistake(
            f"the schema has the property {unknown[0]}, which the function does not take; add a "
            "parameter, or take **rest"
        )
    return Arguments(schema, lambda args: args, plain=True, makes_objects=False)
