"""Where things lie, and how programs are run for `make dist` and its like."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# What would be published.
DIST = ROOT / "dist"
# Toolchains and tools, fetched once.
TOOLS = ROOT / "target/dist-tools"
# The exported source, what is built from it, and the logs.
WORK = ROOT / "target/dist-build"
LOGS = WORK / "logs"
# Lines of a failed program's output that are shown; the whole is in its log.
SHOWN = 30


class Failure(Exception):
    """What went wrong, and what to do about it; shown without a traceback."""


def say(text):
    """A line of progress."""
    print(text, file=sys.stderr, flush=True)


def run(title, words, *, cwd=ROOT, env=None, quiet=False):
    """Runs a program to its end, its output in a log named after the title. Fails with the end of that log."""
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{title.replace('/', '-').replace(' ', '_')}.log"
    words = [str(word) for word in words]
    began = time.monotonic()
    with log.open("wb") as output:
        output.write(f"$ {shlex.join(words)}\n".encode())
        output.flush()
        streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": subprocess.STDOUT}
        child = subprocess.Popen(words, cwd=cwd, env=env, start_new_session=True, **streams)
        try:
            code = child.wait()
        except BaseException:
            # All that it started in its turn: cargo-zigbuild leaves cargo running.
            os.killpg(child.pid, signal.SIGTERM)
            child.wait()
            raise
    if code != 0:
        end = "".join(log.read_text(errors="replace").splitlines(keepends=True)[-SHOWN:])
        raise Failure(f"{title} failed with {code}; the whole output is in {log}\n{end}")
    if not quiet:
        say(f"  {title}: {time.monotonic() - began:.0f} s")
    return log


def output(words, **options):
    """What a program prints, without the last line end."""
    words = [str(word) for word in words]
    done = subprocess.run(words, check=False, capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise Failure(f"{shlex.join(words)} failed with {done.returncode}: {done.stderr.strip()}")
    return done.stdout.rstrip("\n")


def main_of(main):
    """Runs a script's main: failures are told in words, and Ctrl-C or SIGTERM ends what was started."""

    def interrupted(*_):
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupted)
    try:
        sys.exit(main())
    except Failure as failure:
        say(f"error: {failure}")
        sys.exit(1)
    except KeyboardInterrupt:
        say("interrupted; what is complete stays, and the next run goes on from there")
        sys.exit(130)


def on_path(name):
    """Whether a program can be found."""
    folders = os.environ.get("PATH", "").split(os.pathsep)
    return any(os.access(Path(folder, name), os.X_OK) for folder in folders if folder)
