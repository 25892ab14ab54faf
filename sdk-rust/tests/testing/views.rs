//! Views of results, updates, panels and calls.

use extline::prelude::*;
use extline::testing::{Failure, Host};
use extline::view;

fn extension() -> Extension {
    let report = Tool::new("report", "Reports.", async |_: NoArgs, ctx: Context| {
        ctx.update("half").view(&view::meter(1.0, 2.0, None)).send();
        ctx.panel("p").line("1 of 2").view(&view::meter(1.0, 2.0, None)).open();
        let table = view::table(["a"], [[view::Cell::from(1)]]).titled("T");
        Ok(ToolResult::new().text("one").view(&table))
    });
    Extension::new("report", "1").add_tool(report.call_view(&view::lines(["reports"])))
}

#[test]
fn a_result_an_update_and_a_panel_have_views() -> Result<(), Failure> {
    let mut host = Host::new(extension);
    let answer = host.call("report", json!({}))?;
    assert_eq!(
        answer.view(),
        json!({"kind": "table", "title": "T", "columns": ["a"], "rows": [[1]]})
    );
    let meter = RawJson::of(&view::meter(1.0, 2.0, None)).ok();
    assert_eq!(host.panels()[0].view, meter);
    Ok(())
}

#[test]
fn the_example_is_the_program_of_the_page() {
    let example = include_str!("../../examples/report.rs");
    let (_, program) = example.split_once("\n\n").unwrap();
    let page = include_str!("../../../docs/views.md");
    assert!(page.contains(&format!("```rust report.rs\n{program}```")), "{program}");
}
