//! What the system refused an extension, so that the answer of the call says it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use crate::lock::lock;

/// Refusals that are kept for answers.
const KEPT: usize = 32;

/// Refusals, the newest of them.
#[derive(Debug, Default)]
pub(crate) struct Refusals(Mutex<Refused>);

type Teller = Arc<dyn Fn(&str) + Send + Sync>;

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
    pub(crate) fn add(&self, what: &str) {
        let teller = {
            let mut refused = self.lock();
            let is_new = !refused.kept.iter().any(|(_, kept)| kept == what);
            if refused.kept.len() == KEPT {
                refused.kept.pop_front();
            }
            refused.kept.push_back((Instant::now(), what.to_owned()));
            refused.teller.clone().filter(|_| is_new)
        };
        // Whoever is told may hold what somebody holds who reads them.
        if let Some(tell) = teller {
            tell(what);
        }
    }

    /// Is called with each one from now on, and with those that are there. It must not wait.
    pub(crate) fn tell(&self, tell: impl Fn(&str) + Send + Sync + 'static) {
        let teller: Teller = Arc::new(tell);
        let before = {
            let mut refused = self.lock();
            refused.teller = Some(Arc::clone(&teller));
            refused.kept.clone()
        };
        for (_, what) in &before {
            teller(what);
        }
    }

    /// Forgets all: the program is started again.
    pub(super) fn clear(&self) {
        self.lock().kept.clear();
    }

    /// Those since a moment, or all, each once.
    pub(crate) fn since(&self, began: Option<Instant>) -> Vec<String> {
        let refused = self.lock();
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

    fn lock(&self) -> MutexGuard<'_, Refused> {
        lock(&self.0)
    }
}
