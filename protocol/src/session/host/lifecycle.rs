//! From the start of the process to its end (`start.*`, `end.*`).

use std::time::{Duration, Instant};

use super::{Asked, HandshakeError, HostEvent, HostSession};
use crate::capability::{Capabilities, Capability};
use crate::error_kind::ErrorKind;
use crate::frame::{ErrorInfo, Hello, RpcError, Shutdown, ShutdownReason, UnknownFrame};
use crate::json::{Members, read_string, write_number};
use crate::limits::{SHUTDOWN_KILL, SHUTDOWN_TERM};
use crate::session::{CallKind, Notice};

/// Where an extension is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    AwaitingHello {
        until: Instant,
        /// However often it says that it is on the way.
        latest: Instant,
    },
    AwaitingReady {
        until: Instant,
        /// When silence counts as ready, under a profile in which it does.
        idle_until: Option<Instant>,
    },
    Ready,
    /// `shutdown` was sent; SIGTERM comes next.
    Ending {
        terminate_at: Instant,
    },
    /// SIGTERM was sent; SIGKILL comes next.
    Terminated {
        kill_at: Instant,
    },
    Killed,
    /// It cannot be used.
    Refused,
    Gone,
}

impl Stage {
    /// What still comes from it does not count.
    pub(super) fn is_deaf(self) -> bool {
        matches!(self, Self::Refused | Self::Gone)
    }

    pub(super) fn is_ending(self) -> bool {
        !matches!(self, Self::AwaitingHello { .. } | Self::AwaitingReady { .. } | Self::Ready)
    }

    pub(super) fn next_step(self) -> Option<Instant> {
        match self {
            Self::AwaitingHello { until, .. } => Some(until),
            Self::AwaitingReady { until, idle_until } => {
                Some(idle_until.map_or(until, |idle_until| idle_until.min(until)))
            }
            Self::Ending { terminate_at } => Some(terminate_at),
            Self::Terminated { kill_at } => Some(kill_at),
            Self::Ready | Self::Killed | Self::Refused | Self::Gone => None,
        }
    }
}

impl HostSession {
    /// Asks the extension to end: `shutdown`, its input closed, SIGTERM after 2 s, SIGKILL after
    /// one more. Call [`HostSession::handle_gone`] when the process has ended.
    pub fn shutdown(&mut self, reason: Option<ShutdownReason>, now: Instant) {
        if matches!(
            self.stage,
            Stage::Ending { .. } | Stage::Terminated { .. } | Stage::Killed | Stage::Gone
        ) {
            return;
        }
        if self.extension.is_some() {
            self.send(&Shutdown { reason: self.profile.extline(reason) });
        }
        self.stage = Stage::Ending { terminate_at: now + SHUTDOWN_TERM };
        self.emit(HostEvent::CloseInput);
    }

    pub(super) fn accept(&mut self, hello: Box<Hello>, now: Instant) {
        let capabilities = hello.capabilities.as_deref().unwrap_or(&[]);
        self.extension_capabilities = Capabilities::named(capabilities);
        self.extension = Some(Hello::clone(&hello));
        let idle_until = self.profile.idle_ready.map(|idle| now + idle);
        self.stage = Stage::AwaitingReady { until: now + self.deadlines.ready, idle_until };
        if let Some(greet) = self.profile.vocabulary.words().greet {
            let greeting = greet(&self.ack);
            self.send(&greeting);
        } else {
            let ack = self.ack.clone();
            self.send(&ack);
        }
        self.emit(HostEvent::Hello(hello));
    }

    /// It is still on the way to `hello`: its silence counts from now (`hello.bootstrap`).
    pub(super) fn handle_bootstrap(&mut self, frame: &UnknownFrame, now: Instant) {
        if let Stage::AwaitingHello { until, latest } = &mut self.stage {
            *until = (now + self.deadlines.hello).min(*latest);
            let members = Members::of(frame.raw.get());
            let message = members.as_ref().and_then(|members| members.last("message"));
            let message = message.and_then(|message| read_string(message.value));
            self.emit(HostEvent::Bootstrap(message.unwrap_or_default().into_owned()));
        }
    }

    pub(super) fn fail_handshake(&mut self, error: HandshakeError) {
        self.stage = Stage::Refused;
        self.emit(HostEvent::HandshakeFailed(error));
    }

