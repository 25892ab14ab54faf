#!/usr/bin/env python3
"""The tables of one run; `table.py FILE` prints those of a JSON file again."""

import json
import statistics
import sys

from candidates import BARS, MEMORY_BAR, OVER_BARS, STARTS_BAR, TIMES_BARS
from figures import Figures

# More foreign CPUs than this during a run, and it is named below the tables.
FOREIGN = 0.25


def render(document):
    figures = Figures(document)
    children = [c for c in document["candidates"] if c["baseline"] == "limit"]
    hosts = [c for c in document["candidates"] if c["baseline"] != "limit"]
    parts = [
        headline(document),
        grid("Client and child on one CPU, one call at a time; ratios to the limit of the same round",
             CHILD_COLUMNS, children, figures),
        grid("The same, placed by the scheduler: waking an idle CPU costs more than the call",
             FREE_COLUMNS, children, figures),
        grid("The host against a bare client, the same child on one CPU", HOST_COLUMNS, hosts, figures),
        many(document, figures),
        bars(document, figures),
        others(document),
    ]
    return "\n\n".join(part for part in parts if part)


# Title, format, figures.
CHILD_COLUMNS = [
    ("start to callable / to the first answer, ms", "{:.1f} / {:.1f}", ["start_ms", "answer_ms"]),
    ("p50, x (us)", "{:.2f} ({:.1f})", ["p50", "p50_us"]),
    ("p99, x (us)", "{:.2f} ({:.1f})", ["p99", "p99_us"]),
    ("CPU a call, us", "{:.1f}", ["cpu_us"]),
    ("calls/s, 64 in flight: one CPU / free", "{:,.0f} / {:,.0f}", ["in_flight_one", "in_flight_free"]),
    ("64 KiB, x (us)", "{:.2f} ({:.0f})", ["64k_p50", "64k_p50_us"]),
    ("1 MiB, x (us)", "{:.2f} ({:.0f})", ["1m_p50", "1m_p50_us"]),
    ("peak MB: small / 1 MiB", "{:.1f} / {:.1f}", ["small_mb", "1m_mb"]),
]
FREE_COLUMNS = [
    ("p50, x (us)", "{:.2f} ({:.1f})", ["p50_free", "p50_us_free"]),
    ("p99, x (us)", "{:.2f} ({:.1f})", ["p99_free", "p99_us_free"]),
    ("CPU a call, us", "{:.1f}", ["cpu_us_free"]),
    ("64 KiB, x (us)", "{:.2f} ({:.0f})", ["64k_p50_free", "64k_p50_us_free"]),
    ("1 MiB, x (us)", "{:.2f} ({:.0f})", ["1m_p50_free", "1m_p50_us_free"]),
]
HOST_COLUMNS = [
    ("start to callable, ms", "{:.1f}", ["start_ms"]),
    ("p50, x (us)", "{:.2f} ({:.1f})", ["p50", "p50_us"]),
    ("p99, x (us)", "{:.2f} ({:.1f})", ["p99", "p99_us"]),
    ("CPU of the caller a call, us", "{:.1f}", ["client_cpu_us"]),
    ("calls/s, 64 in flight: one CPU / free", "{:,.0f} / {:,.0f}", ["in_flight_one", "in_flight_free"]),
    ("64 KiB, x (us)", "{:.2f} ({:.0f})", ["64k_p50", "64k_p50_us"]),
    ("1 MiB, x (us)", "{:.2f} ({:.0f})", ["1m_p50", "1m_p50_us"]),
]


def headline(document):
    machine = document["machine"]
    return (
        f"{document['started']}, commit {machine['commit']}, {document['plan']['rounds']} rounds; "
        f"{machine['cpus']} x {machine['cpu']}, Linux {machine['kernel']}, {machine['rustc']}, {machine['cc']}, "
        f"Python {machine.get('python', 'not measured')}, Node {machine.get('node', 'not measured')}"
    )


