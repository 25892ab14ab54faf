"""Installs programs of MCP in folders of their own, each anew where what it is made from is something else."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLIENTS = ROOT / "protocol/mcp/clients"
SERVERS = ROOT / "protocol/mcp/servers"
# The official clients, and servers of the official SDKs, in the versions that are locked.
MADE = ROOT / "target/mcp-clients"
EVERYTHING = MADE / "node/node_modules/@modelcontextprotocol/server-everything/dist/index.js"
DEBUG = ROOT / "target/debug"
# Seconds after which something hangs.
PATIENCE = 120


def made(folder, made_from, make):
    """The folder, once `make` has filled it."""
    mark = folder / "made-from"
    if not mark.exists() or mark.read_text(encoding="utf-8") != made_from:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        make()
        mark.write_text(made_from, encoding="utf-8")
    return folder


def python_with(folder, made_from, *packages):
    """The interpreter of a virtual environment, with what these arguments have pip install."""

    def make():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pip = [str(folder / "bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *packages], check=True)

    return str(made(folder, f"{sys.base_prefix} {sys.version}\n{made_from}", make) / "bin/python")


def npm(folder, *words):
    subprocess.run(["npm", *words, "--no-audit", "--no-fund", "--loglevel=error"], cwd=folder, check=True)


def locked_python():
    """The interpreter that has the official SDK for Python."""
    locked = CLIENTS / "requirements.txt"
    words = ["--no-deps", "--require-hashes", "-r", str(locked)]
    return python_with(MADE / "python", locked.read_text(encoding="utf-8"), *words)


def locked_node():
    """A folder with the programs in JavaScript, which find their packages in it."""
    folder = MADE / "node"

    def make():
        for name in ("package.json", "package-lock.json"):
            shutil.copy(CLIENTS / name, folder)
        npm(folder, "ci")
        # Inspector's command line reads its own version from a file that its package lacks.
        (folder / "node_modules/@modelcontextprotocol/package.json").write_text('{"name": "inspector", "version": "1"}')

    made(folder, (CLIENTS / "package-lock.json").read_text(encoding="utf-8"), make)
    for program in [*CLIENTS.glob("*.mjs"), *SERVERS.glob("*.mjs")]:
        shutil.copy(program, folder)
    return folder


def locked_rust():
    """The folder with the programs in Rust."""
    manifest, target = str(CLIENTS / "rmcp/Cargo.toml"), MADE / "rmcp"
    command = ["cargo", "build", "--locked", "--quiet", "--manifest-path", manifest, "--target-dir", str(target)]
    subprocess.run(command, check=True)
    return target / "debug"
