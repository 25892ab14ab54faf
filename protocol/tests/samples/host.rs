//! The frames of a host.

use extline_protocol::ErrorKind;
use extline_protocol::frame::{
    CallToolResult, Cancel, CommandInvoked, ErrorInfo, Event, EventDetails, EventIntercept,
    EventMessage, EventPayload, EventResult, HelloAck, HostFrame, HostInfo, Limits, PanelClose,
    PanelKey, PanelResize, Parent, ParentKind, Phase, Registered, Rejection, Request, Response,
    ResponsePart, RpcError, SessionInfo, Shutdown, ShutdownReason, Todo, ToolCall, ToolCancel,
};

use super::{Sample, blocks, list, raw, text};

pub(crate) fn host_frames() -> Vec<Sample<HostFrame>> {
    [handshake(), calls(), events(), panels(), requests()].into_iter().flatten().collect()
}

fn handshake() -> Vec<Sample<HostFrame>> {
    let ack = HelloAck {
        protocol_version: 1,
        capabilities: Some(list(&["tools", "call_tool", "rpc"])),
        zot_version: "0.1.62".to_owned(),
        provider: "ollama".to_owned(),
        model: "fake".to_owned(),
        cwd: "/project".to_owned(),
        extension_dir: text("/extension"),
        data_dir: text("/data"),
        host: Some(HostInfo { name: "extline".to_owned(), version: "0.1.0".to_owned() }),
        methods: Some(list(&["ui.confirm"])),
        limits: Some(Limits {
            frame_bytes: Some(4_194_303),
            tool_timeout_ms: Some(60_000),
            intercept_timeout_ms: Some(5_000),
            command_timeout_ms: Some(30_000),
        }),
        session: Some(conversation()),
        supported_events: Some(list(&["turn_start"])),
        config: Some(raw(r#"{"units": "metric"}"#)),
    };
    let rejection = Rejection {
        kind: "tool".to_owned(),
        name: "weather".to_owned(),
        code: ErrorKind::Conflict,
        message: "the name is taken".to_owned(),
        winner: text("climate"),
    };
    let registered = Registered {
        tools: list(&["weather"]),
        commands: list(&["forecast"]),
        events: list(&["turn_start"]),
        intercept: list(&["tool_call"]),
        guards: list(&["tool_call"]),
        rejected: vec![rejection],
    };
    vec![
        Sample::new(HelloAck { protocol_version: 1, ..HelloAck::default() }, ack),
        Sample::new(Registered::default(), registered),
        Sample::new(Shutdown::default(), Shutdown { reason: Some(ShutdownReason::Reload) }),
    ]
}

fn calls() -> Vec<Sample<HostFrame>> {
    let call = ToolCall {
        id: "1".into(),
        name: "weather".to_owned(),
        args: raw("{}"),
        operation_key: None,
        reconcile: false,
        deadline_ms: None,
        session: None,
    };
    let full_call = ToolCall {
        args: raw(r#"{"city": "Berlin", "n": 12345678901234567890, "n": 1e2}"#),
        operation_key: text("op-1"),
        reconcile: true,
        deadline_ms: Some(1_500),
        session: Some(conversation()),
        ..call.clone()
    };
    let command = CommandInvoked { id: "1".into(), name: "forecast".to_owned(), args: None };
    let full_command = CommandInvoked { args: text("Berlin  tomorrow"), ..command.clone() };
    let result = CallToolResult {
        id: "1".into(),
        name: "weather".to_owned(),
        content: Vec::new(),
        is_error: false,
        truncated: false,
    };
    let full_result =
        CallToolResult { content: blocks(), is_error: true, truncated: true, ..result.clone() };
    vec![
        Sample::new(call, full_call),
        Sample::new(
            ToolCancel { id: "1".into(), reason: None },
            ToolCancel { id: "1".into(), reason: text("timeout") },
        ),
        Sample::new(command, full_command),
        Sample::new(result, full_result),
    ]
}

fn events() -> Vec<Sample<HostFrame>> {
    let intercept = EventIntercept {
        id: "1".into(),
        event: "tool_call".to_owned(),
        phase: None,
        payload: EventPayload::default(),
        system_prompt: None,
    };
    let full_intercept = EventIntercept {
        phase: Some(Phase::Guard),
        payload: payload(),
        system_prompt: text(""),
        ..intercept.clone()
    };
    let event = Event { event: "session_start".to_owned(), payload: EventPayload::default() };
    let full_event = Event { event: "tool_result".to_owned(), payload: payload() };
    vec![Sample::new(event, full_event), Sample::new(intercept, full_intercept)]
}

fn payload() -> EventPayload {
    EventPayload {
        step: Some(1),
        stop: text("tool_use"),
        error: text(""),
        tool_id: text("call_1"),
        tool_name: text("weather"),
        tool_args: Some(raw(r#"{"city":"K\u00f6ln"}"#)),
        text: text("\u{1f326} \u{2028}"),
        session_id: text("s1"),
        cwd: text("/project"),
        sequence: Some(0),
        status: text("done"),
        reason: text("asked"),
        source: text("user"),
        decision: text("allow"),
        stage: text("after"),
        result: Some(EventResult {
            content: blocks(),
            is_error: true,
            truncated: true,
            structured_content: Some(raw(r#"{"n": 1}"#)),
            details: Some(raw(r#"["d"]"#)),
            error: Some(ErrorInfo {
                kind: ErrorKind::Transient,
                message: "later".to_owned(),
                field: text("/city"),
                hint: text("try Berlin"),
                causes: Some(list(&["no route"])),
                retry_after_ms: Some(50),
            }),
        }),
        executed: Some(false),
        tool_args_raw: text("{\"city\":"),
        tool_preview: text("weather Köln"),
        message_count: Some(12),
        token_estimate: Some(3_400),
        compaction_id: text("c1"),
        agent_id: text("a1"),
        agent_run_id: text("r1"),
        name: text("scout"),
        queued: true,
        image_count: Some(2),
        origin_extension: text("climate"),
        config: Some(raw(r#"{"timeout_ms":9000}"#)),
        previous_session: text("s0"),
        old_leaf: text("7"),
        new_leaf: text("4"),
        details: details(),
        provider: text("ollama"),
        model: text("fake"),
    }
}

fn details() -> EventDetails {
    EventPayload::default()
        .with_message(&message())
        .with_messages(&vec![EventMessage::of("user", blocks()), message()])
        .with_tool_results(&vec![message()])
        .with_trigger(&"threshold".to_owned())
        .with_action(&"handoff".to_owned())
        .with_attempt(&2)
        .with_max_attempts(&5)
        .with_delay_ms(&1_500)
        .with_will_retry(&false)
        .with_rules(&list(&["no-force-push"]))
        .with_todos(&vec![Todo { text: "test it".to_owned(), status: text("pending") }])
        .details
}

fn message() -> EventMessage {
    EventMessage {
        role: "tool".to_owned(),
        content: blocks(),
        tool_id: text("call_1"),
        tool_name: text("weather"),
        is_error: true,
        truncated: true,
    }
}

fn panels() -> Vec<Sample<HostFrame>> {
    let key = PanelKey { panel_id: "p1".to_owned(), key: "enter".to_owned(), text: None };
    let rune = PanelKey { key: "rune".to_owned(), text: text("ä"), ..key.clone() };
    let resize = PanelResize { panel_id: "p1".to_owned(), width: 0, height: 0 };
    let close = PanelClose { panel_id: "p1".to_owned() };
    vec![
        Sample::new(key, rune),
        Sample::new(resize.clone(), PanelResize { width: 80, height: 24, ..resize }),
        Sample::new(close.clone(), close),
    ]
}

fn requests() -> Vec<Sample<HostFrame>> {
    let request = Request {
        id: "1".into(),
        method: "health.check".to_owned(),
        params: None,
        parent: None,
        deadline_ms: None,
    };
    let full_request = Request {
        params: Some(raw("[1,2]")),
        parent: Some(Parent { kind: ParentKind::Panel, id: "p1".into() }),
        deadline_ms: Some(0),
        ..request.clone()
    };
    // A response holds a result or an error; only the union of both has every member.
    let error = RpcError { data: Some(raw("{}")), ..RpcError::new(ErrorKind::Stale, "it changed") };
    let response = Response { id: "1".into(), result: Some(raw("true")), error: Some(error) };
    let cancel = Cancel { id: "1".into() };
    vec![
        Sample::new(request, full_request),
        Sample::new(Response { id: "1".into(), result: None, error: None }, response),
        Sample::new(
            ResponsePart { id: "1".into(), seq: 1, data: raw("null") },
            ResponsePart { id: "1".into(), seq: 2, data: raw(r#"{"chunk":"x"}"#) },
        ),
        Sample::new(cancel.clone(), cancel),
    ]
}

fn conversation() -> SessionInfo {
    SessionInfo { id: "s1".to_owned(), generation: Some(2) }
}