    /// `ready` came. A second one is nothing special.
    pub(super) fn handle_ready(&mut self) {
        self.become_ready();
        if self.stage == Stage::Ready && !self.said_ready {
            self.said_ready = true;
            self.emit(HostEvent::SaidReady);
        }
    }

    /// What is registered is used from now on, whether `ready` came or is overdue.
    pub(super) fn become_ready(&mut self) {
        if matches!(self.stage, Stage::AwaitingReady { .. }) {
            self.stage = Stage::Ready;
            self.emit(HostEvent::Ready);
        }
    }

    pub(super) fn advance_stage(&mut self, now: Instant) {
        if self.stage.next_step().is_none_or(|step| step > now) {
            return;
        }
        match self.stage {
            Stage::AwaitingHello { .. } => {
                let waited_ms = as_millis(self.deadlines.hello);
                self.fail_handshake(HandshakeError::NoHello { waited_ms });
            }
            Stage::AwaitingReady { until, .. } => {
                let idle = self.profile.idle_ready.filter(|_| now < until);
                let waited_ms = as_millis(idle.unwrap_or(self.deadlines.ready));
                self.notice(Notice::NotReady { waited_ms });
                self.become_ready();
            }
            Stage::Ending { .. } => {
                self.stage = Stage::Terminated { kill_at: now + SHUTDOWN_KILL };
                self.emit(HostEvent::Terminate);
            }
            Stage::Terminated { .. } => {
                self.stage = Stage::Killed;
                self.emit(HostEvent::Kill);
            }
            Stage::Ready | Stage::Killed | Stage::Refused | Stage::Gone => {}
        }
    }

    pub(super) fn fail_everything(&mut self, how: &str) {
        for key in self.outgoing.keys() {
            self.outgoing.close(&key);
            if key.kind() == CallKind::Request {
                let error = RpcError::new(ErrorKind::Transient, how);
                self.emit(HostEvent::Response { key, result: Err(error) });
            } else {
                let error = ErrorInfo::new(ErrorKind::Transient, how);
                self.emit(HostEvent::CallFailed { key, error });
            }
        }
        for key in self.open.keys() {
            self.open.close(&key);
            self.emit(HostEvent::Cancelled { key });
        }
    }

    pub(super) fn fail_overdue(&mut self, now: Instant) {
        for key in self.outgoing.overdue(now) {
            let Some(call) = self.outgoing.close(&key) else { continue };
            if !call.cancelled {
                self.send_cancel(&key, "timeout");
            }
            let error = if call.cancelled {
                ErrorInfo::new(ErrorKind::Cancelled, "cancelled")
            } else {
                ErrorInfo::new(ErrorKind::Timeout, "the extension did not answer in time")
            };
            if key.kind() == CallKind::Request {
                let error = RpcError::new(error.kind, error.message);
                self.emit(HostEvent::Response { key, result: Err(error) });
            } else {
                self.emit(HostEvent::CallFailed { key, error });
            }
        }
    }

    /// Answers the `call_tool`s that took too long (`call.deadline`); whoever works on one is told
    /// that nobody wants it any more.
    pub(super) fn answer_overdue(&mut self, now: Instant) {
        let is_overdue = |asked: &Asked| asked.overdue.due().is_some_and(|due| due <= now);
        for key in self.open.keys_where(is_overdue) {
            let Some(Asked { tool, .. }) = self.close_asked(&key, now) else { continue };
            let mut seconds = Vec::new();
            write_number(self.deadlines.call_tool.as_secs_f64(), &mut seconds);
            let seconds = String::from_utf8_lossy(&seconds);
            let text = format!("timeout: {tool} took longer than {seconds} s");
            self.refuse_call_tool(key.id().clone(), &tool, &text);
            self.emit(HostEvent::Cancelled { key });
        }
    }

    /// Whether `tool_cancel` reaches it.
    pub(super) fn understands_cancel(&self, kind: CallKind) -> bool {
        match kind {
            CallKind::Tool => self.supports(Capability::ToolCancel),
            CallKind::Request => self.supports(Capability::Rpc),
            CallKind::Command | CallKind::Intercept | CallKind::CallTool => false,
        }
    }
}

fn as_millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
