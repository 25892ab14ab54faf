//! That a conversation opens and closes.

use extline_protocol::frame::EventPayload;

use super::Host;

/// The conversation. Which one it is [`HostBuilder::session`](crate::HostBuilder::session) says.
impl Host {
    /// Tells those who subscribed to `session_start` that the conversation opens.
    pub fn start_session(&self) {
        self.emit("session_start", EventPayload::default());
    }

    /// Tells those who subscribed to `session_end` that the conversation closes, and why, as `exit`.
    /// It comes before [`Host::shutdown`], which ends the extensions.
    pub fn end_session(&self, reason: &str) {
        let reason = Some(reason.to_owned());
        self.emit("session_end", EventPayload { reason, ..EventPayload::default() });
    }
}
