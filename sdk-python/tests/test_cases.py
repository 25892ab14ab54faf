"""Cases from files, played in process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from extline import Extension, ToolError
from extline.testing import CaseFailed, Ended, Failure, Host, Misuse, play

pytest_plugins = ["pytester"]

CALL = """{ line = '{"type":"tool_call","id":"$id","name":"weather","args":{"city":"%s"}}' }"""
FOG = """{ expect = '{"type":"tool_result","id":"$id","content":[{"text":"%s: fog"}]}' }"""


def make() -> Extension:
    ext = Extension("weather", "1.0.0")

    @ext.tool
    def weather(city: str) -> str:
        if city == "Atlantis":
            raise ToolError.not_found("no such city", field="/city")
        return f"{city}: fog"

    @ext.tool
    def slow(*, ctx) -> None:
        ctx.update("waiting")
        ctx.sleep(300)

    @ext.command("weather", "weather")
    def command(args: str) -> str:
        return f"{args}: fog"

    @ext.on("turn_start")
    def on_start(event, ctx) -> None:
        ctx.notify("a turn")

    return ext


def make_async() -> Extension:
    ext = make()

    @ext.tool
    async def unused() -> None:
        pass

    return ext


both = pytest.mark.parametrize("new", [make, make_async])


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes cases, each given behind its id and title."""

    def writing(*texts: str) -> Path:
        file = tmp_path / "cases.toml"
        cases = [f'[[case]]\nid = "case-{n}"\ntitle = "t"\n{text}\n' for n, text in enumerate(texts)]
        file.write_text("".join(cases), "utf-8")
        return file

    return writing


@both
def test_every_step_that_needs_no_process_is_played(new, write) -> None:
    play(
        write(
            """needs = ["canary", "tool_canary", "tool", "command", "event", "calls"]
            steps = [
              { line = '{"type":"tool_call","id":"$id","name":"weather","args":{"city":"Rome"}}' },
              { expect = '{"type":"tool_result","id":"$id","content":[{"text":"Rome: fog"}]}' },
              { line = '{"type":"tool_call","id":"$id","name":"$tool","args":{"city":"Atlantis"}}' },
              { expect = '{"id":"$id","is_error":true,"error":{"kind":"not_found","field":"/city"}}' },
              { line = '{"type":"command_invoked","id":"$id","name":"$command","args":"Rome"}' },
              { expect = '{"type":"command_response","id":"$id","action":"display"}' },
              { line = '{"type":"event","event":"$event"}' },
              { expect = '{"type":"notify","message":"a turn"}' },
              { refuse = '{"type":"panel"}' },
              { raw = '{"type":"tool_call","id":"a b",' },
              { raw = "\\"name\\":\\"$unknown\\",\\"args\\":{}}\\n" },
              { expect = '{"type":"tool_result","id":"a b","is_error":true}' },
              { hex = "0A 0A" },
              { line = "$ask", id = 'x\\u00e9', chunk = 7, pause_ms = 1 },
              { answer = true },
              { line = '{"type":"tool_call","id":"s1","name":"slow","args":{}}' },
              { expect = '{"type":"tool_update","id":"s1","progress":{"message":"waiting"}}' },
              { line = '{"type":"tool_cancel","id":"s1"}' },
              { expect = '{"type":"tool_result","id":"s1","error":{"kind":"cancelled"}}' },
              { canary = 20 },
              { wait_ms = 1 },
              { alive = true },
            ]""",
            """values = [100, 300000]
            steps = [
              { line = '{"type":"event","event":"turn_start","pad":"$pad"}', bytes = "$value" },
              { canary = 1 },
            ]""",
        ),
        new(),
        deadline=30,
    )


def test_cases_share_a_host_unless_they_want_their_own(write) -> None:
    ext, numbers = make(), []

    @ext.setup
    def count_hosts() -> None:
        numbers.append(0)

    @ext.tool
    def count() -> int:
        numbers[-1] += 1
        return numbers[-1]

    def counts(to: int) -> str:
        call = """{ line = '{"type":"tool_call","id":"$id","name":"count","args":{}}' }"""
        answer = """{ expect = '{"type":"tool_result","id":"$id","structured_content":%d}' }""" % to
        return f"steps = [{call}, {answer}]"

    own = 'process = "own"\n' + counts(1)
    play(write(counts(1), own, counts(2), "timing = true\n" + counts(1), counts(3)), ext)
    assert numbers == [3, 1, 1]


def failure(file: Path, **options: object) -> CaseFailed:
    with pytest.raises(CaseFailed) as caught:
        play(file, make(), **options)
    return caught.value


