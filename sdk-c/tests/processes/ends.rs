//! How an extension ends: shutdown, end of input, signals, handlers that never end.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::Signal;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::host::{Host, call, text};
use crate::program::program;

const DOWN: &str = r#"{"type":"notify","level":"info","message":"down"}"#;
const ACKNOWLEDGED: &str = r#"{"type":"shutdown_ack"}"#;
/// What the program itself says when it ends in order.
const IN_ORDER: &str = "dropped nothing\nafter run\nat exit\n";

#[test]
fn a_shutdown_is_acknowledged_and_what_comes_after_run_runs() {
    let end = Host::start("ends", &[]).shut_down();
    end.assert_code(0);
    assert_eq!(end.lines, [DOWN, ACKNOWLEDGED]);
    assert_eq!(end.stderr, IN_ORDER);
}

#[test]
fn the_end_of_input_ends_it_in_order() {
    let end = Host::start("ends", &[]).close();
    end.assert_code(0);
    assert_eq!(end.lines, [DOWN]);
    assert_eq!(end.stderr, IN_ORDER);
}

#[test]
fn sigterm_ends_it_in_order_with_143() {
    let host = Host::start("ends", &[]);
    host.kill(Signal::TERM);
    let end = host.wait();
    end.assert_code(143);
    assert_eq!(end.lines, [DOWN]);
    let told = "dropped nothing\nrun: SIGTERM ended the extension\nafter run\nat exit\n";
    assert_eq!(end.stderr, told);
}

#[test]
fn sigterm_is_seen_while_handlers_keep_threads() {
    let mut host = Host::start("ends", &[]);
    host.send(&[call("1", "patient", "{}"), call("2", "patient", "{}")]);
    assert_eq!(host.call_as("3", "well", "{}")["id"], "3");
    host.kill(Signal::TERM);
    let end = host.wait();
    end.assert_code(143);
    assert_eq!(end.lines.len(), 3, "{:?}", end.lines);
    assert!(end.lines[..2].iter().all(|line| line.contains("in time")), "{:?}", end.lines);
}

#[test]
fn ctrl_c_is_the_programs_own() {
    let mut host = Host::start("ends", &[]);
    host.send(&[call("1", "patient", "{}")]);
    host.call_as("2", "well", "{}");
    host.kill(Signal::INT);
    let end = host.wait();
    assert_eq!(end.status.signal(), Some(2));
    assert!(end.lines.is_empty(), "{:?}", end.lines);
}

