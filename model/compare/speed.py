"""How long extline.model and json_repair take for the same texts: rounds in turn, and the median of each."""

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import json_repair

from extline.model import RepairError, repair

ROUNDS = 30


def ours(text: str) -> None:
    try:
        _ = repair(text).value
    except RepairError:
        pass


def theirs(text: str) -> None:
    # It raises where it is nested too deep.
    try:
        json_repair.loads(text)
    except Exception:
        pass


def took(mend: Callable[[str], None], texts: list[str]) -> float:
    """Milliseconds for all of them."""
    began = time.perf_counter_ns()
    for text in texts:
        mend(text)
    return (time.perf_counter_ns() - began) / 1e6


def compare(what: str, texts: list[str]) -> None:
    times: dict[str, list[float]] = {"extline.model": [], "json_repair": []}
    for _ in range(ROUNDS):
        times["extline.model"].append(took(ours, texts))
        times["json_repair"].append(took(theirs, texts))
    medians = {tool: statistics.median(all_of_it) for tool, all_of_it in times.items()}
    figures = ", ".join(f"{tool} {median:.2f} ms" for tool, median in medians.items())
    print(f"{what}: {figures}: {medians['json_repair'] / medians['extline.model']:.1f} times")


texts = [json.loads(line)["text"] for file in sys.argv[1:] for line in Path(file).read_text("utf-8").splitlines()]
compare(f"{len(texts)} texts", texts)
row = "{'path': 'src/main.rs', lines: [1, 2, 3,], \"text\": \"it's here\"}, "
compare("one text of 100 KB", ["[" + row * (100_000 // len(row)) + "]"])
