"""The command for download: the program, its man pages and completions."""

import shutil
import subprocess

import archives
from commands import DIST, WORK, Failure, output, run, say
from source import SOURCE, version
from toolchain import environment, tools

# Where an installation puts each: the shells but PowerShell look there by themselves.
COMPLETIONS = {
    "bash": "share/bash-completion/completions/extline",
    "fish": "share/fish/vendor_completions.d/extline.fish",
    "zsh": "share/zsh/site-functions/_extline",
    "powershell": "share/powershell/extline.ps1",
}


def archive(target, program, pages):
    """`extline-VERSION-PLATFORM.tar.gz`, for Windows `.zip`, laid out as a prefix has it: bin and share."""
    name = f"extline-{version()}-{target.triple}"
    files = {f"{name}/bin/{target.program}": program, f"{name}/README.md": SOURCE / "cli/README.md"}
    files |= {f"{name}/{path}": content for path, content in pages.items()}
    files |= {f"{name}/{document}": SOURCE / document for document in ("LICENSE-APACHE", "LICENSE-MIT")}
    place = DIST / "command" / f"{name}.{'zip' if target.is_windows else 'tar.gz'}"
    place.parent.mkdir(parents=True, exist_ok=True)
    archives.packed(place, files)
    return [place]


def pages(programs):
    """Man pages and completions, the same for all, from a program that runs here; `{path: bytes}`."""
    program = next((program for program in programs if runs(program)), None)
    if program is None:
        # None of those that are packed runs on this machine, so one is built that does.
        say("  command: one for this machine, which writes the man pages")
        folder = WORK / "target-here"
        env = {**environment(tools()), "CARGO_TARGET_DIR": str(folder)}
        run("command here", ["cargo", "build", "--locked", "--package", "extline-cli"], cwd=SOURCE, env=env)
        program = folder / "debug/extline"
    place = WORK / "man"
    shutil.rmtree(place, ignore_errors=True)
    output([program, "man", place])
    files = {f"share/man/man1/{page.name}": page for page in place.glob("*.1")}
    if not files:
        raise Failure(f"{program} man wrote no pages into {place}")
    for shell, path in COMPLETIONS.items():
        files[path] = (output([program, "completions", shell]) + "\n").encode()
    return files


def runs(program):
    """Whether this machine runs a program."""
    try:
        return subprocess.run([program, "--version"], check=False, capture_output=True).returncode == 0
    except OSError:
        return False
