//! Deadlines that stand still while a person is asked (`rpc.dialog-pauses`,
//! `guard.margin-pauses`).

use std::time::Instant;

use super::ExtensionSession;
use crate::session::CallKey;
use crate::session::countdown::Countdown;
use crate::session::requests::Outgoing;

impl ExtensionSession {
    /// Until when an open call is to be answered, where that is known: what the host says, and for an
    /// intercept the time at which the session answers itself. It moves while a person is asked below
    /// the call, so it is what would hold if the person answered `now`.
    pub fn deadline(&self, key: &CallKey, now: Instant) -> Option<Instant> {
        self.open.get(key)?.deadline.end(now)
    }

    pub(super) fn note_deadline(&mut self, key: &CallKey, deadline: Option<Instant>) {
        if let Some(open) = self.open.get_mut(key).filter(|_| deadline.is_some()) {
            open.deadline = Countdown::new(deadline);
        }
    }

    /// A person is asked on behalf of that call.
    pub(super) fn pause(&mut self, call: &CallKey, now: Instant) {
        if let Some(open) = self.open.get_mut(call) {
            open.deadline.pause(now);
        }
    }

    /// A request or a `call_tool` is over; when it let its call stand still, that goes on.
    pub(super) fn dialog_over(&mut self, request: &Outgoing, now: Instant) {
        if let Some(parent) = request.parent.as_ref().filter(|_| request.is_dialog) {
            self.resume(parent, now);
        }
    }

    /// Calls go on whose dialogs nobody waits for any more; their answers may come later.
    pub(super) fn resume_given_up(&mut self, now: Instant) {
        for call in std::mem::take(&mut self.given_up) {
            self.resume(&call, now);
        }
    }

    fn resume(&mut self, call: &CallKey, now: Instant) {
        if let Some(open) = self.open.get_mut(call) {
            open.deadline.resume(now);
        }
    }
}
