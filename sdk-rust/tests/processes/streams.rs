//! Stdin and stdout: nothing strays onto them, and full pipes stop nobody.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use crate::host::{ACK, Host, call, probe, sigterm};

#[test]
fn nothing_that_a_handler_prints_reaches_the_wire() {
    let mut host = Host::probe();
    host.call("1", "stray", "{}");
    host.call("2", "echo", r#"{"text":"after"}"#);
    let mut wire = vec![host.line(), host.line()];
    host.send(r#"{"type":"shutdown"}"#);
    let end = host.wait();
    wire.extend(end.lines);
    assert_eq!(
        wire,
        [
            concat!(
                r#"{"type":"tool_result","id":"1","#,
                r#""content":[{"type":"text","text":"the child ended: Some(0)"}]}"#
            ),
            r#"{"type":"tool_result","id":"2","content":[{"type":"text","text":"after"}]}"#,
            r#"{"type":"shutdown_ack"}"#,
        ]
    );
    let raw = if cfg!(unix) { r#"{"type":"raw"}"# } else { "no line end" };
    for stray in [r#"{"type":"hello"}"#, "no line end", raw, "from a child"] {
        assert!(end.stderr.contains(stray), "{stray} is not in: {}", end.stderr);
    }
}

#[test]
fn two_full_pipes_do_not_stop_each_other() {
    const CALLS: usize = 8;
    let text = "x".repeat(1024 * 1024);
    let args = format!(r#"{{"text":"{text}"}}"#);
    let (mut child, mut stdin, stdout) = unread();

    // The host reads nothing until it has written all its calls, 8 MiB. The first answer alone fills
    // the other pipe, so from then on the extension waits to write, and has to read.
    for id in 0..CALLS {
        writeln!(stdin, "{}", call(&id.to_string(), "echo", &args)).unwrap();
    }
    let mut answers = BufReader::new(stdout).lines().map(Result::unwrap);
    for id in 0..CALLS {
        let answer = answers.next().unwrap();
        let expected = format!(r#"{{"type":"tool_result","id":"{id}","content""#);
        assert!(answer.starts_with(&expected), "{}", &answer[..expected.len()]);
        assert!(answer.contains(&text));
    }
    drop(stdin);
    assert!(answers.next().is_none());
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_host_that_writes_on_behind_its_shutdown_still_gets_the_last_answers() {
    // Together more than a pipe holds, and no more, as it must be written while the end lasts.
    let args = format!(r#"{{"text":"{}"}}"#, "x".repeat(32 * 1024));
    let (mut child, mut stdin, mut stdout) = unread();
    writeln!(stdin, "{}", call("1", "big", r#"{"amount":4000000}"#)).unwrap();
    // Its answer has begun and cannot end.
    stdout.read_exact(&mut [0; 100]).unwrap();
    writeln!(stdin, r#"{{"type":"shutdown"}}"#).unwrap();
    for id in 0..8 {
        writeln!(stdin, "{}", call(&format!("late {id}"), "echo", &args)).unwrap();
    }
    let lines: Vec<_> = BufReader::new(stdout).lines().map(Result::unwrap).collect();
    assert!(lines[0].ends_with("xxx\"}]}"));
    assert_eq!(lines[1..], [r#"{"type":"shutdown_ack"}"#]);
    assert!(child.wait().unwrap().success());
}

#[test]
fn what_is_read_ahead_has_a_limit_in_frames_and_in_bytes_and_no_call_is_lost() {
    for (size, most) in [(10, 8_000), (1024 * 1024, 18)] {
        let args = format!(r#"{{"text":"{}"}}"#, "x".repeat(size));
        let (mut child, mut stdin, mut stdout) = unread();
        writeln!(stdin, "{}", call("first", "big", r#"{"amount":4000000}"#)).unwrap();
        // Its answer has begun and cannot end.
        stdout.read_exact(&mut [0; 100]).unwrap();

        // Calls are written until none is taken for a while.
        let (sender, written) = channel();
        let writer = thread::spawn(move || {
            for id in 0..most {
                writeln!(stdin, "{}", call(&id.to_string(), "echo", &args)).unwrap();
                sender.send(id).unwrap();
            }
            stdin
        });
        let taken = std::iter::from_fn(|| written.recv_timeout(Duration::from_secs(2)).ok());
        let taken = taken.count();
        assert!(taken > 10 && taken < most, "{taken} calls of {size} bytes were taken");

        let mut answers = BufReader::new(stdout).lines().map(Result::unwrap);
        assert!(answers.next().unwrap().ends_with("xxx\"}]}"));
        for id in 0..most {
            assert!(answers.next().unwrap().contains(&format!(r#""id":"{id}""#)));
        }
        drop(writer.join().unwrap());
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn a_host_that_never_reads_does_not_keep_the_process() {
    let (mut child, mut stdin, mut stdout) = unread();
    writeln!(stdin, "{}", call("1", "big", r#"{"amount":4000000}"#)).unwrap();
    stdout.read_exact(&mut [0; 100]).unwrap();
    sigterm(&child);
    assert_eq!(child.wait().unwrap().code(), Some(143));
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(
        stderr,
        "extline: ended 1.5s after shutdown; the host did not take the last answers\n"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_process_that_waits_for_the_host_does_not_spin() {
    let (mut child, mut stdin, mut stdout) = unread();
    // Updates fall due all the time, and nobody takes the long answer before them.
    writeln!(stdin, "{}", call("1", "steps", r#"{"amount":100000}"#)).unwrap();
    writeln!(stdin, "{}", call("2", "big", r#"{"amount":4000000}"#)).unwrap();
    stdout.read_exact(&mut [0; 4096]).unwrap();
    let cpu_before = cpu_ticks(&child);
    thread::sleep(Duration::from_secs(1));
    let spent = cpu_ticks(&child) - cpu_before;
    assert!(spent < 50, "{spent} of 100 ticks");
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The CPU time of a process, in hundredths of a second.
#[cfg(target_os = "linux")]
fn cpu_ticks(child: &Child) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let ticks = |at: usize| fields.split_whitespace().nth(at).unwrap().parse::<u64>().unwrap();
    ticks(11) + ticks(12)
}

/// A process that has said `ready`, and its pipes, which nobody reads.
fn unread() -> (Child, ChildStdin, ChildStdout) {
    let mut child = Command::new(probe())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    writeln!(stdin, "{ACK}").unwrap();
    let mut seen = Vec::new();
    while !seen.ends_with(b"{\"type\":\"ready\"}\n") {
        let mut byte = [0];
        stdout.read_exact(&mut byte).unwrap();
        seen.extend(byte);
    }
    (child, stdin, stdout)
}
