//! First contact: what the extension is, and how it is asked whether it lives.

use std::time::Instant;

use super::{NoStart, Run, silence};
use crate::cause::Cause;
use crate::clause::Binds;
use crate::conversation::{HELLO, SOFT};
use crate::evidence::Evidence;
use crate::failure::Failure;
use crate::report::Verdict;
use crate::survey::{Canary, Survey};
use crate::target::Setting;

/// The case that fails when there is no contact.
pub(super) const CASE: &str = "E-HSK-01";
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
    for canary in asked {
        let answers = conversation.canary(&canary, 1, SOFT).is_ok();
        if answers && run.survey.canary == Canary::None && harmless(&conversation, &canary) {
            run.survey.canary = canary;
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
    run.end(conversation, false);
    Contact::Made
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

/// Whether the newest answer shows that none of the author's code ran for an unknown name.
fn harmless(conversation: &crate::conversation::Conversation, canary: &Canary) -> bool {
    let answers = conversation.frames().iter().rev();
    let answer = answers
        .filter_map(|arrived| arrived.frame.as_ref().ok())
        .find(|frame| canary.is_answer(frame));
    answer.is_some_and(|answer| match canary {
        Canary::Tool => answer["is_error"] == true,
        Canary::Command => answer["error"].as_str().is_some_and(|error| !error.is_empty()),
        Canary::Allowed { .. } | Canary::AllowedCommand { .. } | Canary::None => true,
    })
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
