//! Calls in flight: who waits for an answer, and who has it already.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};

use thiserror::Error;

use crate::id::Id;

/// What is answered under an id. Each kind has its own ids (`id.per-kind`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CallKind {
    /// A `tool_call`, answered by `tool_result`.
    Tool,
    /// A `command_invoked`, answered by `command_response`.
    Command,
    /// An `event_intercept`, answered by `event_intercept_response`.
    Intercept,
    /// A `request`, answered by `response`.
    Request,
    /// A `call_tool`, answered by the host's `tool_result`.
    CallTool,
}

impl CallKind {
    /// Each at the place of its number.
    const ALL: [Self; 5] =
        [Self::Tool, Self::Command, Self::Intercept, Self::Request, Self::CallTool];
}

impl fmt::Display for CallKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Tool => "tool_call",
            Self::Command => "command_invoked",
            Self::Intercept => "event_intercept",
            Self::Request => "request",
            Self::CallTool => "call_tool",
        })
    }
}

/// Names one call for as long as the session lives, also when its id is used again later.
/// A clone is cheap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallKey {
    kind: CallKind,
    id: Id,
    serial: u64,
}

/// No two keys of a session have one serial, and a map of calls is asked several times for each.
impl Hash for CallKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.serial.hash(state);
    }
}

impl CallKey {
    /// What it is.
    pub fn kind(&self) -> CallKind {
        self.kind
    }

    /// Its id on the wire.
    pub fn id(&self) -> &Id {
        &self.id
    }

    /// Its number among all calls of the session, from 1.
    pub fn serial(&self) -> u64 {
        self.serial
    }
}

/// An answer that was not sent.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplyError {
    /// It has its answer: the handler's own, or the session's at a deadline or shutdown.
    #[error("{0} is already answered")]
    AlreadyAnswered(CallKind),
    /// It is over a limit, and the call was answered with `too_large` in its place.
    #[error("{0}; it was answered with too_large in its place")]
    TooLarge(String),
}

/// The open calls of one direction, with what the session keeps for each.
#[derive(Debug)]
pub(super) struct Pending<T> {
    /// One that was opened while no other was, as most are: it is kept without an allocation.
    alone: Option<(CallKey, T)>,
    /// The others, by kind and id, the serial beside what is kept: each call is in one place, found
    /// by its id when it comes in and by its key until it goes.
    others: [BTreeMap<Id, (u64, T)>; CallKind::ALL.len()],
    /// How many there are.
    count: usize,
    last: u64,
}

impl<T> Default for Pending<T> {
    fn default() -> Self {
        Self { alone: None, others: std::array::from_fn(|_| BTreeMap::new()), count: 0, last: 0 }
    }
}

impl<T> Pending<T> {
    /// Opens a call; `None` when the id is in flight for its kind.
    pub(super) fn open(&mut self, kind: CallKind, id: Id, state: T) -> Option<CallKey> {
        if self.count > 0 && self.serial_of(kind, &id).is_some() {
            return None;
        }
        Some(self.open_new(kind, id, state))
    }

    /// Opens a call under an id that is not in flight.
    pub(super) fn open_new(&mut self, kind: CallKind, id: Id, state: T) -> CallKey {
        self.last += 1;
        let key = CallKey { kind, id, serial: self.last };
        if self.count == 0 {
            self.alone = Some((key.clone(), state));
        } else {
            self.others[kind as usize].insert(key.id.clone(), (key.serial, state));
        }
        self.count += 1;
        key
    }

    /// Closes a call; `None` when it was closed before.
    pub(super) fn close(&mut self, key: &CallKey) -> Option<T> {
        let closed = if self.is_alone(key) {
            self.alone.take().map(|(_, state)| state)
        } else {
            self.get(key)?;
            self.others[key.kind as usize].remove(&key.id).map(|(_, state)| state)
        };
        self.count -= usize::from(closed.is_some());
        closed
    }

    /// The open call with that id.
    pub(super) fn find(&self, kind: CallKind, id: &Id) -> Option<CallKey> {
        let serial = self.serial_of(kind, id)?;
        Some(CallKey { kind, id: id.clone(), serial })
    }

    /// What is kept for an open call.
    pub(super) fn get(&self, key: &CallKey) -> Option<&T> {
        if self.is_alone(key) {
            return self.alone.as_ref().map(|(_, state)| state);
        }
        let (serial, state) = self.others[key.kind as usize].get(&key.id)?;
        (*serial == key.serial).then_some(state)
    }

