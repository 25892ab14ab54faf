#!/usr/bin/env python3
"""Builds the documentation site into target/site: the pages of docs/SUMMARY.md as a book with search, and
the API of the Rust crates in `api`. Then every link of the pages is followed, and where there is a
browser it looks at them.

    scripts/docs_site.py            all of it
    scripts/docs_site.py --no-api   without the Rust API, which takes minutes

A page stands on the site where it stands below docs/; PLACES says where those from elsewhere stand. What a page links to and the site does not have is linked to where the repository is shown.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import docs_links
import docs_look
import tools

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
WORK = ROOT / "target/site-work"
SITE = ROOT / "target/site"
ADDRESS = "https://extline.github.io/extline/"
REPOSITORY = "https://github.com/extline/extline"
# The crates whose API is for others.
CRATES = ["extline", "extline-host", "extline-protocol", "extline-mcp", "extline-model", "extline-schema", "extline-services", "extline-scenario"]
# Pages from outside of docs/; those that stand at the root of the repository go to `project`.
PLACES = {
    "README.md": "index.md",
    # The first page of the site is the repository's.
    "docs/README.md": "pages.md",
    "sdk-python/README.md": "python/package.md",
    "sdk-node/README.md": "typescript/package.md",
    "sdk-rust/README.md": "rust/package.md",
    "sdk-c/README.md": "c/package.md",
    "examples/README.md": "host/examples.md",
    "bench/README.md": "project/bench.md",
}
LINK = re.compile(r"\]\(([^)\s]+)\)")


def main():
    os.chdir(ROOT)
    mdbook = tools.where("mdbook")
    if not mdbook:
        sys.exit(f"mdbook is not there: {tools.how('mdbook')}")
    pages = pages_by_place()
    lay_out(pages)
    shutil.rmtree(SITE, ignore_errors=True)
    run(mdbook, "build", WORK, "--dest-dir", SITE)
    # What the book was made from is nothing for a reader.
    for left in SITE.rglob("*.md"):
        left.unlink()
    if "--no-api" in sys.argv[1:]:
        print("SKIPPED the Rust API and the links to it")
    else:
        api()
    broken = docs_links.broken(SITE, ignore="api/" if "--no-api" in sys.argv[1:] else None)
    for line in broken:
        print(line)
    if broken:
        sys.exit(f"{len(broken)} links lead nowhere")
    look(pages)
    print(f"{len(pages)} pages in {SITE.relative_to(ROOT)}, every link leads somewhere")


def pages_by_place():
    """Where each page of the summary stands on the site, by its file; none below docs/ is missing."""
    pages = {}
    for link in LINK.findall((DOCS / "SUMMARY.md").read_text()):
        file = (DOCS / link).resolve()
        if not file.is_file():
            sys.exit(f"docs/SUMMARY.md names {link}, which is not there")
        pages[file] = place_of(file)
    missing = sorted(set(DOCS.rglob("*.md")) - set(pages) - {DOCS / "SUMMARY.md"})
    if missing:
        sys.exit("not in docs/SUMMARY.md: " + " ".join(str(file.relative_to(DOCS)) for file in missing))
    return pages


def place_of(file):
    inside = file.relative_to(ROOT)
    if str(inside) in PLACES:
        return Path(PLACES[str(inside)])
    return file.relative_to(DOCS) if file.is_relative_to(DOCS) else Path("project", inside.name.lower())


def lay_out(pages):
    """The book's sources: each page in its place, its links made to fit there."""
    shutil.rmtree(WORK, ignore_errors=True)
    src = WORK / "src"
    src.mkdir(parents=True)
    for name in ("book.toml", "site.css"):
        shutil.copy(DOCS / name, WORK)
    files = {}
    for file, place in pages.items():
        write(src / place, fitted(file, place, pages, files))
    # The summary stands on the site where docs/ is, which is its root.
    write(src / "SUMMARY.md", fitted(DOCS / "SUMMARY.md", Path("SUMMARY.md"), pages, files))
    for file, place in files.items():
        (src / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, src / place)


def write(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def fitted(file, place, pages, files):
    """The page's text, in which links lead to where their targets stand on the site."""

    def replaced(match):
        return f"]({target_of(match[1], file, place, pages, files)})"

    parts = re.split(r"(^```.*?^```$)", file.read_text(), flags=re.MULTILINE | re.DOTALL)
    # Every second part is code.
    parts[::2] = [LINK.sub(replaced, part) for part in parts[::2]]
    return "".join(parts)


def target_of(link, file, place, pages, files):
    if link.startswith(ADDRESS):
        return relative(Path(link.removeprefix(ADDRESS) or "index.html"), place)
    if ":" in link or link.startswith("#"):
        return link
    path, mark, heading = link.partition("#")
    target = (file.parent / path).resolve()
    if target in pages:
        return relative(pages[target], place) + mark + heading
    # Pictures and data of the pages come along.
    if target.is_file() and target.is_relative_to(DOCS):
        files[target] = target.relative_to(DOCS)
        return relative(files[target], place)
    if not target.exists():
        sys.exit(f"{file.relative_to(ROOT)} links to {link}, which is not there")
    kind = "tree" if target.is_dir() else "blob"
    return f"{REPOSITORY}/{kind}/main/{target.relative_to(ROOT)}" + mark + heading


def relative(target, place):
    return os.path.relpath(target, place.parent)


def api():
    made = ROOT / "target/site-api"
    packages = [word for name in CRATES for word in ("-p", name)]
    os.environ["RUSTDOCFLAGS"] = "-D warnings"
    run("cargo", "doc", "--locked", "--no-deps", "--target-dir", made, *packages)
    shutil.copytree(made / "doc", SITE / "api")


def look(pages):
    if not docs_look.browser():
        print("SKIPPED the pages in a browser: apt-get install chromium")
        return
    outside = docs_look.outside(SITE, sorted(str(place.with_suffix(".html")) for place in pages.values()))
    if outside is None:
        sys.exit("the browser showed nothing")
    for line in outside:
        print(line)
    if outside:
        sys.exit("these pages are wider than what shows them")


def run(*words):
    print("+", *words, flush=True)
    if subprocess.run([str(word) for word in words]).returncode:
        sys.exit(f"{words[0]} failed")


if __name__ == "__main__":
    main()
