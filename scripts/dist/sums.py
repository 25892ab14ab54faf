"""What goes beside the packages: the crates, what is in them (SBOM), their checksums, and their sizes."""

import hashlib
import json
import os
import shutil
import uuid

from commands import DIST, WORK, run, say
from native import crates as published
from source import SOURCE, version
from toolchain import cyclonedx, environment, tools

# What is shipped of each, and the crate that it is linked from.
SHIPPED = {
    "extline-cli": "cli",
    "extline-python": "sdk-python",
    "extline-python-model": "sdk-python/model",
    "extline-node": "sdk-node",
    "extline-node-model": "sdk-node/model",
    "extline-c": "sdk-c",
    "extline-c-model": "sdk-c/model",
}


def crates():
    """The crates as crates.io gets them, each built from what is packed."""
    folder = WORK / "target-crates"
    shutil.rmtree(folder / "package", ignore_errors=True)
    env = {**environment(tools()), "CARGO_TARGET_DIR": str(folder)}
    names = published()
    words = [word for name in names for word in ("--package", name)]
    run("cargo package", ["cargo", "package", "--locked", "--allow-dirty", *words], cwd=SOURCE, env=env)
    place = DIST / "crates"
    place.mkdir(parents=True, exist_ok=True)
    made = []
    for name in names:
        made.append(place / f"{name}-{version()}.crate")
        shutil.copyfile(folder / "package" / made[-1].name, made[-1])
    (place / "order.txt").write_text("".join(f"{name}\n" for name in names))
    return made


def sbom():
    """One CycloneDX file for each thing that is linked: its crates, with versions, licences and hashes."""
    path = f"{cyclonedx()}{os.pathsep}"
    env = environment(tools())
    env["PATH"] = path + env["PATH"]
    place = DIST / "sbom"
    place.mkdir(parents=True, exist_ok=True)
    made = []
    for name, folder in SHIPPED.items():
        manifest = SOURCE / folder / "Cargo.toml"
        command = ["cargo", "cyclonedx", "--manifest-path", manifest, "--format", "json", "--spec-version", "1.5"]
        command += ["--all", "--no-build-deps", "--target", "all", "--override-filename", "bom"]
        run(f"sbom {name}", command, cwd=SOURCE, env=env, quiet=True)
        bom = json.loads((SOURCE / folder / "bom.json").read_text())
        for written in SOURCE.rglob("bom.json"):
            written.unlink()
        # The same for the same content, and no folder of this machine.
        text = json.dumps(bom, indent=1, sort_keys=True).replace(str(SOURCE), "/extline")
        bom = json.loads(text)
        bom.pop("serialNumber", None)
        content = hashlib.sha256(json.dumps(bom, sort_keys=True).encode()).digest()
        bom["serialNumber"] = f"urn:uuid:{uuid.UUID(bytes=content[:16], version=4)}"
        made.append(place / f"{name}-{version()}.cdx.json")
        made[-1].write_text(json.dumps(bom, indent=1, sort_keys=True) + "\n")
    return made


def checksums():
    """SHA256SUMS of all that lies in dist, as `sha256sum --check` reads it; tells the sizes."""
    files = sorted(path for path in DIST.rglob("*") if path.is_file() and path.name != "SHA256SUMS")
    lines = []
    for path in files:
        name = path.relative_to(DIST)
        lines.append(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {name}\n")
        say(f"{path.stat().st_size:>12,}  {name}")
    (DIST / "SHA256SUMS").write_text("".join(lines))
    say(f"{len(files)} files in dist/, and dist/SHA256SUMS")
