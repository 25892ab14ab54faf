//! The frames of the wire, one type each; docs/protocol/specification.md has the same tables in words.

mod any;
mod content;
mod event;
mod event_details;
mod extension;
mod host;
mod object;
mod panel;
mod rpc;
mod tool;
mod truncate;

pub use any::{AnyFrame, ExtensionFrame, HostFrame, UnknownFrame};
pub use content::{Content, Effect, EffectKind, ErrorInfo, FileOp, Progress};
pub use event::{
    Event, EventIntercept, EventInterceptResponse, EventMessage, EventPayload, EventResult, Phase,
    ReplaceResult, Todo,
};
pub(crate) use event::{GUARD, INTERCEPTOR};
pub use event_details::EventDetails;
pub use extension::{
    Action, CallTool, CallToolCancel, ClearNotes, CommandResponse, EventFilter, ForkToolCall,
    Hello, Level, Log, Notify, OnFailure, Ready, RegisterCommand, RegisterTool, SdkInfo,
    ShutdownAck, Submit, SubmitSlash, Subscribe, ToolResult, ToolUpdate, UnregisterTool,
};
pub use host::{
    CallToolResult, CommandInvoked, ForkAck, ForkSession, ForkToolResult, HelloAck, HostInfo,
    Limits, Registered, Rejection, SessionInfo, Shutdown, ShutdownReason, ToolCall, ToolCancel,
};
pub use object::{Frame, Object};
pub use panel::{OpenPanel, Panel, PanelClose, PanelKey, PanelRender, PanelResize};
pub use rpc::{Cancel, Parent, ParentKind, Request, Response, ResponsePart, RpcError};
pub use tool::{
    Annotations, Approval, Execution, Exposure, OutputFormat, Preference, Replay, Tier,
};
pub(crate) use truncate::truncate;