def grid(title, columns, candidates, figures):
    if not candidates:
        return None
    rows = ["| | " + " | ".join(column for column, _, _ in columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for candidate in candidates:
        cells = [cell(form, [figures.of(candidate["name"], name) for name in names]) for _, form, names in columns]
        if any(cells):
            rows.append(f"| {candidate['title']} | " + " | ".join(cells) + " |")
    return f"{title}.\n\n" + "\n".join(rows)


def cell(form, values):
    if None not in values:
        return form.format(*values)
    # One that is slow makes its calls on one CPU only.
    first, more, _ = form.partition(" / ")
    return first.format(values[0]) if more and values[0] is not None else ""


def many(document, figures):
    if "many" not in document:
        return None
    load = document["many"]["load"]["figures"]
    resident = load["resident_kb"]
    host, client = starts_ms(document, "host"), starts_ms(document, "client")
    # What as many take alone, were all CPUs theirs.
    alone = extensions(document) * figures.of("rust-typed", "start_cpu_ms") / document["machine"]["cpus"]
    return (
        f"{extensions(document)} extensions started by one host: {host:.0f} ms, "
        f"{starts_ratio(document):.2f} x what a C client takes that does nothing else ({client:.0f} ms). "
        f"Of the CPU time of as many alone over {document['machine']['cpus']} CPUs ({alone:.0f} ms) "
        f"these are {host / alone:.2f} x and {client / alone:.2f} x.\n"
        f"{load['calls']:,} calls, {load['open']} in flight over {load['extensions']} extensions: "
        f"{load['calls'] / load['seconds']:,.0f} calls/s; the host's memory after a tenth {resident[0] / 1024:.1f} MB, "
        f"at the end {resident[-1] / 1024:.1f} MB ({memory_growth(document):+.1%})."
    )


def extensions(document):
    return document["many"]["starts"]["host"][0]["figures"]["extensions"]


def starts_ms(document, starter):
    return statistics.median(run["figures"]["start_ms"] for run in document["many"]["starts"][starter])


def starts_ratio(document):
    """Of neighbours, as the machine is not equally fast all the time."""
    pairs = zip(document["many"]["starts"]["host"], document["many"]["starts"]["client"])
    return statistics.median(host["figures"]["start_ms"] / client["figures"]["start_ms"] for host, client in pairs)


def memory_growth(document):
    resident = document["many"]["load"]["figures"]["resident_kb"]
    return resident[-1] / resident[0] - 1


def bars(document, figures):
    measured = [(name, figure, figures.of(name, figure), bar) for name, figure, bar in BARS if name in figures.baselines]
    for name, other, figure, bar in OVER_BARS:
        if {name, other} <= figures.baselines.keys():
            measured.append((name, f"{figure} over {other}", figures.over(name, other, figure), bar))
    for name, other, figure, bar in TIMES_BARS:
        if {name, other} <= figures.baselines.keys():
            # The least it may be.
            measured.append((name, f"{figure}, times {other}", figures.times(name, other, figure), -bar))
    if "many" in document:
        measured.append(("host", "starts", starts_ratio(document), STARTS_BAR))
        measured.append(("host", "memory growth", memory_growth(document), MEMORY_BAR))
    lines = []
    for name, figure, value, bar in measured:
        holds = value >= -bar if bar < 0 else value <= bar
        bound = f"at least {-bar:,}" if bar < 0 else f"at most {bar}"
        lines.append(f"{'holds' if holds else 'SHORT'}  {name} {figure}: {value:,.2f}, {bound}")
    return "Bars:\n" + "\n".join(lines) if lines else None


def others(document):
    """Who reads the figures must know which were taken while others used the machine."""
    runs = document["runs"]
    judged = [run for run in runs if run["foreign_cpus"] is not None]
    disturbed = [run for run in judged if run["foreign_cpus"] > FOREIGN]
    again = sum(run["attempts"] - 1 for run in runs)
    text = f"{len(disturbed)} of {len(judged)} runs were disturbed: others used more than {FOREIGN} CPUs. {again} were repeated."
    if disturbed:
        text += " The ratios compare rounds and hold roughly; times, CPU and calls/s do not."
    return text


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: table.py FILE, one that bench/run.py wrote")
    with open(sys.argv[1], encoding="utf-8") as file:
        try:
            print(render(json.load(file)))
        except KeyError as missing:
            sys.exit(f"{sys.argv[1]}: it has no {missing}, as one of an earlier benchmark: measure again with bench/run.py")
