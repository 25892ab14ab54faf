//! Processes of a server that are begun with and at hand: a start of one may take a second of a processor, so
//! what a case leaves in order serves the next one.

use std::sync::PoisonError;
use std::time::Instant;

use super::{Failed, Run, ends};
use crate::case::{Case, Process};
use crate::conversation::{Conversation, Era, HELLO, Protocol};
use crate::report::Evidence;
use crate::target::Setting;

/// A process goes on to the next case while so much is kept of it, in bytes.
pub(super) const SHARED: usize = 16 << 20;

/// What was played in a process that is at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Used {
    /// Nothing that begins a conversation.
    Unopened,
    /// The begin of a conversation.
    Little,
    /// Cases that had failed in another process.
    ByFailing,
    /// Cases of any kind.
    ByMany,
}

/// For what is played in any of them: what was used much comes first, as others need what was used little.
pub(super) const IN_ORDER: [Used; 4] =
    [Used::ByMany, Used::ByFailing, Used::Little, Used::Unopened];

impl Run<'_> {
    /// Whether processes are used again: those of servers, where they are started as usual.
    pub(super) fn keeps_spare(&self) -> bool {
        self.survey.protocol.era().is_some() && self.point.is_none()
    }

    /// Keeps a process for another case, or ends it where it is in no order.
    pub(super) fn keep(&self, mut conversation: Conversation, used: Used) {
        if self.keeps_spare() && is_in_order(&mut conversation) {
            self.spare.lock().unwrap_or_else(PoisonError::into_inner).push((used, conversation));
        } else {
            self.end(conversation, false);
        }
    }

    /// Keeps a process after a case that began in its own way, or not at all.
    pub(super) fn keep_raw(&self, conversation: Conversation) {
        let is_older = self.survey.protocol == Protocol::Mcp(Era::Initialize);
        let is_unopened = is_older && !conversation.was_asked_to_initialize();
        self.keep(conversation, if is_unopened { Used::Unopened } else { Used::Little });
    }

    /// A process that is ready for calls and was used so; the first of these is taken before the second.
    pub(super) fn at_hand(&self, uses: &[Used]) -> Option<Conversation> {
        let is_newer = self.survey.protocol == Protocol::Mcp(Era::Discover);
        loop {
            let mut conversation = self.spare(uses)?;
            if is_newer || conversation.open_late(self.survey.version(), HELLO) {
                return Some(conversation);
            }
            self.end(conversation, true);
        }
    }

    /// A process that was used so, as it is.
    fn spare(&self, uses: &[Used]) -> Option<Conversation> {
        loop {
            let (_, mut conversation) = {
                let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
                let is_so = |wanted: &Used| spare.iter().position(|(used, _)| used == wanted);
                let at = uses.iter().find_map(is_so)?;
                spare.remove(at)
            };
            if is_in_order(&mut conversation) {
                return Some(conversation);
            }
            // It ended by itself meanwhile, which a check tells.
            self.end(conversation, false);
        }
    }

    /// Ends all that are at hand; the checks look at each of them.
    pub(super) fn end_spare(&self) {
        let mut all =
            std::mem::take(&mut *self.spare.lock().unwrap_or_else(PoisonError::into_inner));
        // All are told before the first is waited for.
        for (_, conversation) in &mut all {
            conversation.target().close_stdin();
        }
        for (_, conversation) in all {
            self.end(conversation, false);
        }
    }

    /// A process at hand for a case that begins in its own way, or may end it.
    pub(super) fn spare_for(&self, case: &Case) -> Option<Conversation> {
        match case.process {
            _ if !self.keeps_spare() => None,
            Process::Own => self.at_hand(&IN_ORDER),
            Process::Raw => self.spare(&[Used::Unopened]),
            _ => None,
        }
    }

    /// Plays a case in a process of [`Run::spare_for`], or alone where it fails there.
    pub(super) fn try_in_spare(
        &self,
        mut conversation: Conversation,
        case: &Case,
        value: u64,
    ) -> Result<Option<Evidence>, Failed> {
        let mark = conversation.seen().timeline().mark();
        if self.play_in(&mut conversation, case, value).is_err() {
            self.end(conversation, true);
            return self.try_alone(case, value);
        }
        if ends(case) {
            return self.concluded(conversation, mark, Ok(()));
        }
        let evidence = self.kept(&conversation, mark);
        match case.process {
            Process::Raw => self.keep_raw(conversation),
            _ => self.keep(conversation, Used::ByMany),
        }
        Ok(evidence)
    }

    /// Plays a case that failed in a process which others had used in one in which no case passed.
    pub(super) fn try_again(&self, case: &Case, value: u64) -> Result<Option<Evidence>, Failed> {
        if !self.keeps_spare() {
            return self.try_alone(case, value);
        }
        let mut conversation = match self.at_hand(&[Used::ByFailing, Used::Little, Used::Unopened])
        {
            Some(conversation) => conversation,
            None => self.fresh_or_failed(Setting::default())?,
        };
        let mark = conversation.seen().timeline().mark();
        let outcome = self.play_in(&mut conversation, case, value);
        if outcome.is_err() && !self.goes_on(&mut conversation) {
            return self.concluded(conversation, mark, outcome);
        }
        let outcome = match outcome {
            Ok(()) => Ok(self.kept(&conversation, mark)),
            Err((line, failure)) => {
                let evidence = Evidence::of(conversation.seen().timeline(), mark);
                Err(Failed::Twice(failure, Box::new(evidence), line))
            }
        };
        self.keep(conversation, Used::ByFailing);
        outcome
    }
}

/// Whether a process can serve another case.
fn is_in_order(conversation: &mut Conversation) -> bool {
    conversation.target().pump(Instant::now());
    let seen = conversation.seen();
    let is_over = seen.exit().is_some() || seen.stdout_ended() || seen.closed_stdout();
    !is_over && seen.flood().is_none() && seen.kept() <= SHARED
}

/// Cases that leave a process that is begun with, and cases that end one, in turn, before all others.
pub(super) fn in_turn<'a>(cases: &[&'a Case]) -> Vec<&'a Case> {
    let of = |process: Process| cases.iter().copied().filter(move |case| case.process == process);
    let (mut begun, mut ended) = (of(Process::Raw), of(Process::Own));
    let both = std::iter::from_fn(|| Some([begun.next(), ended.next()]));
    let both = both.take_while(|pair| pair.iter().any(Option::is_some)).flatten().flatten();
    let others = cases.iter().copied();
    let others = others.filter(|case| !matches!(case.process, Process::Raw | Process::Own));
    both.chain(others).collect()
}
