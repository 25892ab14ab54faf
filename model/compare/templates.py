"""Renders calls by the templates of models, as a package of llama.cpp's carries them, and reads them back.

    python3 model/compare/compare.py --templates      # builds extline.model, and runs this with it

A template is rendered with a conversation up to the model's turn, and with that turn too; what is added is the turn
with its marks. Printed is each template whose calls are not read back as they were, with the reason
where the template itself writes none.
"""

import json
import os
import re
import subprocess
import sys
import tarfile
import urllib.request
from datetime import datetime
from pathlib import Path
from urllib.parse import urljoin

import jinja2
import jinja2.sandbox
from pip._internal.models.index import PyPI

from extline.model import Offered, extract

PACKAGE = "llama-cpp-python"
VERSION = "0.3.36"
SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "Which file"},
        "lines": {"type": "array", "items": {"type": "integer"}, "description": "Which lines"},
        "note": {"type": "string", "description": "Why"},
        "deep": {"type": "boolean", "description": "All of it"},
    },
    "required": ["path"],
}
TOOLS = [
    {"type": "function", "function": {"name": name, "description": "Reads a file.", "parameters": SCHEMA}}
    for name in ("read_file", "list_files")
]
ARGUMENTS = [
    {"path": "src/main.rs", "lines": [1, 20], "note": 'it says "no" <here> & there\'s\ta line\nmore', "deep": True},
    {"path": "12"},
]
NAMES = ["read_file", "list_files"]


def main():
    folder = Path(sys.argv[1])
    right, other = 0, []
    for file in templates(folder):
        outcome = read_back(file.read_text(encoding="utf-8"))
        if outcome == "":
            right += 1
        else:
            other.append(f"{file.stem}: {outcome}")
    print("\n".join(other))
    print(f"{right} of {right + len(other)} templates of {PACKAGE} {VERSION} are read back")


def templates(folder):
    """The files, which are downloaded once."""
    if not folder.exists():
        archive = folder.with_suffix(".tar.gz")
        folder.parent.mkdir(parents=True, exist_ok=True)
        said = subprocess.run([sys.executable, "-m", "pip", "config", "get", "global.index-url"], capture_output=True, text=True)
        index = os.environ.get("PIP_INDEX_URL") or said.stdout.strip() or PyPI.simple_url
        page = f"{index.rstrip('/')}/{PACKAGE}/"
        with urllib.request.urlopen(page) as answer:
            links = re.findall(r'href="([^"#]+)', answer.read().decode())
        [link] = [link for link in links if link.endswith(f"-{VERSION}.tar.gz")]
        urllib.request.urlretrieve(urljoin(page, link), archive)
        with tarfile.open(archive) as packed:
            for member in packed.getmembers():
                if member.name.endswith(".jinja"):
                    member.name = Path(member.name).name
                    packed.extract(member, folder, filter="data")
        archive.unlink()
    return sorted(folder.glob("*.jinja"))


def read_back(template):
    """Nothing where both calls come back, else why not."""
    for arguments in (lambda it: it, json.dumps):
        calls = [
            {"id": f"call{number:05}", "type": "function", "function": {"name": name, "arguments": arguments(args)}}
            for number, (name, args) in enumerate(zip(NAMES, ARGUMENTS))
        ]
        outcomes = []
        # Some write one call a turn.
        for given in (calls, calls[:1]):
            try:
                text = written(template, given)
            except (jinja2.TemplateError, TypeError, ValueError, KeyError) as error:
                outcomes.append(f"it cannot be rendered: {type(error).__name__}: {error}"[:160])
                continue
            if "src/main.rs" not in text:
                outcomes.append("it writes no calls")
                continue
            found = extract(text, [Offered(name, SCHEMA) for name in NAMES])
            got = [(call.name, call.arguments) for call in found.calls]
            if got == list(zip(NAMES, ARGUMENTS))[: len(given)]:
                return ""
            outcomes.append(f"{text!r} became {got}, {found.refused}")
        if not all(it.startswith("it ") for it in outcomes):
            return next(it for it in outcomes if not it.startswith("it "))
    return outcomes[0]


def written(template, calls):
    """What the model writes."""
    user = {"role": "user", "content": "Read it."}
    turn = {"role": "assistant", "content": "", "tool_calls": calls}
    before = render(template, [user])
    whole = render(template, [user, turn])
    start = len(os.path.commonprefix([before, whole]))
    return whole[start:]


def render(template, messages):
    environment = jinja2.sandbox.SandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = lambda it, indent=None, **_: json.dumps(it, ensure_ascii=False, indent=indent, default=list)
    environment.globals["raise_exception"] = refuse
    environment.globals["strftime_now"] = datetime.now().strftime
    # A mark for training, which writes nothing.
    template = re.sub(r"\{%-?\s*(?:end)?generation\s*-?%\}", "", template)
    return environment.from_string(template).render(
        messages=messages, tools=TOOLS, bos_token="", eos_token="", enable_thinking=False, add_generation_prompt=False
    )


def refuse(text):
    raise jinja2.TemplateError(text)


main()
