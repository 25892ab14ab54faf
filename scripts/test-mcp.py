#!/usr/bin/env python3
"""The official clients of MCP, in both eras, against the weather examples of all four SDKs, and over HTTP; and
what is left of a server whose client was killed.

It uses what the builds and the tests of the SDKs have made. The clients are installed here, from locked lists.
With --record it writes what each client says in protocol/mcp/tests/sessions, for the tests of the codec.
"""

import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mcp_programs import CLIENTS, DEBUG, EVERYTHING, MADE, PATIENCE, ROOT, locked_node, locked_python, locked_rust
from mcp_tester import client_passes, drivers, is_known, official, passes_tester

KILLS = 25


def main():
    servers = all_servers()
    clients = all_clients()
    if sys.argv[1:] == ["--record"]:
        return record(servers["weather-python"], clients)
    checks = [
        (f"{client} sees {server}", sees, command, clients[client])
        for server, command in servers.items()
        for client in clients
    ]
    # One that has no SDK, or several, behind the host.
    hosted = [str(DEBUG / "extline"), "mcp", str(ROOT / "examples/weather-rust")]
    checks += [(f"{client} sees extline mcp", sees, hosted, clients[client]) for client in clients]
    checks += [(f"MCP Inspector sees {server}", inspects, command) for server, command in servers.items()]
    checks += [(f"{client} sees extline mcp over HTTP", sees_over_http, hosted, clients[client]) for client in clients]
    # Its own questions, and what it may run: by itself, and with the host in between.
    ship, wipe = made_from_page("asking.md", "ship"), made_from_page("approvals.md", "cleaner")
    for what, page, check in (("asked by", ship, is_asked), ("asked whether to run", wipe, approves)):
        places = {"an extension": [*page, "--mcp"], "extline mcp": [str(DEBUG / "extline"), "mcp", "--", *page]}
        checks += [
            (f"{client} is {what} {place}", check, command, clients[client])
            for place, command in places.items()
            for client in clients
        ]
    hosted = [str(DEBUG / "extline"), "mcp"]
    checks += [
        (f"{client} is asked by extline mcp over HTTP", is_asked_over_http, hosted, ["--", *ship], clients[client])
        for client in clients
    ]
    checks.append(("an extension runs nothing that nobody approved", needs_approval, [*wipe, "--mcp"]))
    checks += [(f"{server} loses no answer at the end of its input", answers_all, command) for server, command in servers.items()]
    # These start a server a hundred times, and tsx takes long for each.
    started = {**servers, "weather-typescript": bundled(ROOT / "examples/weather-typescript/weather.ts")}
    checks += [(f"nothing is left of {server} after {KILLS} kills of its client", leaves_nothing, command) for server, command in started.items()]
    tested = {**started, "extline mcp": [str(DEBUG / "extline"), "mcp", str(ROOT / "examples/weather-rust")]}
    tested["the official server with everything"] = ["node", str(EVERYTHING)]
    checks += [(f"{server} passes the tester of MCP servers", passes_tester, command) for server, command in tested.items()]
    checks += [(f"the tester finds in {server} what it is known for", is_known, server, command) for server, command in official().items()]
    checks += [(f"{client} passes the tester of MCP clients", client_passes, driver) for client, driver in drivers().items()]
    checks.append(("docs/mcp/serve.md answers as it says", answers_as_documented))
    checks.append(("extline run uses the official server with everything", uses_everything))
    checks.append(("extline run begins that server again", begins_everything_again))
    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        outcomes = list(pool.map(attempt, checks))
    for (name, *_), failure in zip(checks, outcomes):
        print(f"{'FAILED' if failure else 'ok'}  {name}{f': {failure}' if failure else ''}")
    failed = sum(1 for failure in outcomes if failure)
    print(f"{len(outcomes) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


def record(server, clients):
    for name, client in clients.items():
        words = "".join(letter if letter.isalnum() else " " for letter in name.lower()).split()
        file = CLIENTS.parent / "tests/sessions" / f"{'-'.join(words)}.jsonl"
        file.unlink(missing_ok=True)
        sees([sys.executable, str(CLIENTS / "record.py"), str(file), *server], client)
        print(os.path.relpath(file, ROOT))


def attempt(check):
    _, function, *arguments = check
    try:
        function(*arguments)
    except (AssertionError, LookupError, OSError, ValueError, subprocess.SubprocessError) as error:
        return f"{type(error).__name__}: {error}"
    return None


def all_servers():
    examples = ROOT / "examples"
    subprocess.run(["node", "sdk-node/scripts/link.mjs", "examples", "tsx", "zod"], cwd=ROOT, check=True)
    tsx = (examples / "node_modules/tsx/dist/loader.mjs").resolve().as_uri()
    return {
        "weather-python": [str(ROOT / "target/python/bin/python"), str(examples / "weather-python/weather.py"), "--mcp"],
        "weather-typescript": ["node", "--import", tsx, str(examples / "weather-typescript/weather.ts"), "--mcp"],
        "weather-rust": [str(DEBUG / "weather-rust"), "--mcp"],
        "weather-c": [made_in_c(examples / "weather-c/weather.c"), "--mcp"],
    }


def bundled(source):
    """An example in TypeScript as one file, as a command."""
    program = MADE / source.stem / f"{source.stem}.mjs"
    scripts = ROOT / "sdk-node/scripts"
    subprocess.run(["node", scripts / "bundle-extension.mjs", source, program], check=True)
    subprocess.run(["node", scripts / "link.mjs", program.parent], check=True)
    return ["node", str(program), "--mcp"]


def made_from_page(page, name):
    """The program in Python of a page, by the name of its extension, as a command."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    program = MADE / f"{name}.py"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(text.partition("```python")[2].partition("\n")[2].partition("```")[0], encoding="utf-8")
    return [str(ROOT / "target/python/bin/python"), str(program)]


def made_in_c(source):
    """The example with the static library, which needs nothing to be installed."""
    program = MADE / "weather-c"
    program.parent.mkdir(parents=True, exist_ok=True)
    libraries = [str(DEBUG / "libextline.a"), "-lpthread", "-ldl", "-lm"]
    include = f"-I{ROOT / 'sdk-c/include'}"
    subprocess.run([os.environ.get("CC", "cc"), include, str(source), "-o", str(program), *libraries], check=True)
    return str(program)


def all_clients():
    """The name of each, and its command."""
    python, node, rmcp = locked_python(), str(locked_node()), str(locked_rust() / "mcp-client-rmcp")
    return {
        "mcp 2 for Python, with a handshake": [python, str(CLIENTS / "client.py"), "legacy"],
        "mcp 2 for Python": [python, str(CLIENTS / "client.py"), "modern"],
        "SDK 1 for TypeScript": ["node", f"{node}/client_1.mjs", "legacy"],
        "SDK 2 for TypeScript, with a handshake": ["node", f"{node}/client_2.mjs", "legacy"],
        "SDK 2 for TypeScript": ["node", f"{node}/client_2.mjs", "modern"],
        "rmcp, with a handshake": [rmcp, "legacy"],
        "rmcp": [rmcp, "modern"],
    }


def sees(server, client, **token):
    """A client lists the tools, calls one, is refused, is told of progress, and gets a prompt."""
    ran = subprocess.run(
        [*client, *server], env={**os.environ, **token}, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert ran.returncode == 0, f"exit status {ran.returncode}: {ran.stderr[-2000:]}"
    seen = json.loads(ran.stdout.splitlines()[-1])
    assert seen["tools"] == ["weather"], seen
    assert seen["answer"] == "Berlin: 16°C, fog", seen
    is_error, text = seen["refused"]
    assert is_error is True and "units" in text, seen
    assert "Berlin" in seen["prompt"], seen
    if "version" in seen:
        assert seen["version"] == ("2025-11-25" if "legacy" in client else "2026-07-28"), seen
    if seen.get("progress"):
        assert seen["progress"][0][:2] == [1, 2], seen


def ran_with(server, client, tool, **answers):
    """What a client was asked below a call of a tool that asks, and what that answered."""
    more = {"TOOL": json.dumps(tool), "ANSWERS": json.dumps(answers)}
    ran = subprocess.run(
        [*client, *server], env={**os.environ, **more}, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert ran.returncode == 0, f"exit status {ran.returncode}: {ran.stderr[-2000:]}"
    return json.loads(ran.stdout.splitlines()[-1])


def is_asked(server, client):
    """A client answers two questions of one call; what it answers wrongly is told the extension."""
    seen = ran_with(server, client, ["ship", {}], confirmed=True, value="north")
    assert seen["asked"] == ["ship asks: Ship it?\n\nTo all customers.", "ship asks: Where?"], seen
    assert seen["answer"] == "shipped to the north", seen
    seen = ran_with(server, client, ["ship", {}], confirmed=False)
    assert (len(seen["asked"]), seen["answer"]) == (1, "kept"), seen


def approves(server, client):
    """A client is asked whether a call may run."""
    call = ["wipe", {"path": "tmp/a"}]
    seen = ran_with(server, client, call, approval="once")
    assert "cleaner wants to run wipe" in seen["asked"][0] and "tmp/a" in seen["asked"][0], seen
    assert seen["answer"] == "wiped tmp/a", seen
    seen = ran_with(server, client, call, approval="no")
    assert seen["answer"] == "wipe was not approved: the user said no", seen


def needs_approval(server):
    """A client that cannot ask its user has a gated call refused, unless the environment says that nobody is asked."""
    wipe = {"id": 1, "method": "tools/call", "params": {"name": "wipe", "arguments": {"path": "tmp/a"}}}
    asked = lines([*HELLO, wipe])
    for mode, expected in (("ask", "capability elicitation"), ("yolo", "wiped tmp/a")):
        environment = {**os.environ, "EXTLINE_APPROVE": mode}
        ran = subprocess.run(
            server, env=environment, input=asked, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        answer = json.loads(ran.stdout.splitlines()[-1])["result"]
        assert expected in answer["content"][0]["text"], answer
        assert answer.get("isError", False) is (mode == "ask"), answer


def is_asked_over_http(server, words, client):
    with tempfile.TemporaryFile() as said:
        running = subprocess.Popen([*server, "--http", "0", *words], stdout=subprocess.PIPE, stderr=said, text=True)
        try:
            is_asked([running.stdout.readline().strip()], client)
        finally:
            running.terminate()
            running.stdout.close()
            running.wait(PATIENCE)


def inspects(server):
    """The command line of MCP Inspector lists the tools and calls one."""
    inspector = ["node", str(MADE / "node/node_modules/@modelcontextprotocol/inspector-cli/build/index.js")]

    def ask(*words):
        command = [*inspector, *server, "--method", *words]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert ran.returncode == 0, f"exit status {ran.returncode}: {ran.stderr[-2000:]}"
        return json.loads(ran.stdout)

    assert [tool["name"] for tool in ask("tools/list")["tools"]] == ["weather"]
    answer = ask("tools/call", "--tool-name", "weather", "--tool-arg", "city=Berlin")
    assert answer["content"] == [{"type": "text", "text": "Berlin: 16°C, fog"}], answer


def sees_over_http(server, client):
    """The same at the URL of a server that wants a token. The server ends by a signal, and with it what it runs."""
    token = secrets.token_hex()
    with tempfile.TemporaryFile() as said:
        running = subprocess.Popen(
            [*server, "--http", "0"], env={**os.environ, "EXTLINE_MCP_TOKEN": token}, stdout=subprocess.PIPE, stderr=said, text=True
        )
        try:
            url = running.stdout.readline().strip()
            assert url.startswith("http://127.0.0.1:"), url
            threads = Path(f"/proc/{running.pid}/task").glob("*/children")
            children = [child for thread in threads for child in thread.read_text(encoding="utf-8").split()]
            assert children, "it runs no extension"
            sees([url], client, TOKEN=token)
        finally:
            running.terminate()
            running.stdout.close()
            status = running.wait(PATIENCE)
        said.seek(0)
        assert status == 128 + signal.SIGTERM, f"exit status {status}: {said.read().decode()}"
        assert not said.read(), "something was refused"
        left = [child for child in children if is_alive(child)]
        assert not left, f"{len(left)} processes are left"


HELLO = [
    {"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}}},
    {"method": "notifications/initialized"},
]


def call(number):
    return {"id": number, "method": "tools/call", "params": {"name": "weather", "arguments": {"city": "Berlin"}}}


def lines(messages):
    return "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)


def answers_all(server):
    """What is written into its stdin before that is closed is answered, and the process ends with 0."""
    asked = lines([*HELLO, *map(call, range(1, 101))])
    ran = subprocess.run(server, input=asked, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ran.returncode == 0, f"exit status {ran.returncode}: {ran.stderr[-2000:]}"
    answers = {line["id"]: line for line in map(json.loads, ran.stdout.splitlines()) if "id" in line}
    assert set(answers) == set(range(101)), f"{len(answers)} answers"
    assert all("result" in answer for answer in answers.values())


def uses_everything():
    """The host as a client of the official server that has one of everything."""
    form = {
        "name": "Bob", "check": "true", "firstLine": "It was", "email": "a@b.org", "homepage": "https://b.org",
        "birthdate": "2000-01-02", "integer": "7", "number": "7", "untitledSingleSelectEnum": "Ross",
        "untitledMultipleSelectEnum": "Bass", "titledSingleSelectEnum": "hero-2",
        "titledMultipleSelectEnum": "fish-1", "legacyTitledEnum": "pet-3",
    }
    expected = {
        '!everything_echo {"message":"hi"}': "Echo: hi",
        '!everything_trigger-long-running-operation {"duration":1,"steps":3}': "Steps: 3",
        "!everything_get-tiny-image": "image/png",
        "!everything_get-roots-list": ROOT.as_uri(),
        "!everything_trigger-elicitation-request": "accept",
        "!everything_read_resource": "demo://resource/static/document/features.md",
        '!everything_get-structured-content {"location":"New York"}': "temperature",
        "/everything_args-prompt Berlin BE": "What's weather in Berlin, BE?",
    }
    with tempfile.TemporaryDirectory() as home:
        ran = subprocess.run(
            [str(DEBUG / "extline"), "run", "--json", "--mcp", f"everything=node '{EVERYTHING}'", "--answer", f"ask={json.dumps(form)}"],
            env={**os.environ, "EXTLINE_HOME": home}, cwd=ROOT, input="\n".join(expected), capture_output=True, text=True,
            timeout=PATIENCE, check=False,
        )
    assert ran.returncode == 0, f"exit status {ran.returncode}: {ran.stderr[-2000:]}"
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    outcomes = {line["line"]: json.dumps(line["outcome"]) for line in lines if "line" in line}
    for line, words in expected.items():
        assert words in outcomes[line], f"{line}: {outcomes[line]}"
    steps = [line["update"]["progress"]["done"] for line in lines if line.get("news") == "tool_update"]
    assert steps and steps == sorted(steps), steps


class Hosted:
    """The host in front of that server, whose lines are read while it runs."""

    def __init__(self, home):
        self.host = subprocess.Popen(
            [str(DEBUG / "extline"), "run", "--json", "--mcp", f"everything=node '{EVERYTHING}'"],
            env={**os.environ, "EXTLINE_HOME": home}, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
        )
        self.hung = threading.Timer(PATIENCE, self.host.kill)
        self.hung.start()

    def ask(self, line):
        self.host.stdin.write(f"{line}\n")
        self.host.stdin.flush()

    def until(self, wanted):
        found = next((line for line in map(json.loads, self.host.stdout) if wanted(line)), None)
        assert found is not None, "the host ended"
        return found

    def server(self):
        children = [file.parent for file in Path("/proc").glob("[0-9]*/stat") if parent(file) == self.host.pid]
        [server] = [it for it in children if str(EVERYTHING) in (it / "cmdline").read_text()]
        return int(server.name)

    def ends(self, status):
        self.host.stdin.close()
        assert self.host.wait() == status, f"exit status {self.host.returncode}"
        self.hung.cancel()


def begins_everything_again():
    """That server is begun again when it was killed, and ends with a call that is cancelled."""
    with tempfile.TemporaryDirectory() as home:
        hosted = Hosted(home)
        hosted.until(lambda line: line.get("news") == "started")
        os.kill(hosted.server(), signal.SIGKILL)
        hosted.until(lambda line: line.get("news") == "restarting")
        hosted.until(lambda line: line.get("news") == "started")
        hosted.ask('!everything_echo {"message":"again"}')
        assert "Echo: again" in json.dumps(hosted.until(lambda line: "line" in line)["outcome"])

        server = hosted.server()
        hosted.ask('!everything_trigger-long-running-operation {"duration":100,"steps":100}')
        hosted.until(lambda line: line.get("news") == "tool_update")
        hosted.host.send_signal(signal.SIGINT)
        ended = hosted.until(lambda line: line.get("news") == "call_ended")
        assert ended["status"] == "cancelled", ended
        hosted.ends(130)
        assert not is_alive(server)


def answers_as_documented():
    """The sample of the page is typed in a shell."""
    page = (ROOT / "docs/mcp/serve.md").read_text(encoding="utf-8")
    _, _, rest = page.partition("```console\n$ ")
    command, _, answer = rest.partition("```")[0].partition("\n")
    path = f"{ROOT / 'target/python/bin'}:{os.environ['PATH']}"
    ran = subprocess.run(
        ["sh", "-c", command], cwd=ROOT / "examples/weather-python", env={**os.environ, "PATH": path},
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )
    assert ran.stdout == answer, f"{ran.stdout!r}, and {ran.stderr!r} on stderr"


CLIENT = """
import subprocess, sys
child = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
child.stdin.write(sys.argv[1].encode())
child.stdin.flush()
child.stdout.readline()
print(child.pid, flush=True)
sys.stdin.read()
"""


def leaves_nothing(server):
    """A client that is killed leaves no server behind, whatever is under way."""
    left = []
    for number in range(KILLS):
        asked = lines([*HELLO, *map(call, range(1, 1 + number % 5))])
        with tempfile.TemporaryFile() as said:
            client = subprocess.Popen(
                [sys.executable, "-S", "-c", CLIENT, asked, *server], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said
            )
            child = client.stdout.readline()
            client.send_signal(signal.SIGKILL)
            client.wait()
            client.stdin.close()
            client.stdout.close()
            said.seek(0)
            assert child, said.read().decode()
        left.append(int(child))
    until = time.monotonic() + PATIENCE
    while left and time.monotonic() < until:
        left = [child for child in left if is_alive(child)]
        time.sleep(0.05)
    assert not left, f"{len(left)} processes are left"


def parent(stat):
    try:
        return int(stat.read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return None


def is_alive(child):
    try:
        with open(f"/proc/{child}/stat", encoding="utf-8") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


main()
