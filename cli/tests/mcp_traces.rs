//! A session of an MCP client and its server that `extline tap` recorded: checked, played again, and answered
//! by a mock.

#![cfg(unix)]

mod support;

use std::fs;

use serde_json::Value;
use support::{Extline, Outcome, repository};

/// What a client sends, all at once.
const SESSION: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":"list","method":"tools/list","params":{}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2},"_meta":{"progressToken":"t1"}}}"#,
    "\n",
);

fn server(mutant: &str) -> Vec<String> {
    let script = repository().join("conformance/mutants/mcp_server.py").display().to_string();
    let words = ["python3", "-S", &script, mutant];
    words.map(str::to_owned).into_iter().filter(|word| !word.is_empty()).collect()
}

/// Records the session with a server; what it answered, and what the tap said.
fn recorded(extline: &Extline, mutant: &str) -> (String, Vec<Value>, String) {
    let trace = extline.home().join(format!("trace-{mutant}.ndjson")).display().to_string();
    let server = server(mutant);
    let words: Vec<_> = server.iter().map(String::as_str).collect();
    let arguments = ["tap", "--trace", &trace, "--"];
    let outcome = extline.run_with_input(&[&arguments[..], &words].concat(), SESSION);
    outcome.assert_code(0);
    (trace, outcome.json_lines(), outcome.stderr)
}

fn answer<'a>(lines: &'a [Value], id: &Value) -> &'a Value {
    lines.iter().find(|line| line["id"] == *id).unwrap_or_else(|| panic!("no {id} in {lines:?}"))
}

#[track_caller]
fn assert_shows(outcome: &Outcome, parts: &[&str]) {
    for part in parts {
        assert!(outcome.stdout.contains(part), "{part:?} is missing in {}", outcome.stdout);
    }
}

#[test]
fn a_session_passes_the_tap_as_it_is_and_what_is_wrong_in_it_is_told() {
    let extline = Extline::new();
    let (trace, answers, said) = recorded(&extline, "");
    assert_eq!(answer(&answers, &3.into())["result"]["structuredContent"]["sum"], 3.0);
    assert!(said.contains("0 FAIL, 0 warn"), "{said}");
    extline.run(&["conformance", "check", &trace]).assert_code(0);

    let (trace, _, said) = recorded(&extline, "wrong-structure");
    assert!(said.contains("FAIL M-TOL-11"), "{said}");
    let checked = extline.run(&["conformance", "check", "--verbose", &trace]);
    checked.assert_code(1);
    assert_shows(&checked, &["FAIL M-TOL-11", "pass M-INI-01", "/server/tools#output-schema"]);
}

#[test]
fn a_session_is_played_again_and_what_comes_otherwise_is_told() {
    let extline = Extline::new();
    let (trace, ..) = recorded(&extline, "");
    let replay = |mutant: &str, more: &[&str]| {
        let server = server(mutant);
        let words: Vec<_> = server.iter().map(String::as_str).collect();
        let begin = [&["conformance", "replay"], more, &[&trace, "--"]].concat();
        extline.run(&[&begin[..], &words].concat())
    };
    replay("", &[]).assert_code(0);
    let other = replay("structure-alone", &[]);
    other.assert_code(1);
    assert_shows(&other, &["tools/call add", "/result/content/0: missing"]);
    replay("structure-alone", &["--ignore", "result/content"]).assert_code(0);
}

#[test]
fn a_mock_answers_what_was_recorded_under_the_ids_of_today() {
    let extline = Extline::new();
    let (trace, ..) = recorded(&extline, "");
    let again = SESSION.replace("\"id\":3", "\"id\":\"x\"").replace("t1", "t2");
    let outcome = extline.run_with_input(&["mock", &trace], &again);
    outcome.assert_code(0);
    let answers = outcome.json_lines();
    let called = answer(&answers, &"x".into());
    assert_eq!(called["result"]["structuredContent"]["sum"], 3.0);
    let told = answers.iter().filter(|line| line["params"]["progressToken"] == "t2").count();
    assert_eq!(told, 2, "{answers:?}");

    let unknown = again.replace("\"b\":2", "\"b\":9");
    let outcome = extline.run_with_input(&["mock", &trace], &unknown);
    let answers = outcome.json_lines();
    let error = &answer(&answers, &"x".into())["error"];
    assert_eq!(error["code"], -32602);
    let message = error["message"].as_str().unwrap();
    assert!(message.contains(r#"no answer of "add" to {"a":1,"b":9}"#), "{message}");
    assert!(outcome.stderr.contains("extline mock: the mock has no answer"), "{}", outcome.stderr);
}

#[test]
fn a_trace_of_an_extension_and_one_of_a_server_are_not_mixed() {
    let extline = Extline::new();
    let (trace, ..) = recorded(&extline, "");
    let other = extline.home().join("extension.ndjson");
    let hello =
        r#"{"t_us":1,"dir":"e>h","line":"{\"type\":\"hello\",\"name\":\"a\",\"version\":\"1\"}"}"#;
    fs::write(&other, format!("{hello}\n")).unwrap();
    let outcome = extline.run(&["mock", &trace, &other.display().to_string()]);
    outcome.assert_code(2);
    assert!(outcome.stderr.contains("the files before are of MCP"), "{}", outcome.stderr);
}
