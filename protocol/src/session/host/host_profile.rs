//! What a profile makes of a session (docs/protocol/specification.md, section 6).

use std::time::{Duration, Instant};

use super::lifecycle::Stage;
use super::{Deadlines, HandshakeError, HostEvent, HostSession, Intercept};
use crate::decode::{Problem, Unusable};
use crate::frame::HelloAck;
use crate::limits::{COMMAND_DEADLINE, INTERCEPT_DEADLINE, TOOL_DEADLINE};
use crate::profile::{AckCapabilities, Profile};

impl Profile {
    /// The first frame of a host of this kind.
    pub(super) fn ack(&self, mut ack: HelloAck) -> HelloAck {
        match self.ack_capabilities {
            AckCapabilities::Served => {}
            AckCapabilities::Absent => ack.capabilities = None,
            AckCapabilities::Only(names) => {
                ack.capabilities = Some(names.iter().copied().map(str::to_owned).collect());
            }
        }
        if !self.vocabulary.is_extline() {
            (ack.host, ack.limits) = (None, None);
            // A fork says these in another form, and serves methods by frames of its own.
            if self.vocabulary.words().greet.is_none() {
                (ack.methods, ack.session) = (None, None);
                (ack.supported_events, ack.config) = (None, None);
            }
        }
        ack
    }

    /// How long a host of this kind waits for what, when it is told to wait that long
    /// (`zot.fixed-deadlines`).
    #[must_use]
    pub fn deadlines(&self, deadlines: Deadlines) -> Deadlines {
        if !self.fixed_deadlines {
            return deadlines;
        }
        let (tool, command) = (TOOL_DEADLINE, COMMAND_DEADLINE);
        Deadlines { tool, command, intercept: INTERCEPT_DEADLINE, ..deadlines }
    }

    /// A question as a host of this kind asks it.
    pub(super) fn intercept(&self, intercept: Intercept) -> Intercept {
        let phase = self.extline(intercept.phase);
        let payload = self.vocabulary.trim_payload(intercept.payload);
        let asks_of_model = self.vocabulary.words().asks_of_model;
        let system_prompt = intercept.system_prompt.filter(|_| asks_of_model);
        Intercept { phase, payload, system_prompt, ..intercept }
    }

    /// A field that only extline has, as a host of this kind writes it.
    pub(super) fn extline<T>(&self, field: Option<T>) -> Option<T> {
        field.filter(|_| self.vocabulary.is_extline())
    }
}

impl Stage {
    /// A line came: the silence after which it counts as ready begins anew (`zot.idle-ready`).
    pub(super) fn extend_idle(&mut self, idle: Option<Duration>, now: Instant) {
        if let (Self::AwaitingReady { idle_until, .. }, Some(idle)) = (self, idle) {
            *idle_until = Some(now + idle);
        }
    }
}

impl HostSession {
    /// A zot stops as soon as the line is too long, before its end comes.
    pub(super) fn is_over_a_long_line(&self) -> bool {
        !self.profile.reads_on_after_long_line
            && !self.stopped_reading
            && self.inbox.partial_bytes() > self.accepts
    }

    pub(super) fn ends_reading(&self, unusable: &Unusable) -> bool {
        !self.profile.reads_on_after_long_line
            && matches!(unusable.problem, Problem::TooLong { .. })
    }

    /// The extension goes on without knowing: it is written to, and never heard again.
    pub(super) fn stop_reading(&mut self) {
        self.stopped_reading = true;
        match self.stage {
            Stage::AwaitingHello { .. } => {
                let why = "it is longer than a host reads".to_owned();
                self.fail_handshake(HandshakeError::BadHello(why));
                return;
            }
            Stage::AwaitingReady { .. } => self.become_ready(),
            _ => {}
        }
        self.emit(HostEvent::StoppedReading);
    }
}
