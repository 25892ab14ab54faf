//! First contact: what the extension is, and how it is asked whether it lives.

use std::time::{Duration, Instant};

use extline_scenario::{Failure, Outcome};
use serde_json::Value;

use super::arguments::find_callable;
use super::{NoStart, Run, SHUTDOWN, play, silence, values};
use crate::case::Binds;
use crate::conversation::{Called, Canary, Conversation, HELLO, Reaction, SOFT, Survey};
use crate::report::{Cause, Evidence, Verdict};
use crate::target::{Record, Setting, What};

/// The cases that fail when there is no contact, by what is spoken.
pub(super) const CASES: [&str; 3] = ["E-HSK-01", "M-INI-01", "M-DSC-01"];
/// The check that fails when a question is not answered.
const ONE_REPLY: &str = "one-reply";
/// The time for the answer to a call of what the extension registered.
const CALL: Duration = Duration::from_secs(10);
/// How many answers are timed to learn the extension's pace, or as many as come in that time.
const TIMED: usize = 20;
const TIMING: Duration = Duration::from_millis(300);

/// How first contact went.
pub(super) enum Contact {
    /// It began as it should, and what it registers is known.
    Made,
    /// It cannot be used.
    Failed(Box<FailedContact>),
    /// It wrote more than is kept, and was ended.
    Flooded(String),
    /// The tester is not up to it, or was stopped; it says nothing about the extension.
    Impossible(Verdict, String),
}

/// Why the extension cannot be used.
#[derive(Clone)]
pub(super) struct FailedContact {
    pub(super) failure: Failure,
    pub(super) evidence: Evidence,
    /// What causes it, where that is known already.
    pub(super) cause: Option<Cause>,
}

/// Starts the extension, lets it register, and finds a question that it answers.
pub(super) fn first_contact(run: &mut Run<'_>) -> Contact {
    let mut conversation = match run.start(Setting::default()) {
        Ok(conversation) => conversation,
        Err(failed) => return failed_to_start(failed),
    };
    if let Err(mut failure) = conversation.await_hello(HELLO) {
        silence::explain(&mut conversation, &mut failure);
        let evidence = Evidence::of(conversation.seen().timeline(), 0);
        run.end(conversation, true);
        return Contact::Failed(Box::new(FailedContact { failure, evidence, cause: None }));
    }
    if run.options.binds == Binds::Sdk && run.watch().wants("waits-for-ack") {
        // What it writes without an answer has come when it rests.
        conversation.rest();
    }
    conversation.acknowledge(None, None, None);
    // Without a survey nothing can fail here: it waits until the extension is quiet.
    let _ = conversation.await_ready(None);
    run.survey = Survey::of(conversation.frames());
    if run.options.calls {
        find_callable(run.options, &mut run.survey);
    }
    // All of them are asked: how it answers unknown tools and commands is a case of its own.
    let asked = run.options.canary.clone().into_iter().chain(questions(&run.survey));
    let mut unanswered = Vec::new();
    for canary in asked {
        let question = Question::ask(&mut conversation, canary);
        let reaction = question.reaction(&conversation);
        note(&mut run.survey, &question.canary, reaction);
        if reaction == Reaction::Error && run.survey.canary == Canary::None {
            run.survey.canary = question.canary.clone();
        }
        unanswered.extend(question.failure.is_some().then_some(question));
        if reaction == Reaction::Ended {
            break;
        }
    }
    if run.survey.canary == Canary::None && run.options.calls {
        run.survey.canary = run_any_name(&run.survey);
    }
    if run.survey.canary != Canary::None {
        let pace = run.options.pace;
        run.survey.pace =
            pace.unwrap_or_else(|| measured_pace(&mut conversation, &run.survey.canary));
    }
    if run.watch().wants("rests") || run.watch().wants("stays") {
        conversation.rest();
    }
    if run.survey.canary == Canary::None && !run.options.calls && run.wants_life {
        obey(run, &mut conversation);
    }
    let blamed = !unanswered.is_empty() && run.watch().wants(ONE_REPLY);
    let conversation = run.end(conversation, blamed);
    if let Some(flood) = conversation.seen().flood() {
        return Contact::Flooded(format!("first contact failed: {flood} (E-OUT-11)"));
    }
    for question in unanswered {
        question.blame(run, &conversation);
    }
    let wants_calls = run.calls || run.survey.canary == Canary::None;
    if run.options.calls && wants_calls && !run.options.kit {
        call_what_may_be(run);
    }
    let fresh = || run.fresh(Setting::default()).ok();
    let wants_sign = run.survey.canary == Canary::None && run.wants_life;
    if let Some(mut fresh) = wants_sign.then(fresh).flatten() {
        obey(run, &mut fresh);
        run.end(fresh, false);
    }
    Contact::Made
}

