#!/usr/bin/env python3
"""Repairs the corpus with extline, json_repair (PyPI) and jsonrepair (npm), and prints who was right.

    python3 model/compare/compare.py [--disagreements] [--zkit CHECKOUT] [FILE...]
    python3 model/compare/compare.py --speed [FILE...]          # extline.model beside json_repair, in Python
    python3 model/compare/compare.py --templates                # calls as the templates of models write them

The two libraries are installed into target/compare for this alone. With --zkit the cascade of zkit is a third: the
folder is a checkout of zarldev/zarlmono, of which the package zkit/ai/llm/repair is built by Go.
"""

import argparse
import json
import shutil
import subprocess
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGET = ROOT / "target" / "compare"
VENV = TARGET / "venv"
PIP = VENV / "bin" / "pip"
CORPUS = ROOT / "model" / "corpus"
VERSIONS = {"json_repair": "0.64.6", "jsonrepair": "3.15.0", "jinja2": "3.1.6"}
REFUSED = object()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--disagreements", action="store_true", help="print each case that a tool has wrong")
    parser.add_argument("--zkit", type=Path, metavar="CHECKOUT", help="a checkout of zarldev/zarlmono; needs Go")
    parser.add_argument("--speed", action="store_true", help="how long extline.model and json_repair take; builds the package")
    parser.add_argument("--templates", action="store_true", help="whether calls come back that templates of models render; builds the package")
    parser.add_argument("files", nargs="*", type=Path, help="default: both files of model/corpus")
    options = parser.parse_args()
    files = options.files or [CORPUS / "broken.jsonl", CORPUS / "held-back.jsonl"]
    install()
    if options.speed or options.templates:
        run([PIP, "install", "--quiet", "--disable-pip-version-check", ROOT / "sdk-python"])
    if options.templates:
        run([PIP, "install", "--quiet", "--disable-pip-version-check", f"jinja2=={VERSIONS['jinja2']}"])
        subprocess.run([VENV / "bin" / "python", HERE / "templates.py", TARGET / "templates"], check=True)
        return
    if options.speed:
        subprocess.run([VENV / "bin" / "python", HERE / "speed.py", *files], check=True)
        return
    for file in files:
        cases = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        texts = [case["text"] for case in cases]
        became = {"extline": lines(rust(), texts), "json_repair": lines(python(), texts), "jsonrepair": lines(node(), texts)}
        if options.zkit is not None:
            became["zkit"] = lines([zkit(options.zkit)], texts)
        table(file.name, cases, became)
        if options.disagreements:
            disagreements(cases, became)


def install() -> None:
    if not VENV.exists():
        venv.create(VENV, with_pip=True)
    run([PIP, "install", "--quiet", "--disable-pip-version-check", f"json_repair=={VERSIONS['json_repair']}"])
    npm = ["npm", "install", "--silent", "--no-save", "--prefix", TARGET, f"jsonrepair@{VERSIONS['jsonrepair']}"]
    run(npm)


def run(command: list) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def python() -> list:
    return [VENV / "bin" / "python", HERE / "json_repair_lines.py"]


def node() -> list:
    return ["node", HERE / "jsonrepair.mjs", TARGET]


def zkit(checkout: Path) -> Path:
    """The program, built of the checkout's package alone: the module around it wants more than is needed here."""
    source = checkout / "zkit" / "ai" / "llm" / "repair"
    folder, program = TARGET / "zkit", TARGET / "zkit" / "zkit_lines"
    (folder / "repair").mkdir(parents=True, exist_ok=True)
    for file in source.glob("*.go"):
        if not file.name.endswith("_test.go"):
            shutil.copy(file, folder / "repair")
    shutil.copy(HERE / "zkit_lines.go", folder / "main.go")
    (folder / "go.mod").write_text("module compare\n\ngo 1.24\n", "utf-8")
    subprocess.run(["go", "build", "-o", program.name, "."], cwd=folder, check=True)
    return program


def lines(command: list, texts: list[str]) -> list:
    """What a program says that reads a text and writes a value, line by line."""
    said = "".join(json.dumps(text) + "\n" for text in texts)
    done = subprocess.run(command, input=said, capture_output=True, text=True, check=True, cwd=ROOT)
    return [json.loads(line) if line else REFUSED for line in done.stdout.split("\n")[: len(texts)]]


def rust() -> list:
    return ["cargo", "run", "--quiet", "--locked", "-p", "extline-model", "--example", "repair_lines"]


def is_right(case: dict, value: object) -> bool:
    if case.get("refused"):
        return value is REFUSED
    # As text: 1 and true are equal in Python, and so are NaN and nothing.
    return value is not REFUSED and json.dumps(value, sort_keys=True) == json.dumps(case["value"], sort_keys=True)


def table(name: str, cases: list[dict], became: dict[str, list]) -> None:
    categories = list(dict.fromkeys(case["category"] for case in cases))
    print(f"\n{name}\n{'':<18}{'cases':>6}" + "".join(f"{tool:>13}" for tool in became))
    for category in [*categories, "all"]:
        places = [place for place, case in enumerate(cases) if category in ("all", case["category"])]
        right = [sum(is_right(cases[place], became[tool][place]) for place in places) for tool in became]
        print(f"{category:<18}{len(places):>6}" + "".join(f"{count:>13}" for count in right))


def disagreements(cases: list[dict], became: dict[str, list]) -> None:
    for place, case in enumerate(cases):
        wrong = [tool for tool in became if not is_right(case, became[tool][place])]
        if wrong:
            meant = "refused" if case.get("refused") else json.dumps(case["value"], ensure_ascii=False)
            print(f"\n{case['category']}: {case['text']!r}\n  meant: {meant}")
            for tool in wrong:
                value = became[tool][place]
                said = "refused" if value is REFUSED else json.dumps(value, ensure_ascii=False)
                print(f"  {tool}: {said}")


if __name__ == "__main__":
    main()
