//! Dialogs and approvals: the client of `extline mcp` asks its user.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{call, folder, write};
use crate::support::Extline;

/// A tool that asks what it is told to, and answers with what it was answered. `wipe` needs an approval. `through`
/// calls the tool `ask` of whoever has it.
const ASKING: &str = r#"
import json, sys
def say(**frame): print(json.dumps(frame), flush=True)
def text(id, text): say(type="tool_result", id=id, content=[{"type": "text", "text": text}])
OBJECT = {"type": "object"}
say(type="hello", name=NAME, version="2.0.0", capabilities=["tools", "rpc", "call_tool"])
if NAME == "asker":
    say(type="register_tool", name="ask", description="", schema=OBJECT)
    say(type="register_tool", name="wipe", description="", schema=OBJECT,
        approval={"gated": True, "key": "{path}", "reason": "it deletes"})
    say(type="register_command", name="asks", description="")
else:
    say(type="register_tool", name="through", description="", schema=OBJECT)
say(type="ready")
open_ones = {}
for line in sys.stdin:
    frame = json.loads(line)
    kind, id = frame["type"], frame.get("id")
    if kind == "tool_call" and frame["name"] == "ask":
        open_ones["q" + id] = ("tool", id)
        say(type="request", id="q" + id, method=frame["args"]["method"], params=frame["args"]["params"],
            parent={"kind": "tool_call", "id": id})
    if kind == "command_invoked":
        open_ones["c" + id] = ("command", id)
        say(type="request", id="c" + id, method="ui.confirm", params={"title": "Ship it?"},
            parent={"kind": "command", "id": id})
    if kind == "response":
        what, call = open_ones.pop(id)
        answer = json.dumps(frame.get("result") or frame.get("error"))
        if what == "tool":
            text(call, answer)
        else:
            say(type="command_response", id=call, action="prompt", prompt=answer)
    if kind == "tool_call" and frame["name"] == "wipe":
        text(id, "wiped")
    if kind == "tool_call" and frame["name"] == "through":
        open_ones["t" + id] = id
        say(type="call_tool", id="t" + id, name="ask", args=frame["args"], parent_id=id)
    if kind == "tool_result":
        text(open_ones.pop(id), frame["content"][0]["text"])
    if kind == "shutdown":
        say(type="shutdown_ack")
        break
"#;

fn asking(name: &str) -> TempDir {
    folder(name, &format!("NAME = {name:?}\n{ASKING}"))
}

/// A server with two such extensions, and its client's end.
struct Client {
    process: Child,
    input: ChildStdin,
    lines: std::io::Lines<BufReader<ChildStdout>>,
    _kept: (Extline, TempDir, TempDir),
}

impl Client {
    fn start(words: &[&str]) -> Self {
        let (extline, asker, through) = (Extline::new(), asking("asker"), asking("through"));
        let mut all = vec!["mcp"];
        all.extend([&asker, &through].map(|folder| folder.path().to_str().unwrap()));
        all.extend(words);
        let mut command = extline.command(&all);
        let mut process = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let input = process.stdin.take().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        Self { process, input, lines, _kept: (extline, asker, through) }
    }

