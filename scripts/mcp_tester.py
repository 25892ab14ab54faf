"""What the tester finds in servers and clients of MCP, ours and those of the official SDKs, and whether that is
what is known of them.
"""

import json
import subprocess
from pathlib import Path

from mcp_programs import CLIENTS, DEBUG, EVERYTHING, MADE, PATIENCE, ROOT, SERVERS

# Cases for MCP servers that start one more process each.
STARTS = ["M-INI-03", "M-INI-05", "M-INI-06", "M-INI-07", "M-FRM-09", "M-END-05", "M-END-09"]
# What the tester of servers finds in servers of the official SDKs.
FOUND = {
    "a server of mcp 2 for Python": [
        "M-RPC-07 warn", "M-TOL-05 warn", "M-TOL-05@2026 warn", "M-TOL-06 warn", "M-TOL-06@2026 warn",
    ],
    "a server of SDK 1 for TypeScript": ["M-FRM-09 info", "M-RPC-07 warn", "M-TOL-05 warn", "M-TOL-06 warn"],
    "a server of SDK 2 for TypeScript": [
        "M-DSC-04 fail", "M-FRM-09 info", "M-RPC-07 warn", "M-TOL-05 warn", "M-TOL-05@2026 warn",
    ],
    "a server of rmcp": ["M-DSC-08 warn", "M-RPC-07 warn", "M-TOL-05 warn", "M-TOL-05@2026 warn"],
}
# What is told as the cause of what is found.
CAUSES = {
    "M-DSC-04": "the SDK 2 looks at the version of the first request alone",
    "M-DSC-08": "results do not say whose they are",
    "M-FRM-09": "the SDK keeps 10 MB of a line at most",
    "M-RPC-07": "the SDK passes over a line that it cannot read",
    "M-TOL-05": "the cursor is not looked at",
    "M-TOL-06": "the SDK answers a result with isError for a tool that it does not have",
    "C-INI-04": "the version in the server's answer to initialize is not looked at",
    "C-INI-05": "the message with which the server refused initialize does not reach the user",
    "C-LIN-05": "the SDKs for TypeScript keep 10 MB at most",
}
# What the tester of clients finds in the official ones, in the order of its cases.
KNOWN = {
    "driver_1.mjs": ["C-LIN-05 info"],
    "driver_2.mjs": ["C-LIN-05 info"],
    "mcp-driver-rmcp": ["C-INI-04 warn", "C-INI-05 warn"],
}


def passes_tester(server):
    """No MUST is broken in either era, and of our own servers no SHOULD."""
    command = [str(DEBUG / "extline"), "conformance", "--protocol", "mcp", "--json"]
    # The official server asks and waits in some of its tools.
    command += [] if str(EVERYTHING) in server else ["--call"]
    if server[0].endswith(("node", "python")):
        # An interpreter takes its time to start; what is in our own servers is the same in all languages.
        command += [word for case in STARTS for word in ("--skip", case)]
    ran = subprocess.run(
        [*command, "--", *server], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    rows = [json.loads(line) for line in ran.stdout.splitlines()]
    broken = ["fail", "flaky", "could-not-run"] + ([] if str(EVERYTHING) in server else ["warn", "info"])
    found = [f"{row['id']} {row['verdict']}: {row.get('failure')}" for row in rows if row.get("verdict") in broken]
    assert ran.returncode == 0 and not found, f"exit status {ran.returncode}: {found} {ran.stderr[-500:]}"
    passed = sum(1 for row in rows if row.get("verdict") == "pass")
    assert passed > 40, f"{passed} cases passed"


def official():
    """A server of each official SDK that the tests have installed, as users write one."""
    return {
        "a server of mcp 2 for Python": [f"{MADE}/python/bin/python", str(SERVERS / "notes.py")],
        "a server of SDK 1 for TypeScript": ["node", f"{MADE}/node/notes_1.mjs"],
        "a server of SDK 2 for TypeScript": ["node", f"{MADE}/node/notes_2.mjs"],
        "a server of rmcp": [f"{MADE}/rmcp/debug/mcp-server-rmcp"],
    }


def is_known(server, command):
    """What is found is what is known, and each is told with its cause."""
    command = [str(DEBUG / "extline"), "conformance", "--protocol", "mcp", "--call", "--json", "--", *command]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    rows = [json.loads(line) for line in ran.stdout.splitlines()]
    found = [row for row in rows if row.get("verdict") not in (None, "pass", "not-applicable")]
    is_what_is_known(ran, found, FOUND[server])
    tells_causes(found)


def is_what_is_known(ran, found, known):
    """Cases are told as they end, and run beside each other."""
    failures = {f"{row['id']} {row['verdict']}": row.get("failure") for row in found}
    unknown = {what: failure for what, failure in failures.items() if what not in known}
    missed = [what for what in known if what not in failures]
    seen = [what_was_seen(row) for row in found if f"{row['id']} {row['verdict']}" in unknown]
    told = "\n".join([f"found {unknown}, missed {missed} {ran.stderr[-500:]}", *seen])
    assert not unknown and not missed, f"exit status {ran.returncode}: {told}"


def what_was_seen(row):
    """The last of what passed in a case, for who reads what failed elsewhere."""
    evidence = row.get("evidence") or {}
    lines = [f"{one['at_us'] / 1e6:.3f} s {one['lane']}: {one['text'][:300]}" for one in evidence.get("entries", [])[-12:]]
    return "\n".join([f"    {row['id']}, {row.get('took_us', 0) / 1e6:.3f} s:", *lines, *evidence.get("stderr", [])[-12:]])


def tells_causes(found):
    for row in found:
        cause, known = row.get("cause") or {}, CAUSES[row["id"].partition("@")[0]]
        assert cause.get("certain") and known in cause["cause"], f"{row['id']}: {cause}"


def drivers():
    """Those of the official clients that begin as their users have them begin."""
    node = f"{MADE}/node"
    return {
        "mcp 2 for Python": [f"{MADE}/python/bin/python", str(CLIENTS / "driver.py"), "auto"],
        "SDK 1 for TypeScript": ["node", f"{node}/driver_1.mjs"],
        "SDK 2 for TypeScript": ["node", f"{node}/driver_2.mjs", "auto"],
        "rmcp": [f"{MADE}/rmcp/debug/mcp-driver-rmcp", "auto"],
    }


def client_passes(driver):
    """What is found is what is known, each time: a version that mended it is told apart."""
    command = [str(DEBUG / "extline"), "conformance", "mcp-client", "--json", "--driver", *driver]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    rows = [json.loads(line) for line in ran.stdout.splitlines()]
    found = [row for row in rows if row.get("verdict") not in (None, "pass", "not-applicable")]
    known = KNOWN.get(Path(driver[0]).name, []) + KNOWN.get(Path(driver[1]).name, [])
    is_what_is_known(ran, found, known)
    assert any(row.get("id") == "C-CAL-01" and row["verdict"] == "pass" for row in rows), "C-CAL-01 did not pass"
    tells_causes([row for row in rows if row.get("failure")])
