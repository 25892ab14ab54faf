//! `extline record`: a session in a trace, and what can be done with it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::support::Extline;

#[test]
fn a_session_is_recorded_and_the_commands_that_are_told_work() {
    let extline = Extline::new();
    let trace = extline.home().join("s.ndjson");
    let file = trace.to_str().unwrap();
    let (clock, lines) = ("examples/clock-shell", "/clock utc\n!clock_now {\"utc\":true}\n");
    let recorded = extline.run_with_input(&["record", file, clock], lines);
    recorded.assert_code(0);
    assert_eq!(fs::metadata(&trace).unwrap().permissions().mode() & 0o777, 0o600);
    let told: Vec<_> =
        recorded.stderr.lines().filter_map(|line| line.strip_prefix("  extline ")).collect();
    assert_eq!(
        told,
        [
            format!("conformance check {file}"),
            format!("conformance replay {file} {clock}"),
            format!("mock {file}"),
        ]
    );
    extline.run(&told[0].split(' ').collect::<Vec<_>>()).assert_code(0);
    // A clock says another time.
    let time = ["--ignore", "tool_result/content", "--ignore", "command_response/display"];
    let again: Vec<_> = told[1].split(' ').chain(time).collect();
    extline.run(&again).assert_code(0);
}

#[test]
fn a_trace_that_cannot_be_written_is_told_before_anything_starts() {
    let extline = Extline::new();
    let nowhere = extline.run(&["record", "/no/such/folder/t", "examples/clock-shell"]);
    nowhere.assert_code(1);
    nowhere.assert_says(&["the trace /no/such/folder/t cannot be written: "]);
    extline.run(&["record", "examples/clock-shell"]).assert_code(2);
    let twice = ["record", "t", "--trace", "u", "examples/clock-shell"];
    extline.run(&twice).assert_code(2);
}
