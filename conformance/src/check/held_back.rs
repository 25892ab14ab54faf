//! Answers that lie in a buffer until something else is written.

use std::time::Duration;

use serde_json::Value;

use super::replies::{ANSWERS, answer_to};
use super::{Finding, Observed, Outcome};
use crate::target::{What, lines_of};

/// Nothing is written for so long after a question before an answer to it counts as late.
const LATE: Duration = Duration::from_secs(1);
/// An answer that comes so soon after the next line was only waiting for that.
const AT_ONCE: Duration = Duration::from_millis(300);

/// An answer is flushed before the extension waits for more (`frm.flush`).
///
/// One that was held back comes right after the next thing that the tester does, and nothing came
/// before.
pub(super) fn held_back(observed: &Observed<'_>) -> Outcome {
    let frames = observed.frames;
    let answers = || {
        frames.iter().filter_map(|arrived| {
            let frame = arrived.frame.as_ref().ok()?;
            let kind = ANSWERS.iter().find(|kind| frame["type"] == **kind)?;
            // The move itself has ended the call, as a shutdown does.
            if frame["error"]["kind"] == "cancelled" {
                return None;
            }
            Some((*kind, frame["id"].as_str()?, arrived))
        })
    };
    if answers().next().is_none() {
        return Outcome::Nothing;
    }
    let findings = pauses(observed).into_iter().filter_map(|pause| {
        let (_, _, answer) = answers().find(|(kind, id, answer)| {
            let soon = pause.end..pause.end + AT_ONCE;
            soon.contains(&answer.at) && pause.asked.contains(&(*kind, (*id).to_owned()))
        })?;
        let late = (answer.at.saturating_sub(pause.began)).as_millis();
        let text = format!(
            "this answer came {late} ms after its question, right after the tester's next move: \
             it lay in a buffer until then"
        );
        Some(Finding { text, record: answer.record })
    });
    Outcome::Found(findings.collect())
}

/// A time in which the tester had asked, did nothing, listened, and heard nothing. One in which it did
/// not read, or had no processor, is none: what had come then is seen only with its next move.
struct Pause {
    began: Duration,
    end: Duration,
    /// What the extension was asked last: the kind of the answer, and its id.
    asked: Vec<(&'static str, String)>,
}

fn pauses(observed: &Observed<'_>) -> Vec<Pause> {
    let records = observed.timeline.records();
    // What comes on stderr is no answer, and what a process does by itself no move of the tester's.
    let relevant = records.iter().filter(|record| {
        matches!(record.what, What::Sent { .. } | What::Line { .. } | What::Action(_))
    });
    let relevant: Vec<_> = relevant.collect();
    let pause = |pair: &[&crate::target::Record]| {
        let What::Sent { bytes, .. } = &pair[0].what else { return None };
        let moves = matches!(pair[1].what, What::Sent { .. } | What::Action(_));
        let (began, end) = (pair[0].at, pair[1].at);
        let long = moves && pair[1].silent.saturating_sub(began) >= LATE;
        long.then(|| Pause { began, end, asked: questions(bytes) })
    };
    relevant.windows(2).filter_map(pause).collect()
}

fn questions(bytes: &[u8]) -> Vec<(&'static str, String)> {
    let frames = lines_of(bytes).filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let question = |frame: Value| Some((answer_to(&frame)?, frame["id"].as_str()?.to_owned()));
    frames.filter_map(question).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Arrived, Protocol};
    use crate::target::{Record, Timeline};

    fn outcome(silent: u64, end: u64) -> usize {
        outcome_of(silent, end, r#"{"type":"tool_result","id":"1","content":[]}"#)
    }

    /// What comes of a question, a move `end` ms later, and that answer right behind it, when the tester
    /// last heard nothing `silent` ms after the question.
    fn outcome_of(silent: u64, end: u64, answer: &str) -> usize {
        let mut timeline = Timeline::recorded();
        let sent = |text: &str| What::Sent { bytes: text.as_bytes().to_vec(), writes: vec![1] };
        let line =
            |text: &str| What::Line { bytes: text.as_bytes().to_vec(), reads: 1, terminated: true };
        let records = [
            (100, 100, sent("{\"type\":\"tool_call\",\"id\":\"1\",\"name\":\"x\"}\n")),
            (100 + end, 100 + silent, What::Action("stdin closed".to_owned())),
            (101 + end, 100 + silent, line(answer)),
        ];
        for (at, silent, what) in records {
            let [at, silent] = [at, silent].map(Duration::from_millis);
            timeline.push(Record { at, silent, what });
        }
        let frames = timeline.records().iter().enumerate();
        let frames: Vec<_> = frames
            .filter_map(|(at, record)| Arrived::spoken(Protocol::Extension, at, record))
            .collect();
        match held_back(&Observed::only(&timeline, &frames)) {
            Outcome::Found(findings) => findings.len(),
            Outcome::Nothing => 0,
        }
    }

    #[test]
    fn only_what_the_tester_listened_for_was_held_back() {
        assert_eq!(outcome(1500, 1500), 1);
        assert_eq!(outcome(1005, 3000), 1, "it listened for long enough");
        assert_eq!(outcome(0, 1500), 0, "it did not read at all");
        assert_eq!(outcome(700, 3000), 0, "it had no processor for most of the time");
        assert_eq!(outcome(900, 900), 0);
    }

    #[test]
    fn a_call_that_the_tester_ended_was_not_held_back() {
        let cancelled = r#"{"type":"tool_result","id":"1","content":[],"is_error":true,"error":{"kind":"cancelled","message":"cancelled"}}"#;
        assert_eq!(outcome_of(1500, 1500, cancelled), 0);
        let failed = r#"{"type":"tool_result","id":"1","content":[],"is_error":true,"error":{"kind":"not_found","message":"cancelled"}}"#;
        assert_eq!(outcome_of(1500, 1500, failed), 1);
    }
}
