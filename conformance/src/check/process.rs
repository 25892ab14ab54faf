//! Checks of the process itself: how it rests, how it ends, what it leaves.

use serde_json::Value;

use super::{Finding, Observed, Outcome, sent};
use crate::conversation::{Arrived, milliseconds};
use crate::target::What;

/// No process of its own is left behind (`end.children`).
pub(super) fn left_behind(observed: &Observed<'_>) -> Outcome {
    let left_behind = observed.left_behind.filter(|_| !observed.killed && observed.exit.is_some());
    let Some(left_behind) = left_behind else { return Outcome::Nothing };
    let finding = |process: &String| Finding {
        text: format!("the process ended, and one that it started lives on: {process}"),
        record: last(observed),
    };
    Outcome::Found(left_behind.iter().map(finding).collect())
}

/// No processor time is used while nothing is to do (`io.idle`).
pub(super) fn rests(observed: &Observed<'_>) -> Outcome {
    let Some(rest) = observed.rest else { return Outcome::Nothing };
    if rest.used.is_zero() {
        return Outcome::Found(Vec::new());
    }
    let (used, over) = (milliseconds(rest.used), milliseconds(rest.over));
    let text =
        format!("it used {used} ms of processor time in {over} ms in which nothing was sent");
    Outcome::Found(vec![Finding { text, record: last(observed) }])
}

/// It does not end before it is told to (`end.unasked`).
pub(super) fn stays(observed: &Observed<'_>) -> Outcome {
    let records = observed.timeline.records();
    let ended = records.iter().position(|record| matches!(record.what, What::Exited(_)));
    let told = |what: &What| match what {
        What::Action(action) => {
            action == "stdin closed"
                || action == "stdout closed by the host"
                || action.starts_with("SIG")
        }
        What::Sent { bytes, .. } => sent(bytes).any(|frame| frame["type"] == "shutdown"),
        _ => false,
    };
    let Some(ended) = ended else { return Outcome::Found(Vec::new()) };
    if records[..ended].iter().any(|record| told(&record.what)) {
        return Outcome::Found(Vec::new());
    }
    if observed.blamed {
        // The case that it failed says so already, and says more.
        return Outcome::Nothing;
    }
    let how = observed.exit.map(ToString::to_string).unwrap_or_default();
    Outcome::Found(vec![Finding { text: format!("it ended by itself ({how})"), record: ended }])
}

/// `shutdown_ack` is the last frame (`end.ack`).
pub(super) fn ack_last(observed: &Observed<'_>) -> Outcome {
    let frames = observed.frames;
    let is_ack = |frame: &Value| frame["type"] == "shutdown_ack";
    let ack = frames.iter().position(|arrived| arrived.frame.as_ref().is_ok_and(is_ack));
    let Some(ack) = ack else { return Outcome::Nothing };
    let finding = |arrived: &Arrived| {
        let kind = arrived.frame.as_ref().ok().and_then(|frame| frame["type"].as_str());
        let what = kind.unwrap_or("a line that is no frame");
        Finding { text: format!("{what} after shutdown_ack"), record: arrived.record }
    };
    Outcome::Found(frames[ack + 1..].iter().map(finding).collect())
}

/// Nothing comes on stdout once the process has ended (`end.children`).
pub(super) fn silent_at_last(observed: &Observed<'_>) -> Outcome {
    let records = observed.timeline.records();
    let ended = records.iter().position(|record| matches!(record.what, What::Exited(_)));
    let Some(ended) = ended.filter(|_| !observed.killed) else { return Outcome::Nothing };
    let after = records.iter().enumerate().skip(ended);
    let lines = after.filter(|(_, record)| matches!(record.what, What::Line { .. }));
    let text = "a line on stdout after the process has ended: one that it started wrote it";
    let finding = |(record, _)| Finding { text: text.to_owned(), record };
    Outcome::Found(lines.map(finding).collect())
}

fn last(observed: &Observed<'_>) -> usize {
    observed.timeline.mark().saturating_sub(1)
}
