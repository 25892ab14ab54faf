//! A process and its pipes as the stage of a case.

use std::time::{Duration, Instant};

use extline_scenario::Stage;
use serde_json::Value;

use super::process::{GONE, SHUTDOWN};
use crate::case::{Aside, Case, Each, Exits, Handshake, Pipe, Values, Verb};
use crate::conversation::{Canary, Conversation, HELLO, Missing, NOBODY, Protocol, Survey};
use crate::target::{Target, What};
use extline_scenario::{Failure, Outcome, seconds};

/// Without a better canary, a process that lives this long has survived.
const SURVIVED: Duration = Duration::from_secs(1);
/// How often such a process is looked at.
const GLANCE: Duration = Duration::from_millis(10);
/// How long a blocked writer must be stuck before it counts as blocked for good.
const STUCK: Duration = Duration::from_millis(300);
/// The time for all answers to a burst.
const BURST: Duration = Duration::from_secs(15);

/// How much stands beside each question of a burst, and how much where that takes long to read.
const PAD: usize = 2000;
const NARROW_PAD: usize = 200;

/// A case with many questions has as many as take this long, and never fewer than [`FEW`], or
/// [`FEW_CALLS`] where what the extension registered is called.
const FITTING: Duration = Duration::from_secs(1);
const FEW: u64 = 4;
const FEW_CALLS: u64 = 2;

/// Plays a case; `Err` has the line of the step that went wrong, and what happened instead of what
/// was expected.
pub(super) fn play(
    case: &Case,
    values: Values,
    conversation: &mut Conversation,
    survey: &Survey,
    patience: u32,
) -> Result<(), (usize, Failure)> {
    let mut stage = PlayedProcess { conversation, survey, patience };
    extline_scenario::play(case, values, &mut stage).map_err(|(step, failure)| (step.line, failure))
}

/// Plays a case until it is set aside, if it is.
pub(super) fn begin(
    case: &Case,
    values: Values,
    conversation: &mut Conversation,
    survey: &Survey,
) -> Result<Option<Aside>, (usize, Failure)> {
    let mut stage = PlayedProcess { conversation, survey, patience: 1 };
    extline_scenario::play_until_aside(case, values, &mut stage)
        .map_err(|(step, failure)| (step.line, failure))
}

/// Goes on with a case that was set aside.
pub(super) fn go_on(
    case: &Case,
    aside: Aside,
    conversation: &mut Conversation,
    survey: &Survey,
) -> Result<Option<Aside>, (usize, Failure)> {
    let mut stage = PlayedProcess { conversation, survey, patience: 1 };
    extline_scenario::play_on(case, aside, &mut stage)
        .map_err(|(step, failure)| (step.line, failure))
}

/// Whether it still obeys `shutdown`, with `shutdown_ack` or with its end.
pub(super) fn obeys(conversation: &mut Conversation, within: Duration) -> Result<(), Failure> {
    let from = conversation.frames().len();
    conversation.send(SHUTDOWN);
    let until = Instant::now() + within;
    let obeyed = conversation.await_frame(from, until, |frame| frame["type"] == "shutdown_ack");
    match obeyed {
        Ok(_) | Err(Missing::Ended) => Ok(()),
        Err(missing) => {
            let expected = format!("shutdown is obeyed within {}", seconds(within));
            Err(conversation.failure(missing, expected))
        }
    }
}

/// Whether it still answers.
pub(super) fn lives(
    conversation: &mut Conversation,
    survey: &Survey,
    patience: u32,
) -> Result<(), Failure> {
    PlayedProcess { conversation, survey, patience }.canary(1, survey.soft())
}

struct PlayedProcess<'a> {
    conversation: &'a mut Conversation,
    survey: &'a Survey,
    /// How many times the usual time is waited for an answer.
    patience: u32,
}

