"""The testing host is as strict as a real one, and stricter where that only logs."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from extline import Extension, Panel, Response
from extline.testing import Ended, HandlerFailed, Host, Misuse, TimedOut, Unusable
from program import PATIENCE


@pytest.fixture(params=["threads", "asyncio"])
def ext(request) -> Extension:
    made = Extension("strict")
    if request.param == "asyncio":

        @made.tool
        async def unused() -> None: ...

    return made


def test_a_handler_of_an_event_that_raises_fails_the_step_and_shows_why(ext) -> None:
    @ext.on("turn_end")
    def ended(event):
        raise ValueError("no stop")

    with Host(ext) as host:
        with pytest.raises(HandlerFailed, match="the handler of the event turn_end failed: ValueError: no stop") as raised:
            host.event("turn_end")
        # The author's own traceback.
        assert isinstance(raised.value.__cause__, ValueError)
        # It was told of once.
        host.settle()


def test_so_does_one_of_a_panel_and_a_decision_that_an_event_returns(ext) -> None:
    @ext.command
    def show():
        return Response.open_panel(Panel("p", lines=["a"]))

    @ext.panel("p")
    def pressed(input):
        raise KeyError(input.key)

    @ext.on("tool_call")
    def told(event):
        return {"block": True}

    with Host(ext) as host:
        host.command("show")
        with pytest.raises(HandlerFailed, match="the handler of the panel p failed: KeyError"):
            host.key("p", "up")
        with pytest.raises(HandlerFailed, match="returned {'block': True}, which nobody uses"):
            host.event("tool_call", tool_name="bash")


def test_what_led_to_a_failure_is_told(ext) -> None:
    @ext.on("turn_end")
    def ended(event):
        try:
            raise OSError("disk full")
        except OSError as error:
            raise RuntimeError("not written") from error

    with Host(ext) as host:
        with pytest.raises(HandlerFailed, match="RuntimeError: not written\ncaused by: OSError: disk full"):
            host.event("turn_end")


def test_a_teardown_that_raises_fails_the_test_at_its_end(ext) -> None:
    @ext.teardown
    def end():
        raise OSError("disk full")

    with pytest.raises(HandlerFailed, match="teardown failed: OSError: disk full"):
        with Host(ext):
            pass
    with Host(ext) as host, pytest.raises(HandlerFailed, match="disk full"):
        host.shutdown()


def test_a_teardown_has_the_time_that_a_host_gives_it(ext) -> None:
    @ext.teardown
    def end():
        time.sleep(4)

    with pytest.raises(HandlerFailed, match="teardown did not end in time"):
        with Host(ext):
            pass


def test_a_setup_that_is_late_for_a_host_fails_and_says_how_to_wait(ext) -> None:
    @ext.setup
    def prepare():
        time.sleep(0.5)

        @ext.tool
        def late() -> None: ...

    with pytest.raises(TimedOut, match="not become ready within 0.2 s, and a host goes on without"):
        Host(ext, start_deadline=0.2).start()


def test_one_may_wait_longer_for_a_setup(ext) -> None:
    @ext.setup
    def prepare():
        time.sleep(0.5)

        @ext.tool
        def late() -> None: ...

    with Host(ext, start_deadline=60) as host:
        assert "late" in {tool["name"] for tool in host.tools}


def test_a_setup_that_raises_is_named(ext) -> None:
    @ext.setup
    def prepare():
        raise LookupError("no config")

    with pytest.raises(Ended, match="setup failed: LookupError: no config"):
        Host(ext).start()


def test_a_result_is_held_to_the_output_schema(ext) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}

    @ext.tool(output_schema=schema)
    def give(what: str):
        if what == "error":
            raise ValueError("no")
        return {"right": {"n": 1}, "wrong": {"n": "one"}, "missing": {}, "text": "n"}[what]

    with Host(ext) as host:
        assert host.call("give", what="right").value == {"n": 1}
        assert host.call("give", what="error").is_error
        for what, problem in (("wrong", "/n: must be an integer"), ("missing", "/n"), ("text", "there is none")):
            with pytest.raises(Unusable, match=f"the tool give does not match its output schema: .*{problem}"):
                host.call("give", what=what)


def test_a_name_that_was_not_registered_is_a_mistake_of_the_test(ext) -> None:
    @ext.tool
    def weather() -> None: ...

    @ext.command("Report")
    def report() -> None: ...

    with Host(ext) as host:
        with pytest.raises(Misuse, match="the extension offers no tool wether: it offers .*weather"):
            host.call("wether")
        with pytest.raises(Misuse, match="the extension offers no command rprt: it offers Report"):
            host.command("rprt")
        assert host.command("report").action == "noop"


def test_a_host_that_was_left_open_is_named_by_its_line(ext) -> None:
    left = Host(ext).start()  # HERE
    line = next(n for n, text in enumerate(Path(__file__).read_text().splitlines(), 1) if text.endswith("# HERE"))
    with pytest.raises(RuntimeError, match=f"end the other host first, which was started at .*test_testing_strict.py:{line}"):
        Host(ext).start()
    left.close()
    with Host(ext):
        pass


@pytest.mark.parametrize("first", ["", "@ext.tool\nasync def a(): ...\n"])
def test_a_program_that_runs_when_a_test_imports_it_is_told_where_run_belongs(tmp_path, first: str) -> None:
    (tmp_path / "w.py").write_text(f"from extline import Extension\next = Extension('w')\n{first}ext.run()\n")
    (tmp_path / "test_w.py").write_text(
        "from extline.testing import Host\nfrom w import ext\ndef test_it():\n    with Host(ext): pass\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "test_w.py"],
        cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert 'ext.run() was called while a test imports the program' in done.stdout
    assert 'if __name__ == "__main__":' in done.stdout
    assert "w.py:" in done.stdout


def test_a_host_runs_in_a_program_without_a_runner(tmp_path: Path) -> None:
    program = tmp_path / "try.py"
    program.write_text(
        "from extline import Extension\n"
        "from extline.testing import Host\n"
        "ext = Extension('x', '1.0.0')\n"
        "@ext.tool\n"
        "def hello() -> str: return 'hi'\n"
        "with Host(ext) as host: print(host.call('hello').text)\n"
    )
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
    assert done.stdout == "hi\n", done.stderr
