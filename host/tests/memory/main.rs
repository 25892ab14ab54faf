//! What a host keeps of an extension that floods it with each kind of frame in turn
//! (`host.memory`).
#![cfg(target_os = "linux")]
#![expect(clippy::print_stdout, reason = "what was measured, shown with --nocapture or a failure")]

#[allow(dead_code, reason = "the other tests use the rest")]
#[path = "../extensions/support.rs"]
mod support;

use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use std::{fs, thread};

use extline_host::{CallOptions, EXTENSION_MEMORY, ExtensionState, Host, News};

use crate::support::{Home, LONG, end, python};

/// What comes beside what is kept: the frame that is read and its copies, news for a listener that
/// is slow, what waits to be written, and what the allocator keeps for itself.
const BESIDE: usize = 128 * 1024 * 1024;

/// How a host is attacked, for a process that is started for one.
const KIND: &str = "EXTLINE_TEST_KIND";

/// The most this process has taken, in bytes.
fn peak() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: usize = line.trim().trim_end_matches(" kB").parse().unwrap();
    kilobytes * 1024
}

/// Waits until the host has ended the extension, or so long.
async fn flood(host: &Host, at_most: Duration) -> Option<String> {
    let began = Instant::now();
    while began.elapsed() < at_most {
        tokio::time::sleep(Duration::from_millis(100)).await;
        if let ExtensionState::Failed(diagnosis) = &host.extensions()[0].state {
            return Some(diagnosis.summary());
        }
    }
    None
}

/// A host with one extension that floods it so, and a method `wait` that never answers.
async fn host_of(home: &Home, kind: &str) -> Host {
    let builder = home.builder().serve_method("wait", |_| std::future::pending());
    let builder = builder.extension(python("hostile.py", [kind]));
    tokio::time::timeout(LONG, builder.start()).await.expect("the host must start")
}

/// Frames that follow one another without an end.
const FLOODS: [&str; 19] = [
    "hello",
    "bad-tools",
    "tools",
    "large-tools",
    "commands",
    "subscriptions",
    "long-subscriptions",
    "short-subscriptions",
    "notes",
    "logs",
    "prompts",
    "panels",
    "lines-of-panels",
    "calls",
    "requests",
    "unknown",
    "unknown-answers",
    "junk",
    "updates",
];

/// What is kept beyond the bound, by which an extension is ended.
const KEPT: [&str; 6] = [
    "large-tools",
    "lines-of-panels",
    "ids-of-panels",
    "ids-of-closed-panels",
    "ids-of-calls",
    "ids-of-requests",
];

#[test]
fn no_kind_of_frame_fills_a_host() {
    let floods = FLOODS.map(|kind| ("a_host_that_is_flooded", kind));
    let kept = KEPT.map(|kind| ("a_host_that_keeps_too_much", kind));
    let closed = ("a_host_whose_panels_are_closed", "drawn-and-closed-panels");
    // What takes longest comes first.
    let waiting: Vec<_> = kept.into_iter().rev().chain([closed]).chain(floods).collect();
    let waiting = Mutex::new(waiting.into_iter());
    let work = || {
        while let Some((test, kind)) = { waiting.lock().unwrap().next() } {
            in_a_process(test, kind);
        }
    };
    thread::scope(|scope| [scope.spawn(work), scope.spawn(work)].map(|it| it.join().unwrap()));
}

/// In a process of its own, so that what it takes is that host's, and nothing that an earlier one left to
/// the allocator.
fn in_a_process(test: &str, kind: &str) {
    let mut host = Command::new(std::env::current_exe().unwrap());
    let run = host.args(["--exact", "--ignored", "--nocapture", test]).env(KIND, kind).output();
    let run = run.unwrap();
    let (said, failed) =
        (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    for line in said.lines().filter(|line| line.starts_with(kind)) {
        println!("{line}");
    }
    assert!(run.status.success(), "{test} {kind}: {}\n{said}{failed}", run.status);
}

/// Not a test of its own, as those that follow.
#[tokio::test]
#[ignore = "the test above starts it"]
async fn a_host_that_is_flooded() {
    let Ok(kind) = std::env::var(KIND) else { return };
    let home = Home::new();
    let host = host_of(&home, &kind).await;
    let is_of_panel =
        |news: &News| matches!(news, News::PanelOpened { .. } | News::PanelClosed { .. });
    if kind.ends_with("panels") {
        let mut news = host.news();
        let opened = async { while !news.next().await.is_some_and(|news| is_of_panel(&news)) {} };
        tokio::time::timeout(LONG, opened).await.expect("a panel must be opened");
    }
    // Nobody takes the news.
    let news = host.news();
    let call = host.start_call("wait", "{}", CallOptions::default()).await;
    let ended = flood(&host, Duration::from_secs(2)).await;
    is_bounded(&kind, ended.as_deref().unwrap_or("runs"));
    drop((call, news));
    end(host).await;
}

fn is_bounded(kind: &str, ended: &str) {
    let taken = peak();
    println!("{kind:<20} {:>5} MB  {ended}", taken >> 20);
    assert!(taken < EXTENSION_MEMORY + BESIDE, "{kind}: {taken} bytes");
}

/// Asks for an answer again and again, as far as that goes.
async fn ask(host: &Host, times: usize) {
    for _ in 0..times {
        if tokio::time::timeout(LONG, host.call("echo", "{}")).await.unwrap().is_err() {
            break;
        }
    }
}

/// Which must end the extension by name.
#[tokio::test]
#[ignore = "the test above starts it"]
async fn a_host_that_keeps_too_much() {
    let Ok(kind) = std::env::var(KIND) else { return };
    let home = Home::new();
    let host = host_of(&home, &kind).await;
    // A frame goes before each answer, and fewer ids than a host keeps at once.
    ask(&host, 120).await;
    let ended = flood(&host, LONG).await.unwrap_or_else(|| panic!("{kind} must be ended"));
    assert!(ended.contains("bytes for it, and 134217728 at most"), "{kind}: {ended}");
    is_bounded(&kind, &ended);
    end(host).await;
}

/// Nothing of a closed panel waits in the news, however large it was, and though nobody takes them.
#[tokio::test]
#[ignore = "the test above starts it"]
async fn a_host_whose_panels_are_closed() {
    let Ok(kind) = std::env::var(KIND) else { return };
    let home = Home::new();
    let host = host_of(&home, &kind).await;
    let news = host.news();
    // Each time it is opened, drawn or closed.
    ask(&host, 3 * 80).await;
    is_bounded(&kind, "runs");
    drop(news);
    end(host).await;
}
