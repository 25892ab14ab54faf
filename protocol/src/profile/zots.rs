//! The vocabularies of zot, and the specification's own.

use super::words::{
    Words, base_payload, base_result, base_tool, upstream_payload, without_extline,
    without_upstream,
};
use crate::frame::{RegisterTool, ToolResult};

/// Frames of an extension.
pub(super) const BASE_FRAMES: &[&str] = &[
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
/// Those of upstream that the forks have too.
pub(super) const SHARED_FRAMES: &[&str] = &["open_panel", "clear_notes", "submit", "submit_slash"];
const UPSTREAM_FRAMES: &[&str] = &["call_tool", "call_tool_cancel"];

pub(super) const BASE_EVENTS: &[&str] =
    &["session_start", "turn_start", "tool_call", "assistant_message", "turn_end"];
const UPSTREAM_EVENTS: &[&str] = &[
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
/// All events of zot.
pub(super) const EVENTS: &[&[&str]] = &[BASE_EVENTS, UPSTREAM_EVENTS];

pub(super) const BASE_POINTS: &[&str] = &["tool_call", "turn_start", "assistant_message"];
/// All points of zot.
pub(super) const POINTS: &[&[&str]] = &[BASE_POINTS, &["before_agent_start"]];
/// Those that no zot has.
pub(super) const OWN_POINTS: &[&[&str]] = &[&["tool_result", "user_prompt_submit"]];

/// All that there is, said and heard as the specification has it.
pub(super) const ALL: Words = Words {
    name: "extline",
    frames: None,
    events: None,
    points: None,
    has_tool_prompt: true,
    asks_of_model: true,
    repeats_calls: true,
    trim: None,
    trim_payload: None,
    hear: None,
    tell_result: None,
    refuse: None,
    refuse_args: None,
    greet: None,
};

pub(super) static BASE: Words = Words {
    name: "base",
    frames: Some(&[BASE_FRAMES]),
    events: Some(&[BASE_EVENTS]),
    points: Some(&[BASE_POINTS]),
    has_tool_prompt: false,
    asks_of_model: false,
    repeats_calls: false,
    trim: Some(|frame| without_upstream(without_extline(frame, base_tool, base_result))),
    trim_payload: Some(base_payload),
    ..ALL
};

pub(super) static UPSTREAM: Words = Words {
    name: "upstream",
    frames: Some(&[BASE_FRAMES, SHARED_FRAMES, UPSTREAM_FRAMES]),
    events: Some(EVENTS),
    points: Some(POINTS),
    repeats_calls: false,
    trim: Some(|frame| without_extline(frame, upstream_tool, upstream_result)),
    trim_payload: Some(upstream_payload),
    ..ALL
};

pub(super) static DURABLE: Words = Words {
    name: "upstream 9d3e5db",
    frames: Some(&[BASE_FRAMES, SHARED_FRAMES, UPSTREAM_FRAMES]),
    events: Some(EVENTS),
    points: Some(POINTS),
    trim: Some(|frame| without_extline(frame, durable_tool, durable_result)),
    trim_payload: Some(upstream_payload),
    ..ALL
};

pub(super) static EXTLINE: Words = ALL;

fn upstream_tool(mut tool: RegisterTool) -> RegisterTool {
    RegisterTool {
        output_schema: tool.output_schema.take(),
        namespace: tool.namespace.take(),
        namespace_description: tool.namespace_description.take(),
        namespace_instructions: tool.namespace_instructions.take(),
        exposure: tool.exposure.take(),
        deferred: tool.deferred,
        interactive: tool.interactive,
        ..base_tool(tool)
    }
}

fn durable_tool(mut tool: RegisterTool) -> RegisterTool {
    RegisterTool { replay: tool.replay.take(), ..upstream_tool(tool) }
}

fn durable_result(mut result: ToolResult) -> ToolResult {
    let content = std::mem::take(&mut result.content);
    ToolResult { content, ..upstream_result(result) }
}

fn upstream_result(mut result: ToolResult) -> ToolResult {
    ToolResult {
        activate_tools: result.activate_tools.take(),
        structured_content: result.structured_content.take(),
        ..base_result(result)
    }
}
