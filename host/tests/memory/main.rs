//! What a host keeps of an extension that floods it with each kind of frame in turn
//! (`host.memory`). Nothing else runs in this process, so what it takes is the host's.
#![cfg(target_os = "linux")]
#![expect(clippy::print_stdout, reason = "what was measured, shown with --nocapture or a failure")]

#[allow(dead_code, reason = "the other tests use the rest")]
#[path = "../extensions/support.rs"]
mod support;

use std::fs;
use std::time::{Duration, Instant};

use extline_host::{CallOptions, EXTENSION_MEMORY, ExtensionState, Host, News};

use crate::support::{Home, LONG, end, python};

/// What comes beside what is kept: the frame that is read and its copies, news for a listener that
/// is slow, what waits to be written, and what the allocator keeps for itself.
const BESIDE: usize = 128 * 1024 * 1024;

/// The most this process has taken since it was asked last, in bytes.
fn peak() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: usize = line.trim().trim_end_matches(" kB").parse().unwrap();
    fs::write("/proc/self/clear_refs", "5").unwrap();
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

/// One test, as what this process takes is measured.
#[tokio::test]
async fn no_kind_of_frame_fills_a_host() {
    peak();
    for kind in [
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
    ] {
        let home = Home::new();
        let host = host_of(&home, kind).await;
        // Nobody takes the news.
        let mut news = host.news();
        let call = host.start_call("wait", "{}", CallOptions::default()).await;
        let ended = flood(&host, Duration::from_secs(2)).await;
        let taken = peak();
        println!("{kind:<20} {:>5} MB  {}", taken >> 20, ended.as_deref().unwrap_or("runs"));
        assert!(taken < EXTENSION_MEMORY + BESIDE, "{kind}: {taken} bytes");
        if kind.ends_with("panels") {
            let is_of_panel =
                |news: &News| matches!(news, News::PanelOpened { .. } | News::PanelClosed { .. });
            assert!(
                std::iter::from_fn(|| news.try_next()).any(|news| is_of_panel(&news)),
                "{kind}"
            );
        }
        drop((call, news));
        end(host).await;
        peak();
    }
    what_is_kept_beyond_the_bound_ends_an_extension_by_name().await;
    nothing_of_a_closed_panel_waits_in_the_news().await;
}

/// Asks for an answer again and again, as far as that goes.
async fn ask(host: &Host, times: usize) {
    for _ in 0..times {
        if tokio::time::timeout(LONG, host.call("echo", "{}")).await.unwrap().is_err() {
            break;
        }
    }
}

async fn what_is_kept_beyond_the_bound_ends_an_extension_by_name() {
    for kind in [
        "large-tools",
        "lines-of-panels",
        "ids-of-panels",
        "ids-of-closed-panels",
        "ids-of-calls",
        "ids-of-requests",
    ] {
        let home = Home::new();
        let host = host_of(&home, kind).await;
        // A frame goes before each answer, and fewer ids than a host keeps at once.
        ask(&host, 120).await;
        let ended = flood(&host, LONG).await.unwrap_or_else(|| panic!("{kind} must be ended"));
        assert!(ended.contains("bytes for it, and 134217728 at most"), "{kind}: {ended}");
        end(host).await;
    }
}

/// However large it was, and though nobody takes the news.
async fn nothing_of_a_closed_panel_waits_in_the_news() {
    let home = Home::new();
    let host = host_of(&home, "drawn-and-closed-panels").await;
    let news = host.news();
    peak();
    // Each time it is opened, drawn or closed.
    ask(&host, 3 * 80).await;
    let taken = peak();
    assert!(taken < EXTENSION_MEMORY + BESIDE, "{taken} bytes");
    drop(news);
    end(host).await;
}
