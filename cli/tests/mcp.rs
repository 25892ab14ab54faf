//! `extline mcp`: extensions of any kind as one MCP server, behind the host.

#![cfg(unix)]

mod support;

#[path = "mcp/asking.rs"]
mod asking;

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};
use support::{Extline, signal, wait_until_gone};
use tempfile::TempDir;

/// A program by hand with the tool `echo`, and one that blocks the calls of that tool with `no` in them.
const ECHO: &str = r#"
import json, os, sys
def say(**frame): print(json.dumps(frame), flush=True)
say(type="hello", name="echo", version="2.0.0")
say(type="register_tool", name="echo", description="Says it again.", schema={"type": "object", "properties": {"text": {"type": "string"}}})
say(type="register_tool", name="odd", description="", schema={"type": "object", "oneOf": [{"properties": {"a": {}}}]})
say(type="register_tool", name="slow", description="", schema={"type": "object"})
say(type="ready")
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "tool_call" and frame["name"] != "slow":
        text = frame.get("args", {}).get("text", str(os.getpid()))
        say(type="tool_result", id=frame["id"], content=[{"type": "text", "text": text}])
    if frame["type"] == "shutdown":
        say(type="shutdown_ack")
        break
"#;
const GUARD: &str = r#"
import json, sys
def say(**frame): print(json.dumps(frame), flush=True)
say(type="hello", name="guard", version="1.0.0")
say(type="subscribe", intercept=["tool_call"])
say(type="ready")
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "event_intercept":
        blocks = "no" in json.dumps(frame["tool_args"])
        say(type="event_intercept_response", id=frame["id"], block=blocks, reason="not that")
    if frame["type"] == "shutdown":
        say(type="shutdown_ack")
        break
"#;
/// One that registers `tool` and `command` anew at each call of `tool`.
const CHANGING: &str = r#"
import json, sys
def say(**frame): print(json.dumps(frame), flush=True)
say(type="hello", name="changing", version="1.0.0")
say(type="register_command", name="first", description="")
say(type="register_tool", name="tool", description="old", schema={"type": "object"})
say(type="register_tool", name="wrong", description="", schema={"type": "string"})
say(type="ready")
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "tool_call":
        text = frame["args"]["text"]
        schema = {"type": "object", "properties": {"text": {"enum": [text]}}}
        say(type="register_command", name="command", description=text)
        say(type="register_tool", name="tool", description=text, schema=schema)
        say(type="tool_result", id=frame["id"], content=[{"type": "text", "text": text}])
    if frame["type"] == "shutdown":
        say(type="shutdown_ack")
        break
"#;

fn folder(name: &str, program: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let manifest =
        json!({"name": name, "version": "1.0.0", "exec": "python3", "args": ["-S", "main.py"]});
    fs::write(folder.path().join("extension.json"), manifest.to_string()).unwrap();
    fs::write(folder.path().join("main.py"), program).unwrap();
    folder
}

fn call(id: u32, tool: &str, args: &Value) -> String {
    let params = json!({"name": tool, "arguments": args});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

/// The answers by id, once the input has ended.
fn answers(folders: &[&TempDir], lines: &[String]) -> Vec<Value> {
    let mut words = vec!["mcp"];
    words.extend(folders.iter().map(|folder| folder.path().to_str().unwrap()));
    let input: String = lines.iter().fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "{line}");
        text
    });
    let outcome = Extline::new().run_with_input(&words, &input);
    outcome.assert_code(0);
    let mut answers = outcome.json_lines();
    answers.retain(|answer| answer.get("id").is_some());
    answers.sort_by_key(|answer| answer["id"].as_u64());
    answers
}

