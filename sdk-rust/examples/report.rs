//! Answers with a table: the program of docs/views.md.

use extline::prelude::*;
use extline::view::{self, Cell, Style};

#[derive(Deserialize, JsonSchema)]
struct Report {
    /// The folder.
    #[expect(dead_code, reason = "this one only shows it")]
    folder: String,
}

async fn report(_: Report, _: Context) -> Result<ToolResult, ToolError> {
    let no = view::styled("no", &[Style::Error]);
    let rows: [[Cell; 3]; 2] =
        [["start".into(), true.into(), 0.25.into()], ["stop".into(), no.into(), 12.into()]];
    let table = view::table(["test", "passed", "seconds"], rows).titled("Tests");
    Ok(ToolResult::new().text("2 tests, 1 failed").view(&table))
}

fn main() -> Result<(), extline::Error> {
    let report = Tool::new("report", "Runs the tests of a folder.", report)
        .call_view(&view::lines(["tests in {folder}"]));
    Extension::new("report", "1.0.0").add_tool(report).run()
}
