"""What is compared, in which sessions, and what must hold. A new candidate is a block here."""

from dataclasses import dataclass, replace
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
BUILT = BENCH / "target"
PEERS = BENCH / "peers" / "target" / "release"
# Of the environments that environment.py makes: with what a candidate needs, and with the MCP SDKs,
# some of whose packages others import where they are there.
PYTHON = BUILT / "python" / "bin" / "python"
MCP_PYTHON = BUILT / "mcp" / "bin" / "python"
# Of the one that the Python SDK's tests have made, with the module they have built.
TESTS_PYTHON = ROOT / "target" / "python" / "bin" / "python"
TESTS_MODULE = ROOT / "sdk-python" / "python" / "extline"
# The C SDK's candidate, by the profile of its library.
C_PROGRAMS = BUILT / "c"
# What node_environment.py makes, by profile.
NODE_PROGRAMS = BUILT / "node"


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
    # What builds it.
    kit: str = "cargo"
    # A hundred times slower: a tenth of the starts and calls will do, and one placement.
    is_slow: bool = False

    def share(self):
        return 0.1 if self.is_slow else 1

    def takes_part_in(self, session):
        return not self.is_slow or session.name == "start" or session.placement == "one"


def candidates(profile):
    """All of them; `profile` is cargo's folder for the project's own programs."""
    cargo = ROOT / "target" / profile
    echo, sdk = str(BUILT / "echo"), str(cargo / "bench-extension")
    rmcp = str(PEERS / "peer-rmcp")
    python = PYTHON if profile == "release" else TESTS_PYTHON
    found = [
        Candidate("limit", "C, echo only: the limit", "lines", (echo,), own=True),
        Candidate("serde", "Rust by hand, serde_json", "extension", (str(PEERS / "peer-serde"),)),
        Candidate("rmcp", "rmcp (MCP for Rust), as its readme has it", "mcp", (rmcp, "stock")),
        Candidate("rmcp-lean", "rmcp, one thread and its fastest transport", "mcp", (rmcp, "lean")),
        Candidate("rust-typed", "**extline for Rust, typed**", "extension", (sdk, "typed"), own=True),
        Candidate("rust-raw", "**extline for Rust, raw**", "extension", (sdk, "raw"), own=True),
        for_c("c-sdk", "**extline for C, typed accessors**", "typed", profile),
        for_c("c-raw", "**extline for C, raw**", "raw", profile),
        by_hand("python-json", "Python by hand, json", "by_hand_json.py"),
        by_hand("python-orjson", "Python by hand, orjson", "by_hand_orjson.py"),
        mcp("mcp", "mcp (MCP for Python), a function", "with_mcp.py", "function"),
        mcp("mcp-async", "mcp, a coroutine", "with_mcp.py", "coroutine"),
        mcp("fastmcp", "fastmcp (MCP for Python)", "with_fastmcp.py"),
        ours("python-sync", "**extline for Python, a function**", "function.py", python),
        ours("python-rich", "**extline for Python, with a dataclass**", "own_type.py", python),
        ours("python-typeddict", "**extline for Python, with a TypedDict**", "typed_dict.py", python),
        ours("python-msgspec", "**extline for Python, with a Struct of msgspec**", "msgspec_struct.py", python),
        ours("python-async", "**extline for Python, a coroutine**", "coroutine.py", python),
        node_peer("node-readline", "Node by hand, readline", "by_hand_readline.mjs"),
        node_peer("node-chunks", "Node by hand, chunks", "by_hand_chunks.mjs"),
        node_peer("mcp-ts1", "MCP for TypeScript 1", "with_mcp_1.mjs", "mcp"),
        node_peer("mcp-ts2", "MCP for TypeScript 2", "with_mcp_2.mjs", "mcp"),
        for_node("node-sync", "**extline for Node, a function**", "function.mjs", profile),
        for_node("node-async", "**extline for Node, an async function**", "async_function.mjs", profile),
        as_mcp("rust-mcp", "**extline for Rust, as MCP server**", (sdk, "--mcp", "typed")),
        as_mcp("c-mcp", "**extline for C, as MCP server**", (str(C_PROGRAMS / profile / "echo"), "--mcp"), "c"),
        as_mcp(
            "python-mcp", "**extline for Python, as MCP server**",
            (str(python), str(BENCH / "python" / "function.py"), "--mcp"), "python",
        ),
        as_mcp(
            "node-mcp", "**extline for Node, as MCP server**",
            ("node", str(NODE_PROGRAMS / profile / "function.mjs"), "--mcp"), "node",
        ),
        as_mcp(
            "hosted-mcp", "**extline mcp** around a C child with results",
            (str(cargo / "extline"), "mcp", "--", echo, "result"),
        ),
        Candidate(
            "c-client", "C client, C child with results", "extension", (echo, "result"),
            baseline="c-client", own=True,
        ),
        Candidate(
            "host", "**extline-host**, the same child", "host", (echo, "result"),
            baseline="c-client", own=True,
        ),
    ]
    return found + [in_modern_era(candidate) for candidate in found if candidate.name in MODERN]


# Servers that speak MCP without a handshake too.
MODERN = ["rmcp-lean", "mcp", "mcp-ts2", "rust-mcp", "c-mcp", "python-mcp", "node-mcp"]