#[test]
fn a_handler_that_never_ends_is_answered_and_named() {
    for tool in ["stuck", "computing"] {
        let mut host = Host::start("ends", &[]);
        host.send(&[call("1", tool, "{}")]);
        assert_eq!(text(&host.call_as("2", "well", "{}")), "well");
        let end = host.shut_down();
        end.assert_code(0);
        assert!(end.lines[0].contains(r#""id":"1""#) && end.lines[0].contains(r#""cancelled""#));
        assert_eq!(end.lines[1..], [DOWN, ACKNOWLEDGED]);
        let last = format!("extline: ended 1.5s after shutdown; tool {tool} would not stop\n");
        assert_eq!(end.stderr, format!("dropped nothing\n{last}"));
    }
}

#[test]
fn a_call_that_is_kept_for_ever_does_not_hold_the_end_up() {
    let mut host = Host::start("ends", &[]);
    host.send(&[call("1", "kept", "{}")]);
    assert_eq!(text(&host.call_as("2", "well", "{}")), "well");
    let end = host.shut_down();
    end.assert_code(0);
    assert!(end.lines[0].contains(r#""id":"1""#) && end.lines[0].contains(r#""cancelled""#));
    assert_eq!(end.lines[1..], [DOWN, ACKNOWLEDGED]);
    assert_eq!(end.stderr, IN_ORDER);
}

#[test]
fn a_handler_that_sees_its_cancel_in_time_is_answered_by_itself() {
    let mut host = Host::start("ends", &[]);
    host.send(&[call("1", "patient", "{}")]);
    // Begun by now; what is not begun is answered without it.
    host.call_as("2", "well", "{}");
    let end = host.shut_down();
    end.assert_code(0);
    assert!(end.lines[0].contains("in time"), "{:?}", end.lines);
}

#[test]
fn a_host_that_takes_nothing_any_more_ends_it_without_sigpipe() {
    let mut host = Host::launch("calls", &[]);
    let mut read = Vec::new();
    while !read.ends_with(b"\n") {
        read.extend(host.read_some(1));
    }
    host.send(&[r#"{"type":"hello_ack","protocol_version":1}"#, &call("1", "chatter", "{}")]);
    while !read.windows(8).any(|seen| seen == b"\"notify\"") {
        read.extend(host.read_some(1));
    }
    host.close_stdout();
    host.wait().assert_code(0);
}

#[test]
fn a_program_that_does_not_end_after_its_extension_is_ended() {
    for what in ["lingers", "threads"] {
        let end = Host::start("ends", &[what]).shut_down();
        end.assert_code(0);
        // A thread does not hold a C program, which ends with its `main`.
        let held = what == "lingers";
        assert_eq!(end.stderr.contains("what the program does after its extension"), held);
    }
}

#[test]
fn a_failed_setup_ends_it_and_says_why() {
    let accepted = || {
        let mut host = Host::launch("ends", &["fails"]);
        host.next("hello");
        host.send(&[r#"{"type":"hello_ack","protocol_version":1}"#]);
        host
    };
    // The host may be gone right behind its answer.
    for end in [accepted().wait(), accepted().close()] {
        end.assert_code(1);
        assert!(end.stderr.contains("setup failed with the result 24, IO"), "{}", end.stderr);
        let told = "run: the extension ended with exit status 1";
        assert!(end.stderr.contains(told), "{}", end.stderr);
    }
}

#[test]
fn a_setup_that_the_end_cancels_has_not_failed() {
    let accepted = || {
        let mut host = Host::launch("ends", &["gives up"]);
        host.next("hello");
        host.send(&[r#"{"type":"hello_ack","protocol_version":1}"#]);
        host
    };
    let end = accepted().close();
    end.assert_code(0);
    assert!(!end.stderr.contains("setup failed"), "{}", end.stderr);
    // Nothing has cancelled this one.
    let end = accepted().wait();
    end.assert_code(1);
    assert!(end.stderr.contains("setup failed with the result 20, CANCELLED"), "{}", end.stderr);
}

#[test]
fn a_slow_setup_keeps_the_host_waiting_and_may_register() {
    let mut host = Host::start("ends", &["slowly"]);
    assert_eq!(text(&host.call("late", "{}")), "well");
    host.shut_down().assert_code(0);
}

#[test]
fn something_required_that_is_missing_ends_it_with_78() {
    let mut host = Host::launch("ends", &["requires"]);
    host.next("hello");
    host.send(&[r#"{"type":"hello_ack","protocol_version":1,"capabilities":[]}"#]);
    let told = host.next("notify")["message"].to_string();
    assert!(told.contains("does not offer the capability call_tool"), "{told}");
    let end = host.wait();
    end.assert_code(78);
}

#[test]
fn started_by_hand_it_says_how_it_is_tried() {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let screen =
        std::fs::File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    let path = program("ends");
    let output = Command::new(&path)
        .stdin(screen.try_clone().unwrap())
        .stdout(screen)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stderr).unwrap();
    for part in [
        "ends 1.0.0 is an extension for a coding agent",
        "extline run DIR",
        "extline call DIR stuck '{...}'",
        &format!("`-- {}` starts this very", path.display()),
        "EXTLINE_STDIO=claim",
    ] {
        assert!(text.contains(part), "{part} is not in: {text}");
    }
}

#[test]
fn an_unknown_choice_for_stdio_is_said() {
    let output = Command::new(program("ends"))
        .env("EXTLINE_STDIO", "leve")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.starts_with("extline: ARGUMENT: EXTLINE_STDIO is \"leve\""), "{text}");
}

#[test]
fn a_closed_stdin_is_said() {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(r#"exec "$0" <&-"#).arg(program("ends"));
    let end = Host::spawn(&mut shell).wait();
    end.assert_code(24);
    assert!(end.stderr.starts_with("extline: IO: cannot copy stdin"), "{}", end.stderr);
}

#[test]
fn a_second_of_no_work_costs_no_wake_ups() {
    let mut host = Host::start("ends", &[]);
    assert_eq!(text(&host.call("well", "{}")), "well");
    let switches = |host: &Host| -> u64 {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", host.id())).unwrap();
        tasks
            .map(|task| {
                let status = std::fs::read_to_string(task.unwrap().path().join("status")).unwrap();
                let count =
                    status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
                count.unwrap().trim().parse::<u64>().unwrap()
            })
            .sum()
    };
    // A busy machine takes its time until all are asleep.
    let is_quiet = |host: &Host| {
        let before = switches(host);
        thread::sleep(Duration::from_secs(1));
        switches(host) == before
    };
    assert!((0..20).any(|_| is_quiet(&host)), "threads wake up though nothing happens");
}
