//! `extline mcp` over what a client may give it as stdin and stdout.

#![cfg(unix)]

mod support;

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, Write, pipe};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Stdio};

use rustix::fs::{OFlags, fcntl_getfl};
use serde_json::{Value, json};
use support::{Extline, signal};

/// A program by hand with a tool that says again what it is given.
const ECHO: &str = r#"
import json, sys
def say(**frame): print(json.dumps(frame), flush=True)
say(type="hello", name="echo", version="2.0.0")
say(type="register_tool", name="echo", description="Says it again.", schema={"type": "object"})
say(type="ready")
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "tool_call":
        say(type="tool_result", id=frame["id"], content=[{"type": "text", "text": frame["args"]["text"]}])
    if frame["type"] == "shutdown":
        say(type="shutdown_ack")
        break
"#;

/// More than the pipes between client, server and extension hold in all.
const CALLS: usize = 100;
const FEW: usize = 10;
const TEXT: usize = 20_000;

fn start(extline: &Extline, stdin: impl Into<Stdio>, stdout: impl Into<Stdio>) -> Child {
    let words = ["mcp", "--", "python3", "-S", "-c", ECHO];
    let mut command = extline.command(&words);
    command.stdin(stdin).stdout(stdout).stderr(Stdio::null()).spawn().unwrap()
}

fn write_calls(count: usize, mut to: impl Write) {
    let text = "x".repeat(TEXT);
    for id in 0..count {
        let params = json!({"name": "echo", "arguments": {"text": text}});
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        writeln!(to, "{call}").unwrap();
    }
}

fn assert_answers(count: usize, from: impl Read) {
    let mut ids = Vec::new();
    for line in BufReader::new(from).lines().take(count) {
        let answer: Value = serde_json::from_str(&line.unwrap()).unwrap();
        assert_eq!(answer["result"]["content"][0]["text"].as_str().unwrap().len(), TEXT);
        ids.push(usize::try_from(answer["id"].as_u64().unwrap()).unwrap());
    }
    ids.sort_unstable();
    assert_eq!(ids, (0..count).collect::<Vec<_>>());
}

#[test]
fn a_client_may_write_all_of_its_calls_before_it_reads_an_answer() {
    let extline = Extline::new();
    let (from_client, to_server) = pipe().unwrap();
    let (from_server, to_client) = pipe().unwrap();
    let mut server = start(&extline, from_client, to_client);
    write_calls(CALLS, &to_server);
    assert_answers(CALLS, from_server);
    drop(to_server);
    assert!(server.wait().unwrap().success());
}

#[test]
fn sockets_do_as_well_as_pipes() {
    let extline = Extline::new();
    let (input, to_server) = UnixStream::pair().unwrap();
    let (output, from_server) = UnixStream::pair().unwrap();
    let mut server = start(&extline, OwnedFd::from(input), OwnedFd::from(output));
    write_calls(CALLS, &to_server);
    assert_answers(CALLS, from_server);
    drop(to_server);
    assert!(server.wait().unwrap().success());
    // One socket for both.
    let (end, client) = UnixStream::pair().unwrap();
    let mut server = start(&extline, OwnedFd::from(end.try_clone().unwrap()), OwnedFd::from(end));
    write_calls(CALLS, &client);
    assert_answers(CALLS, &client);
    client.shutdown(Shutdown::Write).unwrap();
    assert!(server.wait().unwrap().success());
}

#[test]
fn files_are_read_and_written_too() {
    let extline = Extline::new();
    let (mut input, mut output) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
    // What runs has two seconds after the end of a file.
    write_calls(FEW, &input);
    input.rewind().unwrap();
    let mut server = start(&extline, input, output.try_clone().unwrap());
    assert!(server.wait().unwrap().success());
    output.rewind().unwrap();
    assert_answers(FEW, output);
}

#[test]
fn what_the_server_shares_with_its_client_goes_on_to_block() {
    let extline = Extline::new();
    let (mut input, mut to_server) = UnixStream::pair().unwrap();
    let (from_server, output) = pipe().unwrap();
    let mut server =
        start(&extline, OwnedFd::from(input.try_clone().unwrap()), output.try_clone().unwrap());
    writeln!(to_server, r#"{{"jsonrpc": "2.0", "id": 1, "method": "ping"}}"#).unwrap();
    let mut line = String::new();
    BufReader::new(&from_server).read_line(&mut line).unwrap();
    assert!(line.contains(r#""id":1"#), "{line}");
    for shared in [input.as_fd(), output.as_fd()] {
        assert!(!fcntl_getfl(shared).unwrap().contains(OFlags::NONBLOCK));
    }
    to_server.shutdown(Shutdown::Write).unwrap();
    assert!(server.wait().unwrap().success());
    assert_eq!(input.read(&mut [0; 1]).unwrap(), 0);
}

#[test]
fn a_client_that_reads_nothing_keeps_no_server_that_is_interrupted() {
    let extline = Extline::new();
    let (from_client, to_server) = pipe().unwrap();
    let (from_server, to_client) = pipe().unwrap();
    let mut server = start(&extline, from_client, to_client);
    write_calls(CALLS, &to_server);
    signal(&server, "INT");
    assert_eq!(server.wait().unwrap().code(), Some(130));
    drop(from_server);
}

#[test]
fn a_client_that_has_gone_ends_the_server() {
    let extline = Extline::new();
    let mut errors: File = tempfile::tempfile().unwrap();
    let (from_client, to_server) = pipe().unwrap();
    let (from_server, to_client) = pipe().unwrap();
    let words = ["mcp", "--", "python3", "-S", "-c", ECHO];
    let mut command = extline.command(&words);
    command.stdin(from_client).stdout(to_client).stderr(errors.try_clone().unwrap());
    let mut server = command.spawn().unwrap();
    drop(command);
    drop(from_server);
    writeln!(&to_server, r#"{{"jsonrpc": "2.0", "id": 1, "method": "ping"}}"#).unwrap();
    assert_eq!(server.wait().unwrap().code(), Some(1));
    let mut said = String::new();
    errors.rewind().unwrap();
    errors.read_to_string(&mut said).unwrap();
    assert!(said.contains("the client cannot be served: Broken pipe"), "{said}");
}
