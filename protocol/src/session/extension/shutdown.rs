//! The end: what is open is answered, then the process goes (`end.*`).

use std::time::Instant;

use super::{ExtensionEvent, ExtensionSession};
use crate::error_kind::ErrorKind;
use crate::frame::{CommandResponse, ErrorInfo, RpcError, ShutdownAck, ShutdownReason, ToolResult};
use crate::limits::{SHUTDOWN_ANSWERS, SHUTDOWN_END, SHUTDOWN_TEARDOWN};
use crate::session::{CallKey, CallKind};

/// How far the session is on its way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Running,
    /// Open calls may still be answered.
    Answering(Ending),
    /// `teardown` runs.
    TearingDown(Ending),
    /// Everything is answered; the driver writes and ends.
    Finished(Ending),
    /// The driver was told to end at once.
    Over(Ending),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ending {
    since: Instant,
    ack: bool,
    exit_code: u8,
}

impl Stage {
    pub(super) fn is_ending(self) -> bool {
        self != Self::Running
    }

    pub(super) fn exit_code(self) -> u8 {
        match self {
            Self::Running => 0,
            Self::Answering(ending)
            | Self::TearingDown(ending)
            | Self::Finished(ending)
            | Self::Over(ending) => ending.exit_code,
        }
    }

    pub(super) fn since(self) -> Option<Instant> {
        match self {
            Self::Running | Self::Over(_) => None,
            Self::Answering(ending) | Self::TearingDown(ending) | Self::Finished(ending) => {
                Some(ending.since)
            }
        }
    }

    pub(super) fn next_step(self) -> Option<Instant> {
        match self {
            Self::Running | Self::Over(_) => None,
            Self::Answering(ending) => Some(ending.since + SHUTDOWN_ANSWERS),
            Self::TearingDown(ending) => Some(ending.since + SHUTDOWN_TEARDOWN),
            Self::Finished(ending) => Some(ending.since + SHUTDOWN_END),
        }
    }
}

impl ExtensionSession {
    /// The host has closed its end behind bytes that wait unread, since the driver has read enough
    /// ahead: the end begins as at [`ExtensionSession::handle_eof`]. What waited to begin is answered as
    /// cancelled, so the driver reads on, to the end of what there is, and reports that as ever.
    pub fn handle_hang_up(&mut self, now: Instant) {
        self.begin_shutdown(None, false, 0, now);
    }

    /// SIGTERM came: the same as `shutdown`, with exit code 143 (`end.sigterm`).
    pub fn handle_sigterm(&mut self, now: Instant) {
        self.begin_shutdown(None, false, 143, now);
    }

    /// The extension ends by itself, as at `shutdown` but without an ack: because something that it
    /// needs is not there, or because its setup failed. Whether it does: once another end has begun,
    /// that goes on, with this code where it would have been 0.
    pub fn end(&mut self, exit_code: u8, now: Instant) -> bool {
        let begins = !self.stage.is_ending();
        self.is_setting_up = false;
        self.begin_shutdown(None, false, exit_code, now);
        self.fail_in_the_end(exit_code);
        self.finish_if_idle();
        begins
    }

    /// What a setup that fails ends the extension with ([`ExtensionSession::end`]): 1, which the author is told the
    /// reason of, or 0 for one that gave up because the end had begun and cancelled it. `is_cancelled` says
    /// that it failed by what its language has for that.
    pub fn setup_exit_code(&self, is_cancelled: bool) -> u8 {
        u8::from(!(is_cancelled && self.stage.is_ending()))
    }

    /// What the process ends with, should it end now: 143 once SIGTERM has begun the end, the code of
    /// [`ExtensionSession::end`] once that has, else 0.
    pub fn exit_code(&self) -> u8 {
        self.stage.exit_code()
    }

    /// When the end began, from which its time counts (`end.hard`); `None` before, and once it is over.
    pub fn ending_since(&self) -> Option<Instant> {
        self.stage.since()
    }

    /// `teardown` returned.
    pub fn teardown_done(&mut self) {
        if let Stage::TearingDown(ending) = self.stage {
            self.finish(ending);
        }
    }

