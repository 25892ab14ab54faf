//! Plays the steps of a case against one process.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::case::{
    Case, Close, Handshake, Step, Text, Values, Verb, expand, id_of, is_like, replace, unhex,
};
use crate::conversation::{Conversation, HELLO, Missing, seconds};
use crate::failure::{Failure, Outcome};
use crate::survey::{Canary, Survey};

/// The time for a process to be gone (`end.in-time`).
const GONE: Duration = Duration::from_secs(2);
/// Without a better canary, a process that lives this long has survived.
const SURVIVED: Duration = Duration::from_secs(1);
/// How often such a process is looked at.
const GLANCE: Duration = Duration::from_millis(10);
/// How long a blocked writer must be stuck before it counts as blocked for good.
const STUCK: Duration = Duration::from_millis(300);
/// The time for all answers to a burst.
const BURST: Duration = Duration::from_secs(15);

/// Plays a case; `Err` says what happened instead of what was expected.
pub(super) fn play(
    case: &Case,
    values: Values,
    conversation: &mut Conversation,
    survey: &Survey,
) -> Result<(), Failure> {
    let from = conversation.frames().len();
    let mut player = Player { conversation, survey, values, from, asked: from, ids: Vec::new() };
    case.steps.iter().try_for_each(|step| player.step(step))
}

struct Player<'a> {
    conversation: &'a mut Conversation,
    survey: &'a Survey,
    values: Values,
    /// How many lines had come when the case began.
    from: usize,
    /// How many had come when it asked last.
    asked: usize,
    /// The ids it asked with.
    ids: Vec<Value>,
}

