//! `extline state`: what an extension keeps, shown and taken away.

#![cfg(unix)]

mod support;

use serde_json::{Value, json};
use support::{Extline, repository};

/// Calls the shell program of docs/state.md.
fn count(extline: &Extline, session: &str) -> String {
    let page = std::fs::read_to_string(repository().join("docs/state.md")).unwrap();
    let (_, program) = page.split_once("```sh count.sh\n").unwrap();
    let (program, _) = program.split_once("```").unwrap();
    let file = tempfile::tempdir().unwrap();
    let path = file.path().join("count.sh");
    std::fs::write(&path, program).unwrap();
    let path = path.to_str().unwrap();
    extline.run(&["call", "--session", session, "count", "--", "sh", path]).stdout
}

#[test]
fn what_is_kept_is_shown_and_taken_away() {
    let extline = Extline::new();
    assert_eq!(
        [count(&extline, "a"), count(&extline, "a"), count(&extline, "b")],
        ["1\n", "2\n", "1\n"]
    );
    let shown = extline.run(&["state", "count", "--session", "a"]).stdout;
    assert_eq!(shown, "session n = 2\n");
    let json: Value =
        serde_json::from_str(&extline.run(&["state", "count", "--session", "b", "--json"]).stdout)
            .unwrap();
    assert_eq!(json, json!({ "session": { "n": 1 }, "project": {}, "global": {} }));
    let cleared =
        extline.run(&["state", "count", "--session", "a", "--scope", "session", "--clear"]);
    assert_eq!(cleared.stdout, "1 values of scope session are gone\n");
    assert_eq!(extline.run(&["state", "count", "--session", "a"]).stdout, "");
    assert_eq!([count(&extline, "a"), count(&extline, "b")], ["1\n", "2\n"]);
    extline.run(&["state", "count", "--scope", "session"]).assert_code(2);
}
