"""Packages for npm: `extline` with one package for each platform, and `extline-cli` with the same.

The two main packages name the packages of all platforms, whichever of them are made in this run.
"""

import json
import re
import shutil

from commands import DIST, WORK, run, say
from source import SOURCE, version
from targets import TARGETS
from toolchain import environment, tools

NODE = SOURCE / "sdk-node"
ENGINES = {"node": ">=20.17"}


def packages(modules):
    """The packages of the SDK: those for the platforms whose modules are given, and the main one."""
    platforms = [target.npm for target in TARGETS]
    env = {**environment(tools()), "EXTLINE_PLATFORMS": " ".join(platforms)}
    for old in NODE.glob("*.node"):
        old.unlink()
    for name, file in modules.items():
        shutil.copyfile(file, NODE / name)
    install = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
    run("npm ci", install, cwd=NODE, env=env)
    run("npm build:ts", ["npm", "run", "build:ts"], cwd=NODE, env=env)
    run("npm stage", ["npm", "run", "stage"], cwd=NODE, env=env)
    made = [_pack(folder) for folder in sorted((NODE / "npm").iterdir())]
    _tell_absent("extline", platforms)
    return made


def command_packages(programs):
    """`extline-cli`, and `extline-cli-PLATFORM` for each program, as `{target: program}`.

    The SDK's own package does not carry the command: whoever runs an extension would fetch eight
    megabytes that only an author uses.
    """
    place = WORK / "npm-command"
    shutil.rmtree(place, ignore_errors=True)
    shared = {
        "version": version(),
        "license": "MIT OR Apache-2.0",
        "repository": {"type": "git", "url": "git+https://github.com/extline/extline.git", "directory": "cli"},
    }
    platforms = [target.cli_npm for target in TARGETS if target.cli_npm]
    for target, program in programs.items():
        name = f"extline-cli-{target.cli_npm}"
        system, cpu = target.cli_npm.split("-")
        about = {"description": f"The extline command for {target.cli_npm}", "os": [system], "cpu": [cpu]}
        _stage(place / name, {"name": name, **shared, **about, "files": [target.program]}, {target.program: program})
    main = {
        "name": "extline-cli",
        **shared,
        "description": "The extline command: run, call, test and inspect extensions of coding agents",
        "engines": ENGINES,
        # The first is what `npx extline-cli` runs.
        "bin": {"extline-cli": "extline.mjs", "extline": "extline.mjs"},
        "files": ["extline.mjs"],
        "optionalDependencies": {f"extline-cli-{platform}": version() for platform in platforms},
    }
    files = {"extline.mjs": SOURCE / "cli/npm/extline.mjs", "README.md": SOURCE / "cli/README.md"}
    _stage(place / "extline-cli", main, files)
    made = [_pack(folder) for folder in sorted(place.iterdir())]
    _tell_absent("extline-cli", platforms)
    return made


def _tell_absent(main, platforms):
    """Says which packages the main one names that are not in dist/, from this run or one before."""
    names = [f"{main}-{platform}" for platform in platforms]
    absent = [name for name in names if not (DIST / "npm" / f"{name}-{version()}.tgz").is_file()]
    if absent:
        say(f"  npm: {main} names what is not in dist/npm yet: {', '.join(absent)}")


def _stage(folder, manifest, files):
    folder.mkdir(parents=True)
    (folder / "package.json").write_text(json.dumps(manifest, indent=2) + "\n")
    for name, file in files.items():
        shutil.copy(file, folder / name)
        (folder / name).chmod(0o755 if re.search(r"^extline(\.mjs|\.exe)?$", name) else 0o644)


def _pack(folder):
    place = DIST / "npm"
    place.mkdir(parents=True, exist_ok=True)
    command = ["npm", "pack", "--silent", "--pack-destination", place]
    run(f"npm pack {folder.name}", command, cwd=folder, env=environment(tools()), quiet=True)
    return place / f"{folder.name if folder.name.startswith('extline') else f'extline-{folder.name}'}-{version()}.tgz"
