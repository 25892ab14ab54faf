//! The process in which cases are played one after another, and what becomes of those before it when it
//! dies.
//!
//! A process that fails a case which passes alone was wounded by an earlier one: that one is only seen
//! to fail when it is watched for a moment. So from then on each case is played alone and watched, and
//! those that passed shortly before are played again.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use extline_scenario::{Failure, Outcome};

use super::spare::{self, SHARED, Used};
use super::{Failed, Run, play};
use crate::case::Case;
use crate::conversation::{Canary, Conversation};
use crate::report::{CaseReport, Evidence, Verdict};
use crate::target::Target;

/// A case that passed so long ago did not wound the process.
const LATELY: Duration = Duration::from_secs(1);
/// For so long a case is watched once one wounded the process.
const WATCHED: Duration = Duration::from_millis(400);

/// Cases that are played side by side, in their order.
#[derive(Default)]
pub(super) struct Waiting<'a> {
    cases: Mutex<VecDeque<&'a Case>>,
    /// A process was wounded.
    watches: AtomicBool,
    /// A case was seen to do so.
    found: AtomicBool,
    /// What failed in a wounded process and passed alone. It is played again and watched, as it may
    /// wound a process itself.
    doubtful: Mutex<Vec<CaseReport>>,
}

impl<'a> Waiting<'a> {
    pub(super) fn of(cases: &[&'a Case]) -> Self {
        Self { cases: Mutex::new(cases.iter().copied().collect()), ..Self::default() }
    }

    /// Whether none is left for now.
    pub(super) fn is_empty(&self) -> bool {
        self.cases.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// The next case.
    pub(super) fn next(&self) -> Option<&'a Case> {
        self.cases.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// These cases come next, in their order.
    fn play_again(&self, cases: impl DoubleEndedIterator<Item = &'a Case>) {
        let mut waiting = self.cases.lock().unwrap_or_else(PoisonError::into_inner);
        cases.rev().for_each(|case| waiting.push_front(case));
    }

    /// Takes in what came of a case while processes are wounded; gives back what is sure.
    fn weigh(&self, case: &'a Case, report: CaseReport) -> Option<CaseReport> {
        let mut doubtful = self.doubtful.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(before) = doubtful.iter().position(|one| one.id == report.id) else {
            if report.verdict != Verdict::Flaky {
                return Some(report);
            }
            doubtful.push(report);
            drop(doubtful);
            self.play_again([case].into_iter());
            return None;
        };
        if report.verdict != Verdict::Pass {
            doubtful.remove(before);
            return Some(report);
        }
        // Whether somebody else is known to have wounded the process is seen at the end.
        None
    }

    /// What failed in a wounded process, and passed when it was watched: it passed where it is known
    /// who wounded it.
    pub(super) fn doubtful(self) -> impl Iterator<Item = CaseReport> {
        let found = self.found.into_inner();
        let doubtful = self.doubtful.into_inner().unwrap_or_else(PoisonError::into_inner);
        doubtful.into_iter().map(move |report| if found { passed(report) } else { report })
    }
}

fn passed(report: CaseReport) -> CaseReport {
    let verdict = Verdict::Pass;
    CaseReport { verdict, reason: None, failure: None, evidence: None, ..report }
}

/// Cases that are played one after another, and the process that they share.
pub(super) struct Lane<'a, 'w> {
    waiting: &'w Waiting<'a>,
    shared: Option<Conversation>,
    /// What passed in it lately, the newest last: it is told when it is sure.
    lately: VecDeque<(Instant, &'a Case, CaseReport)>,
}

impl<'a, 'w> Lane<'a, 'w> {
    pub(super) fn new(waiting: &'w Waiting<'a>) -> Self {
        Self { waiting, shared: None, lately: VecDeque::new() }
    }

    pub(super) fn waiting(&self) -> &'w Waiting<'a> {
        self.waiting
    }

    /// A case that began then was decided; what is sure by now is given back.
    pub(super) fn decide(
        &mut self,
        case: &'a Case,
        began: Instant,
        report: CaseReport,
    ) -> Vec<CaseReport> {
        let mut sure = Vec::new();
        let is_shared = self.shared.is_some() && case.is_shared();
        // The process gave a sign of life after that moment; when the tester looks is another matter.
        let lived_until = (is_shared && report.verdict == Verdict::Pass).then_some(began);
        if self.waiting.watches.load(Ordering::Relaxed) {
            sure.extend(self.waiting.weigh(case, report));
        } else if is_shared && report.verdict == Verdict::Pass {
            self.lately.push_back((Instant::now(), case, report));
        } else {
            sure.push(report);
        }
        let is_old = |at: &Instant| {
            let lived = lived_until.map(|until| until.saturating_duration_since(*at));
            self.shared.is_none() || lived.is_some_and(|lived| lived > LATELY)
        };
        let old = self.lately.iter().take_while(|(at, ..)| is_old(at)).count();
        sure.extend(self.lately.drain(..old).map(|(_, _, report)| report));
        sure
    }

    /// Whether so much is kept of the process that the next case gets another one.
    pub(super) fn is_full(&self) -> bool {
        self.shared.as_ref().is_some_and(|conversation| conversation.seen().kept() > SHARED)
    }

    /// The process was wounded: what passed in it lately is played again.
    fn is_wounded(&mut self) {
        self.waiting.watches.store(true, Ordering::Relaxed);
        self.waiting.play_again(self.lately.drain(..).map(|(_, case, _)| case));
    }
}

impl Run<'_> {
    /// Plays a case with one value; one that fails in the shared process is played again alone.
    pub(super) fn try_once(
        &self,
        lane: &mut Lane<'_, '_>,
        case: &Case,
        value: u64,
    ) -> Result<Option<Evidence>, Failed> {
        if let Some(conversation) = self.spare_for(case) {
            return self.try_in_spare(conversation, case, value);
        }
        // Where the sign of life ends the process, none can be shared.
        if !case.is_shared() || self.survey.canary == Canary::Shutdown {
            return self.try_alone(case, value);
        }
        if lane.waiting.watches.load(Ordering::Relaxed) {
            // One was wounded beside this lane: its own process may be, too.
            self.watch_from_now_on(lane);
            return self.try_and_watch(lane.waiting, case, value);
        }
        let shared = lane.shared.take();
        let shared = shared.or_else(|| self.at_hand(&spare::IN_ORDER));
        let mut conversation = match shared {
            Some(conversation) => conversation,
            None => self.fresh_or_failed(self.setting())?,
        };
        let mark = conversation.seen().timeline().mark();
        match self.play_in(&mut conversation, case, value) {
            Ok(()) => {
                let evidence = self.kept(&conversation, mark);
                lane.shared = Some(conversation);
                Ok(evidence)
            }
            Err((_, failure)) => {
                let evidence = Evidence::of(conversation.seen().timeline(), mark);
                if self.goes_on(&mut conversation) {
                    lane.shared = Some(conversation);
                } else {
                    self.end(conversation, true);
                }
                match self.try_again(case, value) {
                    Ok(_) => {
                        if is_wound(&failure) && !lane.lately.is_empty() {
                            lane.is_wounded();
                        }
                        Err(Failed::Once(failure, Box::new(evidence)))
                    }
                    failed => failed,
                }
            }
        }
    }

    /// Whether the process of a server goes on to the next case though one failed in it: a start of one takes
    /// seconds, and one that still answers is as good as new.
    pub(super) fn goes_on(&self, conversation: &mut Conversation) -> bool {
        self.survey.protocol.era().is_some()
            && play::lives(conversation, &self.survey, self.patience()).is_ok()
    }

    /// Ends the process that cases shared, where one is to be watched alone from now on: what passed in
    /// it lately is played again. Whether there is anything of the kind.
    pub(super) fn watch_from_now_on(&self, lane: &mut Lane<'_, '_>) -> bool {
        let is_watched = lane.waiting.watches.load(Ordering::Relaxed);
        let Some(conversation) = lane.shared.take_if(|_| is_watched) else { return false };
        self.end(conversation, false);
        let is_any = !lane.lately.is_empty();
        lane.is_wounded();
        is_any
    }

    /// Ends the process that cases shared; what passed in it is given back, unless the process dies a
    /// moment later: then it is played again.
    pub(super) fn leave(&self, lane: &mut Lane<'_, '_>) -> Vec<CaseReport> {
        if let Some(mut conversation) = lane.shared.take() {
            let dies = !lane.lately.is_empty()
                && conversation.ends_within(WATCHED, Target::only_waits_for_input);
            if dies {
                self.end(conversation, true);
                lane.is_wounded();
            } else {
                self.keep(conversation, Used::ByMany);
            }
        }
        lane.lately.drain(..).map(|(_, _, report)| report).collect()
    }

    /// Plays a case alone, and asks whether the process lives a moment after it.
    fn try_and_watch(
        &self,
        waiting: &Waiting<'_>,
        case: &Case,
        value: u64,
    ) -> Result<Option<Evidence>, Failed> {
        let mut conversation = self.fresh_or_failed(self.setting())?;
        let mark = conversation.seen().timeline().mark();
        let survey = &self.survey;
        let outcome = self.play_in(&mut conversation, case, value);
        let outcome = outcome.and_then(|()| {
            conversation.await_exit(Instant::now() + WATCHED);
            play::lives(&mut conversation, survey, self.patience()).map_err(|failure| {
                waiting.found.store(true, Ordering::Relaxed);
                (case.line, failure)
            })
        });
        self.concluded(conversation, mark, outcome)
    }
}

/// Whether a process that fails so may have been wounded before.
fn is_wound(failure: &Failure) -> bool {
    matches!(failure.outcome, Outcome::Died | Outcome::Silent)
}
