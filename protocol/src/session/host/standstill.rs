//! Deadlines that stand still while a person is asked (`rpc.dialog-pauses`).

use std::time::Instant;

use super::{Asked, HostEvent, HostSession};
use crate::frame::{Parent, ParentKind};
use crate::session::{CallKey, CallKind};

impl HostSession {
    /// A person is asked below a `call_tool` of the extension's, in whatever session: its deadline and
    /// that of the tool call that it belongs to stand still until
    /// [`HostSession::resume_call_tool`], or until it is over. Once more changes nothing.
    pub fn pause_call_tool(&mut self, key: &CallKey, now: Instant) {
        self.pause_parent(key, now);
    }

    /// The person has answered, or is asked no more.
    pub fn resume_call_tool(&mut self, key: &CallKey, now: Instant) {
        self.resume_parent(key, now);
    }

    /// What the extension asked for waits for a person.
    pub(super) fn pause_parent(&mut self, asked: &CallKey, now: Instant) {
        let Some(state) = self.open.get_mut(asked).filter(|state| !state.is_paused) else { return };
        state.is_paused = true;
        state.overdue.pause(now);
        let Some(parent) = state.parent.clone() else { return };
        if let Some(call) = self.outgoing.get_mut(&parent).filter(|call| !call.cancelled)
            && call.deadline.pause(now)
        {
            self.emit(HostEvent::Paused { key: parent });
        }
    }

    /// What the extension asked for waits for a person no more.
    pub(super) fn resume_parent(&mut self, asked: &CallKey, now: Instant) {
        let Some(state) = self.open.get_mut(asked).filter(|state| state.is_paused) else { return };
        state.is_paused = false;
        state.overdue.resume(now);
        let Some(parent) = state.parent.clone() else { return };
        if let Some(call) = self.outgoing.get_mut(&parent)
            && call.deadline.resume(now)
        {
            self.emit(HostEvent::Resumed { key: parent });
        }
    }

    /// Closes what the extension asked for; `None` when it was closed before.
    pub(super) fn close_asked(&mut self, key: &CallKey, now: Instant) -> Option<Asked> {
        self.resume_parent(key, now);
        self.open.close(key)
    }

    /// The open call that a request belongs to; an event is no call, and a panel has none.
    pub(super) fn parent(&self, parent: &Parent) -> Option<CallKey> {
        let kind = match parent.kind {
            ParentKind::ToolCall => CallKind::Tool,
            ParentKind::Command => CallKind::Command,
            ParentKind::Intercept => CallKind::Intercept,
            ParentKind::Request => CallKind::Request,
            _ => return None,
        };
        self.outgoing.find(kind, &parent.id)
    }
}
