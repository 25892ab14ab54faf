//! Requests that are not answered yet.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use super::suspended::{Outcome, Resumed, Suspended};
use super::{HEARTBEAT, RequestKey};
use crate::elicits::Elicits;
use crate::entry::Entry;
use crate::message::{Meta, RequestId};
use crate::progress::Told;
use crate::revision::Revision;

/// One request that is not answered yet.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) id: RequestId,
    pub(super) revision: Revision,
    /// What is called; `None` for a prompt.
    pub(super) tool: Option<Arc<Entry>>,
    /// Where its progress is wanted.
    pub(super) progress: Option<Progress>,
    /// What its client can ask its user.
    pub(super) elicits: Elicits,
    /// What is asked for, to know it again; only where it may be suspended.
    pub(super) what: Option<Box<str>>,
    /// Its client was asked something, and has to come back.
    pub(super) suspended: Option<Box<Suspended>>,
}

/// How far a request is, as its client wants to be told.
#[derive(Debug)]
pub(super) struct Progress {
    /// The JSON text of the token.
    pub(super) token: Box<str>,
    pub(super) told: Told,
    /// When there is a sign of life, where nothing else is told before.
    pub(super) beats_at: Instant,
}

impl Progress {
    pub(super) fn new(token: &str, now: Instant) -> Self {
        Self { token: token.into(), told: Told::default(), beats_at: now + HEARTBEAT }
    }
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Open {
    by_key: BTreeMap<RequestKey, Asked>,
    by_id: BTreeMap<RequestId, RequestKey>,
    last: u64,
    /// How many want their progress.
    in_progress: usize,
}

impl Open {
    pub(super) fn insert(&mut self, asked: Asked) -> RequestKey {
        self.last += 1;
        let key = RequestKey(self.last);
        self.in_progress += usize::from(asked.progress.is_some());
        self.by_id.insert(asked.id.clone(), key);
        self.by_key.insert(key, asked);
        key
    }

    /// Takes a request out; `None` when it was before.
    pub(super) fn close(&mut self, key: RequestKey) -> Option<Asked> {
        let asked = self.by_key.remove(&key)?;
        self.in_progress -= usize::from(asked.progress.is_some());
        // One that is suspended has no id any more: that may be another request's.
        if asked.suspended.is_none() {
            self.by_id.remove(&asked.id);
        }
        Some(asked)
    }

    pub(super) fn get(&self, key: RequestKey) -> Option<&Asked> {
        self.by_key.get(&key)
    }

    pub(super) fn find(&self, id: &RequestId) -> Option<RequestKey> {
        self.by_id.get(id).copied()
    }

    pub(super) fn progress(&mut self, key: RequestKey) -> Option<&mut Progress> {
        self.by_key.get_mut(&key)?.progress.as_mut()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// When the next sign of life is due.
    pub(super) fn next_beat(&self) -> Option<Instant> {
        if self.in_progress == 0 {
            return None;
        }
        self.by_key.values().filter_map(|asked| Some(asked.progress.as_ref()?.beats_at)).min()
    }

    /// The requests whose sign of life is due.
    pub(super) fn due(&mut self, now: Instant) -> impl Iterator<Item = &mut Progress> {
        let all = self.by_key.values_mut().filter_map(|asked| asked.progress.as_mut());
        all.filter(move |progress| progress.beats_at <= now)
    }
}

/// Requests that wait for their client.
impl Open {
    /// Suspends a request; the id that it is to be answered by. `None` for one that is suspended or over.
    pub(super) fn suspend(&mut self, key: RequestKey, suspended: Suspended) -> Option<RequestId> {
        let asked = self.by_key.get_mut(&key).filter(|asked| asked.suspended.is_none())?;
        self.in_progress -= usize::from(asked.progress.take().is_some());
        self.by_id.remove(&asked.id);
        asked.suspended = Some(Box::new(suspended));
        Some(asked.id.clone())
    }

    /// Its client has come back with another id: what came of the request meanwhile. `None` for one that is
    /// not suspended.
    pub(super) fn resume(
        &mut self,
        key: RequestKey,
        id: RequestId,
        meta: &Meta<'_>,
        now: Instant,
    ) -> Option<Resumed> {
        let asked = self.by_key.get_mut(&key)?;
        let suspended = asked.suspended.take()?;
        asked.id = id.clone();
        asked.elicits = Elicits::of(meta.capabilities, asked.revision);
        asked.progress = meta.progress_token.map(|token| Progress::new(token, now));
        self.in_progress += usize::from(asked.progress.is_some());
        self.by_id.insert(id, key);
        Some(suspended.outcome.map_or(Resumed::Running, Resumed::Over))
    }

    /// Keeps what came of a request for its client; `None` where that is there.
    pub(super) fn keep(
        &mut self,
        key: RequestKey,
        outcome: impl FnOnce() -> Outcome,
    ) -> Option<()> {
        let asked = self.by_key.get_mut(&key)?;
        let suspended = asked.suspended.as_mut()?;
        suspended.outcome.get_or_insert_with(|| Box::new(outcome()));
        Some(())
    }

    pub(super) fn find_suspended(&self, number: u64) -> Option<RequestKey> {
        let is_it = |suspended: &Suspended| suspended.number == number;
        let mut all = self.each_suspended();
        all.find(|(_, suspended)| is_it(suspended)).map(|(key, _)| key)
    }

    /// Those that are suspended and have not expired.
    pub(super) fn suspended(&self, now: Instant) -> impl Iterator<Item = RequestKey> {
        self.each_suspended().filter(move |(_, it)| it.expires > now).map(|(key, _)| key)
    }

    pub(super) fn all_suspended(&self) -> Vec<RequestKey> {
        self.each_suspended().map(|(key, _)| key).collect()
    }

    pub(super) fn expired(&self, now: Instant) -> Vec<RequestKey> {
        self.each_suspended().filter(|(_, it)| it.expires <= now).map(|(key, _)| key).collect()
    }

    pub(super) fn next_expiry(&self) -> Option<Instant> {
        self.each_suspended().map(|(_, suspended)| suspended.expires).min()
    }

    fn each_suspended(&self) -> impl Iterator<Item = (RequestKey, &Suspended)> {
        let all = self.by_key.iter();
        all.filter_map(|(key, asked)| Some((*key, asked.suspended.as_deref()?)))
    }
}