    /// What is kept for an open call.
    pub(super) fn get_mut(&mut self, key: &CallKey) -> Option<&mut T> {
        if self.is_alone(key) {
            return self.alone.as_mut().map(|(_, state)| state);
        }
        let (serial, state) = self.others[key.kind as usize].get_mut(&key.id)?;
        (*serial == key.serial).then_some(state)
    }

    /// All open calls, oldest first.
    pub(super) fn keys(&self) -> Vec<CallKey> {
        self.keys_where(|_| true)
    }

    /// The open calls of which that holds, oldest first: what is done to several calls at once is
    /// done in the same order every time.
    pub(super) fn keys_where(&self, holds: impl Fn(&T) -> bool) -> Vec<CallKey> {
        let alone = self.alone.iter().filter(|(_, state)| holds(state));
        let mut keys: Vec<_> = alone.map(|(key, _)| key.clone()).collect();
        for kind in CallKind::ALL {
            for (id, (serial, state)) in &self.others[kind as usize] {
                if holds(state) {
                    keys.push(CallKey { kind, id: id.clone(), serial: *serial });
                }
            }
        }
        keys.sort_unstable_by_key(CallKey::serial);
        keys
    }

    /// What is kept for the open calls, in no order that means anything.
    pub(super) fn states(&self) -> impl Iterator<Item = &T> {
        let others = self.others.iter().flat_map(BTreeMap::values).map(|(_, state)| state);
        self.alone.iter().map(|(_, state)| state).chain(others)
    }

    /// Whether none is open.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// No two calls of a session have one serial.
    fn is_alone(&self, key: &CallKey) -> bool {
        self.alone.as_ref().is_some_and(|(alone, _)| alone.serial == key.serial)
    }

    fn serial_of(&self, kind: CallKind, id: &Id) -> Option<u64> {
        match &self.alone {
            Some((alone, _)) if alone.kind == kind && alone.id == *id => Some(alone.serial),
            _ => self.others[kind as usize].get(id).map(|(serial, _)| *serial),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_may_be_open_once_for_each_kind() {
        let mut pending = Pending::default();
        let tool = pending.open(CallKind::Tool, "7".into(), ()).unwrap();
        assert!(pending.open(CallKind::Tool, "7".into(), ()).is_none());
        assert!(pending.open(CallKind::Command, "7".into(), ()).is_some());
        assert!(pending.close(&tool).is_some());
        assert!(pending.close(&tool).is_none());
    }

    #[test]
    fn an_id_is_in_flight_whichever_call_came_first() {
        let mut pending = Pending::default();
        let [first, second] =
            ["1", "2"].map(|id| pending.open(CallKind::Tool, id.into(), id).unwrap());
        for id in ["1", "2"] {
            assert!(pending.open(CallKind::Tool, id.into(), id).is_none());
        }
        assert_eq!(pending.close(&first), Some("1"));
        assert_eq!(pending.find(CallKind::Tool, second.id()), Some(second.clone()));
        let again = pending.open(CallKind::Tool, "1".into(), "1").unwrap();
        assert_eq!(pending.keys(), [second.clone(), again.clone()]);
        assert_eq!(pending.close(&second), Some("2"));
        assert_eq!(pending.close(&again), Some("1"));
        assert!(pending.is_empty());
    }

    #[test]
    fn a_key_does_not_fit_a_later_call_with_the_same_id() {
        let mut pending = Pending::default();
        let old = pending.open(CallKind::Tool, "7".into(), ()).unwrap();
        pending.close(&old);
        let new = pending.open(CallKind::Tool, "7".into(), ()).unwrap();
        assert!(pending.get(&old).is_none());
        assert!(pending.close(&old).is_none());
        assert_eq!(pending.keys(), [new]);
    }

    #[test]
    fn open_calls_of_all_kinds_come_oldest_first() {
        let mut pending = Pending::default();
        let kinds = CallKind::ALL.into_iter().rev().chain(CallKind::ALL);
        let ids = (0..).map(|number: u64| Id::from(1000 - number));
        let open = |(kind, id)| pending.open(kind, id, kind).unwrap();
        let keys: Vec<_> = kinds.zip(ids).map(open).collect();
        assert_eq!(pending.keys(), keys);
        let tools = [keys[4].clone(), keys[5].clone()];
        assert_eq!(pending.keys_where(|kind| *kind == CallKind::Tool), tools);
        assert_eq!(pending.find(CallKind::Tool, tools[1].id()), Some(tools[1].clone()));
        assert_eq!(pending.states().count(), keys.len());
        for key in &keys {
            assert!(!pending.is_empty());
            assert_eq!(pending.close(key), Some(key.kind()));
        }
        assert!(pending.is_empty());
    }
}