    /// The first cause starts the clock; a `shutdown` frame that follows an EOF or SIGTERM, or
    /// comes before it, still gets its ack.
    pub(super) fn begin_shutdown(
        &mut self,
        reason: Option<ShutdownReason>,
        ack: bool,
        exit_code: u8,
        now: Instant,
    ) {
        match &mut self.stage {
            Stage::Running => {}
            Stage::Answering(ending) | Stage::TearingDown(ending) => {
                ending.ack |= ack;
                return;
            }
            Stage::Finished(_) | Stage::Over(_) => return,
        }
        self.stage = Stage::Answering(Ending { since: now, ack, exit_code });
        self.next_keepalive = None;
        self.lanes.forget_waiting();
        self.lanes.control(ExtensionEvent::ShuttingDown(reason));
        for key in self.open.keys() {
            if self.open.get(&key).is_some_and(|open| open.delivered) {
                self.cancel_call(&key, "shutdown".to_owned());
            } else {
                self.answer_cancelled(&key);
            }
        }
        self.finish_if_idle();
    }

    /// The extension fails while it ends for another reason: what would end with 0 ends with that code.
    pub(super) fn fail_in_the_end(&mut self, code: u8) {
        if let Stage::Answering(ending) | Stage::TearingDown(ending) | Stage::Finished(ending) =
            &mut self.stage
            && ending.exit_code == 0
        {
            ending.exit_code = code;
            self.lanes.finish_with(code);
        }
    }

    pub(super) fn advance_shutdown(&mut self, now: Instant) {
        match self.stage {
            Stage::Answering(ending) if now >= ending.since + SHUTDOWN_ANSWERS => {
                for key in self.open.keys() {
                    let name = self.open.get(&key).map(|open| open.name.to_string());
                    self.answer_cancelled(&key);
                    self.overdue.extend(name.map(|name| (key, name)));
                }
                self.is_setting_up = false;
                self.finish_if_idle();
            }
            Stage::TearingDown(ending) if now >= ending.since + SHUTDOWN_TEARDOWN => {
                self.finish(ending);
            }
            Stage::Finished(ending) if now >= ending.since + SHUTDOWN_END => {
                self.stage = Stage::Over(ending);
                let handlers = self.overdue.drain(..).map(|(_, name)| name).collect();
                let exit_code = ending.exit_code;
                self.lanes.control(ExtensionEvent::Overdue { handlers, exit_code });
            }
            _ => {}
        }
    }

    /// Nobody reads answers any more: the calls are dropped.
    pub(super) fn abandon_all(&mut self) {
        for key in self.open.keys() {
            self.abandon(&key);
        }
        self.finish_if_idle();
    }

    pub(super) fn finish_if_idle(&mut self) {
        let Stage::Answering(ending) = self.stage else { return };
        // A setup has the time of a call: its failure is to be told by the exit code.
        if !self.open.is_empty() || self.is_setting_up {
            return;
        }
        self.fail_all_outgoing("the session is ending");
        if self.teardown {
            self.stage = Stage::TearingDown(ending);
            self.lanes.control(ExtensionEvent::Teardown);
        } else {
            self.finish(ending);
        }
    }

    fn finish(&mut self, ending: Ending) {
        if ending.ack {
            self.send(&ShutdownAck {});
        }
        self.stage = Stage::Finished(ending);
        self.lanes.control(ExtensionEvent::Finished { exit_code: ending.exit_code });
    }

    fn answer_cancelled(&mut self, key: &CallKey) {
        let id = key.id().clone();
        let point = self.take_open(key).and_then(|open| open.deciding).map(|decide| decide.point);
        match key.kind() {
            CallKind::Tool => {
                let error = ErrorInfo::new(ErrorKind::Cancelled, "cancelled");
                self.send(&ToolResult::error(id, error));
            }
            CallKind::Command => self.send(&CommandResponse::error(id, "cancelled")),
            CallKind::Intercept => {
                let point = point.unwrap_or_default();
                let response = self.failure_of(&point, id, "the extension is ending".to_owned());
                self.send(&response);
            }
            CallKind::Request | CallKind::CallTool => {
                let error = RpcError::new(ErrorKind::Cancelled, "cancelled");
                self.send(&super::incoming::error_response(id, error));
            }
        }
    }
}
