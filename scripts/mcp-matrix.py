#!/usr/bin/env python3
"""Writes docs/tester/mcp-matrix.md: what the tester finds in published servers and clients of MCP.

What is published is installed into target/mcp-matrix, in the versions named here; the clients, and the servers of
the official SDKs, are those of scripts/test-mcp.py. The command must have been built (`cargo build -p extline-cli`,
with --release where the argument is `release`). Tools are called (--call), in a folder made for that. Where a line
changes, a version or a case has. What is found without a cause and a cure ends it with 1.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from mcp_programs import CLIENTS, ROOT, SERVERS, locked_node, locked_python, locked_rust, made, npm, python_with

MADE = ROOT / "target/mcp-matrix"
EXTLINE = ROOT / "target" / ("release" if sys.argv[1:] == ["release"] else "debug") / "extline"
PAGE = ROOT / "docs/tester/mcp-matrix.md"
# Seconds after which something hangs.
PATIENCE = 300
# What is told as the cause, of what servers are found with that scripts/test-mcp.py does not run.
CAUSES = {
    "M-DSC-02": "is taken for one of the older era, which has no server/discover",
    "M-END-01": "nothing listens for the end of stdin",
    "M-END-06": "the end of stdin cancels what still runs",
    "M-FRM-10": "a line that is no message ends the loop that reads: Run of go-sdk returns there",
    "M-RES-02": "the SDK 1 refuses a resource that nobody has as it refuses arguments",
}
UNEXPLAINED = []

PYTHON = ["mcp-server-time==2026.10.19", "mcp-server-git==2026.10.19", "mcp-server-fetch==2026.10.24"]
FASTMCP = ["fastmcp==4.2.3"]
NODE = [
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/server-filesystem@2026.8.31",
    "@modelcontextprotocol/server-memory@2026.8.31",
    "@modelcontextprotocol/server-sequential-thinking@2026.8.31",
]
NOTES = '''from fastmcp import FastMCP

mcp = FastMCP("notes")


@mcp.tool
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


mcp.run()
'''
TOP = """# Published servers and clients

This page shows what the [tester of servers](mcp-servers.md) and the [tester of clients](mcp-clients.md) find in published programs. `scripts/mcp-matrix.py` installs them and writes the page in one go; `extline conformance explain CASE` says what a case does. `FAIL` is a MUST of the specification, `warn` a SHOULD or what clients and users rely on, `info` a MAY.

"""


def main():
    MADE.mkdir(parents=True, exist_ok=True)
    page = TOP + table("Server", servers(), tested_server)
    page += "\n## Clients\n\nWhat a client has nothing of is n/a: a client that knows `initialize` alone, and one without a driver, which is told its server on its command line.\n\n"
    page += table("Client", clients(), tested_client)
    PAGE.write_text(page, encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)} is written")
    if UNEXPLAINED:
        sys.exit(f"mcp-matrix: no cause is known of {', '.join(UNEXPLAINED)}")


def say(text):
    print(f"mcp-matrix: {text}", file=sys.stderr)


def servers():
    """The name of each, its version and its command."""
    python, fast, node = with_python("python", PYTHON), with_python("fastmcp", FASTMCP), with_node()
    official = str(locked_node())
    work = MADE / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    subprocess.run(["git", "init", "-q", str(work)], check=True)
    notes = MADE / "notes.py"
    notes.write_text(NOTES, encoding="utf-8")
    for spec in PYTHON:
        name, version = spec.split("==")
        more = ["-r", str(work)] if name == "mcp-server-git" else []
        yield f"`{name}` (Python)", version, [str(python / name), *more]
    yield "a tool with `fastmcp` (Python)", FASTMCP[0].split("==")[1], [str(fast / "python"), str(notes)]
    for spec in NODE:
        name, version = spec[1:].split("@")
        more = [str(work)] if name.endswith("filesystem") else []
        yield f"`@{name}` (Node)", version, ["node", str(node / f"@{name}" / "dist/index.js"), *more]
    wanted = dependencies()
    yield "a server of `mcp` (Python)", locked_version(), [locked_python(), str(SERVERS / "notes.py")]
    for name, file in (("sdk", "notes_1.mjs"), ("server", "notes_2.mjs")):
        yield f"a server of `@modelcontextprotocol/{name}` (Node)", wanted[f"@modelcontextprotocol/{name}"], ["node", f"{official}/{file}"]
    yield "a server of `rmcp` (Rust)", rmcp_version(), [str(locked_rust() / "mcp-server-rmcp")]
    if shutil.which("go"):
        yield "a server of `go-sdk` (Go)", "1.8.0", [with_go()]
    yield "our `extline mcp`", "here", [str(EXTLINE), "mcp", str(ROOT / "examples/weather-rust")]


def clients():
    node, python, rmcp = locked_node(), locked_python(), str(locked_rust() / "mcp-driver-rmcp")
    driver = str(CLIENTS / "driver.py")
    wanted = dependencies()
    one, two = wanted["@modelcontextprotocol/sdk"], wanted["@modelcontextprotocol/client"]
    inspector = str(node / "node_modules/@modelcontextprotocol/inspector-cli/build/index.js")
    for mode in ("auto", "legacy"):
        yield f"`mcp` for Python, `{mode}`", locked_version(), ["--driver", python, driver, mode]
    yield "SDK 1 for TypeScript", one, ["--driver", "node", str(node / "driver_1.mjs")]
    for mode in ("auto", "legacy"):
        yield f"client 2 for TypeScript, `{mode}`", two, ["--driver", "node", str(node / "driver_2.mjs"), mode]
    for mode in ("auto", "legacy"):
        yield f"`rmcp`, `{mode}`", rmcp_version(), ["--driver", rmcp, mode]
    words = ["node", inspector, "{server}", "--method", "tools/list"]
    yield "MCP Inspector's command line", wanted["@modelcontextprotocol/inspector-cli"], ["--command", *words]


def dependencies():
    """The packages of the clients' folder, each with its version."""
    return json.loads((CLIENTS / "package.json").read_text(encoding="utf-8"))["dependencies"]


