//! `extline command`.

#![cfg(unix)]

mod support;

use support::{Extline, behave, misbehave};

#[test]
fn every_action_can_be_read() {
    let extline = Extline::new();
    for (words, expected) in [
        (&["prompt", "a", "b"][..], "prompt: say a b\n"),
        (&["/insert", "x"], "insert: x\n"),
        (&["SHOW"], "display: shown: \n"),
        (&["show", "--args", "--force it"], "display: shown: --force it\n"),
        (&["nothing"], "noop\n"),
        (&["panel"], "open_panel: Status\n  one\n  two\n  q quits\n"),
    ] {
        let words: Vec<_> = [&["command"], words].concat();
        let outcome = extline.run(&behave(&words));
        outcome.assert_code(0);
        assert_eq!(outcome.stdout, expected);
    }
}

#[test]
fn json_has_the_names_of_the_wire() {
    let extline = Extline::new();
    let json = |name: &str| extline.run(&behave(&["command", name, "--json"])).json();
    assert_eq!(json("prompt"), serde_json::json!({"action": "prompt", "prompt": "say "}));
    assert_eq!(json("nothing"), serde_json::json!({"action": "noop"}));
    assert_eq!(
        json("panel"),
        serde_json::json!({"action": "open_panel", "open_panel":
            {"id": "p", "title": "Status", "lines": ["one", "two"], "footer": "q quits"}})
    );
    assert_eq!(json("refuse")["error"]["message"], "I will not");
}

#[test]
fn an_error_is_exit_1() {
    let extline = Extline::new();
    let outcome = extline.run(&behave(&["command", "refuse"]));
    outcome.assert_code(1);
    outcome.assert_says(&["error: I will not"]);
    let outcome = extline.run(&behave(&["command", "odd"]));
    outcome.assert_code(1);
    outcome.assert_says(&["the action \"frobnicate\" is unknown"]);
}

#[test]
fn an_unknown_command_is_exit_2_with_those_there_are() {
    let outcome = Extline::new().run(&behave(&["command", "shw"]));
    outcome.assert_code(2);
    outcome.assert_says(&["unknown command shw; did you mean show?", "commands: insert, nothing"]);
}

#[test]
fn no_answer_in_time_is_exit_5() {
    let words = misbehave(&["command", "hang", "--timeout", "0.3"], &["plain"]);
    let outcome = Extline::new().run(&words);
    outcome.assert_code(5);
    outcome.assert_says(&["hang did not answer within 300 ms", "system  process "]);
}

#[test]
fn arguments_behind_the_dashes_are_told_where_they_belong() {
    let outcome = Extline::new().run(&["command", ".", "deploy", "--", "--force"]);
    outcome.assert_code(2);
    outcome.assert_says(&["use --args"]);
}
