//! A case in a process of its own.

use extline_scenario::Failure;

use super::spare::{self, Used};
use super::{Failed, Run, ends, play, values};
use crate::case::{Case, Process};
use crate::conversation::{Canary, Conversation};
use crate::report::Evidence;
use crate::target::Setting;

impl Run<'_> {
    /// Plays a case in a process that is started for it.
    pub(super) fn try_alone(&self, case: &Case, value: u64) -> Result<Option<Evidence>, Failed> {
        let stdin_at_end = case.process == Process::StdinAtEnd;
        let setting = Setting { stdin_at_end, ..self.setting() };
        let raw = matches!(case.process, Process::Raw | Process::StdinAtEnd);
        if case.process == Process::Beside {
            return self.try_beside(case, value);
        }
        let mut conversation = if raw {
            self.start(setting).map_err(Failed::ToStart)?
        } else {
            self.fresh_or_failed(setting)?
        };
        let mark = if raw { 0 } else { conversation.seen().timeline().mark() };
        let survey = &self.survey;
        let mut outcome = self.play_in(&mut conversation, case, value);
        if survey.canary == Canary::Shutdown && outcome.is_ok() && !ends(case) {
            outcome = play::obeys(&mut conversation, survey.soft() * self.patience())
                .map_err(|failure| (case.line, failure));
        }
        if outcome.is_ok() && case.process == Process::Raw && self.keeps_spare() {
            let evidence = self.kept(&conversation, mark);
            self.keep_raw(conversation);
            return Ok(evidence);
        }
        self.concluded(conversation, mark, outcome)
    }

    /// Plays a case in a process that is started while another one runs; both must answer then.
    fn try_beside(&self, case: &Case, value: u64) -> Result<Option<Evidence>, Failed> {
        let mut other = match self.at_hand(&spare::IN_ORDER) {
            Some(other) => other,
            None => self.fresh(self.setting()).map_err(Failed::ToStart)?,
        };
        let mut conversation = self.start(self.setting()).map_err(Failed::ToStart)?;
        let ready = self.make_ready(&mut conversation).map_err(|failure| (case.line, failure));
        let outcome = ready.and_then(|()| self.play_in(&mut conversation, case, value));
        let outcome = self.concluded(conversation, 0, outcome);
        let still = play::lives(&mut other, &self.survey, self.patience()).map_err(|failure| {
            let expected = format!("{}, from the process that ran before", failure.expected);
            (case.line, Failure { expected, ..failure })
        });
        if still.is_ok() && self.keeps_spare() {
            self.keep(other, Used::ByMany);
            return outcome;
        }
        let still = self.concluded(other, 0, still);
        outcome.and_then(|evidence| still.map(|_| evidence))
    }

    /// Plays a case with one value; `Err` has the line of the step that went wrong.
    pub(super) fn play_in(
        &self,
        conversation: &mut Conversation,
        case: &Case,
        value: u64,
    ) -> Result<(), (usize, Failure)> {
        let values = values::values(self.options, &self.drawn, &self.survey, value);
        play::play(case, values, conversation, &self.survey, self.patience())
    }
}