#[test]
fn a_guard_of_one_extension_holds_for_the_tools_of_another() {
    let (echo, guard) = (folder("echo", ECHO), folder("guard", GUARD));
    let lines = [
        call(1, "echo", &json!({"text": "yes"})),
        call(2, "echo", &json!({"text": "no"})),
        call(3, "echo", &json!({"text": 5})),
    ];
    let answers = answers(&[&echo, &guard], &lines);
    assert_eq!(answers[0]["result"]["content"][0]["text"], "yes");
    assert_eq!(answers[1]["result"]["isError"], true);
    let text = answers[1]["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("guard") && text.contains("not that"), "{text}");
    let error = &answers[2]["result"]["_meta"]["dev.extline/error"];
    assert_eq!((&error["kind"], &error["field"]), (&json!("validation"), &json!("/text")));
}

/// What is for people stays with the host, and a tool of which nothing is said may change anything
/// (`tool.details`, `tool.trust`, `tool.undeclared`).
#[test]
fn a_client_gets_nothing_that_is_for_people_and_no_more_trust_than_was_earned() {
    let told = r#"details={"path": "for people alone"}, view={"kind": "lines", "lines": ["for people"]}, trust="trusted", "#;
    let answer = r#"say(type="tool_result", id=frame["id"], content"#;
    assert!(ECHO.contains(answer));
    let trusted = ECHO.replace(answer, &answer.replace("content", &format!("{told}content")));
    let lines = [
        call(1, "echo", &json!({"text": "hello"})),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}).to_string(),
    ];
    let plain = answers(&[&folder("echo", ECHO)], &lines);
    assert_eq!(answers(&[&folder("echo", &trusted)], &lines), plain);
    let tools = plain[1]["result"]["tools"].as_array().unwrap();
    let echo = tools.iter().find(|tool| tool["name"] == "echo").unwrap();
    assert_ne!(echo["annotations"]["readOnlyHint"], true, "{echo}");
    assert_ne!(echo["annotations"]["destructiveHint"], false, "{echo}");
}

#[test]
fn calls_run_side_by_side_and_each_is_answered() {
    let echo = folder("echo", ECHO);
    let lines: Vec<_> =
        (0..200).map(|id| call(id, "echo", &json!({"text": format!("{id}")}))).collect();
    let answers = answers(&[&echo], &lines);
    assert_eq!(answers.len(), 200);
    for (id, answer) in answers.iter().enumerate() {
        assert_eq!(answer["result"]["content"][0]["text"], id.to_string());
    }
}

#[test]
fn a_call_that_is_never_answered_does_not_keep_the_server() {
    let echo = folder("echo", ECHO);
    let answers = answers(&[&echo], &[call(1, "slow", &json!({}))]);
    assert_eq!(answers[0]["result"]["_meta"]["dev.extline/error"]["kind"], "cancelled");
}