/// How long an answer takes: half of them took no longer.
pub(super) fn measured_pace(conversation: &mut Conversation, canary: &Canary) -> Duration {
    let until = Instant::now() + TIMING;
    let mut times: Vec<_> = (0..TIMED)
        .take_while(|asked| *asked < 3 || Instant::now() < until)
        .map_while(|_| {
            let began = Instant::now();
            conversation.canary(canary, 1, SOFT, None).ok().map(|_| began.elapsed())
        })
        .collect();
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or(SOFT)
}

/// The question for a name that nobody registered, where that is answered without an error.
fn run_any_name(survey: &Survey) -> Canary {
    match (survey.unknown_tool, survey.unknown_command) {
        (Reaction::Runs, _) => Canary::Tool,
        (_, Reaction::Runs) => Canary::Command,
        _ => Canary::None,
    }
}

/// Calls each tool and each command once that may be called. Where it answers no name that nobody
/// registered, the one that answered soonest is the question from now on.
fn call_what_may_be(run: &mut Run<'_>) {
    let Ok(mut conversation) = run.fresh(Setting::default()) else { return };
    let values = values::values(run.options, &run.drawn, &run.survey, 0);
    let tools = values.tools.into_iter().map(|(tool, args)| Canary::Allowed { tool, args });
    let command = |command| Canary::AllowedCommand { command, args: String::new() };
    let mut answered: Vec<(Duration, Canary)> = Vec::new();
    for question in tools.chain(values.commands.into_iter().map(command)) {
        let (kind, name) = match &question {
            Canary::Allowed { tool, .. } => ("tool", tool.clone()),
            Canary::AllowedCommand { command, .. } => ("command", command.clone()),
            _ => continue,
        };
        let took = conversation.canary(&question, 1, CALL, None).ok();
        let took_us = took.map(|took| u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
        run.survey.called.push(Called { kind, name, took_us });
        answered.extend(took.map(|took| (took, question)));
        if conversation.seen().exit().is_some() || conversation.seen().stdout_ended() {
            // What ends it is told by the cases that call it; the others are called as well.
            let Ok(fresh) = run.fresh(Setting::default()) else { return };
            run.end(std::mem::replace(&mut conversation, fresh), true);
        }
    }
    run.end(conversation, false);
    if run.survey.canary == Canary::None {
        answered.sort_by_key(|(took, _)| *took);
        if let Some((took, canary)) = answered.into_iter().find(|(_, canary)| lasts(run, canary)) {
            run.survey.pace = took;
            run.survey.canary = canary;
        }
    }
}

/// Whether it can be asked that again and again: it is no sign of life where it ends the process.
fn lasts(run: &Run<'_>, canary: &Canary) -> bool {
    let Ok(mut conversation) = run.fresh(Setting::default()) else { return false };
    let lasts = (0..2).all(|_| conversation.canary(canary, 1, CALL, None).is_ok());
    run.end(conversation, !lasts);
    lasts
}

/// Whether it obeys `shutdown`: where it cannot be asked otherwise, that is the sign of its life.
fn obey(run: &mut Run<'_>, conversation: &mut Conversation) {
    let began = Instant::now();
    let lives = conversation.seen().exit().is_none() && !conversation.seen().stdout_ended();
    if lives && play::obeys(conversation, SOFT).is_ok() {
        run.survey.pace = began.elapsed();
        run.survey.canary = Canary::Shutdown;
    }
}

/// A question of first contact, and what came of it.
struct Question {
    canary: Canary,
    id: String,
    /// Where in the timeline it begins.
    mark: usize,
    /// What happened instead of an answer.
    failure: Option<Failure>,
}

impl Question {
    /// Asks, and waits for the answer.
    fn ask(conversation: &mut Conversation, canary: Canary) -> Self {
        let id = conversation.fresh_id();
        let mark = conversation.seen().timeline().mark();
        let from = conversation.frames().len();
        let line = conversation.question(&canary, &id);
        conversation.send(&line);
        let failure = conversation.await_answers(&canary, vec![id.clone()], from, SOFT, None).err();
        Self { canary, id, mark, failure }
    }

    /// What the extension made of it. An answer with an error shows that none of the author's code
    /// ran for an unknown name; a call that the author allowed may be answered in any way.
    fn reaction(&self, conversation: &Conversation) -> Reaction {
        let seen = conversation.seen();
        let is_error = match self.answer(conversation) {
            None if seen.stdout_ended() || seen.exit().is_some() => return Reaction::Ended,
            None => return Reaction::Silent,
            Some(answer) => match self.canary {
                Canary::Tool => answer["is_error"] == true,
                Canary::Command => answer["error"].as_str().is_some_and(|error| !error.is_empty()),
                _ => true,
            },
        };
        if is_error { Reaction::Error } else { Reaction::Runs }
    }

    fn answer<'a>(&self, conversation: &'a Conversation) -> Option<&'a Value> {
        let frames = conversation.frames().iter();
        let mut frames = frames.filter_map(|arrived| arrived.frame.as_ref().ok());
        frames.find(|frame| self.canary.is_answer(frame) && frame["id"] == *self.id)
    }

    /// One that was never answered fails `E-TOL-01`, also where nothing else is asked after it. A
    /// call of a tool is none of the business of an extension that has no tools.
    fn blame(self, run: &mut Run<'_>, ended: &Conversation) {
        if self.answer(ended).is_some() {
            return note(&mut run.survey, &self.canary, Reaction::Late);
        }
        let declared = match self.canary {
            Canary::Tool => !run.survey.tools.is_empty(),
            Canary::Command => !run.survey.commands.is_empty(),
            _ => true,
        };
        let Some(failure) = self.failure.filter(|_| declared) else { return };
        let timeline = ended.seen().timeline();
        let end = timeline.records()[self.mark..].iter().position(is_the_end);
        let to = end.map_or(timeline.mark(), |end| self.mark + end);
        run.watch().blame(ONE_REPLY, failure, Evidence::between(timeline, self.mark, to));
    }
}

