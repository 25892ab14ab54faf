//! What a process that says no hello does when it is spoken to after all: that tells why.

use std::time::{Duration, Instant};

use extline_scenario::{Failure, Outcome};
use serde_json::Value;

use crate::conversation::Conversation;

/// How long it may take to react; it had all the time before.
const REACTION: Duration = Duration::from_secs(1);
/// The longest text that is quoted.
const QUOTED: usize = 120;

/// Finds out why no hello came, and writes it into the failure.
pub(super) fn explain(conversation: &mut Conversation, failure: &mut Failure) {
    let mut findings = written(conversation);
    if failure.outcome == Outcome::Silent {
        findings.push(failure.got.replacen("nothing of the kind; ", "", 1));
        findings.extend(reaction(conversation));
    } else {
        findings.insert(0, failure.got.clone());
    }
    failure.got = findings.join("; ");
}

/// What it wrote instead.
fn written(conversation: &Conversation) -> Vec<String> {
    let mut findings = Vec::new();
    let timeline = conversation.seen().timeline();
    let partial = conversation.seen().partial();
    if let Some(first) = conversation.frames().iter().find(|arrived| !arrived.is_bootstrap()) {
        let line = timeline.line(first.record).unwrap_or_default();
        let what = if first.frame.is_ok() { "no hello" } else { "no frame" };
        findings.push(format!("the first line on stdout is {what}: {}", quoted(line)));
    } else if partial.is_empty() {
        findings.push("nothing came on stdout".to_owned());
    } else {
        let text = quoted(partial);
        findings.push(format!("{} bytes without an LF came on stdout: {text}", partial.len()));
    }
    let stderr = timeline.stderr();
    if let Some(line) = stderr.lines().find(|line| is_hello(line)) {
        findings.push(format!("hello came on stderr: {}", quoted(line.as_bytes())));
    }
    findings
}

/// What it does when it is sent a line, and when its stdin ends.
fn reaction(conversation: &mut Conversation) -> Option<String> {
    let is_hello = |frame: &Value| frame["type"] == "hello";
    conversation.acknowledge(None, None, None);
    if conversation.await_frame(0, Instant::now() + REACTION, is_hello).is_ok() {
        return Some("hello came as soon as a line was sent to it".to_owned());
    }
    conversation.target().close_stdin();
    let came = conversation.await_frame(0, Instant::now() + REACTION, is_hello).is_ok();
    came.then(|| {
        "hello came when its stdin was closed: it had been written into a buffer".to_owned()
    })
}

fn is_hello(line: &str) -> bool {
    let frame = serde_json::from_str::<Value>(line.trim()).unwrap_or_default();
    frame["type"] == "hello"
}

fn quoted(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.trim_end().to_owned(),
    }
}
