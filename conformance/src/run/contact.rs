//! First contact: what the extension is, and how it is asked whether it lives.

use std::time::Instant;

use serde_json::Value;

use super::{NoStart, Run, SHUTDOWN, silence};
use crate::cause::Cause;
use crate::clause::Binds;
use crate::conversation::{Conversation, HELLO, SOFT};
use crate::evidence::Evidence;
use crate::failure::Failure;
use crate::report::Verdict;
use crate::survey::{Canary, Reaction, Survey};
use crate::target::{Record, Setting, What};

/// The case that fails when there is no contact.
pub(super) const CASE: &str = "E-HSK-01";
/// The check that fails when a question is not answered.
const ONE_REPLY: &str = "one-reply";
/// How many answers are timed to learn the extension's pace.
const TIMED: usize = 20;

/// How first contact went.
pub(super) enum Contact {
    /// It said hello, and what it registers is known.
    Made,
    /// It cannot be used.
    Failed(Box<FailedContact>),
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
    if run.options.binds == Binds::Sdk && run.watch.wants("waits-for-ack") {
        // What it writes without an answer has come when it rests.
        conversation.rest();
    }
    conversation.acknowledge(None, None, None);
    // Without a survey nothing can fail here: it waits until the extension is quiet.
    let _ = conversation.await_ready(None);
    run.survey = Survey::of(conversation.frames());
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
    if run.survey.canary != Canary::None {
        let mut times: Vec<_> = (0..TIMED)
            .map_while(|_| {
                let began = Instant::now();
                conversation.canary(&run.survey.canary, 1, SOFT).ok().map(|_| began.elapsed())
            })
            .collect();
        times.sort();
        run.survey.pace = times.get(times.len() / 2).copied().unwrap_or(SOFT);
    }
    if run.watch.wants("rests") || run.watch.wants("stays") {
        conversation.rest();
    }
    let blamed = !unanswered.is_empty() && run.watch.wants(ONE_REPLY);
    let conversation = run.end(conversation, blamed);
    for question in unanswered {
        question.blame(run, &conversation);
    }
    Contact::Made
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
        let failure = conversation.await_answers(&canary, vec![id.clone()], from, SOFT).err();
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
                Canary::Allowed { .. } | Canary::AllowedCommand { .. } | Canary::None => true,
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
        run.watch.blame(ONE_REPLY, failure, Evidence::between(timeline, self.mark, to));
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
        Canary::Allowed { .. } | Canary::AllowedCommand { .. } | Canary::None => {}
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

fn failed_to_start(failed: NoStart) -> Contact {
    if failed.verdict == Verdict::HarnessError {
        return Contact::Impossible(failed.verdict, failed.problem);
    }
    let failure = Failure {
        expected: "the program starts".to_owned(),
        got: failed.problem.clone(),
        outcome: crate::failure::Outcome::Died,
    };
    let cause = Cause { cause: failed.problem, fix: failed.remedy, certain: true };
    let evidence = Evidence::default();
    Contact::Failed(Box::new(FailedContact { failure, evidence, cause: Some(cause) }))
}
