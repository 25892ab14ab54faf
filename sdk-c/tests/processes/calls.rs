//! Several calls at a time, cancels, full pipes, answers from other threads.

use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use crate::host::{Host, call, cancel, text};

/// Long enough for another thread to have taken the session over.
const A_WHILE: Duration = Duration::from_millis(100);

#[test]
fn a_cancel_in_the_same_write_is_seen_at_once() {
    let mut host = Host::start("calls", &[]);
    host.send(&[call("1", "doze", "{}"), cancel("1")]);
    assert_eq!(text(&host.next("tool_result")), "woken");
    host.send(&[call("2", "nap", "{}"), cancel("2")]);
    assert_eq!(text(&host.next("tool_result")), "cancelled");
    host.shut_down().assert_code(0);
}

#[test]
fn a_cancel_reaches_a_handler_that_computes() {
    let mut host = Host::start("calls", &[]);
    host.send(&[call("1", "compute", "{}")]);
    thread::sleep(A_WHILE);
    host.send(&[cancel("1")]);
    assert_eq!(text(&host.next("tool_result")), "stopped");
}

#[test]
fn more_sleeping_calls_than_threads_hide_nothing() {
    let mut host = Host::start("calls", &[]);
    let naps: Vec<_> = (0..40).map(|id| call(&id.to_string(), "nap", "{}")).collect();
    host.send(&naps);
    // 32 run; the others wait, and so does the canary, but a call of nobody is answered at once.
    host.send(&[call("canary", "quick", "{}"), call("unknown", "nowhere", "{}")]);
    assert_eq!(host.next("tool_result")["id"], "unknown");
    host.send(&[cancel("0")]);
    let first = host.next("tool_result");
    assert_eq!((first["id"].as_str(), text(&first)), (Some("0"), "cancelled"));
    let end = host.shut_down();
    end.assert_code(0);
    let answered: BTreeSet<String> = end
        .lines
        .iter()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|frame| frame["type"] == "tool_result")
        .map(|frame| frame["id"].as_str().unwrap().to_owned())
        .collect();
    let mut expected: BTreeSet<_> = (1..40).map(|id| id.to_string()).collect();
    expected.insert("canary".to_owned());
    assert_eq!(answered, expected);
    assert_eq!(end.lines.last().unwrap(), r#"{"type":"shutdown_ack"}"#);
}

#[test]
fn one_handler_at_a_time_if_so_wanted() {
    let mut host = Host::start("calls", &["1"]);
    let calls: Vec<_> = (0..5).map(|id| call(&id.to_string(), "alone", "{}")).collect();
    host.send(&calls);
    for _ in 0..5 {
        assert_eq!(text(&host.next("tool_result")), "1");
    }
    host.shut_down().assert_code(0);
}

#[test]
fn quick_calls_stay_on_the_thread_that_runs_and_come_back_to_it() {
    let mut host = Host::start("calls", &[]);
    assert_eq!(text(&host.call("quick", "{}")), "calls");
    host.send(&[call("slow", "keep", "{}"), call("other", "quick", "{}")]);
    let other = host.next("tool_result");
    assert_eq!(other["id"], "other");
    // The library's, unless a busy machine had made it the owner before.
    assert!(text(&other).starts_with("extline-") || text(&other) == "calls", "{other}");
    host.send(&[call("tell", "tell", "{}")]);
    let ids = [(); 2].map(|()| host.next("tool_result")["id"].clone());
    assert!(ids.contains(&"slow".into()), "{ids:?}");
    // It is handed back as soon as the first thread is free.
    let is_back = |host: &mut Host| text(&host.call("quick", "{}")) == "calls";
    while !is_back(&mut host) {
        thread::sleep(Duration::from_millis(5));
    }
    host.shut_down().assert_code(0);
}