def in_modern_era(candidate):
    """The same server, called as revision 2026-07-28 has it."""
    return replace(
        candidate, name=f"{candidate.name}-modern", title=f"{candidate.title}, modern era", protocol="mcp-modern"
    )


def for_c(name, title, way, profile):
    return Candidate(name, title, "extension", (str(C_PROGRAMS / profile / "echo"), way), own=True, kit="c")


def as_mcp(name, title, argv, kit="cargo"):
    """The same program as the candidate without, called by a client of MCP."""
    return Candidate(name, title, "mcp", argv, own=True, kit=kit)


def by_hand(name, title, program):
    argv = (str(PYTHON), str(BENCH / "peers" / "python" / program))
    return Candidate(name, title, "extension", argv, kit="python")


def mcp(name, title, program, *arguments):
    # They start in half a second and more, and a call takes half a millisecond.
    argv = (str(MCP_PYTHON), str(BENCH / "peers" / "python" / program), *arguments)
    return Candidate(name, title, "mcp", argv, kit="mcp", is_slow=True)


def ours(name, title, program, python):
    argv = (str(python), str(BENCH / "python" / program))
    return Candidate(name, title, "extension", argv, own=True, kit="python")


def node_peer(name, title, program, protocol="extension"):
    argv = ("node", str(BENCH / "peers" / "node" / program))
    return Candidate(name, title, protocol, argv, kit="node")


def for_node(name, title, program, profile):
    argv = ("node", str(NODE_PROGRAMS / profile / program))
    return Candidate(name, title, "extension", argv, own=True, kit="node")


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
    ("c-sdk", "start_ms", 1.4),
    ("c-sdk", "p50", 1.5),
    ("c-sdk", "p99", 2.0),
    ("c-sdk", "in_flight_one", -300_000),
    ("c-sdk", "64k_p50", 5.0),
    ("c-sdk", "1m_p50", 5.5),
    ("c-raw", "1m_p50", 3.5),
    ("c-sdk", "small_mb", 4.0),
    ("python-sync", "p50", 2.4),
    ("python-sync", "p99", 3.5),
    ("python-sync", "in_flight_one", -200_000),
    ("python-sync", "64k_p50", 5.5),
    ("python-sync", "1m_p50", 6.5),
    ("python-sync", "small_mb", 14.0),
    ("python-async", "p50", 6.0),
    ("python-async", "p99", 10.0),
    ("python-async", "in_flight_one", -80_000),
    ("python-async", "64k_p50", 8.0),
    ("python-async", "1m_p50", 9.0),
    ("python-async", "small_mb", 22.0),
    *((name, *bar) for name in ("node-sync", "node-async") for bar in [
        ("p50", 3.0),
        ("p99", 5.0),
        ("in_flight_one", -190_000),
        ("64k_p50", 11.0),
        ("1m_p50", 14.0),
    ]),
    ("host", "p50", 2.0),
    ("rust-mcp", "p50", 1.9),
    ("c-mcp", "p50", 1.9),
    ("python-mcp", "p50", 2.6),
    ("node-mcp", "p50", 3.0),
    ("hosted-mcp", "p50", 6.0),
]
# Candidate, another one, figure, and the most by which that of the first may be larger.
OVER_BARS = [
    ("python-sync", "python-json", "start_ms", 8.0),
    # The type is the author's own, and so is the import of `dataclasses` or `typing`.
    ("python-rich", "python-json", "start_ms", 22.0),
    ("python-typeddict", "python-json", "start_ms", 22.0),
    # Of it 46 ms are the import of asyncio.
    ("python-async", "python-json", "start_ms", 54.0),
    # What a start saves must not be paid by the first call.
    ("rust-typed", "serde", "answer_ms", 2.0),
    ("c-sdk", "limit", "answer_ms", 2.0),
    ("python-sync", "python-json", "answer_ms", 2.0),
    ("node-sync", "node-chunks", "answer_ms", 2.0),
    *((name, "node-chunks", *bar) for name in ("node-sync", "node-async") for bar in [
        ("start_ms", 8.0),
        ("small_mb", 5.0),
    ]),
]
# Candidate, another one, figure, and how many times smaller that of the first has to be.
TIMES_BARS = [
    ("python-mcp", "mcp", "p50_us", 40.0),
    ("python-mcp", "mcp", "start_ms", 20.0),
    ("python-mcp", "mcp", "small_mb", 5.0),
    ("python-mcp-modern", "mcp-modern", "p50_us", 40.0),
    *(("node-mcp", "mcp-ts2", figure, 2.0) for figure in ["p50_us", "start_ms", "small_mb"]),
    ("rust-mcp", "rmcp-lean", "p50_us", 1.0),
    ("c-mcp", "rmcp-lean", "p50_us", 1.0),
    ("rust-mcp-modern", "rmcp-lean-modern", "p50_us", 1.0),
    ("c-mcp-modern", "rmcp-lean-modern", "p50_us", 1.0),
]
# The most instructions a call may cost, an eighth more than it did with Rust 1.95 and glibc 2.36.
INSTRUCTIONS = {"rust-typed": 13_700, "rust-raw": 13_400, "c-sdk": 16_500, "c-raw": 14_500}
# Wall time of many starts, against a client in C that does nothing else.
STARTS_BAR = 1.2
# Growth of the host's memory from the first tenth of the load's calls to the last.
MEMORY_BAR = 0.05
