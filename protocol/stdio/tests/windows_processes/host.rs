//! The host's side, and the tests one after the other.

#![expect(clippy::print_stdout, reason = "a test report goes to stdout")]

use std::env;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Output, Stdio};

/// The variable that makes this program play a role.
pub(crate) const ROLE: &str = "EXTLINE_STDIO_TEST_ROLE";

type Test = (&'static str, fn());

const TESTS: &[Test] = &[
    ("stray output never reaches the wire and all of it is on stderr", stray),
    ("bytes are left as they are", bytes),
    ("a child process does not inherit the private handles", child),
    ("release gives both back and they can be claimed again", release),
    ("claiming twice is an error", twice),
    ("ctrl-c is the end of a wait", ctrl_c),
    ("last words are waited for", last_words),
];

pub(crate) fn run() {
    for (name, test) in TESTS {
        test();
        println!("test {name} ... ok");
    }
}

fn start(role: &str) -> Child {
    Command::new(env::current_exe().unwrap())
        .env(ROLE, role)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Sends all of `bytes`, and reads all that comes until the role has ended.
fn talk(role: &str, bytes: &[u8]) -> Output {
    let mut child = start(role);
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    child.wait_with_output().unwrap()
}

/// Fails with the role's own words unless it ended with 0.
fn talk_well(role: &str, bytes: &[u8]) -> (Vec<u8>, String) {
    let Output { status, stdout, stderr } = talk(role, bytes);
    let stderr = String::from_utf8(stderr).unwrap();
    assert!(status.success(), "{status}; it said:\n{stderr}");
    (stdout, stderr)
}

fn stray() {
    let (wire, stderr) = talk_well("stray", b"frame\n");
    assert_eq!(String::from_utf8(wire).unwrap(), "frame\nbye\r\n");
    let strays = [
        "[buffered before the claim]",
        "[descriptor 1]",
        "[println]",
        "[another C runtime]",
        "[child process]",
        "[println at the end]",
    ];
    for text in strays {
        assert!(stderr.contains(text), "{text} is not on stderr:\n{stderr}");
    }
    assert!(stderr.starts_with(strays[0]), "{stderr}");
}

fn bytes() {
    let sent = b"one\r\ntwo\n\x1a\0three\r";
    let (wire, _) = talk_well("echo", sent);
    assert_eq!(wire, [&sent[..], b"bye\r\n"].concat());
}

fn child() {
    let mut role = start("child stays");
    let mut to = role.stdin.take().unwrap();
    let mut from: BufReader<ChildStdout> = BufReader::new(role.stdout.take().unwrap());
    let mut line = String::new();
    from.read_line(&mut line).unwrap();
    // With a copy in the child's hands the wire would not end, and would still take bytes.
    let mut rest = Vec::new();
    from.read_to_end(&mut rest).unwrap();
    assert_eq!(rest, b"");
    role.wait().unwrap();
    assert!(to.write_all(b"x").is_err());
    let pid = line.trim();
    Command::new("taskkill").args(["/f", "/pid", pid]).stdout(Stdio::null()).status().unwrap();
}

fn release() {
    let (wire, stderr) = talk_well("release", b"read from stdin\n");
    let wire = String::from_utf8(wire).unwrap();
    let lines: Vec<&str> = wire.lines().collect();
    let expected =
        ["printed after the release", "by descriptor 1", "read from stdin", "claimed again"];
    assert_eq!(lines, expected);
    assert_eq!(stderr, "printed while claimed\nprinted while claimed again\n");
}

fn twice() {
    talk_well("claim twice", b"");
}

fn ctrl_c() {
    let (wire, _) = talk_well("ctrl-c", b"");
    assert_eq!(wire, b"told to end\n");
}

fn last_words() {
    let Output { status, stderr, .. } = talk("slow last words", b"");
    assert_eq!(status.code(), Some(3));
    assert!(String::from_utf8(stderr).unwrap().contains("tool slow would not stop"));
}
