//! Requests that are not answered yet.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use super::{HEARTBEAT, RequestKey};
use crate::entry::Entry;
use crate::message::RequestId;
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
        self.by_id.remove(&asked.id);
        Some(asked)
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
