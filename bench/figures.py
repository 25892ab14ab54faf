"""Figures out of the runs of one document.

A figure is taken in every round and the median of the rounds is what counts; a ratio is to the
candidate's baseline in the same round, session and placement, so that what slows a round down
slows both.
"""

import statistics


def start_ms(run):
    return run["start_ms"]


def answer_ms(run):
    return run.get("answer_ms")


def start_cpu_ms(run):
    return run.get("start_cpu_ms")


def peak_mb(run):
    return run["peak_kb"] / 1024


def of_phase(number, name):
    return lambda run: run["phases"][number].get(name)


# Session, placement, what of a run, whether it is a ratio.
FIGURES = {
    "start_ms": ("start", "free", start_ms, False),
    "answer_ms": ("start", "free", answer_ms, False),
    "start_cpu_ms": ("start", "free", start_cpu_ms, False),
    "small_mb": ("small", "one", peak_mb, False),
    "1m_mb": ("1m", "one", peak_mb, False),
}
for session in ("small", "64k", "1m"):
    for placement, suffix in (("one", ""), ("free", "_free")):
        short = "" if session == "small" else session + "_"
        p50, p99 = of_phase(0, "p50_us"), of_phase(0, "p99_us")
        FIGURES[f"{short}p50{suffix}"] = (session, placement, p50, True)
        FIGURES[f"{short}p50_us{suffix}"] = (session, placement, p50, False)
        FIGURES[f"{short}p99{suffix}"] = (session, placement, p99, True)
        FIGURES[f"{short}p99_us{suffix}"] = (session, placement, p99, False)
        child = of_phase(0, "child_cpu_us")
        FIGURES[f"{short}cpu_us{suffix}"] = (session, placement, child, False)
        FIGURES[f"{short}client_cpu_us{suffix}"] = (session, placement, of_phase(0, "client_cpu_us"), False)
for placement in ("one", "free"):
    FIGURES[f"in_flight_{placement}"] = ("small", placement, of_phase(1, "calls_per_s"), False)


class Figures:
    def __init__(self, document):
        self.baselines = {c["name"]: c["baseline"] for c in document["candidates"]}
        self.rounds = {}
        for run in document["runs"]:
            key = (run["candidate"], run["session"], run["placement"], run["round"])
            self.rounds.setdefault(key, []).append(run["figures"])
        self.numbers = sorted({run["round"] for run in document["runs"]})

    def of(self, candidate, name):
        """The median over the rounds; None where the candidate has no such figure."""
        each = self.each(candidate, name)
        return statistics.median(each) if each else None

    def over(self, candidate, other, name):
        """How much more it is than another candidate's: the median over the rounds."""
        pairs = zip(self.each(candidate, name), self.each(other, name))
        return statistics.median(own - others for own, others in pairs)

    def times(self, candidate, other, name):
        """How many times as much another candidate's is: the median over the rounds."""
        pairs = zip(self.each(candidate, name), self.each(other, name))
        return statistics.median(others / own for own, others in pairs)

    def each(self, candidate, name):
        """One number a round."""
        session, placement, pick, is_ratio = FIGURES[name]
        found = []
        for number in self.numbers:
            own = self.in_round(candidate, session, placement, number, pick)
            base = self.in_round(self.baselines[candidate], session, placement, number, pick) if is_ratio else 1
            if own is not None and base:
                found.append(own / base)
        return found

    def in_round(self, candidate, session, placement, number, pick):
        runs = self.rounds.get((candidate, session, placement, number), [])
        values = [value for value in map(pick, runs) if value is not None]
        return statistics.median(values) if values else None