def locked_version():
    """The version of the official SDK for Python."""
    locked = (CLIENTS / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return next(line.split()[0].partition("==")[2] for line in locked if line.startswith("mcp=="))


def rmcp_version():
    text = (CLIENTS / "rmcp/Cargo.toml").read_text(encoding="utf-8")
    return text.partition('rmcp = { version = "=')[2].partition('"')[0]


def with_go():
    program = MADE / "notes-go"
    subprocess.run(["go", "build", "-o", str(program), "."], cwd=SERVERS / "go", check=True)
    return str(program)


def with_python(name, packages):
    """A folder of programs, with these packages."""
    say(f"wants {', '.join(packages)}")
    return Path(python_with(MADE / name, "\n".join(packages), *packages)).parent


def with_node():
    """The folder of the installed packages."""
    folder = MADE / "node"
    say(f"wants {', '.join(NODE)}")
    return made(folder, "\n".join(NODE), lambda: npm(folder, "install", *NODE)) / "node_modules"


def tested_server(command):
    return tested(["--protocol", "mcp", "--call", "--json", "--", *command])


def tested_client(words):
    return tested(["mcp-client", "--json", *words])


def tested(words):
    """What the tester says, and how long it took."""
    home = {**os.environ, "EXTLINE_HOME": str(MADE / "home")}
    command = [str(EXTLINE), "conformance", *words]
    ran = subprocess.run(command, env=home, cwd=MADE, capture_output=True, text=True, timeout=PATIENCE, check=False)
    rows = [json.loads(line) for line in ran.stdout.splitlines()]
    if not rows or rows[-1]["kind"] != "summary":
        sys.exit(f"mcp-matrix: {' '.join(command)}: {ran.stderr[-2000:]}")
    return rows


def table(what, programs, test):
    lines = [f"| {what} | version | pass | n/a | found |", "|---|---|---|---|---|"]
    for name, version, words in programs:
        rows = test(words)
        say(f"{name}: {rows[-1]['took_us'] / 1e6:.1f} s")
        UNEXPLAINED.extend(f"{row['id']} of {name}" for row in rows if row.get("failure") and not is_explained(row))
        verdicts = [(row["id"], row["verdict"]) for row in rows if row["kind"] == "case"]
        count = lambda verdict: sum(1 for _, it in verdicts if it == verdict)
        words = {"fail": "FAIL", "warn": "warn", "info": "info", "flaky": "flaky"}
        found = [f"{words.get(it, it)} {case}" for case, it in verdicts if it not in ("pass", "not-applicable")]
        found = ", ".join(sorted(found)) or "nothing"
        lines.append(f"| {name} | {version} | {count('pass')} | {count('not-applicable')} | {found} |")
    return "\n".join(lines) + "\n"


def is_explained(row):
    cause = row.get("cause")
    return bool(cause) and CAUSES.get(row["id"], "") in cause["cause"]


main()
