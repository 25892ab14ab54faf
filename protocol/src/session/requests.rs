//! Calls that were sent and are not answered, the same on both sides.

use std::collections::HashMap;
use std::time::Instant;

use thiserror::Error;

use super::call::{CallKey, CallKind, Pending};
use super::countdown::Countdown;
use crate::error_kind::ErrorKind;
use crate::frame::ErrorInfo;
use crate::id::Id;

/// A request that cannot be sent.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestError {
    /// The peer does not know requests, or not this method.
    #[error("the peer does not offer {method:?}")]
    Unsupported {
        /// The method.
        method: String,
    },
    /// The call that it belongs to is answered already.
    #[error("the call that it belongs to is already answered")]
    ParentEnded,
    /// The frame breaks a limit.
    #[error("it is too large: {0}")]
    TooLarge(String),
    /// 16 parts wait to be written; write them first.
    #[error("16 parts of the answer wait to be written")]
    PartsAhead,
    /// The call is no request.
    #[error("only the answer of a method has parts")]
    NoParts,
    /// The session is ending.
    #[error("the session is ending")]
    ShuttingDown,
}

impl RequestError {
    /// What kind of failure it is to the author.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Unsupported { .. } | Self::NoParts => ErrorKind::Unsupported,
            Self::ParentEnded => ErrorKind::Stale,
            Self::TooLarge(_) => ErrorKind::TooLarge,
            Self::PartsAhead => ErrorKind::Internal,
            Self::ShuttingDown => ErrorKind::Cancelled,
        }
    }
}

impl From<&RequestError> for ErrorInfo {
    fn from(refused: &RequestError) -> Self {
        Self::new(refused.kind(), refused.to_string())
    }
}

/// What is kept for a call until its answer comes.
#[derive(Clone, Debug, Default)]
pub(super) struct Outgoing {
    pub(super) deadline: Countdown,
    pub(super) parent: Option<CallKey>,
    /// It waits for a person, or may, and the deadline of its parent stands still.
    pub(super) is_dialog: bool,
    /// The peer was told that the answer is no longer wanted.
    pub(super) cancelled: bool,
}

#[derive(Debug, Default)]
pub(super) struct OutgoingCalls {
    open: Pending<Outgoing>,
    last: HashMap<CallKind, u64>,
}

impl OutgoingCalls {
    /// Opens the next one; ids are "1", "2", ... for each kind (`id.outgoing`).
    pub(super) fn open(&mut self, kind: CallKind, outgoing: Outgoing) -> CallKey {
        let last = self.last.entry(kind).or_default();
        *last += 1;
        self.open.open_new(kind, Id::from(*last), outgoing)
    }

    /// Closes the call with that id; `None` when nobody waits for it.
    pub(super) fn close_id(&mut self, kind: CallKind, id: &Id) -> Option<(CallKey, Outgoing)> {
        let key = self.open.find(kind, id)?;
        self.open.close(&key).map(|outgoing| (key, outgoing))
    }

    pub(super) fn close(&mut self, key: &CallKey) -> Option<Outgoing> {
        self.open.close(key)
    }

    pub(super) fn find(&self, kind: CallKind, id: &Id) -> Option<CallKey> {
        self.open.find(kind, id)
    }

    pub(super) fn get_mut(&mut self, key: &CallKey) -> Option<&mut Outgoing> {
        self.open.get_mut(key)
    }

    pub(super) fn children_of(&self, parent: &CallKey) -> Vec<CallKey> {
        self.open.keys_where(|call| call.parent.as_ref() == Some(parent))
    }

    pub(super) fn overdue(&self, now: Instant) -> Vec<CallKey> {
        self.open.keys_where(|call| call.deadline.due().is_some_and(|due| due <= now))
    }

    pub(super) fn next_deadline(&self) -> Option<Instant> {
        if self.open.is_empty() {
            return None;
        }
        self.open.states().filter_map(|call| call.deadline.due()).min()
    }

    pub(super) fn keys(&self) -> Vec<CallKey> {
        self.open.keys()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }
}