/// What the tester writes when it has nothing left to ask.
fn is_the_end(record: &Record) -> bool {
    matches!(&record.what, What::Sent { bytes, .. } if bytes.starts_with(SHUTDOWN.as_bytes()))
}

fn note(survey: &mut Survey, canary: &Canary, reaction: Reaction) {
    match canary {
        Canary::Tool => survey.unknown_tool = reaction,
        Canary::Command => survey.unknown_command = reaction,
        _ => {}
    }
}

/// The questions worth asking: a host never calls a tool of an extension that has none.
fn questions(survey: &Survey) -> Vec<Canary> {
    let tools = !survey.tools.is_empty() || survey.names("tools");
    let commands = !survey.commands.is_empty() || survey.names("commands");
    let mut questions = Vec::new();
    questions.extend((tools || !commands).then_some(Canary::Tool));
    questions.extend(commands.then_some(Canary::Command));
    questions
}

pub(super) fn failed_to_start(failed: NoStart) -> Contact {
    if failed.verdict == Verdict::HarnessError {
        return Contact::Impossible(failed.verdict, failed.problem);
    }
    let failure = Failure {
        expected: "the program starts".to_owned(),
        got: failed.problem.clone(),
        outcome: Outcome::Died,
    };
    let cause = Cause { cause: failed.problem, fix: failed.remedy, certain: true };
    let evidence = Evidence::default();
    Contact::Failed(Box::new(FailedContact { failure, evidence, cause: Some(cause) }))
}
