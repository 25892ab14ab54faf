//! What a host's vocabulary is made of.

use crate::frame::{
    Action, CallTool, CallToolResult, CommandResponse, Content, EventDetails,
    EventInterceptResponse, EventPayload, ExtensionFrame, ForkAck, ForkToolResult, Hello, HelloAck,
    OpenPanel, Panel, PanelRender, RegisterCommand, RegisterTool, Subscribe, ToolResult,
    UnknownFrame,
};
use crate::json::RawJson;

/// The words of one host. What it does in its own way are functions, so that a program has only those
/// of the hosts that it plays.
pub(crate) struct Words {
    pub(super) name: &'static str,
    /// Frames of an extension, in lists; `None` where every frame is known.
    pub(super) frames: Option<&'static [&'static [&'static str]]>,
    pub(super) events: Option<&'static [&'static [&'static str]]>,
    pub(super) points: Option<&'static [&'static [&'static str]]>,
    pub(super) has_tool_prompt: bool,
    /// An intercept says which model is asked, and with which system prompt.
    pub(crate) asks_of_model: bool,
    /// `tool_call` says whether and how the call is repeated.
    pub(crate) repeats_calls: bool,
    /// Takes away the fields of an extension's frame that are not known.
    pub(super) trim: Option<fn(ExtensionFrame) -> ExtensionFrame>,
    /// Takes away the fields of an event or an intercept that are not sent.
    pub(super) trim_payload: Option<fn(EventPayload) -> EventPayload>,
    /// Takes a frame that this version does not know, where the host has frames of its own.
    pub(crate) hear: Option<fn(&UnknownFrame) -> Option<Translated>>,
    /// Answers a tool that an extension calls, where that is another frame.
    pub(crate) tell_result: Option<fn(CallToolResult) -> ForkToolResult>,
    /// Why an extension with that `hello` is not taken, where its version is looked at.
    pub(crate) refuse: Option<fn(&Hello) -> Option<String>>,
    /// Why arguments of so many bytes are not sent, where that is counted.
    pub(crate) refuse_args: Option<fn(usize) -> Option<String>>,
    /// Answers `hello`, where the members of that are others than those of a zot.
    pub(crate) greet: Option<fn(&HelloAck) -> ForkAck>,
}

/// What a frame of a fork means to a host that plays it.
pub(crate) enum Translated {
    /// It calls a tool.
    CallTool(CallTool),
    /// It asks for this method, and no answer is written.
    Request { method: &'static str, params: RawJson },
    /// It is answered with this line: as by its own host where that has not what is asked for.
    Answer(String),
}

/// The frame without what only extline has. Which fields of a tool and of its result are known
/// differs from host to host.
pub(super) fn without_extline(
    frame: ExtensionFrame,
    tool: fn(RegisterTool) -> RegisterTool,
    result: fn(ToolResult) -> ToolResult,
) -> ExtensionFrame {
    match frame {
        ExtensionFrame::RegisterTool(frame) => tool(*frame).into(),
        ExtensionFrame::RegisterCommand(command) => {
            RegisterCommand { usage: None, ..command }.into()
        }
        ExtensionFrame::Subscribe(subscribe) => {
            Subscribe { guards: None, on_failure: None, filters: None, ..subscribe }.into()
        }
        ExtensionFrame::ToolResult(frame) => result(*frame).into(),
        ExtensionFrame::EventInterceptResponse(response) => {
            EventInterceptResponse { ask: false, ..response }.into()
        }
        ExtensionFrame::PanelRender(render) => PanelRender { view: None, ..render }.into(),
        ExtensionFrame::OpenPanel(open) => {
            OpenPanel { panel: Panel { view: None, ..open.panel } }.into()
        }
        ExtensionFrame::CommandResponse(response) => {
            let open_panel = response.open_panel.map(|panel| Panel { view: None, ..panel });
            CommandResponse { open_panel, ..*response }.into()
        }
        frame => frame,
    }
}

/// The frame without what upstream added to answers.
pub(super) fn without_upstream(frame: ExtensionFrame) -> ExtensionFrame {
    match frame {
        ExtensionFrame::CommandResponse(response) => {
            let action = match response.action {
                Action::ToolPrompt => Action::Other(Action::ToolPrompt.as_str().into()),
                action => action,
            };
            CommandResponse { action, tool_name: None, tool_args: None, ..*response }.into()
        }
        ExtensionFrame::EventInterceptResponse(response) => {
            EventInterceptResponse { system_prompt: None, ..response }.into()
        }
        frame => frame,
    }
}

/// What every zot and every fork knows of a tool.
pub(super) fn base_tool(tool: RegisterTool) -> RegisterTool {
    let RegisterTool { name, description, schema, .. } = tool;
    RegisterTool { name, description, schema, ..RegisterTool::default() }
}

/// What each of them knows of its result.
pub(super) fn base_result(result: ToolResult) -> ToolResult {
    let is_error = result.is_error;
    let plain = |block: Content| match (&block, block.plain()) {
        (Content::Other(_), Some(text)) => Content::text(text),
        _ => block,
    };
    let content = result.content.into_iter().map(plain);
    ToolResult { is_error, ..ToolResult::new(result.id, content.collect()) }
}

/// What upstream says with an event.
pub(super) fn upstream_payload(payload: EventPayload) -> EventPayload {
    EventPayload {
        previous_session: None,
        old_leaf: None,
        new_leaf: None,
        details: EventDetails::default(),
        ..payload
    }
}

/// What each of them says with an event.
pub(super) fn base_payload(payload: EventPayload) -> EventPayload {
    let EventPayload { step, stop, error, tool_id, tool_name, tool_args, text, .. } = payload;
    EventPayload {
        step,
        stop,
        error,
        tool_id,
        tool_name,
        tool_args,
        text,
        ..EventPayload::default()
    }
}
