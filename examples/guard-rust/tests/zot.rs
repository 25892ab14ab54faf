//! The program on a zot, which knows no guards and asks once: what it sends and how it answers,
//! frame by frame over real pipes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use extline::serde_json::{Value, from_str, json};

#[test]
fn a_zot_that_asks_once_gets_the_guard_s_block_or_the_interceptor_s_rewrite() {
    let mut guard = Guard::start();

    let answer = guard.ask("bash", &json!({"command": "sudo rm  -rf /"}));
    assert_eq!(answer["block"], true);
    let reason = answer["reason"].as_str().unwrap();
    assert!(reason.starts_with("refused: this deletes the root"), "{reason}");

    let answer = guard.ask("bash", &json!({"command": "ls"}));
    assert_eq!(answer["modified_args"], json!({"command": "ls", "timeout": 120}));
    assert_eq!(answer.get("block"), None);

    for (tool, args) in [
        ("bash", json!({"command": "ls", "timeout": 5})),
        ("write", json!({"path": "x", "content": "rm -rf /"})),
    ] {
        let answer = guard.ask(tool, &args);
        assert_eq!((answer.get("block"), answer.get("modified_args")), (None, None), "{answer}");
    }

    guard.ends_by_itself();
}

#[test]
fn arguments_that_it_cannot_read_are_blocked() {
    let mut guard = Guard::start();
    let answer = guard.ask("bash", &json!({"command": ["rm", "-rf", "/"]}));
    assert_eq!(answer["block"], true);
    let reason = answer["reason"].as_str().unwrap();
    assert!(reason.contains("dangerous_bash") && reason.contains("/command"), "{reason}");
    guard.ends_by_itself();
}

/// The running program, past its handshake.
struct Guard {
    process: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    asked: u32,
}

impl Guard {
    fn start() -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_guard-rust"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = process.stdin.take().unwrap();
        let stdout = BufReader::new(process.stdout.take().unwrap());
        let mut guard = Self { process, stdin, stdout, asked: 0 };
        assert_eq!(guard.read()["type"], "hello");
        guard.write(&json!({
            "type": "hello_ack", "protocol_version": 1, "zot_version": "0.1.62",
            "provider": "", "model": "", "cwd": "/",
        }));
        let subscribe = guard.read();
        assert_eq!(subscribe["type"], "subscribe");
        assert_eq!(subscribe["intercept"], json!(["tool_call"]), "a zot reads only this list");
        assert_eq!(guard.read()["type"], "ready");
        guard
    }

    fn ask(&mut self, tool: &str, args: &Value) -> Value {
        self.asked += 1;
        let id = self.asked.to_string();
        self.write(&json!({
            "type": "event_intercept", "id": id, "event": "tool_call",
            "tool_id": "call_1", "tool_name": tool, "tool_args": args,
        }));
        let answer = self.read();
        assert_eq!(
            (&answer["type"], &answer["id"]),
            (&json!("event_intercept_response"), &json!(id))
        );
        answer
    }

    fn ends_by_itself(mut self) {
        drop(self.stdin);
        assert!(self.process.wait().unwrap().success());
    }

    fn write(&mut self, frame: &Value) {
        writeln!(self.stdin, "{frame}").unwrap();
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }
}
