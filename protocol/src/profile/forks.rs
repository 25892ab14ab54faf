//! The vocabularies of zot's forks: zut, ncode, terva.
//!
//! docs/protocol/zot-family.md says where each was read, and what of it is not played.

use super::translate;
use super::words::{
    Words, base_payload, base_result, base_tool, without_extline, without_upstream,
};
use super::zots::{ALL, BASE_EVENTS, BASE_FRAMES, BASE_POINTS, SHARED_FRAMES};
use crate::frame::{
    CallToolResult, EventPayload, ForkAck, ForkSession, ForkToolResult, Hello, HelloAck,
    RegisterTool, ToolResult,
};

/// The protocol version of zut and of ncode.
const TWO: u64 = 2;
/// That of terva.
const SIX: u64 = 6;
/// The longest arguments of a tool that a terva sends.
const ARGS_BYTES: usize = 1024 * 1024;

const TERVA_EVENTS: &[&str] = &[
    "session_end",
    "tool_result",
    "run_end",
    "user_message",
    "workspace_changed",
    "compact_start",
    "transcript_compacted",
    "config_update",
];
/// Events that no zot has.
pub(super) const EVENTS: &[&[&str]] = &[&[
    "run_end",
    "user_message",
    "workspace_changed",
    "compact_start",
    "transcript_compacted",
    "config_update",
]];
/// Points that no zot has.
pub(super) const POINTS: &[&[&str]] = &[&["user_message"]];

const ZUT_FRAMES: &[&str] = &["status", "widget", "widget_clear", "alert"];
const TERVA_FRAMES: &[&str] = &[
    "status_segment",
    "set_withdrawn_tools",
    "register_context",
    "refresh_context",
    "context_card",
    "context_card_clear",
    "host_tool_call",
    "list_sessions",
    "read_session",
    "secret_set",
    "secret_get",
    "secret_delete",
    "secret_list",
    "register_connector",
    "chat",
    "chat_down",
];

/// What they have in common.
const FORK: Words = Words {
    name: "",
    frames: Some(&[BASE_FRAMES, SHARED_FRAMES]),
    events: Some(&[BASE_EVENTS]),
    points: Some(&[BASE_POINTS]),
    has_tool_prompt: false,
    asks_of_model: false,
    repeats_calls: false,
    trim_payload: Some(previewed_payload),
    ..ALL
};

pub(super) static NCODE: Words = Words {
    name: "ncode",
    trim: Some(|frame| without_upstream(without_extline(frame, deferred_tool, activating_result))),
    greet: Some(ncode_ack),
    ..FORK
};

pub(super) static ZUT: Words = Words {
    name: "zut",
    frames: Some(&[BASE_FRAMES, SHARED_FRAMES, ZUT_FRAMES]),
    trim: Some(|frame| without_upstream(without_extline(frame, deferred_tool, stateful_result))),
    hear: Some(translate::zut),
    refuse: Some(refuse_version),
    greet: Some(zut_ack),
    ..FORK
};

pub(super) static TERVA: Words = Words {
    name: "terva",
    frames: Some(&[BASE_FRAMES, SHARED_FRAMES, TERVA_FRAMES]),
    events: Some(&[BASE_EVENTS, TERVA_EVENTS]),
    points: Some(&[BASE_POINTS, &["user_message"]]),
    trim: Some(|frame| without_upstream(without_extline(frame, base_tool, base_result))),
    hear: Some(translate::terva),
    tell_result: Some(|CallToolResult { id, content, is_error, .. }| ForkToolResult {
        id,
        content,
        is_error,
    }),
    trim_payload: Some(|payload| EventPayload {
        session_id: payload.session_id.clone(),
        cwd: payload.cwd.clone(),
        ..base_payload(payload)
    }),
    refuse: Some(refuse_minimum),
    refuse_args: Some(refuse_args),
    greet: Some(terva_ack),
    ..FORK
};

/// zut takes its own protocol version and no other (`fork.version`).
fn refuse_version(hello: &Hello) -> Option<String> {
    let said = hello.protocol_version;
    let is = said.map_or_else(|| "missing".to_owned(), |said| said.to_string());
    let why = || format!("its protocol_version is {is}, and {TWO} is wanted");
    (said != Some(TWO)).then(why)
}

/// terva takes who can work with its version (`fork.min-protocol`).
fn refuse_minimum(hello: &Hello) -> Option<String> {
    let needed = hello.min_protocol.unwrap_or(0);
    let why = || format!("its min_protocol is {needed}, and {SIX} is spoken");
    (needed > SIX).then(why)
}

/// terva counts what it sends to a tool (`fork.args`).
fn refuse_args(bytes: usize) -> Option<String> {
    let why = || format!("the arguments have {bytes} bytes, more than the limit of {ARGS_BYTES}");
    (bytes > ARGS_BYTES).then(why)
}

fn ncode_ack(ack: &HelloAck) -> ForkAck {
    let product = Some("ncode".to_owned());
    ForkAck { product, ncode_version: Some(ack.zot_version.clone()), ..greeting(ack, TWO) }
}

fn zut_ack(ack: &HelloAck) -> ForkAck {
    let session = ack.session.as_ref();
    let session =
        session.map(|session| ForkSession { id: session.id.clone(), cwd: ack.cwd.clone() });
    ForkAck { zut_version: Some(ack.zot_version.clone()), session, ..greeting(ack, TWO) }
}

fn terva_ack(ack: &HelloAck) -> ForkAck {
    let version = Some(ack.zot_version.clone());
    let events = [BASE_EVENTS, TERVA_EVENTS].concat();
    ForkAck {
        zot_version: version.clone(),
        terva_version: version,
        supported_events: Some(events.into_iter().map(str::to_owned).collect()),
        config: ack.config.clone(),
        ..greeting(ack, SIX)
    }
}

/// What each of them says at the start.
fn greeting(ack: &HelloAck, protocol_version: u64) -> ForkAck {
    ForkAck {
        protocol_version,
        provider: ack.provider.clone(),
        model: ack.model.clone(),
        cwd: ack.cwd.clone(),
        extension_dir: ack.extension_dir.clone(),
        data_dir: ack.data_dir.clone(),
        ..ForkAck::default()
    }
}

fn deferred_tool(tool: RegisterTool) -> RegisterTool {
    RegisterTool { deferred: tool.deferred, ..base_tool(tool) }
}

fn activating_result(mut result: ToolResult) -> ToolResult {
    ToolResult { activate_tools: result.activate_tools.take(), ..base_result(result) }
}

fn stateful_result(mut result: ToolResult) -> ToolResult {
    ToolResult { details: result.details.take(), ..activating_result(result) }
}

fn previewed_payload(mut payload: EventPayload) -> EventPayload {
    EventPayload { tool_preview: payload.tool_preview.take(), ..base_payload(payload) }
}
