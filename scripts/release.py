#!/usr/bin/env python3
"""What .github/workflows/release.yml does with a tag, each step as a command:

    scripts/release.py check TAG          the tag, the version and the changelog fit each other
    scripts/release.py notes TAG          the changelog's section of that version
    scripts/release.py collect PARTS OUT  one folder of what `make dist` made on machines that know nothing
                                          of each other
    scripts/release.py npm OUT            publishes the npm packages of that folder
    scripts/release.py crates             publishes the crates of this tree
    scripts/release.py forge TAG OUT      makes the release with its files

With DRY_RUN=1 in the environment the last three say what they would do, as far as that can be known
without doing it. What a registry has already is left out, so that a run that failed can be run again.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHANGELOG = ROOT / "CHANGELOG.md"
REPOSITORY = "https://github.com/extline/extline"
SUMS = "SHA256SUMS"
DRY_RUN = bool(os.environ.get("DRY_RUN"))


def check(tag):
    version = workspace_version()
    if tag != f"v{version}":
        sys.exit(f"the tag is {tag}, but Cargo.toml says {version}: scripts/bump.py sets the version")
    text = notes(tag)
    if not re.search(r"^## .* - \d{4}-\d\d-\d\d$", text, re.MULTILINE):
        sys.exit(f"CHANGELOG.md: the heading of {version} has no date")
    print(f"{tag}: the version and the changelog agree")


def workspace_version():
    manifest = (ROOT / "Cargo.toml").read_text()
    return re.search(r'^\[workspace\.package\]\nversion = "([^"]+)"', manifest, re.MULTILINE).group(1)


def notes(tag):
    version = re.escape(tag.removeprefix("v"))
    section = rf"^## \[{version}\].*?(?=^## |^\[[^\]]+\]: |\Z)"
    found = re.search(section, CHANGELOG.read_text(), re.MULTILINE | re.DOTALL)
    if not found:
        sys.exit(f"CHANGELOG.md has no section of {tag}")
    return found.group().strip()


def collect(parts, out):
    """What lies in every part, once: `make dist` is reproducible, so no part may have other bytes or other files.

    The sums are of names without their folders, which is how somebody has them who downloaded some.
    """
    out = Path(out)
    shutil.rmtree(out, ignore_errors=True)
    parts = sorted(Path(parts).iterdir()) or sys.exit(f"there is nothing in {parts}")
    for part in parts:
        verify(part)
    first, *others = [{file.relative_to(part): file for file in files_of(part)} for part in parts]
    for other in others:
        if alone := first.keys() ^ other.keys():
            sys.exit(f"not every machine made {', '.join(map(str, sorted(alone)))}")
        for place, file in other.items():
            if digest(file) != digest(first[place]):
                sys.exit(f"{file} is not the same as {first[place]}, and nobody can tell which is right")
    for place, file in first.items():
        (out / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, out / place)
    sums = {file.name: digest(file) for file in first.values()}
    if not sums or len(sums) < len(first):
        sys.exit("there are no files, or two of one name")
    (out / SUMS).write_text("".join(f"{sums[name]}  {name}\n" for name in sorted(sums)))
    print(f"{len(sums)} files in {out}, the same from {len(parts)} machines")


def files_of(part):
    """What is published; of the crates that is only told in which order."""
    names = (SUMS, "order.txt")
    return sorted(file for file in part.rglob("*") if file.is_file() and file.name not in names)


def verify(part):
    """Each file is what its machine made."""
    for line in (part / SUMS).read_text().splitlines():
        expected, name = line.split(maxsplit=1)
        if digest(part / name) != expected:
            sys.exit(f"{part / name} is not what {part / SUMS} says")


def digest(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def npm(out):
    packages = [(package_json(file), file) for file in sorted(Path(out, "npm").glob("*.tgz"))]
    # What is asked for by others comes first.
    packages.sort(key=lambda package: bool(package[0].get("optionalDependencies")))
    for description, file in packages:
        name = f"{description['name']}@{description['version']}"
        if quiet(["npm", "view", name, "version"]).stdout.strip():
            print(f"{name} is there already")
            continue
        run(["npm", "publish", str(file), "--access", "public", *(["--dry-run"] if DRY_RUN else ["--provenance"])])


def package_json(file):
    with tarfile.open(file) as archive:
        return json.load(archive.extractfile("package/package.json"))


def crates():
    metadata = json.loads(quiet(["cargo", "metadata", "--no-deps", "--format-version", "1"]).stdout)
    version = workspace_version()
    # `publish` is [] where the manifest says false.
    ours = [package["name"] for package in metadata["packages"] if package["publish"] != []]
    there = [name for name in ours if is_published(name, version)]
    for name in there:
        print(f"{name} {version} is there already")
    if len(there) == len(ours):
        return
    left_out = [word for name in there for word in ("--exclude", name)]
    # Cargo finds the order, and waits until each can be used by the next. `make dist` built them.
    command = ["cargo", "publish", "--locked", "--workspace", "--no-verify", *left_out]
    run([*command, "--dry-run", "--allow-dirty"] if DRY_RUN else command)


def is_published(name, version):
    # Asked from elsewhere: in this tree cargo would show the crate of the tree.
    return quiet(["cargo", "info", "--registry", "crates-io", f"{name}@{version}"], cwd="/").returncode == 0


def forge(tag, out):
    files = [str(file) for file in sorted(Path(out).rglob("*")) if file.is_file()]
    text = notes(tag).split("\n", 1)[-1].strip()
    # A page of the forge stands elsewhere than the changelog.
    text = re.sub(r"\]\((?![a-z]+:)", f"]({REPOSITORY}/blob/{tag}/", text)
    command = ["gh", "release", "create", tag, "--verify-tag", "--title", tag, "--notes-file", "-", *files]
    if DRY_RUN:
        print(*command, f"\n\n{text}", sep=" ")
    else:
        run(command, input=text)


def run(command, **options):
    print("+", *command, flush=True)
    if subprocess.run(command, text=True, **options).returncode:
        sys.exit(f"{command[0]} {command[1]} failed")


def quiet(command, **options):
    return subprocess.run(command, text=True, capture_output=True, **options)


def main():
    os.chdir(ROOT)
    actions = {"check": check, "notes": lambda tag: print(notes(tag)), "collect": collect, "npm": npm,
               "crates": crates, "forge": forge}
    name, *arguments = sys.argv[1:] or [""]
    try:
        action = actions[name]
        wanted = action.__code__.co_argcount
    except KeyError:
        sys.exit(__doc__)
    if len(arguments) != wanted:
        sys.exit(__doc__)
    action(*arguments)


if __name__ == "__main__":
    main()