    /// With a session, of a client that can do so much.
    fn begin(words: &[&str], capabilities: &Value) -> Self {
        let mut client = Self::start(words);
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities});
        client.send(&json!({"id": 0, "method": "initialize", "params": params}));
        assert_eq!(client.next()["id"], 0);
        client.send(&json!({"method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: &Value) {
        let mut message = message.clone();
        message["jsonrpc"] = json!("2.0");
        write(&mut self.input, &message.to_string());
    }

    fn next(&mut self) -> Value {
        serde_json::from_str(&self.lines.next().unwrap().unwrap()).unwrap()
    }

    fn call(&mut self, id: u32, tool: &str, args: &Value) {
        write(&mut self.input, &call(id, tool, args));
    }

    /// Answers the question that comes next, and returns it.
    fn reply(&mut self, result: &Value) -> Value {
        let asked = self.next();
        assert_eq!(asked["method"], "elicitation/create", "{asked}");
        self.send(&json!({"id": asked["id"], "result": result}));
        asked
    }

    fn text(&mut self) -> String {
        let answer = self.next();
        answer["result"]["content"][0]["text"]
            .as_str()
            .unwrap_or_else(|| panic!("{answer}"))
            .to_owned()
    }

    fn end(self) {
        let Self { mut process, input, .. } = self;
        drop(input);
        assert!(process.wait().unwrap().success());
    }
}

fn confirm() -> Value {
    json!({"method": "ui.confirm", "params": {"title": "Ship it?"}})
}

fn yes() -> Value {
    json!({"action": "accept", "content": {"confirmed": true}})
}

fn forms() -> Value {
    json!({"elicitation": {}})
}

#[test]
fn a_dialog_is_a_question_of_the_server_s_also_below_a_call_of_another_extension() {
    let mut client = Client::begin(&[], &forms());
    for (id, tool) in [(1, "ask"), (2, "through")] {
        client.call(id, tool, &confirm());
        let asked = client.reply(&yes());
        assert_eq!(asked["params"]["message"], "asker asks: Ship it?");
        assert_eq!(client.text(), r#"{"confirmed": true}"#);
    }
    client.call(3, "ask", &confirm());
    client.reply(&json!({"action": "cancel"}));
    assert_eq!(client.text(), r#"{"dismissed": "user"}"#);
    client.call(4, "ask", &confirm());
    client.reply(&json!({"action": "accept", "content": {"confirmed": "maybe"}}));
    assert!(client.text().contains("has to be true or false"));
    client.send(&json!({"id": 5, "method": "prompts/get", "params": {"name": "asks"}}));
    client.reply(&yes());
    let prompt = client.next();
    assert_eq!(prompt["result"]["messages"][0]["content"]["text"], r#"{"confirmed": true}"#);
    client.end();
}

#[test]
fn a_client_that_cannot_ask_is_told_of_and_given_answers_ask_nobody() {
    let mut client = Client::begin(&[], &json!({}));
    client.call(1, "ask", &confirm());
    let text = client.text();
    assert!(text.contains("unsupported") && text.contains("--answer confirm=yes"), "{text}");
    client.call(2, "wipe", &json!({"path": "tmp/a"}));
    let refused = client.next();
    assert_eq!(refused["result"]["_meta"]["dev.extline/error"]["kind"], "permission");
    let text = refused["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("--allow 'wipe(tmp/a)'") && text.contains("--approve yolo"), "{text}");
    let shown = json!({"method": "ui.status", "params": {"key": "k", "text": "3 of 5"}});
    client.call(3, "ask", &shown);
    // Taken: an empty result is no error.
    assert_eq!(client.text(), "null");
    client.end();

    let words = ["--answer", "confirm=yes", "--answer", "approve=yes"];
    let mut client = Client::begin(&words, &json!({}));
    client.call(1, "ask", &confirm());
    assert_eq!(client.text(), r#"{"confirmed": true}"#);
    client.call(2, "wipe", &json!({"path": "tmp/a"}));
    assert_eq!(client.text(), "wiped");
    client.end();

    let mut client = Client::begin(&["--approve", "allowlist", "--allow", "wipe(tmp/*)"], &forms());
    client.call(1, "wipe", &json!({"path": "tmp/a"}));
    assert_eq!(client.text(), "wiped");
    client.call(2, "wipe", &json!({"path": "etc/a"}));
    assert!(client.text().contains("no pattern allows wipe(etc/a)"));
    client.end();
}

#[test]
fn the_person_approves_once_always_or_not() {
    let mut client = Client::begin(&[], &forms());
    let decision = |word: &str| json!({"action": "accept", "content": {"approval": word}});
    let path = |path: &str| json!({"path": path, "more": "a\u{1b}[2J"});
    client.call(1, "wipe", &path("tmp/a"));
    let asked = client.reply(&decision("no"));
    let message = asked["params"]["message"].as_str().unwrap();
    for shown in ["asker wants to run wipe", "it deletes", "tmp/a", "\\u001b"] {
        assert!(message.contains(shown), "{shown}: {message}");
    }
    assert_eq!(client.text(), "wipe was not approved: the user said no");
    client.call(2, "wipe", &path("tmp/a"));
    client.reply(&decision("once"));
    assert_eq!(client.text(), "wiped");
    client.call(3, "wipe", &path("tmp/a"));
    client.reply(&decision("always"));
    assert_eq!(client.text(), "wiped");
    client.call(4, "wipe", &path("tmp/a"));
    assert_eq!(client.text(), "wiped");
    client.end();
}

#[test]
fn two_calls_ask_at_once_and_a_cancelled_one_takes_its_question_back() {
    let mut client = Client::begin(&[], &forms());
    client.call(1, "ask", &confirm());
    let first = client.next();
    client.call(2, "ask", &confirm());
    let second = client.next();
    assert_eq!(second["method"], "elicitation/create", "it waits for no other: {second}");
    client.send(&json!({"method": "notifications/cancelled", "params": {"requestId": 1}}));
    let taken_back = client.next();
    assert_eq!(taken_back["params"]["requestId"], first["id"], "{taken_back}");
    client.send(&json!({"id": first["id"], "result": yes()}));
    client.send(&json!({"id": second["id"], "result": yes()}));
    let answer = client.next();
    assert_eq!(answer["id"], 2, "{answer}");
    client.call(3, "ask", &confirm());
    client.next();
    // The client is gone while its user is asked.
    client.end();
}

#[test]
fn in_the_modern_era_a_call_goes_on_when_its_client_comes_back() {
    let mut client = Client::start(&[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    });
    let mut params = json!({"name": "through", "arguments": confirm(), "_meta": meta});
    client.send(&json!({"id": 1, "method": "tools/call", "params": params}));
    let asked = client.next()["result"].clone();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let (name, request) = asked["inputRequests"].as_object().unwrap().iter().next().unwrap();
    assert_eq!(request["params"]["message"], "asker asks: Ship it?");
    params["requestState"] = asked["requestState"].clone();
    params["inputResponses"] = json!({name: yes()});
    client.send(&json!({"id": 2, "method": "tools/call", "params": params}));
    let answer = client.next();
    assert_eq!(answer["id"], 2);
    assert_eq!(answer["result"]["content"][0]["text"], r#"{"confirmed": true}"#);
    client.send(&json!({"id": 3, "method": "tools/call", "params": params}));
    assert_eq!(client.next()["error"]["code"], -32602);
    // One more that nobody comes back to.
    params.as_object_mut().unwrap().remove("requestState");
    client.send(&json!({"id": 4, "method": "tools/call", "params": params}));
    assert_eq!(client.next()["result"]["resultType"], "input_required");
    client.end();
}
