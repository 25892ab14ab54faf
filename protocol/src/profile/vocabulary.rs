//! The frames and fields a host knows.

use crate::frame::{
    Action, CommandResponse, EventInterceptResponse, EventPayload, ExtensionFrame, RegisterCommand,
    RegisterTool, Subscribe, ToolResult,
};

/// The frames and fields a host knows; the words are those of the column *since* in
/// docs/protocol/specification.md. Each holds those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Vocabulary {
    /// What zot 0.1.62 has.
    Base,
    /// What a later zot has.
    Upstream,
    /// Everything.
    Extline,
}

use super::near::near;

use Vocabulary::{Base, Extline, Upstream};

/// Frames of an extension.
const BASE_FRAMES: [&str; 12] = [
    "hello",
    "register_command",
    "register_tool",
    "subscribe",
    "ready",
    "command_response",
    "tool_result",
    "event_intercept_response",
    "notify",
    "panel_render",
    "panel_close",
    "shutdown_ack",
];
const UPSTREAM_FRAMES: [&str; 6] =
    ["call_tool", "call_tool_cancel", "open_panel", "clear_notes", "submit", "submit_slash"];

const BASE_EVENTS: [&str; 5] =
    ["session_start", "turn_start", "tool_call", "assistant_message", "turn_end"];
const UPSTREAM_EVENTS: [&str; 9] = [
    "session_end",
    "user_prompt_submit",
    "tool_result",
    "tool_confirmation_requested",
    "permission_decision",
    "pre_compact",
    "post_compact",
    "subagent_start",
    "subagent_stop",
];

const BASE_POINTS: [&str; 3] = ["tool_call", "turn_start", "assistant_message"];
const UPSTREAM_POINTS: [&str; 1] = ["before_agent_start"];

/// What is known of.
impl Vocabulary {
    /// Whether an extension's frame of that type is known.
    pub fn has_frame(self, frame_type: &str) -> bool {
        self.has(frame_type, &BASE_FRAMES, &UPSTREAM_FRAMES)
    }

    /// Whether that event is known.
    pub fn has_event(self, event: &str) -> bool {
        self.has(event, &BASE_EVENTS, &UPSTREAM_EVENTS)
    }

    /// Every event that some host sends, zot's own first.
    pub fn events() -> impl Iterator<Item = &'static str> {
        BASE_EVENTS.into_iter().chain(UPSTREAM_EVENTS)
    }

    /// Every point at which some host asks interceptors, zot's own first.
    pub fn points() -> impl Iterator<Item = &'static str> {
        BASE_POINTS.into_iter().chain(UPSTREAM_POINTS)
    }

    /// The known events that look like that one, which is none of them; none for a known one.
    pub(crate) fn events_near(event: &str) -> Vec<&'static str> {
        if Upstream.has_event(event) {
            return Vec::new();
        }
        near(event, &Self::events().collect::<Vec<_>>())
    }

    /// Whether extensions are asked at that point.
    pub fn has_point(self, point: &str) -> bool {
        self.has(point, &BASE_POINTS, &UPSTREAM_POINTS)
    }

    fn has(self, name: &str, base: &[&str], upstream: &[&str]) -> bool {
        match self {
            Base => base.contains(&name),
            Upstream => base.contains(&name) || upstream.contains(&name),
            Extline => true,
        }
    }
}

/// Fields that are not known count for nothing, whoever wrote them.
impl Vocabulary {
    /// The frame as a host with this vocabulary sees it.
    pub(crate) fn trim(self, frame: ExtensionFrame) -> ExtensionFrame {
        if self == Extline {
            return frame;
        }
        match frame {
            ExtensionFrame::RegisterTool(tool) => self.trim_tool(tool).into(),
            ExtensionFrame::RegisterCommand(command) => {
                RegisterCommand { usage: None, ..command }.into()
            }
            ExtensionFrame::Subscribe(subscribe) => {
                Subscribe { guards: None, on_failure: None, ..subscribe }.into()
            }
            ExtensionFrame::ToolResult(result) => self.trim_result(result).into(),
            ExtensionFrame::CommandResponse(response) if self == Base => {
                let action = match response.action {
                    Action::ToolPrompt => Action::Other(Action::ToolPrompt.as_str().into()),
                    action => action,
                };
                CommandResponse { action, tool_name: None, tool_args: None, ..response }.into()
            }
            ExtensionFrame::EventInterceptResponse(response) => {
                let system_prompt = response.system_prompt.filter(|_| self != Base);
                EventInterceptResponse { ask: false, system_prompt, ..response }.into()
            }
            frame => frame,
        }
    }

    /// What an event or an intercept carries, as a host with this vocabulary sends it.
    pub(crate) fn trim_payload(self, payload: EventPayload) -> EventPayload {
        if self != Base {
            return payload;
        }
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

    fn trim_tool(self, tool: RegisterTool) -> RegisterTool {
        let RegisterTool { name, description, schema, .. } = tool;
        let base = RegisterTool { name, description, schema, ..RegisterTool::default() };
        if self == Base {
            return base;
        }
        RegisterTool {
            output_schema: tool.output_schema,
            namespace: tool.namespace,
            namespace_description: tool.namespace_description,
            namespace_instructions: tool.namespace_instructions,
            exposure: tool.exposure,
            deferred: tool.deferred,
            interactive: tool.interactive,
            ..base
        }
    }

    fn trim_result(self, result: ToolResult) -> ToolResult {
        let is_error = result.is_error;
        let base = ToolResult { is_error, ..ToolResult::new(result.id, result.content) };
        if self == Base {
            return base;
        }
        ToolResult {
            activate_tools: result.activate_tools,
            structured_content: result.structured_content,
            ..base
        }
    }
}