#[test]
fn both_pipes_full_is_no_deadlock() {
    let mut host = unread();
    let args = format!(r#"{{"text":"{}"}}"#, "x".repeat(10_000));
    let calls: Vec<_> = (0..400).map(|id| call(&id.to_string(), "echo", &args)).collect();
    // Nothing is read until everything is written, which is more than both pipes hold; when the second
    // part comes, the answers to the first fill the way back.
    host.send(&calls[..100]);
    thread::sleep(A_WHILE * 3);
    host.send(&calls[100..]);
    let mut answered = BTreeSet::new();
    for _ in 0..400 {
        let answer = host.next("tool_result");
        assert_eq!(text(&answer).len(), 10_000);
        answered.insert(answer["id"].as_str().unwrap().to_owned());
    }
    assert_eq!(answered.len(), 400);
    host.shut_down().assert_code(0);
}

/// An extension of which nothing is read by itself.
fn unread() -> Host {
    let mut host = Host::launch("calls", &[]);
    read_lines(&mut host, 1, 1);
    host.send(&[r#"{"type":"hello_ack","protocol_version":1}"#]);
    while !read_lines(&mut host, 1, 1).ends_with("{\"type\":\"ready\"}\n") {}
    host
}

/// So many lines, in pieces of at most `most` bytes.
fn read_lines(host: &mut Host, count: usize, most: usize) -> String {
    let mut raw = Vec::new();
    let mut left = count;
    while left > 0 {
        let piece = host.read_some(most);
        left -= piece.split(|&byte| byte == b'\n').count() - 1;
        raw.extend(piece);
    }
    String::from_utf8(raw).unwrap()
}

#[test]
fn a_host_that_reads_slowly_gets_every_frame_whole() {
    let mut host = unread();
    let sizes: Vec<usize> = [1, 70_000, 3, 200_000, 5].repeat(4);
    let calls = sizes.iter().enumerate();
    let calls: Vec<_> = calls
        .map(|(id, size)| call(&id.to_string(), "large", &format!(r#"{{"n":{size}}}"#)))
        .collect();
    host.send(&calls);
    let raw = read_lines(&mut host, sizes.len(), 1000);
    let mut answered: Vec<(usize, usize)> = raw
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|answer| (answer["id"].as_str().unwrap().parse().unwrap(), text(&answer).len()))
        .collect();
    answered.sort_unstable();
    assert_eq!(answered, sizes.into_iter().enumerate().collect::<Vec<_>>());
}

#[test]
fn a_call_is_answered_later_from_another_thread() {
    let mut host = Host::start("calls", &[]);
    host.send(&[call("1", "when_told", "{}"), call("2", "quick", "{}")]);
    assert_eq!(host.next("tool_result")["id"], "2", "its thread was free meanwhile");
    host.send(&[call("3", "tell", "{}")]);
    let mut answers = [host.next("tool_result"), host.next("tool_result")];
    answers.sort_by_key(|answer| answer["id"].to_string());
    assert_eq!(answers.each_ref().map(text), ["when told", "told"]);
    let many: Vec<_> = (0..50).map(|id| call(&id.to_string(), "later", "{}")).collect();
    host.send(&many);
    let answers: BTreeSet<_> =
        (0..50).map(|_| host.next("tool_result")["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(answers.len(), 50);
    // Answered once the end has begun: it is waited for.
    host.send(&[call("last", "later", "{}")]);
    let end = host.shut_down();
    end.assert_code(0);
    assert_eq!(end.lines.len(), 2, "{:?}", end.lines);
    assert!(end.lines[0].contains(r#""id":"last""#), "{:?}", end.lines);
}

#[test]
fn a_call_that_nobody_answers_is_answered_with_internal() {
    let mut host = Host::start("calls", &[]);
    for tool in ["silent", "forgotten"] {
        let answer = host.call(tool, "{}");
        assert_eq!(answer["error"]["kind"], "internal");
        assert!(text(&answer).contains(&format!("{tool} returned without an answer")), "{answer}");
    }
}

#[test]
fn a_cancel_is_told_to_a_call_whose_handler_has_returned() {
    let mut host = Host::start("calls", &[]);
    host.send(&[call("1", "waits_for_cancel", "{}")]);
    // Its handler has returned by now, or is about to.
    host.call_as("2", "quick", "{}");
    host.send(&[cancel("1")]);
    let answer = host.next("tool_result");
    assert_eq!((answer["id"].as_str(), text(&answer)), (Some("1"), "told"));
    host.shut_down().assert_code(0);
}

#[test]
fn threads_of_the_author_may_say_something() {
    let mut host = Host::start("calls", &[]);
    host.send(&[call("1", "spread", "{}")]);
    for _ in 0..200 {
        assert_eq!(host.next("notify")["message"], "said");
    }
    assert_eq!(text(&host.next("tool_result")), "all said");
}

#[test]
fn kill_in_the_middle_of_calls_leaves_nothing() {
    let mut host = Host::start("calls", &[]);
    let naps: Vec<_> = (0..8).map(|id| call(&id.to_string(), "nap", "{}")).collect();
    host.send(&naps);
    assert_eq!(text(&host.call_as("canary", "quick", "{}")).get(..8), Some("extline-"));
    let id = host.id();
    host.kill(rustix::process::Signal::KILL);
    let end = host.wait();
    assert_eq!(end.status.code(), None);
    assert!(end.lines.is_empty(), "{:?}", end.lines);
    assert!(!std::path::Path::new(&format!("/proc/{id}")).exists());
}