#[test]
fn the_list_shows_what_a_client_sees_and_what_is_wrong_for_it() {
    let echo = folder("echo", ECHO);
    let path = echo.path().to_str().unwrap();
    let outcome = Extline::new().run(&["mcp", "--list", path]);
    outcome.assert_code(0);
    assert!(
        outcome.stdout.contains("echo") && outcome.stdout.contains("Says it again."),
        "{outcome:?}"
    );
    outcome.assert_says(&["tool odd: its schema has oneOf at its root"]);
    let json = Extline::new().run(&["--json", "mcp", "--list", path]).json();
    let odd = json["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "odd").unwrap();
    assert_eq!(odd["inputSchema"], json!({"type": "object", "properties": {"a": {}}}));
}

#[test]
fn a_server_without_extensions_says_why_and_ends() {
    let broken = folder("broken", "import sys; sys.exit(3)");
    let outcome = Extline::new().run(&["mcp", broken.path().to_str().unwrap()]);
    outcome.assert_code(3);
    assert!(outcome.stdout.is_empty(), "{outcome:?}");
}

#[test]
fn json_is_refused_where_stdout_is_the_client_s() {
    let echo = folder("echo", ECHO);
    Extline::new().run(&["--json", "mcp", echo.path().to_str().unwrap()]).assert_code(2);
}

/// The text of the next answer.
fn next(lines: &mut std::io::Lines<BufReader<ChildStdout>>) -> String {
    let answer: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
}

fn write(input: &mut ChildStdin, line: &str) {
    input.write_all(format!("{line}\n").as_bytes()).unwrap();
}

#[test]
fn a_cancelled_call_is_not_answered_and_the_next_one_is() {
    let (extline, echo) = (Extline::new(), folder("echo", ECHO));
    let mut server = extline.command(&["mcp", echo.path().to_str().unwrap()]);
    let mut server = server.stdin(Stdio::piped()).spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    write(&mut input, &call(1, "slow", &json!({})));
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    write(&mut input, &cancel.to_string());
    write(&mut input, &call(2, "echo", &json!({"text": "next"})));
    assert_eq!(next(&mut lines), "next");
    drop(input);
    assert!(lines.next().is_none(), "nothing for the call that was cancelled");
    assert!(server.wait().unwrap().success());
}

#[test]
fn what_is_registered_anew_or_later_is_offered_and_told() {
    let (extline, changing) = (Extline::new(), folder("changing", CHANGING));
    let mut server = extline.command(&["mcp", changing.path().to_str().unwrap()]);
    let mut server = server.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    let lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let mut messages = lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    let mut request = |id: u32, method: &str, params: &Value| {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        write(&mut input, &request.to_string());
        if method == "initialize" {
            let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
            write(&mut input, &initialized.to_string());
        }
    };
    request(1, "initialize", &json!({"protocolVersion": "2025-06-18"}));
    assert_eq!(messages.next().unwrap()["id"], 1);
    request(2, "tools/call", &json!({"name": "tool", "arguments": {"text": "new"}}));
    // The answer and the two notifications, in any order.
    let mut said: Vec<Value> = messages.by_ref().take(3).collect();
    said.sort_by_key(|message| message["method"].to_string());
    let methods: Vec<_> = said.iter().map(|message| message["method"].as_str()).collect();
    let changed = ["notifications/prompts/list_changed", "notifications/tools/list_changed"];
    assert_eq!(methods, [Some(changed[0]), Some(changed[1]), None]);
    request(3, "tools/list", &json!({}));
    let list = messages.next().unwrap();
    let tools = list["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 1, "{list}");
    assert_eq!(tools[0]["description"], "new");
    assert_eq!(tools[0]["inputSchema"]["properties"]["text"]["enum"], json!(["new"]));
    request(4, "prompts/list", &json!({}));
    let list = messages.next().unwrap();
    let prompts = list["result"]["prompts"].as_array().unwrap();
    assert_eq!(prompts.len(), 2, "{list}");
    assert_eq!(prompts[1]["description"], "new");
    // The same once more is no change.
    request(5, "tools/call", &json!({"name": "tool", "arguments": {"text": "new"}}));
    assert_eq!(messages.next().unwrap()["id"], 5);
    drop(input);
    assert_eq!(messages.next(), None);
    let outcome = server.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&outcome.stderr);
    assert_eq!(stderr.matches("the tool wrong is left out").count(), 1, "{stderr}");
}

#[test]
fn a_note_before_the_session_stands_on_stderr_once() {
    let note = "say(type=\"notify\", level=\"warn\", message=\"look here\")";
    let at = "    if frame[\"type\"] == \"shutdown\":";
    let slow = "    if frame.get(\"name\") == \"slow\":";
    let noting = folder("noting", &ECHO.replace(at, &format!("{slow}\n        {note}\n{at}")));
    let words = ["mcp", noting.path().to_str().unwrap()];
    // No answer comes, so the server does not end before it hears the note.
    let outcome = Extline::new().run_with_input(&words, &(call(1, "slow", &json!({})) + "\n"));
    outcome.assert_code(0);
    assert_eq!(outcome.stderr.matches("look here").count(), 1, "{outcome:?}");
}

#[test]
fn a_server_that_is_killed_leaves_no_extension_behind() {
    let (extline, echo) = (Extline::new(), folder("echo", ECHO));
    let mut server = extline.command(&["mcp", echo.path().to_str().unwrap()]);
    let mut server = server.stdin(Stdio::piped()).spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    write(&mut input, &call(1, "echo", &json!({})));
    let pid = next(&mut lines);
    signal(&server, "KILL");
    server.wait().unwrap();
    wait_until_gone(&pid);
}
