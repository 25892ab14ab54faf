"""What is compared, in which sessions, and what must hold. A new candidate is a block here."""

from dataclasses import dataclass, replace
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
BUILT = BENCH / "target"
PEERS = BENCH / "peers" / "target" / "release"


@dataclass(frozen=True)
class Candidate:
    """A program with a tool `echo`, and who calls it."""

    name: str
    title: str
    # Of the C client, see client/main.c; `host`: extline's host calls it instead.
    protocol: str
    argv: tuple[str, ...]
    # Ratios are to this candidate, in the same round.
    baseline: str = "limit"
    # False: only `make bench` and `make bench-quick` run it, `make test` does not.
    own: bool = False


def candidates(profile):
    """All of them; `profile` is cargo's folder for the project's own programs."""
    cargo = ROOT / "target" / profile
    echo, sdk = str(BUILT / "echo"), str(cargo / "bench-extension")
    rmcp = str(PEERS / "peer-rmcp")
    return [
        Candidate("limit", "C, echo only: the limit", "lines", (echo,), own=True),
        Candidate("serde", "Rust by hand, serde_json", "extension", (str(PEERS / "peer-serde"),)),
        Candidate("rmcp", "rmcp (MCP for Rust), as its readme has it", "mcp", (rmcp, "stock")),
        Candidate("rmcp-lean", "rmcp, one thread and its fastest transport", "mcp", (rmcp, "lean")),
        Candidate("rust-typed", "**extline for Rust, typed**", "extension", (sdk, "typed"), own=True),
        Candidate("rust-raw", "**extline for Rust, raw**", "extension", (sdk, "raw"), own=True),
        Candidate(
            "c-client", "C client, C child with results", "extension", (echo, "result"),
            baseline="c-client", own=True,
        ),
        Candidate(
            "host", "**extline-host**, the same child", "host", (echo, "result"),
            baseline="c-client", own=True,
        ),
    ]


@dataclass(frozen=True)
class Session:
    """One process and its phases; the syntax is the C client's. `{s}` is the least time."""

    name: str
    phases: tuple[str, ...]
    # `one`: client and child share one CPU. `free`: the scheduler places them.
    placement: str

    def scaled(self, seconds, calls):
        """The same with the least time and a share of the calls."""

        def scale(phase):
            mode, text, warm_up, count, least, *rest = phase.split(":")
            warm_up, count = (max(1, int(int(number) * calls)) for number in (warm_up, count))
            return ":".join([mode, text, str(warm_up), str(count), least.format(s=seconds), *rest])

        return replace(self, phases=tuple(map(scale, self.phases)))


SMALL = ("one:88:1000:5000:{s}", "many:88:500:3000:{s}:64")
SESSIONS = [
    Session("start", ("one:88:1:10:0",), "free"),
    Session("small", SMALL, "one"),
    Session("small", SMALL, "free"),
    Session("64k", ("one:65536:20:300:{s}",), "one"),
    Session("64k", ("one:65536:20:300:{s}",), "free"),
    Session("1m", ("one:1048576:5:40:{s}",), "one"),
    Session("1m", ("one:1048576:5:40:{s}",), "free"),
]


@dataclass(frozen=True)
class Plan:
    """How much of it is run."""

    rounds: int
    starts: int
    seconds: float
    calls: float
    # How often a session is repeated while others use the machine.
    attempts: int
    # How many extensions are started at once, and the load: extensions, open calls, calls.
    extensions: int
    load: tuple[int, int, int]


FULL = Plan(rounds=5, starts=7, seconds=0.4, calls=1, attempts=3, extensions=100, load=(50, 1000, 1_000_000))
QUICK = Plan(rounds=2, starts=5, seconds=0.15, calls=0.5, attempts=1, extensions=100, load=(50, 1000, 200_000))
# That all of it works, and nothing about time.
SMOKE = Plan(rounds=1, starts=1, seconds=0.0, calls=0.002, attempts=1, extensions=3, load=(3, 6, 60))

# Candidate, figure of table.py, and the most it may be, or the least (a negative number).
BARS = [
    ("rust-typed", "start_ms", 1.8),
    ("rust-typed", "p50", 1.8),
    ("rust-raw", "p50", 1.4),
    ("rust-typed", "p99", 2.0),
    ("rust-typed", "in_flight_one", -300_000),
    ("rust-typed", "64k_p50", 5.0),
    ("rust-raw", "64k_p50", 5.0),
    ("rust-typed", "1m_p50", 5.5),
    ("rust-raw", "1m_p50", 5.5),
    ("rust-typed", "small_mb", 4.0),
    ("host", "p50", 2.0),
]
# The most instructions a call may cost, an eighth more than it did with Rust 1.95 and glibc 2.36.
INSTRUCTIONS = {"rust-typed": 15_900, "rust-raw": 18_300}
# Wall time of many starts, against the CPU time of as many alone spread over all CPUs.
STARTS_BAR = 1.2
# Growth of the host's memory from the first tenth of the load's calls to the last.
MEMORY_BAR = 0.05
