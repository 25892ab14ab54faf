"""Views: how a person is shown what a tool says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from extline import Context, Extension, Panel, Response, ToolResult, Update, view
from extline.testing import Host

from program import BUILT, ROOT

from test_docs import fences


def test_builders_make_what_the_wire_has() -> None:
    made: list[Any] = [
        view.table(["a", "b"], [["x", 1], (None, view.styled("y", "error", "bold"))], title="T"),
        view.diff("-a\n+b\n"),
        view.markdown("# x"),
        view.lines("one\ntwo"),
        view.lines(["one", [view.styled("two", "dim"), "three"]]),
        view.keyvalue({"k": True}),
        view.meter(1, 2.5, unit="GB"),
    ]
    assert made == [
        {
            "kind": "table",
            "title": "T",
            "columns": ["a", "b"],
            "rows": [["x", 1], [None, {"text": "y", "style": ["error", "bold"]}]],
        },
        {"kind": "diff", "text": "-a\n+b\n"},
        {"kind": "markdown", "text": "# x"},
        {"kind": "lines", "lines": ["one", "two"]},
        {"kind": "lines", "lines": ["one", [{"text": "two", "style": ["dim"]}, "three"]]},
        {"kind": "keyvalue", "pairs": [{"key": "k", "value": True}]},
        {"kind": "meter", "value": 1, "max": 2.5, "unit": "GB"},
    ]


def test_results_updates_and_panels_have_views() -> None:
    ext = Extension("views", "1")
    half = view.meter(1, 2)

    @ext.tool(call_view=view.lines(["looks at {place}"]))
    def look(place: str, ctx: Context) -> ToolResult:
        ctx.update("half", view=half)
        ctx.panel("p").open(lines=["1 of 2"], view=half)
        return ToolResult("done", view=view.lines([place]))

    @ext.tool
    def steps() -> Any:
        yield Update("half", view=half)
        return "done"

    @ext.command("show", "shows")
    def show() -> Response:
        return Response.open_panel(Panel("q", lines=["x"], view=half))

    with Host(ext) as host:
        answer = host.call("look", place="here")
        assert (answer.text, answer.view) == ("done", {"kind": "lines", "lines": ["here"]})
        assert [update["view"] for update in answer.updates] == [half]
        assert [update["view"] for update in host.call("steps").updates] == [half]
        assert host.call("steps").view is None


def test_the_page(tmp_path: Path) -> None:
    """What the command shows of the program of the page is what the page says of the one in C."""
    [program] = [text for _, name, text in fences("views.md") if name == "report.py"]
    (tmp_path / "report.py").write_text(program)
    words = ["call", "--view", "always", "report", '{"folder":"lib"}', "--", sys.executable, "report.py"]
    done = subprocess.run(
        [BUILT / "extline", *words],
        env={"EXTLINE_HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT / "sdk-python/python")},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, cwd=tmp_path,
    )  # fmt: skip
    page = (ROOT / "docs/views.md").read_text()
    said = page.split("-- ./report 2>&1\n")[1].split("$ ")[0]
    assert done.stdout == said