def test_what_did_not_come_is_told_with_its_step_and_the_frames(write) -> None:
    failed = failure(file := write("steps = [\n" + CALL % "Rome" + ",\n" + FOG % "Bonn" + "]"))
    assert isinstance(failed, Failure)
    assert (failed.place, failed.case) == (f"{file}:6", "case-0")
    assert failed.expected.startswith('{"type":"tool_result","id":"c1","content":[{"text":"Bonn: fog"}]}')
    head, frames = str(failed).split("\nthe frames:\n")
    assert head.startswith(f"{file}:6: case case-0\n  expected  {failed.expected}\n  got       ")
    assert failed.got.startswith('{"content":[{"text":"Rome: fog"')
    assert '  host      > {"type":"tool_call","id":"c1","name":"weather","args":{"city":"Rome"}}' in frames
    assert frames.splitlines()[-1].startswith('  extension > {"type":"tool_result","id":"c1"')

    slow = CALL.replace("weather", "slow").replace('"city":"%s"', "")
    silent = failure(write(f"steps = [{slow}, {{ answer = true, within_ms = 20 }}]"))
    assert 'the id "c1" within 0.0 s' in silent.expected
    assert silent.got == "nothing of the kind"
    # Without a time of its own a step has the host's.
    silent = failure(write(f"steps = [{slow}, {{ answer = true }}]"), deadline=0.1)
    assert silent.expected.endswith("within 0.1 s")
    of_value = failure(write("values = [3]\nsteps = [{ raw = '$value' }, { expect = '{}', within_ms = 1 }]"))
    assert of_value.case == "case-0 with the value 3"


def test_an_extension_that_ends_is_told(write) -> None:
    ended = failure(
        write("""steps = [{ line = '{"type":"shutdown"}' }, { expect = '{"type":"shutdown_ack"}' },
        { expect = '{"type":"never"}' }]""")
    )
    assert ended.place.endswith(":5")
    assert ended.got == "the extension has ended with exit code 0"
    alive = failure(write("""steps = [{ line = '{"type":"shutdown"}' }, { wait_ms = 100 }, { alive = true }]"""))
    assert alive.expected == "the extension lives"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('steps = [{ close = "stdout" }]', ":4: case case-0: close needs a process: run it with"),
        ('process = "raw"\nsteps = [{ handshake = {} }]', ":1: case case-0: it needs a process from its start"),
        ("steps = [{ line = '$args' }]", "it needs the manifest: run it with `extline conformance --cases "),
        ('needs = ["intercept"]\nsteps = [{ canary = 1 }]', "it needs an interceptor, and the extension has none"),
        ("steps = [{ nope = 1 }]", ":4: "),
    ],
)
def test_what_cannot_be_played_is_told_with_its_place(text, said, write) -> None:
    with pytest.raises(Misuse) as caught:
        play(write(text), make())
    assert said in str(caught.value)


def test_an_extension_that_cannot_start_fails_as_with_a_host(write) -> None:
    ext = make()

    @ext.setup
    def fails() -> None:
        raise OSError("no disk")

    with pytest.raises(Ended, match="did not become ready"):
        play(write("steps = [{ canary = 1 }]"), ext)


def test_each_case_is_a_test(pytester) -> None:
    pytester.makepyfile(
        weather="""
        from extline import Extension
        ext = Extension("weather", "1.0.0")

        @ext.tool
        def weather(city: str) -> str:
            return f"{city}: fog"
        """
    )
    folder = pytester.mkdir("cases")
    (folder / "weather.toml").write_text(
        f'[[case]]\nid = "rome"\ntitle = "t"\nsteps = [{CALL % "Rome"}, {FOG % "Rome"}]\n'
        f'[[case]]\nid = "bonn"\ntitle = "t"\nsteps = [{CALL % "Rome"}, {FOG % "Bonn"}]\n'
    )
    pytester.makepyfile(
        """
        from extline.testing import cases, play
        from weather import ext

        @cases("cases/weather.toml")
        def test_weather(case):
            play(case, ext)
        """
    )
    outcome = pytester.runpytest_subprocess("-v")
    outcome.assert_outcomes(passed=1, failed=1)
    outcome.stdout.fnmatch_lines(["*::test_weather[[]rome[]] PASSED*", "*::test_weather[[]bonn[]] FAILED*"])
    # The place as a person would open it from here, and no line of the player's.
    outcome.stdout.fnmatch_lines(["E *CaseFailed: cases/weather.toml:8: case bonn", "E *got *Rome: fog*", "E *the frames:"])
    outcome.stdout.no_fnmatch_line("*_cases.py*")


def test_a_mistake_in_the_file_stops_the_collection(pytester) -> None:
    pytester.makefile(".toml", broken="[[case]]\nid = 'a'\n")
    pytester.makepyfile("from extline.testing import cases\n@cases('broken.toml')\ndef test_a(case): ...\n")
    outcome = pytester.runpytest_subprocess()
    outcome.assert_outcomes(errors=1)
    outcome.stdout.fnmatch_lines(["E *Misuse: broken.toml:1: *title*"])


def test_a_host_is_used_as_before_beside_a_case(write) -> None:
    # `Host` refuses an extension that is served already, and a case leaves none behind.
    ext = make()
    play(write(f"steps = [{CALL % 'Rome'}]"), ext)
    with Host(ext) as host:
        assert host.call("weather", city="Rome").text == "Rome: fog"
