//! All frames of one direction. `tool_result` and `panel_close` exist in both, so a frame is
//! known by direction and type (`frm.routing`).

use serde_json::Value;

use super::object::object_schema;
use super::{
    CallTool, CallToolCancel, CallToolResult, Cancel, ClearNotes, CommandInvoked, CommandResponse,
    Event, EventIntercept, EventInterceptResponse, Frame, Hello, HelloAck, Log, Notify, Object,
    OpenPanel, PanelClose, PanelKey, PanelRender, PanelResize, Ready, RegisterCommand,
    RegisterTool, Registered, Request, Response, ResponsePart, Shutdown, ShutdownAck, Submit,
    SubmitSlash, Subscribe, ToolCall, ToolCancel, ToolResult, ToolUpdate, UnregisterTool,
};
use crate::json::{FieldError, Members, RawJson};

/// A frame of a type that this version does not know.
#[derive(Clone, Debug, PartialEq)]
pub struct UnknownFrame {
    /// Its `type`.
    pub frame_type: String,
    /// The whole frame.
    pub raw: RawJson,
}

/// Any frame of one direction.
pub trait AnyFrame: Sized {
    /// The types this version knows.
    const TYPES: &'static [&'static str];

    /// Reads a frame of that type from its members; `text` is the whole frame.
    fn read(frame_type: &str, members: &Members<'_>, text: &str) -> Result<Self, FieldError>;

    /// Appends the canonical line, LF included.
    fn write_line(&self, out: &mut Vec<u8>);

    /// The frame's `type`.
    fn frame_type(&self) -> &str;

    /// The JSON Schema of each known type, in the order of `TYPES`.
    fn schemas() -> Vec<(&'static str, Value)>;
}

/// `boxed` stands behind what is large and rare, so that every other frame is moved as the few bytes
/// that it is.
macro_rules! frames {
    (@type $body:ident) => { $body };
    (@type $body:ident boxed) => { Box<$body> };
    ($(#[$meta:meta])* pub enum $any:ident { $($frame:ident($body:ident) $($boxed:ident)?,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $any {
            $(
                #[doc = concat!("See [`", stringify!($body), "`].")]
                $frame(frames!(@type $body $($boxed)?)),
            )*
            /// A type that this version does not know.
            Unknown(UnknownFrame),
        }

        impl AnyFrame for $any {
            const TYPES: &'static [&'static str] = &[$($body::TYPE),*];

            fn read(frame_type: &str, members: &Members<'_>, text: &str) -> Result<Self, FieldError> {
                $(
                    if frame_type == $body::TYPE {
                        return $body::read_members(members).map(Self::from);
                    }
                )*
                Ok(Self::Unknown(UnknownFrame {
                    frame_type: frame_type.to_owned(),
                    raw: RawJson::of_repaired(text),
                }))
            }

            fn write_line(&self, out: &mut Vec<u8>) {
                match self {
                    $( Self::$frame(frame) => frame.write_line(out), )*
                    Self::Unknown(frame) => {
                        out.extend_from_slice(frame.raw.get().as_bytes());
                        out.push(b'\n');
                    }
                }
            }

            fn frame_type(&self) -> &str {
                match self {
                    $( Self::$frame(_) => $body::TYPE, )*
                    Self::Unknown(frame) => &frame.frame_type,
                }
            }

            fn schemas() -> Vec<(&'static str, Value)> {
                vec![$( ($body::TYPE, object_schema::<$body>(Some(("type", $body::TYPE)))) ),*]
            }
        }

        $(
            impl From<$body> for $any {
                fn from(frame: $body) -> Self {
                    Self::$frame(frame.into())
                }
            }
        )*
    };
}

frames! {
    /// A frame from an extension to a host.
    pub enum ExtensionFrame {
        ToolResult(ToolResult) boxed,
        ToolUpdate(ToolUpdate),
        CommandResponse(CommandResponse) boxed,
        EventInterceptResponse(EventInterceptResponse),
        Notify(Notify),
        Log(Log),
        CallTool(CallTool),
        CallToolCancel(CallToolCancel),
        Request(Request),
        Response(Response),
        ResponsePart(ResponsePart),
        Cancel(Cancel),
        OpenPanel(OpenPanel),
        PanelRender(PanelRender),
        PanelClose(PanelClose),
        Submit(Submit),
        SubmitSlash(SubmitSlash),
        ClearNotes(ClearNotes),
        Hello(Hello) boxed,
        RegisterCommand(RegisterCommand),
        RegisterTool(RegisterTool) boxed,
        UnregisterTool(UnregisterTool),
        Subscribe(Subscribe),
        Ready(Ready),
        ShutdownAck(ShutdownAck),
    }
}

frames! {
    /// A frame from a host to an extension.
    pub enum HostFrame {
        ToolCall(ToolCall),
        ToolCancel(ToolCancel),
        CommandInvoked(CommandInvoked),
        Event(Event) boxed,
        EventIntercept(EventIntercept) boxed,
        PanelKey(PanelKey),
        PanelResize(PanelResize),
        PanelClose(PanelClose),
        CallToolResult(CallToolResult),
        Request(Request),
        Response(Response),
        ResponsePart(ResponsePart),
        Cancel(Cancel),
        HelloAck(HelloAck) boxed,
        Registered(Registered),
        Shutdown(Shutdown),
    }
}
