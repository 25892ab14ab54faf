"""What a docstring says about a tool and about its parameters.

Read are the parameter sections of Google, NumPy and Sphinx, and plain ``name: text`` lines. They
become the parameters' descriptions; what a tool raises is nothing a model needs; everything else
stays the tool's description. Written without ``re``, which costs a plain extension its start.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

# The titles under which Google and NumPy list parameters, and those that are left out.
_PARAMETERS = frozenset(
    ["args", "arguments", "parameters", "params", "keyword args", "keyword arguments",
     "other parameters", "other args", "keyword parameters"]
)  # fmt: skip
_LEFT_OUT = frozenset(["raises", "exceptions", "except", "warns"])
# Sphinx: fields about a parameter, and those that are left out.
_PARAM_FIELDS = frozenset(["param", "parameter", "arg", "argument", "key", "keyword", "kwarg"])
_DROPPED_FIELDS = frozenset(
    ["type", "rtype", "raises", "raise", "except", "exception", "var", "ivar", "cvar", "vartype",
     "meta"]
)  # fmt: skip


def parse(
    docstring: str | None, names: Collection[str], unknown: list[str] | None = None
) -> tuple[str, dict[str, str]]:
    """The description of the tool, and those of the parameters among ``names``. The names that it
    describes as parameters, and that are none of these, are added to ``unknown``."""
    unknown = [] if unknown is None else unknown
    lines = dedented(docstring or "")
    kept: list[str] = []
    described: dict[str, str] = {}
    at = 0
    while at < len(lines):
        start = _section(lines, at)
        if start is not None:
            at = _read_section(lines, at, start, names, described, unknown)
        elif (field := _field(lines[at])) is not None:
            at = _read_field(lines, at, field, names, described, kept, unknown)
        elif (plain := _entry(lines[at].removeprefix("- "), names)) is not None:
            at, more = _continued(lines, at + 1, 0)
            described[plain[0]] = _joined([plain[1], *more])
        else:
            kept.append(lines[at])
            at += 1
    return _without_double_gaps(kept), {name: text for name, text in described.items() if text}


def dedented(docstring: str) -> list[str]:
    """Its lines without the indentation that they have in the code."""
    lines = docstring.expandtabs().splitlines()
    margin = min((_indent(line) for line in lines[1:] if line.strip()), default=0)
    return [line.strip() if nth == 0 else line[margin:].rstrip() for nth, line in enumerate(lines)]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _title(line: str) -> str:
    return line.strip().removesuffix(":").lower()


def _section(lines: list[str], at: int) -> int | None:
    """The line where the body of a section of parameters, or of one to leave out, begins."""
    if _title(lines[at]) not in _PARAMETERS | _LEFT_OUT:
        return None
    below = lines[at + 1] if at + 1 < len(lines) else ""
    if len(below.strip()) >= 3 and not below.strip().strip("-="):
        return at + 2
    if lines[at].endswith(":") and _indent(lines[at]) == 0:
        body = next((line for line in lines[at + 1 :] if line), "")
        return at + 1 if _indent(body) > 0 else None
    return None


def _read_section(
    lines: list[str],
    at: int,
    start: int,
    names: Collection[str],
    described: dict[str, str],
    unknown: list[str],
) -> int:
    numpy = start == at + 2
    end = _end_of_numpy(lines, start) if numpy else _end_of_indented(lines, start, 0)
    if _title(lines[at]) in _LEFT_OUT:
        return end
    base = min((_indent(line) for line in lines[start:end] if line), default=0)
    nth = start
    while nth < end:
        line = lines[nth]
        nth, more = _continued(lines[:end], nth + 1, base)
        if not line:
            continue
        if numpy:
            for name in line.partition(":")[0].split(","):
                _note(name, _joined(more), names, described, unknown)
        else:
            entry = _entry(line.strip(), names)
            if entry is not None:
                described[entry[0]] = _joined([entry[1], *more])
            elif _indent(line) == base:
                _note_unknown(line, unknown)
    return end


def _end_of_indented(lines: list[str], start: int, indent: int) -> int:
    end = start
    for nth in range(start, len(lines)):
        if lines[nth]:
            if _indent(lines[nth]) <= indent:
                break
            end = nth + 1
    return end


def _end_of_numpy(lines: list[str], start: int) -> int:
    """A NumPy section ends where the next title is underlined."""
    for nth in range(start, len(lines) - 1):
        below = lines[nth + 1].strip()
        if lines[nth] and len(below) >= 3 and not below.strip("-="):
            return nth
    return len(lines)


def _continued(lines: list[str], at: int, indent: int) -> tuple[int, list[str]]:
    """The lines from ``at`` that are indented deeper than ``indent``, and where they end."""
    end = _end_of_indented(lines, at, indent)
    return end, lines[at:end]


def _field(line: str) -> tuple[str, str] | None:
    """Of ``:param str city: text`` (or ``@param``) the words of the field and the text."""
    if not line.startswith((":", "@")):
        return None
    words, colon, text = line[1:].partition(":")
    known = _PARAM_FIELDS | _DROPPED_FIELDS | {"return", "returns"}
    if not colon or not words or words.split()[0] not in known:
        return None
    return words, text.strip()


def _read_field(
    lines: list[str],
    at: int,
    field: tuple[str, str],
    names: Collection[str],
    described: dict[str, str],
    kept: list[str],
    unknown: list[str],
) -> int:
    words, text = field[0].split(), field[1]
    end, more = _continued(lines, at + 1, 0)
    text = _joined([text, *more])
    if words[0] in _PARAM_FIELDS:
        _note(words[-1], text, names, described, unknown)
    elif words[0] in ("return", "returns") and text:
        kept.append(f"Returns: {text}")
    return end


def _entry(line: str, names: Collection[str]) -> tuple[str, str] | None:
    """Of ``city: text`` and ``city (str, optional): text`` the name and the text, if there is a
    parameter of that name."""
    head, colon, text = line.partition(":")
    name, parenthesis, _ = head.partition("(")
    if parenthesis and not head.rstrip().endswith(")"):
        # The type itself has a colon or a parenthesis: it ends with "):".
        head, colon, text = line.partition("):")
    clean = name.strip().strip("`").lstrip("*")
    if not colon or clean not in names or (text and not text.startswith(" ")):
        return None
    return clean, text.strip()


def _note(
    name: str, text: str, names: Collection[str], described: dict[str, str], unknown: list[str]
) -> None:
    clean = name.strip().strip("`").replace("\\", "").lstrip("*")
    if clean in names:
        described[clean] = text
    elif clean.isidentifier():
        unknown.append(clean)


def _note_unknown(line: str, unknown: list[str]) -> None:
    """Of ``city: text`` and ``city (str): text`` the name."""
    name = line.partition(":")[0].partition("(")[0].strip().strip("`").lstrip("*")
    if ":" in line and name.isidentifier():
        unknown.append(name)


def _joined(lines: list[str]) -> str:
    """The lines of a parameter's text, as one line."""
    return " ".join(" ".join(lines).split())


def _without_double_gaps(lines: list[str]) -> str:
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    return "\n".join(kept).strip()
