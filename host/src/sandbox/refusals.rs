//! What the system refused an extension, so that the answer of the call says it.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Refusals that are kept for answers.
const KEPT: usize = 32;

/// Refusals, the newest of them.
#[derive(Debug, Default)]
pub(crate) struct Refusals(Mutex<Refused>);

type Teller = Box<dyn Fn(&str) + Send>;

#[derive(Default)]
struct Refused {
    kept: VecDeque<(Instant, String)>,
    /// Is told of each that is new, if anybody wants that.
    teller: Option<Teller>,
}

impl std::fmt::Debug for Refused {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Refused").field("kept", &self.kept).finish_non_exhaustive()
    }
}

impl Refusals {
    /// Keeps one, `to run /bin/true (permissions.exec)`, and tells of it where it was not just told.
    pub(crate) fn add(&self, what: String) {
        let mut refused = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !refused.kept.iter().any(|(_, kept)| *kept == what)
            && let Some(tell) = &refused.teller
        {
            tell(&what);
        }
        if refused.kept.len() == KEPT {
            refused.kept.pop_front();
        }
        refused.kept.push_back((Instant::now(), what));
    }

    /// Is called with each one from now on, and with those that are there. It must not wait.
    pub(crate) fn tell(&self, tell: impl Fn(&str) + Send + 'static) {
        let mut refused = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        refused.kept.iter().for_each(|(_, what)| tell(what));
        refused.teller = Some(Box::new(tell));
    }

    /// Forgets all: the program is started again.
    pub(super) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).kept.clear();
    }

    /// Those since a moment, or all, each once.
    pub(crate) fn since(&self, began: Option<Instant>) -> Vec<String> {
        let refused = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut since: Vec<String> = Vec::new();
        for (_, what) in
            refused.kept.iter().filter(|(at, _)| began.is_none_or(|began| *at >= began))
        {
            if !since.contains(what) {
                since.push(what.clone());
            }
        }
        since
    }
}
