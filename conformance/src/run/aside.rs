//! Cases in the middle of which time goes by: they begin first, and go on when the others are done.
//!
//! What an extension does seconds after an answer, and what it makes of a line whose second half is
//! late, is seen so without a wait of its own.

use std::time::{Duration, Instant};

use extline_scenario::Failure;

use super::harness::caught;
use super::play;
use super::{Failed, NoStart, Progress, Run, stopped, values};
use crate::case::{Aside, Case, Process};
use crate::conversation::Conversation;
use crate::report::{CaseReport, Verdict};
use crate::target::{Setting, is_stopped};

/// A case that was set aside.
pub(super) struct SetAside<'a> {
    case: &'a Case,
    /// What came of its first part.
    first: Result<Begun, Box<CaseReport>>,
    /// How long that took.
    took: Duration,
}

/// A case that goes on later.
struct Begun {
    conversation: Box<Conversation>,
    mark: usize,
    aside: Aside,
    since: Instant,
}

impl Run<'_> {
    /// Plays the first part of each case that is set aside, each in a process of its own.
    pub(super) fn set_aside<'a>(
        &mut self,
        cases: &[&'a Case],
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Vec<SetAside<'a>> {
        let cases = cases.iter().filter(|case| case.check.is_none() && case.is_set_aside());
        cases
            .map(|case| {
                progress(Progress::Begins(case));
                let began = Instant::now();
                let first = match self.obstacle(case) {
                    Some((verdict, reason)) => {
                        Err(Box::new(CaseReport::without_run(case, verdict, reason)))
                    }
                    None if is_stopped() => Err(Box::new(stopped(case))),
                    None => caught(|| self.begin(case)).unwrap_or_else(|fault| {
                        let report = CaseReport::without_run(case, Verdict::HarnessError, fault);
                        Err(Box::new(report))
                    }),
                };
                SetAside { case, first, took: began.elapsed() }
            })
            .collect()
    }

    fn begin(&self, case: &Case) -> Result<Begun, Box<CaseReport>> {
        let unstarted = |NoStart { verdict, problem, .. }: NoStart| {
            Box::new(CaseReport::without_run(case, verdict, problem))
        };
        let raw = case.process == Process::Raw;
        let setting = Setting::default();
        let started = if raw { self.start(setting) } else { self.fresh(setting) };
        let mut conversation = started.map_err(unstarted)?;
        let values = values::values(self.options, &self.drawn, &self.survey, 0);
        let mark = if raw { 0 } else { conversation.seen().timeline().mark() };
        match play::begin(case, values, &mut conversation, &self.survey) {
            Ok(Some(aside)) => {
                let conversation = Box::new(conversation);
                Ok(Begun { conversation, mark, aside, since: Instant::now() })
            }
            Ok(None) => Err(Box::new(self.reported(case, conversation, mark, Ok(())))),
            Err(failure) => Err(Box::new(self.reported(case, conversation, mark, Err(failure)))),
        }
    }

    /// Plays the rest of the cases that were set aside, once enough time has gone by.
    pub(super) fn take_up(
        &mut self,
        cases: Vec<SetAside<'_>>,
        progress: &mut dyn FnMut(Progress<'_>),
    ) {
        for SetAside { case, first, took } in cases {
            let began = Instant::now();
            let mut report = match first {
                Err(report) => *report,
                Ok(_) if is_stopped() => stopped(case),
                Ok(first) => caught(|| self.go_on(case, first)).unwrap_or_else(|fault| {
                    CaseReport::without_run(case, Verdict::HarnessError, fault)
                }),
            };
            if is_stopped() {
                report = stopped(case);
            }
            report.took = took + began.elapsed();
            self.decide(report, progress);
        }
    }

    fn go_on(&self, case: &Case, begun: Begun) -> CaseReport {
        let Begun { mut conversation, mark, mut aside, mut since } = begun;
        let outcome = loop {
            conversation.listen(aside.time.saturating_sub(since.elapsed()));
            match play::go_on(case, aside, &mut conversation, &self.survey) {
                Ok(Some(next)) => (aside, since) = (next, Instant::now()),
                Ok(None) => break Ok(()),
                Err(failure) => break Err(failure),
            }
        };
        self.reported(case, *conversation, mark, outcome)
    }

    fn reported(
        &self,
        case: &Case,
        conversation: Conversation,
        mark: usize,
        outcome: Result<(), (usize, Failure)>,
    ) -> CaseReport {
        match self.concluded(conversation, mark, outcome) {
            Ok(evidence) => CaseReport { evidence, ..CaseReport::passed(case) },
            Err(Failed::Twice(failure, evidence, line)) => {
                self.failed(case, 0, failure, *evidence, line)
            }
            // What was concluded had a process of its own.
            Err(Failed::Once(..) | Failed::ToStart(_)) => stopped(case),
        }
    }
}
