//! What happened in place of what was expected, in words.

use std::fmt::Write;
use std::time::{Duration, Instant};

use extline_scenario::{Failure, Outcome};

use super::arrived::TORN;
use super::{Conversation, Missing, milliseconds};
use crate::target::What;

impl Conversation {
    /// What happened instead of what was expected.
    pub(crate) fn failure(&mut self, missing: Missing, expected: String) -> Failure {
        if missing == Missing::Ended {
            // The exit status comes a moment after the end of stdout.
            self.await_exit(Instant::now() + Duration::from_millis(300));
        }
        let outcome = match self.target.exit() {
            _ if self.target.flood().is_some() => Outcome::Wrong,
            Some(_) => Outcome::Died,
            None => Outcome::Silent,
        };
        let torn = match self.torn.len() {
            0 => String::new(),
            1 => format!("{TORN}; "),
            count => format!("{TORN} (and {} more like it); ", count - 1),
        };
        Failure { expected, got: torn + &self.state(), outcome }
    }

    /// What the process does now, in words.
    pub(crate) fn state(&self) -> String {
        if let Some(flood) = self.target.flood() {
            return flood.to_owned();
        }
        if let Some(exit) = self.target.exit() {
            let records = self.target.timeline().records();
            let at = |wanted: fn(&What) -> bool| {
                records.iter().rev().find(|record| wanted(&record.what)).map(|record| record.at)
            };
            let ended = at(|what| matches!(what, What::Exited(_)));
            let sent = at(|what| matches!(what, What::Sent { .. }));
            return match (ended, sent) {
                (Some(ended), Some(sent)) if ended >= sent => format!(
                    "the process ended ({exit}), {} ms after the last bytes it was sent",
                    milliseconds(ended.saturating_sub(sent))
                ),
                _ => format!("the process ended ({exit})"),
            };
        }
        let unwritten = self.target.unwritten();
        // Writing to a string cannot fail.
        let mut state = if self.target.closed_stdout() {
            "nobody reads its stdout any more, and it lives on".to_owned()
        } else if self.target.stdout_ended() {
            "the process closed its stdout and lives on".to_owned()
        } else {
            "nothing of the kind".to_owned()
        };
        if unwritten > 0 {
            let _ = write!(state, "; {unwritten} bytes were not taken from its stdin");
        }
        if let Some(activity) = self.target.activity() {
            let _ = write!(state, "; {activity}");
        }
        state
    }
}