impl Player<'_> {
    fn step(&mut self, step: &Step) -> Result<(), Failure> {
        let within = |default| step.within_ms.map_or(default, Duration::from_millis);
        let soft = within(self.survey.soft());
        match &step.verb {
            Verb::Line(text) => self.write(text, true),
            Verb::Raw(text) => self.write(text, false),
            Verb::Hex(text) => self.conversation.target().write(unhex(&text.template)),
            Verb::Answer => return self.answer(soft),
            Verb::Expect(frame) => return self.expect(frame, soft),
            Verb::Refuse(frame) => return self.refuse(frame, soft),
            Verb::Canary(times) => return self.canary(*times, soft),
            Verb::Handshake(handshake) => return self.handshake(handshake),
            Verb::Hello => return self.conversation.await_hello(within(HELLO)),
            Verb::Close(Close::Stdin) => self.conversation.target().close_stdin(),
            Verb::Close(Close::Stdout) => self.conversation.target().close_stdout(),
            Verb::Signal(signal) => self.conversation.target().signal(*signal, false),
            Verb::Read(reading) => self.conversation.target().set_reading(*reading),
            Verb::Wait(millis) => self.conversation.listen(Duration::from_millis(*millis)),
            Verb::Exit(exits) => return self.exit(exits.status, within(GONE)),
            Verb::Alive => return self.alive(),
            Verb::Burst(bytes) => return self.burst(*bytes, within(BURST)),
        }
        Ok(())
    }

    fn handshake(&mut self, handshake: &Handshake) -> Result<(), Failure> {
        self.conversation.await_hello(HELLO)?;
        let glued = handshake.glued.as_ref().map(|text| {
            let id = self.conversation.fresh_id();
            self.ask_with(id);
            replace(text, &self.values)
        });
        let ack = handshake.ack.as_ref().map(|ack| replace(ack, &self.values));
        self.conversation.acknowledge(ack.as_deref(), handshake.chunk, glued.as_deref());
        self.conversation.await_ready(Some(self.survey))
    }

    /// The next answer that is waited for has this id.
    fn ask_with(&mut self, id: String) {
        self.asked = self.conversation.frames().len();
        self.ids.extend(id_of(&id));
        self.values.id = id;
    }

    fn write(&mut self, text: &Text, line: bool) {
        let end = if line { "\n" } else { "" };
        let mut bytes = Vec::new();
        for _ in 0..text.times {
            if text.template.contains("$id") || text.template.contains("$ask") {
                let fresh = || self.conversation.fresh_id();
                let id = text.id.clone().unwrap_or_else(fresh);
                self.ask_with(id);
            }
            bytes.extend(expand(text, &self.values));
            bytes.extend_from_slice(end.as_bytes());
        }
        let pause = Duration::from_millis(text.pause_ms);
        self.conversation.target().write_in_chunks(bytes, text.chunk.unwrap_or(usize::MAX), pause);
    }

    fn answer(&mut self, within: Duration) -> Result<(), Failure> {
        let canary = &self.survey.canary;
        let id = id_of(&self.values.id).unwrap_or_default();
        let mut other = None;
        let found = self.conversation.await_frame(self.asked, Instant::now() + within, |frame| {
            let is_ours = canary.is_answer(frame) && frame["id"] == id;
            if canary.is_answer(frame) && !self.ids.contains(&frame["id"]) {
                other = Some(excerpt(frame));
            }
            is_ours || other.is_some()
        });
        let expected = || format!("an answer with the id {id} within {}", seconds(within));
        match (found, other) {
            (_, Some(got)) => Err(Failure { expected: expected(), got, outcome: Outcome::Wrong }),
            (Ok(_), None) => Ok(()),
            (Err(missing), None) => Err(self.conversation.failure(missing, expected())),
        }
    }

    fn expect(&mut self, wanted: &str, within: Duration) -> Result<(), Failure> {
        let text = replace(wanted, &self.values);
        let wanted = parse(&text)?;
        let expected = || format!("{text} within {}", seconds(within));
        let mut other = None;
        let found = self.conversation.await_frame(self.from, Instant::now() + within, |frame| {
            if is_like(frame, &wanted) {
                return true;
            }
            let same_call = ["type", "id"].iter().all(|key| frame[key] == wanted[key]);
            other = (same_call && !wanted["id"].is_null()).then(|| frame.clone());
            other.is_some()
        });
        match (found, other) {
            (_, Some(frame)) => {
                let got = excerpt(&frame);
                Err(Failure { expected: expected(), got, outcome: Outcome::Wrong })
            }
            (Ok(_), None) => Ok(()),
            (Err(missing), None) => Err(self.conversation.failure(missing, expected())),
        }
    }

    fn refuse(&mut self, refused: &str, within: Duration) -> Result<(), Failure> {
        self.canary(1, within)?;
        let text = replace(refused, &self.values);
        let refused = parse(&text)?;
        let new = &self.conversation.frames()[self.from..];
        let mut frames = new.iter().filter_map(|arrived| arrived.frame.as_ref().ok());
        match frames.find(|frame| is_like(frame, &refused)) {
            None => Ok(()),
            Some(frame) => Err(Failure {
                expected: format!("no frame like {text}"),
                got: excerpt(frame),
                outcome: Outcome::Wrong,
            }),
        }
    }

    fn canary(&mut self, times: u64, within: Duration) -> Result<(), Failure> {
        if self.survey.canary == Canary::None {
            self.survive();
            return self.alive();
        }
        self.conversation.canary(&self.survey.canary, times, within).map(|_| ())
    }

    /// Waits until it is dead, or has read everything and waits for more, which is the best that
    /// can be said of one that answers nothing.
    fn survive(&mut self) {
        let latest = Instant::now() + SURVIVED;
        while self.conversation.seen().exit().is_none() && Instant::now() < latest {
            self.conversation.listen(GLANCE);
            if self.conversation.seen().is_idle() == Some(true) {
                return;
            }
        }
    }

    fn alive(&mut self) -> Result<(), Failure> {
        if self.conversation.seen().exit().is_none() {
            return Ok(());
        }
        Err(self.conversation.failure(Missing::Ended, "the process lives".to_owned()))
    }

    fn exit(&mut self, status: Option<i32>, within: Duration) -> Result<(), Failure> {
        let with = status.map(|status| format!(" with exit status {status}")).unwrap_or_default();
        let expected = format!("the process has ended{with} within {}", seconds(within));
        if !self.conversation.await_exit(Instant::now() + within) {
            let got = format!("it lives; {}", self.conversation.state());
            return Err(Failure { expected, got, outcome: Outcome::Survived });
        }
        let Some(exit) = self.conversation.seen().exit() else { return Ok(()) };
        let as_wanted = status.is_none_or(|status| exit.code() == Some(status));
        if as_wanted {
            return Ok(());
        }
        Err(Failure { expected, got: exit.to_string(), outcome: Outcome::Wrong })
    }

    /// Writes questions without reading until they are all taken or nothing moves any more, then
    /// reads, and expects every answer.
    fn burst(&mut self, bytes: u64, within: Duration) -> Result<(), Failure> {
        const PAD: usize = 2000;
        self.conversation.target().set_reading(false);
        let canary = &self.survey.canary;
        let mut ids = Vec::new();
        let mut lines = String::new();
        while u64::try_from(lines.len()).is_ok_and(|length| length < bytes) {
            let id = self.conversation.fresh_id();
            let question = canary.question(&id);
            let padded = question.replacen('{', &format!(r#"{{"pad":"{}","#, "x".repeat(PAD)), 1);
            lines += &padded;
            lines.push('\n');
            ids.push(id);
        }
        let from = self.conversation.frames().len();
        self.conversation.target().write(lines.into_bytes());
        let mut left = usize::MAX;
        while self.conversation.seen().unwritten() < left {
            left = self.conversation.seen().unwritten();
            if left == 0 {
                break;
            }
            self.conversation.listen(STUCK);
        }
        self.conversation.target().set_reading(true);
        self.conversation.await_answers(canary, ids, from, within)
    }
}

fn parse(text: &str) -> Result<Value, Failure> {
    serde_json::from_str(text).map_err(|error| Failure {
        expected: format!("a step whose frame is JSON, and {text} is not: {error}"),
        got: "a case that is wrong".to_owned(),
        outcome: Outcome::Wrong,
    })
}

fn excerpt(frame: &Value) -> String {
    let text = frame.to_string();
    match text.char_indices().nth(400) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
