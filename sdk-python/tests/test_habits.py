"""Names and habits from elsewhere fail with the line that works here."""

from __future__ import annotations

import pytest
from extline import DefinitionError, Extension, events
from wire import text


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("ctx.info('x')", "a ctx has no 'info': write ctx.log('text', level='info')"),
        ("ctx.report_progress(1, 2)", "or for item in ctx.track(items)"),
        ("await ctx.report_progress(1, 2)", "or for item in ctx.track(items)"),
        ("await ctx.update('x')", "(ctx.update(...) waits for nothing: call it without await)"),
        ("await ctx.log('x')", "(ctx.log(...) waits for nothing: call it without await)"),
        ("ctx.nonsense", "a ctx has no 'nonsense'"),
        ("await None", "failed: TypeError: object NoneType can't be used in 'await' expression"),
    ],
)
def test_a_habit_of_a_context_is_told(start, line: str, told: str) -> None:
    peer = start(f"@ext.tool\nasync def give(ctx):\n    {line}\n", capabilities=[])
    failed = text(peer.call("give"))
    # In these words until Python 3.13.
    assert told in failed.replace("'NoneType' object can't be awaited", "object NoneType can't be used in 'await' expression")


@pytest.mark.parametrize(
    ("name", "told"),
    [("prompt", "Response.prompt"), ("add_tool", r"ext.tool\(function\)"), ("lifespan", "@ext.setup"), ("nonsense", "no 'nonsense'$")],
)
def test_a_habit_of_an_extension_is_told(name: str, told: str) -> None:
    with pytest.raises(AttributeError, match=told):
        getattr(Extension("x"), name)


def test_the_class_of_another_event_is_refused() -> None:
    ext = Extension("x")

    def ended(event: events.TurnEnd) -> None: ...

    ext.on("turn_end")(ended)
    with pytest.raises(DefinitionError, match="class of the event turn_end; turn_start is an events.TurnStart"):
        ext.on("turn_start")(ended)