impl Stage for PlayedProcess<'_> {
    type Error = Failure;
    type Missing = Missing;

    fn soft(&self) -> Duration {
        self.survey.soft()
    }

    fn fresh_id(&mut self) -> String {
        self.conversation.fresh_id()
    }

    fn asked_before(&self) -> Box<dyn Fn(&Value) -> bool> {
        let drawn = self.conversation.drawn().clone();
        Box::new(move |id| id.as_str().is_some_and(|id| drawn.is_id(id)))
    }

    fn write(
        &mut self,
        bytes: Vec<u8>,
        chunk: Option<usize>,
        pause: Duration,
    ) -> Result<(), Failure> {
        self.conversation.target().write_in_chunks(bytes, chunk.unwrap_or(usize::MAX), pause);
        Ok(())
    }

    fn arrived(&self) -> usize {
        self.conversation.frames().len()
    }

    fn frames(&self, from: usize) -> impl Iterator<Item = &Value> {
        self.conversation.frames()[from..].iter().filter_map(|arrived| arrived.frame.as_ref().ok())
    }

    fn await_frame(
        &mut self,
        from: usize,
        within: Duration,
        wanted: impl FnMut(&Value) -> bool,
    ) -> Result<usize, Missing> {
        self.conversation.await_frame(from, Instant::now() + within * self.patience, wanted)
    }

    fn frame_at(&self, line: usize) -> Option<&Value> {
        self.conversation.frames().get(line)?.frame.as_ref().ok()
    }

    fn line_bytes(&self, line: usize) -> Option<usize> {
        let arrived = self.conversation.frames().get(line)?;
        Some(self.conversation.bytes(arrived).len())
    }

    fn canonical(&self, line: usize) -> Option<&[u8]> {
        let arrived = self.conversation.frames().get(line)?;
        self.survey.has_sdk().then(|| self.conversation.bytes(arrived))
    }

    fn failure(&mut self, missing: Missing, expected: String) -> Failure {
        self.conversation.failure(missing, expected)
    }

    fn listen(&mut self, time: Duration) -> Result<(), Failure> {
        self.conversation.listen(time);
        Ok(())
    }

    fn handshake(&mut self, handshake: &Handshake) -> Result<(), Failure> {
        if let Some(era) = self.survey.protocol.era() {
            return self.conversation.open(era, self.survey.version(), NOBODY, HELLO).map(|_| ());
        }
        let Handshake { ack, chunk, glued } = handshake;
        self.conversation.await_hello(HELLO)?;
        self.conversation.acknowledge(ack.as_deref(), *chunk, glued.as_deref());
        self.conversation.await_ready(Some(self.survey))
    }

    fn canary(&mut self, times: u64, within: Duration) -> Result<(), Failure> {
        if matches!(self.survey.canary, Canary::None | Canary::Shutdown) {
            self.survive();
            return self.alive();
        }
        let times = self.fitting(times);
        // Each may take three times what one took alone: an extension may be slow.
        let each = self.survey.pace.saturating_mul(3);
        let all = each.saturating_mul(u32::try_from(times).unwrap_or(u32::MAX));
        self.conversation
            .canary(&self.survey.canary, times, within.max(all) * self.patience, Some(self.rest()))
            .map(|_| ())
    }

    fn times(&self, wanted: u64, each: Option<Each>) -> u64 {
        let one = match each {
            None => return self.fitting(wanted),
            Some(Each::Tool) => self.survey.pace_of("tool"),
            Some(Each::Command) => self.survey.pace_of("command"),
        };
        fitting(wanted, one, FEW_CALLS)
    }

    fn alive(&mut self) -> Result<(), Failure> {
        if self.conversation.seen().exit().is_none() {
            return Ok(());
        }
        Err(self.conversation.failure(Missing::Ended, "the process lives".to_owned()))
    }

    fn process(&mut self, verb: &Verb, within: Option<Duration>) -> Result<(), Failure> {
        match verb {
            Verb::Hello => return self.conversation.await_hello(within.unwrap_or(HELLO)),
            Verb::Close(Pipe::Stdin) => self.conversation.target().close_stdin(),
            Verb::Close(Pipe::Stdout) => self.conversation.target().close_stdout(),
            Verb::Signal(signal) => self.conversation.target().signal(*signal, false),
            Verb::Read(reading) => self.conversation.target().set_reading(*reading),
            Verb::Exit(exits) => return self.exit(*exits, within.unwrap_or(GONE)),
            Verb::Stderr(text) => {
                return self.stderr(text, within.unwrap_or(self.survey.soft()));
            }
            Verb::Burst(bytes) => return self.burst(*bytes, within.unwrap_or(BURST)),
            // The player plays the rest itself.
            _ => {}
        }
        Ok(())
    }
}

