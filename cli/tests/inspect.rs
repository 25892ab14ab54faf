//! `extline inspect`.

#![cfg(unix)]

mod support;

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use support::{Extline, behave, misbehave};

#[test]
fn everything_that_is_registered_is_shown() {
    let outcome = Extline::new().run(&behave(&["inspect"]));
    outcome.assert_code(0);
    for part in [
        "behave 1.2.3",
        "knows      commands, tools, events,",
        "tools      9, about ",
        "tokens in all (estimate)",
        "  echo  about ",
        "    the tool echo\n      text  string, required  what to say\n",
        "      no named arguments",
        "  /show [TEXT]  the command show",
        "events     session_start, turn_start",
        "intercepts none",
        "guards     tool_call",
        "notices    none",
    ] {
        assert!(outcome.stdout.contains(part), "{part:?} is missing in\n{}", outcome.stdout);
    }
}

#[test]
fn json_has_the_same_for_programs() {
    let json = Extline::new().run(&behave(&["inspect", "--json"])).json();
    assert_eq!(json["name"], "behave");
    assert_eq!(json["hello"]["version"], "1.2.3");
    let echo = json["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "echo");
    let echo = echo.unwrap();
    assert_eq!(echo["schema"]["properties"]["text"]["type"], "string");
    assert!(echo["tokens_estimate"].as_u64().unwrap() > 20);
    assert_eq!(json["commands"][0]["name"], "insert");
    assert_eq!(json["events"], serde_json::json!(["session_start", "turn_start"]));
    assert_eq!(json["guards"], serde_json::json!(["tool_call"]));
    assert_eq!(json["rejected"], serde_json::json!([]));
}

#[test]
fn what_the_host_did_not_take_is_shown_with_the_reason() {
    let script = r#"echo '{"type":"hello","name":"odd"}'
        echo '{"type":"register_tool","name":"bad name","schema":{}}'
        echo '{"type":"subscribe","intercept":["sunrise"]}'
        echo '{"type":"ready"}'
        while read -r frame; do :; done"#;
    let outcome = Extline::new().run(&["inspect", "--", "sh", "-c", script]);
    outcome.assert_code(0);
    for part in ["rejected   2", "the tool name \"bad name\" is not allowed", "intercept sunrise: "]
    {
        assert!(outcome.stdout.contains(part), "{part:?} is missing in\n{}", outcome.stdout);
    }
}

#[test]
fn notices_are_part_of_it() {
    let extline = Extline::new();
    let outcome = extline.run(&misbehave(&["inspect"], &["banner"]));
    outcome.assert_code(0);
    assert!(outcome.stdout.contains("notices    2\n"), "{outcome:?}");
    assert!(outcome.stdout.contains("Welcome to misbehave 1.0"));
    let json = extline.run(&misbehave(&["inspect", "--json"], &["never-ready"])).json();
    assert!(json["notices"][0]["suggestion"].as_str().unwrap().contains("\"ready\""));
}

#[test]
fn one_that_does_not_start_is_exit_3() {
    let extline = Extline::new();
    let outcome = extline.run(&misbehave(&["inspect"], &["wrong-first"]));
    outcome.assert_code(3);
    outcome.assert_says(&["its first frame is \"register_tool\"", "stdout  {\"type\""]);
    let json = extline.run(&misbehave(&["inspect", "--json"], &["bad-hello"])).json();
    assert_eq!(json["diagnosis"]["problem"]["code"], "bad_hello");
    extline.run(&["inspect"]).assert_code(2);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let extline = Extline::new();
    let mut child = extline.command(&behave(&["inspect"])).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert_eq!(first, "behave 1.2.3\n");
    support::outcome(child).assert_code(0);
}
