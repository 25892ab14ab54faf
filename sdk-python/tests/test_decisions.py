"""What looks like a decision and is none is an error that names the line that works, or a block."""

from __future__ import annotations

import pytest
from extline import DefinitionError, Extension

CALL = {"tool_name": "bash", "tool_args": {"command": "ls", "env": {"A": ["1"]}}}


@pytest.mark.parametrize("handler", ["def", "async def"])
@pytest.mark.parametrize("point", ["guard", "intercept('tool_call')"])
def test_who_called_block_and_returned_nothing_blocks(start, handler: str, point: str) -> None:
    peer = start(
        f"""
        @ext.{point}
        {handler} never(call): call.block("never")
        """
    )
    answer = peer.intercept("tool_call", **CALL)
    assert (answer["block"], answer["reason"]) == (True, "never")


def test_what_is_returned_counts_before_what_was_made(start) -> None:
    peer = start(
        """
        @ext.guard
        def made(call):
            call.block("not this")
            return call.allow()
        """
    )
    assert "block" not in peer.intercept("tool_call", **CALL)


# What a handler of ``tool_call`` does, and what its author and the model read of it.
LOST = {
    "call.rewrite({'command': 'pwd'})": "called rewrite({...}) and did not return what it gave",
    "call.args['command'] = 'pwd'": "changed what it was given, which changes nothing: "
    'return call.rewrite({**call.args, "name": value})',
    "call.args['env']['A'].append('2')": "changed what it was given",
    "call.payload['tool_args'].clear()": "changed what it was given",
    "call.args = {}": "args cannot be set: return call.rewrite",
    "return True": 'returned True, which decides nothing: return call.block("..."), return call.rewrite',
    "return {'block': True}": "returned {'block': True}, which decides nothing",
    "return 'no'": "returned 'no', which decides nothing",
    "return call.block": "returned the method block itself, which is not called",
    "return later()": "returned something to await",
    "call.block()": "missing 1 required positional argument: 'reason'",
    "call.block(5)": "the reason is a str, and this is int",
}


@pytest.mark.parametrize("body", LOST)
def test_an_interceptor_whose_decision_is_lost_is_told(start, body: str) -> None:
    peer = start(
        f"""
        async def later(): ...

        @ext.intercept("tool_call")
        def limit(call): {body}
        """
    )
    answer = peer.intercept("tool_call", **CALL)
    assert answer["block"] is True
    assert LOST[body] in answer["reason"]
    assert "never awaited" not in peer.stderr()


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("call.args['command'] = 'pwd'", 'return call.block("..."), or change the call in an @ext.inter'),
        ("return call.rewrite({})", "a guard may only block or ask; an interceptor may rewrite"),
        ("return True", 'returned True, which decides nothing: return call.block("..."), or return None'),
    ],
)
def test_a_guard_is_not_told_to_rewrite(start, body: str, told: str) -> None:
    peer = start(f"@ext.guard\ndef no(call): {body}")
    answer = peer.intercept("tool_call", **CALL)
    assert answer["block"] is True
    assert told in answer["reason"]
    if "rewrite({})" not in body:
        # Whose line it is; and no frame of the package.
        assert "extension_under_test.py:" in answer["reason"]
        assert "Traceback" not in peer.stderr()


@pytest.mark.parametrize("handler", ["def", "async def"])
@pytest.mark.parametrize("fields", ["modified_args={}", "reason='no'", "block=False", "block=1"])
def test_a_guard_that_decides_anything_but_a_block_has_failed(start, handler: str, fields: str) -> None:
    source = f"""
        from extline import Decision

        @ext.intercept("tool_call")
        def rewrites(call): return call.rewrite({{"command": "pwd"}})

        @ext.guard(on_failure=%r)
        {handler} no(call): return Decision({fields})

        @ext.guard
        def behind(call):
            if call.args["command"] == "ls": return call.block("behind")
        """
    answer = start(source % "block").intercept("tool_call", **CALL)
    assert answer["block"] is True
    assert "a guard may only block or ask; an interceptor may rewrite" in answer["reason"]
    # Where that lets it pass, the other guards are asked, and the rewrite counts.
    peer = start(source % "allow")
    allowed = peer.intercept("tool_call", **CALL)
    assert ("block" in allowed, allowed["modified_args"]) == (False, {"command": "pwd"})
    behind = peer.intercept("tool_call", phase="guard", **CALL)
    assert (behind["block"], behind["reason"]) == (True, "behind")


@pytest.mark.parametrize("fields", ["reason='no'", "block=False", "args={}"])
def test_an_interceptor_that_makes_its_own_decision_is_told_what_works(start, fields: str) -> None:
    peer = start(
        f"""
        from extline import Decision

        @ext.intercept("tool_call")
        def own(call): return Decision({fields})
        """
    )
    answer = peer.intercept("tool_call", **CALL)
    assert answer["block"] is True
    assert "own at " in answer["reason"]
    assert "extension_under_test.py:" in answer["reason"]
    assert 'returned a Decision of its own making: return call.block("...")' in answer["reason"]


def test_arguments_may_be_changed_on_their_way_into_a_rewrite(start) -> None:
    peer = start(
        """
        @ext.intercept("tool_call")
        def limit(call):
            call.args["timeout"] = 5
            return call.rewrite(call.args)

        @ext.guard
        def sees(call):
            if call.args["timeout"] == 5: return call.block("five")
        """
    )
    assert peer.intercept("tool_call", **CALL)["reason"] == "five"


@pytest.mark.parametrize("handler", ["def", "async def"])
@pytest.mark.parametrize(
    ("event", "returned", "use"),
    [
        ("tool_call", "{'block': True, 'reason': 'no'}", "use @ext.guard and return call.block"),
        ("turn_end", "False", 'use @ext.guard or @ext.intercept("tool_call")'),
    ],
)
def test_an_event_handler_decides_nothing_and_is_told_so(
    start, handler: str, event: str, returned: str, use: str
) -> None:
    peer = start(
        f"""
        @ext.on("{event}")
        {handler} lost(event): return {returned}

        @ext.on("{event}")
        {handler} behind(event): ext.notify("told")
        """
    )
    peer.send({"type": "event", "event": event})
    assert peer.next("notify")["message"] == "told"
    said = peer.stderr()
    assert f"returned {returned}, which nobody uses: to decide" in said
    assert use in said


def test_what_a_function_gives_in_passing_is_no_decision(start) -> None:
    peer = start(
        """
        from concurrent.futures import ThreadPoolExecutor
        pool = ThreadPoolExecutor(1)
        ext.on("turn_end")(lambda event: pool.submit(ext.notify, "later"))
        """
    )
    peer.send({"type": "event", "event": "turn_end"})
    assert peer.next("notify")["message"] == "later"
    assert peer.stderr() == ""


@pytest.mark.parametrize("decorator", ["guard", "on('turn_end')", "command", "setup", "panel('p')"])
def test_a_yield_in_a_handler_is_refused_where_it_is_registered(decorator: str) -> None:
    ext = Extension("x")

    def handler(call):
        yield call

    with pytest.raises(DefinitionError, match="has a `yield`, so that calling it runs nothing"):
        eval(f"ext.{decorator}", {"ext": ext})(handler)