impl PlayedProcess<'_> {
    /// A healthy one answers something in this time, or is at work.
    fn rest(&self) -> Duration {
        self.survey.soft() * self.patience
    }

    /// As many questions as an extension with that pace answers in a fitting time.
    fn fitting(&self, wanted: u64) -> u64 {
        fitting(wanted, self.survey.pace, FEW)
    }

    /// Waits until it is dead, or has read everything and waits for more, which is the best that
    /// can be said of one that answers nothing.
    fn survive(&mut self) {
        self.conversation.ends_within(SURVIVED, Target::is_idle);
    }

    fn stderr(&mut self, text: &str, within: Duration) -> Result<(), Failure> {
        let until = Instant::now() + within;
        while !self.conversation.seen().timeline().stderr().contains(text) {
            if Instant::now() >= until {
                let expected = format!("{text:?} on stderr within {}", seconds(within));
                return Err(self.conversation.failure(Missing::Late, expected));
            }
            self.conversation.listen(GLANCE);
        }
        Ok(())
    }

    fn exit(&mut self, exits: Exits, within: Duration) -> Result<(), Failure> {
        let status = exits.status;
        let with = status.map(|status| format!(" with exit status {status}")).unwrap_or_default();
        let expected = format!("the process has ended{with} within {}", seconds(within));
        if !self.conversation.await_exit(Instant::now() + within) {
            let got = format!(
                "it lives; {}",
                self.conversation.state().replace("nothing of the kind; ", "")
            );
            return Err(Failure { expected, got, outcome: Outcome::Survived });
        }
        let Some(exit) = self.conversation.seen().exit() else { return Ok(()) };
        let as_wanted = status.is_none_or(|status| exit.code() == Some(status));
        if !as_wanted {
            return Err(Failure::wrong(expected, exit.to_string()));
        }
        // That a server writes what is no message is told by a case of its own.
        let words = self.last_words().filter(|_| self.survey.protocol == Protocol::Extension);
        if let Some(text) = words {
            let expected = "nothing but frames on stdout while it ends".to_owned();
            return Err(Failure::wrong(expected, text));
        }
        let left =
            if exits.nothing_left { self.conversation.left_behind(true) } else { Vec::new() };
        if left.is_empty() {
            return Ok(());
        }
        let expected = "no process lives on that it started".to_owned();
        Err(Failure::wrong(expected, left.join(", ")))
    }

    /// A line that is no frame, behind the last that the tester did.
    fn last_words(&self) -> Option<String> {
        let timeline = self.conversation.seen().timeline();
        let did = |what: &What| matches!(what, What::Sent { .. } | What::Action(_));
        let last = timeline.records().iter().rposition(|record| did(&record.what))?;
        let mut frames = self.conversation.frames().iter();
        let words = frames.find(|arrived| {
            // One that is cut off is another case's.
            arrived.record > last
                && arrived.frame.as_ref().is_err_and(|problem| !problem.contains("no LF"))
        })?;
        let text = String::from_utf8_lossy(self.conversation.bytes(words)).into_owned();
        Some(format!("the line {:?}", text.chars().take(80).collect::<String>()))
    }

    /// Writes questions without reading until they are all taken or nothing moves any more, then
    /// reads, and expects every answer.
    fn burst(&mut self, bytes: u64, within: Duration) -> Result<(), Failure> {
        let most = self.fitting(u64::MAX);
        let (id, question) = self.wide_question(PAD);
        let times = most.min(bytes / u64::try_from(question.len()).unwrap_or(u64::MAX) + 1);
        // Answers fill a pipe, and narrow questions have as many as wide ones.
        let is_slow = fitting(times, self.time_of(id, question, within), FEW) < times;
        let pad = if is_slow { NARROW_PAD } else { PAD };
        self.conversation.target().set_reading(false);
        let (ids, questions): (Vec<_>, Vec<_>) =
            (0..times).map(|_| self.wide_question(pad)).unzip();
        let from = self.conversation.frames().len();
        self.conversation.target().write(questions.concat().into_bytes());
        self.conversation.await_stuck(STUCK);
        self.conversation.target().set_reading(true);
        let rest = Some(self.rest());
        let canary = &self.survey.canary;
        self.conversation.await_answers(canary, ids, from, within * self.patience, rest)
    }

    /// A line with a question that has so much beside it, and the id of the answer.
    fn wide_question(&mut self, pad: usize) -> (String, String) {
        let id = self.conversation.fresh_id();
        let unknown = &self.conversation.drawn().unknown;
        let question = self.survey.canary.wide_question(&id, unknown, pad);
        (id, question + "\n")
    }

    /// How long that is answered; one that fails is seen to when it is asked again.
    fn time_of(&mut self, id: String, question: String, within: Duration) -> Duration {
        let (began, from) = (Instant::now(), self.conversation.frames().len());
        self.conversation.target().write(question.into_bytes());
        let canary = &self.survey.canary;
        let _ = self.conversation.await_answers(canary, vec![id], from, within, Some(self.rest()));
        began.elapsed()
    }
}

/// How many of so many questions are asked where one takes that long.
fn fitting(wanted: u64, one: Duration, least: u64) -> u64 {
    let fits = FITTING.as_micros() / one.as_micros().max(1);
    wanted.min(u64::try_from(fits).unwrap_or(u64::MAX).max(least))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_one_is_asked_less_often() {
        assert_eq!(fitting(1000, Duration::from_micros(200), FEW), 1000);
        assert_eq!(fitting(1000, Duration::from_millis(20), FEW), 50);
        assert_eq!(fitting(1000, Duration::from_secs(5), FEW), FEW);
        assert_eq!(fitting(3, Duration::from_secs(5), FEW), 3);
    }
}
