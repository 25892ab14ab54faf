//! What a session tells its driver.

use std::time::Instant;

#[cfg(doc)]
use super::ExtensionSession;
#[cfg(doc)]
use crate::approval_answer;
use crate::frame::{
    CallToolResult, CommandInvoked, Event, EventIntercept, HelloAck, PanelKey, PanelResize,
    Registered, Request, RpcError, ShutdownReason, ToolCall,
};
use crate::json::RawJson;
use crate::session::{CallKey, Notice};

/// What a driver does next.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ExtensionEvent {
    /// The host answered. Run `setup`, then call [`ExtensionSession::ready`].
    Accepted(Box<HelloAck>),
    /// Run a tool; answer with [`ExtensionSession::reply_tool`].
    ToolCall {
        /// Names the call.
        key: CallKey,
        /// The tool and its arguments, which are an object.
        call: ToolCall,
        /// When the host stops waiting, where it says so.
        deadline: Option<Instant>,
    },
    /// Run a command; answer with [`ExtensionSession::reply_command`].
    Command {
        /// Names the call.
        key: CallKey,
        /// The command in its registered spelling, and its arguments.
        command: CommandInvoked,
    },
    /// Decide; answer with [`ExtensionSession::reply_intercept`].
    Intercept {
        /// Names the call.
        key: CallKey,
        /// What is about to happen. Without a phase, interceptors run first, then guards.
        intercept: Box<EventIntercept>,
        /// When the session answers itself.
        deadline: Instant,
    },
    /// Serve a method; answer with [`ExtensionSession::reply_request`].
    Request {
        /// Names the call.
        key: CallKey,
        /// The method and its parameters.
        request: Request,
        /// When the host stops waiting, where it says so.
        deadline: Option<Instant>,
    },
    /// Say whether a call of a tool is to be approved: by [`ExtensionSession::reply_request`], with what
    /// [`approval_answer`] makes of it.
    Approval {
        /// Names the question.
        key: CallKey,
        /// A tool that is registered with `approval: {"dynamic": true}`.
        tool: String,
        /// The arguments of the call, which are an object.
        args: RawJson,
        /// When the host stops waiting, where it says so.
        deadline: Option<Instant>,
    },
    /// The answer to a call is no longer wanted. It is answered all the same. A call that is only
    /// about to begin is asked by [`ExtensionSession::is_cancelled`].
    Cancelled {
        /// Names the call.
        key: CallKey,
        /// Why.
        reason: String,
    },
    /// Handle an event, then call [`ExtensionSession::event_done`]; no other comes before.
    Event(Box<Event>),
    /// Handle what happened in a panel, then call [`ExtensionSession::panel_done`]; nothing else
    /// comes from that panel before.
    Panel(PanelInput),
    /// The answer to [`ExtensionSession::call_tool`].
    CallToolDone {
        /// Names the call.
        key: CallKey,
        /// What the tool answered.
        result: CallToolResult,
    },
    /// A part of the answer to [`ExtensionSession::request`].
    ResponsePart {
        /// Names the request.
        key: CallKey,
        /// Number of the part, from 1.
        seq: u64,
        /// The part.
        data: RawJson,
    },
    /// The answer to [`ExtensionSession::request`].
    Response {
        /// Names the request.
        key: CallKey,
        /// What the method returned, or why it failed.
        result: Result<RawJson, RpcError>,
    },
    /// What the host took of the registrations.
    Registered(Registered),
    /// The extension is to end; open calls get their cancel right after.
    ShuttingDown(Option<ShutdownReason>),
    /// Run `teardown`, then call [`ExtensionSession::teardown_done`].
    Teardown,
    /// Write the line to stderr.
    Notice(Notice),
    /// Everything is answered: write what is left, then end the ordinary way.
    Finished {
        /// 0, 143 after SIGTERM, or that of [`ExtensionSession::end`].
        exit_code: u8,
    },
    /// The process should have ended: write one line that names these handlers, and end at once.
    Overdue {
        /// Tools, commands and points whose handlers did not stop.
        handlers: Vec<String>,
        /// 0, 143 after SIGTERM, or that of [`ExtensionSession::end`].
        exit_code: u8,
    },
}

/// Something that happened in a panel.
#[derive(Clone, Debug, PartialEq)]
pub enum PanelInput {
    /// A key was pressed.
    Key(PanelKey),
    /// It has a new size.
    Resize(PanelResize),
    /// The user closed it.
    Close {
        /// Which panel.
        panel_id: String,
    },
}

impl PanelInput {
    /// Which panel.
    pub fn panel_id(&self) -> &str {
        match self {
            Self::Key(key) => &key.panel_id,
            Self::Resize(resize) => &resize.panel_id,
            Self::Close { panel_id } => panel_id,
        }
    }
}
