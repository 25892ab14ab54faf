//! The two ends of a connection as state machines without I/O, threads or a clock.
//!
//! Bytes go in, events come out; calls go in, bytes come out; time is an argument.

mod call;
mod countdown;
mod extension;
mod host;
mod inbox;
mod notice;
mod outbox;
mod requests;

pub use call::{CallKey, CallKind, ReplyError};
pub use extension::{
    CallToolError, Change, ChangeError, ExtensionConfig, ExtensionEvent, ExtensionSession,
    InterceptChain, PanelInput, RegisterError, Repetition, Turn, Update,
};
pub use host::{
    Deadlines, HandshakeError, HostConfig, HostEvent, HostSession, Intercept, SendError,
    ToolCallOptions,
};
pub use notice::Notice;
pub use requests::RequestError;
