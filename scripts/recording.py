#!/usr/bin/env python3
"""Makes docs/recording.svg, the terminal in the README: three commands are run on a real terminal, and
what they wrote there is drawn.

It needs rich (`pip install rich` in a virtual environment), what `make demo` built, and a Unix.
"""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = 100
# Pages that show pictures load no fonts from elsewhere.
FRAME = """<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" xml:space="preserve">
<title>An extension is called, blocked by a guard, and diagnosed by the tester</title>
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, monospace; font-size: {char_height}px;
    line-height: {line_height}px; white-space: pre; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
<rect fill="#292929" width="{width}" height="{height}" rx="8"/>
<g transform="translate(12, 10)" clip-path="url(#{unique_id}-clip-terminal)">{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "greet.sh").write_text(script_of("docs/tester/test-your-extension.md", "greet.sh"))
        environment = surroundings(folder)
        console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"), color_system="truecolor")
        for words, typed, folder_of in COMMANDS:
            console.print(Text("$ " + shown(words), style="bold"))
            written = run(words, typed, environment, folder if folder_of is None else folder_of)
            console.print(Text.from_ansi(written))
            console.print()
    svg = console.export_svg(title="extline", code_format=FRAME, unique_id="terminal")
    (ROOT / "docs/recording.svg").write_text(svg)


# The words, what a user types meanwhile, and where it runs: here, or where greet.sh stands.
COMMANDS = [
    (["extline", "call", "examples/weather-python", "weather", '{"city": "Berlin"}'], "", ROOT),
    (["embed-host", "examples/embed-host/model.json", "examples/guard-rust"], "please clean up\n", ROOT),
    (["extline", "conformance", "--only", "E-OUT-01", "--", "sh", "greet.sh"], "", None),
]


def script_of(page, name):
    """The text of a file that a page shows."""
    return re.search(rf"```\w+ {re.escape(name)}\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)[1]


def surroundings(folder):
    """An environment in which the programs are on the path and the Python package is as if installed."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "python"], check=True)
    python = folder / "python/bin/python3"
    ask = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip()
    Path(packages, "extline.pth").write_text(f"{ROOT}/sdk-python/python\n")
    path = f"{python.parent}:{ROOT}/target/debug:{os.environ['PATH']}"
    home = {"EXTLINE_HOME": str(folder / "home")}
    return {**os.environ, **home, "PATH": path, "TERM": "xterm-256color", "COLUMNS": str(COLUMNS)}


def run(words, typed, environment, folder):
    """What a command writes to its terminal; a pipe brings what is typed."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=theirs, stderr=theirs, env=environment, cwd=folder)
    os.close(theirs)
    process.stdin.write(typed.encode())
    process.stdin.close()
    written = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end of a terminal is gone
            break
        if not part:
            break
        written += part
    os.close(ours)
    if process.wait() not in (0, 1):  # 1: an error of the extension's was found
        sys.exit(f"{shown(words)}: exit status {process.returncode}\n{written.decode()}")
    return written.decode().replace("\r\n", "\n").rstrip("\n")


def shown(words):
    return " ".join(word if re.fullmatch(r"[\w./-]+", word) else f"'{word}'" for word in words)


if __name__ == "__main__":
    main()
