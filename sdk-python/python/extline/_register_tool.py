"""The frame that registers a tool."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._describe import Described

# Options of ``ext.tool`` that stand in the frame under their own names, unless None or False.
_MEMBERS = (
    "namespace",
    "exposure",
    "interactive",
    "label",
    "strict",
    "pure",
    "replay",
    "call_view",
    "outputs",
    "preference",
)
_HINTS = ("read_only", "destructive", "idempotent", "open_world")


_EXPOSURES = ("direct", "codemode", "deferred", "model-only")
_REPLAYS = ("never", "safe", "idempotent", "reconcile")
_APPROVAL = {"gated": bool, "tier": str, "key": str, "reason": str}
_TIERS = ("read", "write", "exec")
_PREFERENCE = {"enabled": bool, "weight": float, "parameters": dict, "reason": str}


def register_tool(described: Described, options: dict[str, Any]) -> dict[str, Any]:
    """The frame, of a function and of what ``ext.tool`` was given. Raises ValueError."""
    frame: dict[str, Any] = {
        "type": "register_tool",
        "name": described.name,
        "description": described.description,
        "schema": described.schema,
    }
    if described.output is not None:
        frame["output_schema"] = described.output
    for name in _MEMBERS:
        value = options[name]
        if value is not None and value is not False:
            frame[name] = value
    _check(described.name, options)
    if (timeout := options["timeout"]) is not None:
        if not isinstance(timeout, (int, float)) or not 0 < timeout < float("inf"):
            raise ValueError(
                f"the tool {described.name}: timeout is in seconds, more than 0, and is {timeout!r}"
            )
        frame["timeout_ms"] = max(1, round(timeout * 1000))
    if hints := {name: options[name] for name in _HINTS if options[name] is not None}:
        frame["annotations"] = hints
    if callable(options["gated"]):
        # A host that does not ask the extension asks a user each time.
        frame["approval"] = {**(options["approval"] or {}), "gated": True, "dynamic": True}
    elif options["gated"]:
        frame["approval"] = {**(options["approval"] or {}), "gated": True}
    elif options["approval"] is not None:
        frame["approval"] = options["approval"]
    if options["sequential"]:
        frame["execution"] = "sequential"
    return frame


def _check(name: str, options: dict[str, Any]) -> None:
    """Refuses what no host would understand."""
    exposure, approval = options["exposure"], options["approval"]
    if exposure is not None and exposure not in _EXPOSURES:
        raise ValueError(
            f"the tool {name}: exposure is {_or(_EXPOSURES)}, and not {exposure!r}"
        )
    if (replay := options["replay"]) is not None and replay not in _REPLAYS:
        raise ValueError(f"the tool {name}: replay is {_or(_REPLAYS)}, and not {replay!r}")
    for hint in _HINTS:
        if not isinstance(options[hint], (bool, type(None))):
            raise ValueError(f"the tool {name}: {hint} is True or False, and not {options[hint]!r}")
    if not isinstance(options["gated"], bool) and not callable(options["gated"]):
        raise ValueError(
            f"the tool {name}: gated is True, False or a function of the arguments, "
            f"and not {options['gated']!r}"
        )
    if (outputs := options["outputs"]) is not None:
        _check_outputs(name, outputs)
    if (preference := options["preference"]) is not None:
        _check_members(name, "preference", preference, _PREFERENCE, {"weight": 0.8})
    if approval is None:
        return
    _check_members(name, "approval", approval, _APPROVAL, {"gated": True})
    if (tier := approval.get("tier", "read")) not in _TIERS:
        raise ValueError(f"the tool {name}: the tier of an approval is {_or(_TIERS)}, and not {tier!r}")


def _check_outputs(name: str, outputs: Any) -> None:
    """Which words there are, the native half knows."""
    if isinstance(outputs, str):
        raise ValueError(f"the tool {name}: outputs is a tuple of words: outputs=({outputs!r},)")
    # The first holds where the model does not choose, so a set will not do.
    if not isinstance(outputs, (tuple, list)) or not all(isinstance(word, str) for word in outputs):
        raise ValueError(
            f"the tool {name}: outputs is a tuple such as ('labeled', 'json'), and not {outputs!r}"
        )


def _check_members(
    name: str, option: str, given: Any, kinds: dict[str, type], example: dict[str, Any]
) -> None:
    if not isinstance(given, dict):
        raise ValueError(f"the tool {name}: {option} is a dict such as {example}")
    for member, value in given.items():
        kind = kinds.get(member)
        if kind is None:
            raise ValueError(f"the tool {name}: {option} has no {member!r}; it has {', '.join(kinds)}")
        # An int is a float too, and True is neither.
        fits = type(value) in (int, float) if kind is float else isinstance(value, kind)
        if not fits:
            raise ValueError(f"the tool {name}: {option}[{member!r}] is a {kind.__name__}, and not {value!r}")


def _or(words: tuple[str, ...]) -> str:
    quoted = [repr(word) for word in words]
    return " or ".join([", ".join(quoted[:-1]), quoted[-1]])
