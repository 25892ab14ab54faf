"""The reference of the package, docs/python/reference.md, from its docstrings."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

import griffe
from program import ROOT

PAGE = ROOT / "docs/python/reference.md"
HEAD = """# Reference of the Python package

Made from the docstrings of `extline`, which `help(extline.Extension)` shows as well; `make generate` writes it anew. [guide.md](guide.md) is where to begin, [tools-and-types.md](tools-and-types.md) has the annotations of tools, [troubleshooting.md](troubleshooting.md) the texts of errors.

Unless it is said otherwise, times are in seconds, and whatever a handler is given may be used from any thread of the process, and from no other process.
"""
# What is explained under which title. Who has no public path is had from others, and not imported.
CHAPTERS = {
    "The extension": ["extline.Extension"],
    "What a handler is given": [
        "extline.Context",
        "extline._host.Host",
        "extline.Event",
        "extline._moment.Moment",
        "extline.ToolUse",
        "extline.GuardedToolUse",
        "extline.RewritableToolUse",
        "extline.ModelCall",
        "extline.Message",
        "extline.AgentStart",
        "extline.ToolAnswer",
        "extline.UserPrompt",
        "extline.Decision",
        "extline.PanelInput",
        "extline._panel.OpenPanel",
        "extline.Ui",
        "extline.Ran",
        "extline.Secret",
        "extline.Agent",
        "extline.Pending",
        "extline.State",
        "extline.Slot",
        "extline.History",
        "extline._output.ToolOutput",
    ],
    "Events": [
        "extline.events.SessionStart",
        "extline.events.SessionEnd",
        "extline.events.UserPromptSubmit",
        "extline.events.TurnStart",
        "extline.events.TurnEnd",
        "extline.events.AssistantMessage",
        "extline.events.ToolCall",
        "extline.events.ToolResult",
        "extline.events.ToolConfirmationRequested",
        "extline.events.PermissionDecision",
        "extline.events.PreCompact",
        "extline.events.PostCompact",
        "extline.events.SubagentStart",
        "extline.events.SubagentStop",
        "extline.events.ConfigChanged",
        "extline.events.SessionSwitch",
        "extline.events.SessionBranch",
        "extline.events.SessionTree",
        "extline.events.AgentStart",
        "extline.events.AgentEnd",
        "extline.events.MessageStart",
        "extline.events.MessageUpdate",
        "extline.events.MessageEnd",
        "extline.events.AutoRetryStart",
        "extline.events.AutoRetryEnd",
        "extline.events.RuleTriggered",
        "extline.events.TodoReminder",
        "extline.events.ModelChanged",
        "extline.events.CwdChanged",
    ],
    "What a handler returns": [
        "extline.ToolResult",
        "extline.image",
        "extline.Image",
        "extline.RawJson",
        "extline.Update",
        "extline.Response",
        "extline.Panel",
    ],
    "Views": [
        "extline.view.table",
        "extline.view.diff",
        "extline.view.markdown",
        "extline.view.lines",
        "extline.view.keyvalue",
        "extline.view.meter",
        "extline.view.styled",
    ],
    "Between the model and its tools": [
        "extline.model.repair",
        "extline.model.Repaired",
        "extline.model.Fix",
        "extline.model.RepairError",
        "extline.model.extract",
        "extline.model.Extractor",
        "extline.model.Offered",
        "extline.model.Extracted",
        "extline.model.Call",
        "extline.model.Refused",
        "extline.model.schema_for",
        "extline.model.Rendered",
        "extline.model.Note",
        "extline.model.UnrenderableError",
        "extline.model.without_nulls",
    ],
    "What is raised": ["extline.ToolError", "extline.Cancelled", "extline.ConfigError", "extline.DefinitionError"],
    "Testing": [
        "extline.testing.Host",
        "extline.testing.AsyncHost",
        "extline.testing.plugin.extline_host",
        "extline.testing.cases",
        "extline.testing.play",
        "extline.testing.Case",
        "extline.testing.Call",
        "extline.testing.Answer",
        "extline.testing.CommandAnswer",
        "extline.testing.Ruling",
        "extline.testing.MethodAnswer",
        "extline.testing.Note",
        "extline.testing.Transcript",
        "extline.testing.Line",
        "extline.testing.Failure",
        "extline.testing.TimedOut",
        "extline.testing.Ended",
        "extline.testing.Unusable",
        "extline.testing.Misuse",
        "extline.testing.HandlerFailed",
        "extline.testing.CaseFailed",
    ],
}
LONGEST = 100


@functools.cache
def package() -> griffe.Module:
    """The package as its sources and stubs say it, without running them."""
    sources = ROOT / "sdk-python" / "python"
    found = griffe.load("extline", search_paths=[sources], allow_inspection=False)
    assert isinstance(found, griffe.Module)
    return found


def page() -> str:
    """The text of the page."""
    parts = [HEAD]
    for title, paths in CHAPTERS.items():
        parts.append(f"## {title}\n")
        for path in paths:
            parts += entries(package(), path)
    return "\n".join(parts)


def undocumented() -> list[str]:
    """What everybody can import, and no chapter has."""
    # What it exports as a module, has its own list.
    offered = [f"extline.{name}" for name in package().exports or () if name not in ("events", "view")]
    for module in ("events", "view"):
        offered += [f"extline.{module}.{name}" for name in package()[module].exports or ()]
    for module in ("testing", "model"):
        offered += [f"extline.{module}.{name}" for name in package()[module].exports or ()]
    explained = {path for paths in CHAPTERS.values() for path in paths}
    return [str(path) for path in offered if path not in explained]


def entries(package: griffe.Module, path: str) -> Iterator[str]:
    found = package[path.removeprefix("extline.")]
    found = found.final_target if found.is_alias else found
    # What has no public path is shown by its name alone.
    name = path.rpartition(".")[2] if "._" in path or ".plugin." in path else path
    if found.is_function:
        yield f"### `{name}`\n\n{code(signature(found, name))}\n{text(found)}"
        return
    hidden = ("Exception", "Registering", "_Told", "_OfTool")
    bases = ", ".join(str(base) for base in found.bases if str(base) not in hidden)
    bases = bases.replace("_ToolMoment", "Moment")
    yield f"### `{name}`" + (f", a `{bases}`" if bases else "") + f"\n\n{text(found)}"
    if path in MADE:
        yield code(signature(found["__init__" if "__init__" in found.members else "__new__"], name))
    for member in members(found):
        if not member.name.startswith("_") and member.has_docstring:
            yield entry(member)


def members(found: griffe.Object) -> list[griffe.Object | griffe.Alias]:
    """Its own, and those of the bases that have no public name."""
    bases = [base for base in found.mro() if base.name in ("Speaking", "_OfTool")] if found.is_class else []
    if found.is_class and "_ToolMoment" in map(str, found.bases):
        bases.append(found.mro()[0])
    inherited = [member for base in bases for member in base.members.values()]
    return [*inherited, *found.members.values()] if found.name != "Extension" else [*found.members.values(), *inherited]


# Of the others, users are given instances.
MADE = {
    "extline.Extension",
    "extline.Panel",
    "extline.RawJson",
    "extline.ToolError",
    "extline.ToolResult",
    "extline.Update",
    "extline.testing.AsyncHost",
    "extline.testing.Host",
    "extline.testing.Note",
    "extline.model.Extractor",
}


def entry(member: griffe.Object | griffe.Alias) -> str:
    if member.is_function:
        return f"#### `{member.name}`\n\n{code(signature(member, member.name))}\n{text(member)}"
    annotation = f": {member.annotation}" if member.annotation is not None else ""
    return f"#### `{member.name}{annotation}`\n\n{text(member)}"


def signature(function: griffe.Function, name: str) -> str:
    parts: list[str] = []
    kinds = griffe.ParameterKind
    seen_star = False
    parameters = [one for one in function.parameters if one.name not in ("self", "cls")]
    for nth, one in enumerate(parameters):
        if one.kind is kinds.keyword_only and not seen_star:
            parts.append("*")
            seen_star = True
        star = {kinds.var_positional: "*", kinds.var_keyword: "**"}.get(one.kind, "")
        seen_star = seen_star or star == "*"
        annotation = f": {one.annotation}" if one.annotation is not None else ""
        default = f" = {one.default}" if one.default is not None and not star else ""
        parts.append(f"{star}{one.name}{annotation}{default}")
        following = parameters[nth + 1].kind if nth + 1 < len(parameters) else None
        if one.kind is kinds.positional_only and following is not kinds.positional_only:
            parts.append("/")
    returns = f" -> {function.returns}" if function.returns is not None else ""
    is_made = function.name in ("__init__", "__new__")
    begin = "" if is_made else "async def " if "async" in function.labels else "def "
    if is_made:
        returns = ""
    line = f"{begin}{name}({', '.join(parts)}){returns}"
    if len(line) <= LONGEST:
        return line
    inside = "".join(f"    {part},\n" for part in parts)
    return f"{begin}{name}(\n{inside}){returns}"


def code(text: str) -> str:
    return f"```python\n{text}\n```\n"


def text(documented: griffe.Object | griffe.Alias) -> str:
    """Its docstring, of which ``code`` becomes `code`, and what is indented a block."""
    assert documented.docstring is not None, f"{documented.path} has no docstring"
    found = re.sub(r"``(.+?)``", r"`\1`", documented.docstring.value)
    blocks = [
        code(re.sub(r"^    ", "", block, flags=re.M)).rstrip()
        if block.startswith("    ")
        else " ".join(block.split("\n"))
        for block in re.split(r"\n\n+", found)
    ]
    return "\n\n".join(blocks) + "\n"
