//! That a conversation opens, closes, and goes on elsewhere.

use std::path::Path;
use std::sync::Arc;

use extline_protocol::frame::{EventPayload, RpcError, SessionInfo};

use super::{Host, HostBuilder};
use crate::state::{self, State, error_of};

/// The conversation. Which one it is at first [`HostBuilder::session`](crate::HostBuilder::session) says.
impl Host {
    /// Tells those who subscribed to `session_start` that the conversation opens, and whether something was kept
    /// with it before: the reason is `resume` or `startup`.
    pub fn start_session(&self) {
        self.open_session(if self.is_resumed { "resume" } else { "startup" });
    }

    /// Tells those who subscribed to `session_end` that the conversation closes, and why, as `exit`.
    /// It comes before [`Host::shutdown`], which ends the extensions.
    pub fn end_session(&self, reason: &str) {
        let reason = Some(reason.to_owned());
        self.emit("session_end", EventPayload { reason, ..EventPayload::default() });
    }

    /// Serves another conversation from now on, a new one or one of before. Extensions are told
    /// `session_end` of the old one, with the reason `session_switch`, then `session_switch` with
    /// `previous_session`, and `session_start` with the reason `new` or `resume`.
    ///
    /// What an extension keeps in the scope `session` is that of the new one with the next request.
    pub async fn switch_session(&self, session: SessionInfo) -> Result<(), RpcError> {
        let is_known = match &self.state {
            Some(state) => state.knows(&session.id).await.map_err(error_of)?,
            None => false,
        };
        let reason = if is_known { "resume" } else { "new" };
        self.serve_session("session_switch", session, reason);
        Ok(())
    }

    /// Begins a conversation that branches off from the present one, and serves it from now on: what extensions
    /// keep in the scope `session`, and their entries, are those that were there at that place of its history
    /// ([`Host::leaf`]), or, where none is said, now. What either sets from then on the other does not see.
    /// Extensions are told `session_end`, `session_branch` with `previous_session`, and `session_start` with the
    /// reason `fork`.
    ///
    /// `conflict` where something is kept with a session of that id already, `not_found` where the history has no
    /// such place, `unsupported` where the host has no session. Then nothing has changed.
    pub async fn fork_session(
        &self,
        session: SessionInfo,
        at: Option<&str>,
    ) -> Result<(), RpcError> {
        let old = self.session_id()?;
        if let Some(state) = &self.state {
            state.fork(&old, &session.id, at).await.map_err(error_of)?;
        }
        self.serve_session("session_branch", session, "fork");
        Ok(())
    }

    /// Goes to another place in the history of the conversation, as [`Host::leaf`] names it: what extensions keep
    /// in the scope `session`, and their entries, are those that were there. Extensions are told `session_tree`
    /// with `old_leaf` and `new_leaf`, where it is another one.
    ///
    /// `not_found` where the history has no such place, `unsupported` where the host has no session or keeps
    /// nothing.
    pub async fn go_to_leaf(&self, leaf: &str) -> Result<(), RpcError> {
        let session = self.session_id()?;
        let state = self.state.as_ref().ok_or_else(|| unsupported("it keeps nothing"))?;
        let moved = state.move_to(&session, leaf).await.map_err(error_of)?;
        if moved.old_leaf != moved.new_leaf {
            self.shared.release_pending(None, "the conversation went back to another place");
            let (old_leaf, new_leaf) = (Some(moved.old_leaf), Some(moved.new_leaf));
            self.emit(
                "session_tree",
                EventPayload { old_leaf, new_leaf, ..EventPayload::default() },
            );
        }
        Ok(())
    }

    /// The place in the history of the conversation that is the newest on its branch. It is another one
    /// after each entry that an extension adds; an agent that remembers it with each of its messages can go back
    /// to it, or branch off there.
    ///
    /// `unsupported` where the host has no session or keeps nothing.
    pub async fn leaf(&self) -> Result<String, RpcError> {
        let session = self.session_id()?;
        let state = self.state.as_ref().ok_or_else(|| unsupported("it keeps nothing"))?;
        state.mark(&session).await.map_err(error_of)
    }

    /// The conversation is another one from now on.
    fn serve_session(&self, event: &str, session: SessionInfo, reason: &str) {
        self.end_session("session_switch");
        self.shared.release_pending(None, "the conversation is another one now");
        let previous_session = self.shared.emission.set_session(session).map(|it| it.id);
        self.emit(event, EventPayload { previous_session, ..EventPayload::default() });
        self.open_session(reason);
    }

    fn open_session(&self, reason: &str) {
        // A zot says none.
        let reason =
            Some(reason.to_owned()).filter(|_| self.shared.rules.profile.vocabulary.is_extline());
        self.emit("session_start", EventPayload { reason, ..EventPayload::default() });
    }

    fn session_id(&self) -> Result<String, RpcError> {
        let session = self.shared.emission.session();
        session.map(|session| session.id).ok_or_else(|| unsupported("it has no session"))
    }
}

fn unsupported(why: &str) -> RpcError {
    let text = format!("the host cannot do this: {why}");
    RpcError::new(extline_protocol::ErrorKind::Unsupported, text)
}

impl HostBuilder {
    /// Serves what is kept, where it is: and whether something was kept with the conversation before.
    pub(super) async fn serve_state(&mut self, cwd: &Path) -> (Option<Arc<State>>, bool) {
        let Some(place) = &self.state else { return (None, false) };
        let kept = Arc::new(State::new(place, state::project_of(cwd)));
        // What the agent serves itself goes before it.
        let own = std::mem::replace(&mut self.methods, state::methods(&kept));
        self.methods.extend(own);
        let is_resumed = match &self.session {
            // What cannot be read is told to the extension that asks for it.
            Some(session) => kept.knows(&session.id).await.unwrap_or(false),
            None => false,
        };
        (Some(kept), is_resumed)
    }
}
