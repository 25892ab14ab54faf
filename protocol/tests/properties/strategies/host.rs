//! Any frame of a host.

use extline_protocol::RawJson;
use extline_protocol::frame::{
    CallToolResult, CommandInvoked, Event, EventDetails, EventIntercept, EventMessage,
    EventPayload, EventResult, HelloAck, HostFrame, HostInfo, Limits, PanelKey, PanelResize, Phase,
    Registered, Rejection, SessionInfo, Shutdown, ShutdownReason, ToolCall, ToolCancel,
    UnknownFrame,
};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

use super::objects;
use super::shared::{
    blocks, cancel, error, id, kind, panel_close, raw, raw_object, request, response,
    response_part, text, texts, word,
};

pub(crate) fn host_frame() -> BoxedStrategy<HostFrame> {
    let unknown = raw().prop_map(|value| {
        let raw = RawJson::parse(&format!(r#"{{"type":"quantum","x":{value}}}"#)).unwrap();
        HostFrame::Unknown(UnknownFrame { frame_type: "quantum".to_owned(), raw })
    });
    prop_oneof![
        tool_call().prop_map_into(),
        tool_cancel().prop_map_into(),
        command_invoked().prop_map_into(),
        event().prop_map_into(),
        event_intercept().prop_map_into(),
        panel_key().prop_map_into(),
        panel_resize().prop_map_into(),
        panel_close().prop_map_into(),
        call_tool_result().prop_map_into(),
        request().prop_map_into(),
        response().prop_map_into(),
        response_part().prop_map_into(),
        cancel().prop_map_into(),
        hello_ack().prop_map_into(),
        registered().prop_map_into(),
        shutdown().prop_map_into(),
        unknown,
    ]
    .boxed()
}

objects! {
    tool_call: ToolCall {
        id: id(),
        name: text(),
        args: raw(),
        operation_key: of(text()),
        reconcile: any::<bool>(),
        deadline_ms: of(any::<u64>()),
        session: of(session()),
    }
    tool_cancel: ToolCancel { id: id(), reason: of(text()), }
    command_invoked: CommandInvoked { id: id(), name: text(), args: of(text()), }
    event: Event { event: text(), payload: payload(), }
    event_intercept: EventIntercept {
        id: id(),
        event: text(),
        phase: of(word(Phase::KNOWN)),
        payload: payload(),
        system_prompt: of(text()),
    }
    panel_key: PanelKey { panel_id: text(), key: text(), text: of(text()), }
    panel_resize: PanelResize { panel_id: text(), width: any::<u64>(), height: any::<u64>(), }
    call_tool_result: CallToolResult {
        id: id(),
        name: text(),
        content: blocks(),
        is_error: any::<bool>(),
        truncated: any::<bool>(),
    }
    hello_ack: HelloAck {
        protocol_version: any::<u64>(),
        capabilities: of(texts()),
        zot_version: text(),
        provider: text(),
        model: text(),
        cwd: text(),
        extension_dir: of(text()),
        data_dir: of(text()),
        host: of(host_info()),
        methods: of(texts()),
        limits: of(limits()),
        session: of(session()),
        supported_events: of(texts()),
        config: of(raw_object()),
    }
    host_info: HostInfo { name: text(), version: text(), }
    limits: Limits {
        frame_bytes: of(any::<u64>()),
        tool_timeout_ms: of(any::<u64>()),
        intercept_timeout_ms: of(any::<u64>()),
        command_timeout_ms: of(any::<u64>()),
    }
    session: SessionInfo { id: text(), generation: of(any::<u64>()), }
    registered: Registered {
        tools: texts(),
        commands: texts(),
        events: texts(),
        intercept: texts(),
        guards: texts(),
        rejected: vec(rejection(), 0..3),
    }
    rejection: Rejection {
        kind: text(),
        name: text(),
        code: kind(),
        message: text(),
        winner: of(text()),
    }
    shutdown: Shutdown { reason: of(word(ShutdownReason::KNOWN)), }
    result: EventResult {
        content: blocks(),
        is_error: any::<bool>(),
        truncated: any::<bool>(),
        structured_content: of(raw()),
        details: of(raw()),
        error: of(error()),
    }
    message: EventMessage {
        role: text(),
        content: blocks(),
        tool_id: of(text()),
        tool_name: of(text()),
        is_error: any::<bool>(),
        truncated: any::<bool>(),
    }
    payload: EventPayload {
        step: of(any::<u64>()),
        stop: of(text()),
        error: of(text()),
        tool_id: of(text()),
        tool_name: of(text()),
        tool_args: of(raw()),
        text: of(text()),
        session_id: of(text()),
        cwd: of(text()),
        sequence: of(any::<u64>()),
        status: of(text()),
        reason: of(text()),
        source: of(text()),
        decision: of(text()),
        stage: of(text()),
        result: of(result()),
        executed: of(any::<bool>()),
        tool_args_raw: of(text()),
        tool_preview: of(text()),
        message_count: of(any::<u64>()),
        token_estimate: of(any::<u64>()),
        compaction_id: of(text()),
        agent_id: of(text()),
        agent_run_id: of(text()),
        name: of(text()),
        queued: any::<bool>(),
        image_count: of(any::<u64>()),
        origin_extension: of(text()),
        config: of(raw_object()),
        previous_session: of(text()),
        old_leaf: of(text()),
        new_leaf: of(text()),
        details: details(),
        provider: of(text()),
        model: of(text()),
    }
}

fn details() -> BoxedStrategy<EventDetails> {
    let some = (of(message()), of(text()), of(any::<u64>()), of(texts()));
    let payload = some.prop_map(|(message, trigger, attempt, rules)| {
        let mut payload = EventPayload::default();
        if let Some(message) = message {
            payload = payload.with_message(&message).with_messages(&vec![message]);
        }
        if let Some(trigger) = trigger {
            payload = payload.with_trigger(&trigger);
        }
        if let Some(attempt) = attempt {
            payload = payload.with_attempt(&attempt).with_will_retry(&true);
        }
        match rules {
            Some(rules) => payload.with_rules(&rules).details,
            None => payload.details,
        }
    });
    payload.boxed()
}
