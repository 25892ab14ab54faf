//! Any frame of an extension.

use extline_protocol::RawJson;
use extline_protocol::frame::{
    Action, Annotations, Approval, CallTool, CallToolCancel, ClearNotes, CommandResponse, Effect,
    EffectKind, EventFilter, EventInterceptResponse, Execution, Exposure, ExtensionFrame, FileOp,
    Hello, Level, Log, Notify, OnFailure, OpenPanel, PanelRender, Preference, Progress, Ready,
    RegisterCommand, RegisterTool, ReplaceResult, Replay, SdkInfo, ShutdownAck, Submit,
    SubmitSlash, Subscribe, Tier, ToolResult, ToolUpdate, UnknownFrame, UnregisterTool,
};
use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;

use super::objects;
use super::shared::{
    blocks, cancel, error, id, number, panel, panel_close, parent, raw, raw_object, request,
    response, response_part, text, texts, word,
};

pub(crate) fn extension_frame() -> BoxedStrategy<ExtensionFrame> {
    let unknown = raw().prop_map(|value| {
        let raw = RawJson::parse(&format!(r#"{{"type":"quantum","x":{value}}}"#)).unwrap();
        ExtensionFrame::Unknown(UnknownFrame { frame_type: "quantum".to_owned(), raw })
    });
    let empty = proptest::sample::select(vec![
        ExtensionFrame::from(Ready {}),
        ClearNotes {}.into(),
        ShutdownAck {}.into(),
    ]);
    prop_oneof![
        tool_result().prop_map_into(),
        tool_update().prop_map_into(),
        command_response().prop_map_into(),
        intercept_response().prop_map_into(),
        notify().prop_map_into(),
        log().prop_map_into(),
        call_tool().prop_map_into(),
        call_tool_cancel().prop_map_into(),
        request().prop_map_into(),
        response().prop_map_into(),
        response_part().prop_map_into(),
        cancel().prop_map_into(),
        open_panel().prop_map_into(),
        panel_render().prop_map_into(),
        panel_close().prop_map_into(),
        submit().prop_map_into(),
        submit_slash().prop_map_into(),
        hello().prop_map_into(),
        register_command().prop_map_into(),
        register_tool().prop_map_into(),
        unregister_tool().prop_map_into(),
        subscribe().prop_map_into(),
        empty,
        unknown,
    ]
    .boxed()
}

objects! {
    tool_result: ToolResult {
        id: id(),
        content: blocks(),
        is_error: any::<bool>(),
        activate_tools: of(texts()),
        structured_content: of(raw()),
        details: of(raw()),
        view: of(raw()),
        error: of(error()),
        effects: of(vec(effect(), 0..3)),
        trust: of(text()),
    }
    effect: Effect {
        kind: word(EffectKind::KNOWN),
        op: of(word(FileOp::KNOWN)),
        path: of(text()),
        new_path: of(text()),
        bytes_before: of(any::<u64>()),
        bytes_after: of(any::<u64>()),
        command: of(text()),
        pid: of(any::<u64>()),
        background: any::<bool>(),
        status: of(text()),
        exit_code: of(any::<i64>()),
    }
    tool_update: ToolUpdate {
        id: id(),
        seq: any::<u64>(),
        content: of(blocks()),
        details: of(raw()),
        view: of(raw()),
        progress: of(progress()),
    }
    progress: Progress {
        done: of(number()),
        total: of(number()),
        unit: of(text()),
        message: of(text()),
    }
    command_response: CommandResponse {
        id: id(),
        action: word(Action::KNOWN),
        prompt: of(text()),
        insert: of(text()),
        display: of(text()),
        tool_name: of(text()),
        tool_args: of(raw()),
        open_panel: of(panel()),
        error: of(text()),
    }
    intercept_response: EventInterceptResponse {
        id: id(),
        block: any::<bool>(),
        ask: any::<bool>(),
        reason: of(text()),
        modified_args: of(raw_object()),
        replace_text: of(text()),
        system_prompt: of(text()),
        replace_result: of(replace_result()),
        handled: any::<bool>(),
    }
    replace_result: ReplaceResult {
        content: of(blocks()),
        structured_content: of(raw()),
        details: of(raw()),
        is_error: of(any::<bool>()),
    }
    notify: Notify { level: word(Level::KNOWN), message: text(), }
    log: Log { level: word(Level::KNOWN), message: text(), fields: of(raw_object()), }
    call_tool: CallTool { id: id(), name: text(), args: raw_object(), parent_id: of(id()), parent: of(parent()), }
    call_tool_cancel: CallToolCancel { id: id(), }
    open_panel: OpenPanel { panel: panel(), }
    panel_render: PanelRender {
        panel_id: text(),
        title: of(text()),
        lines: of(texts()),
        footer: of(text()),
        view: of(raw()),
    }
    submit: Submit { text: text(), }
    submit_slash: SubmitSlash { text: text(), }
    hello: Hello {
        name: text(),
        version: text(),
        capabilities: of(texts()),
        sdk: of(sdk()),
        methods: of(texts()),
        guards: of(texts()),
        protocol_version: of(any::<u64>()),
        min_protocol: of(any::<u64>()),
    }
    sdk: SdkInfo { name: text(), version: text(), language: text(), }
    register_command: RegisterCommand {
        name: text(),
        description: of(text()),
        usage: of(text()),
    }
    register_tool: RegisterTool {
        name: text(),
        description: of(text()),
        schema: raw_object(),
        output_schema: of(raw_object()),
        namespace: of(text()),
        namespace_description: of(text()),
        namespace_instructions: of(text()),
        exposure: of(word(Exposure::KNOWN)),
        deferred: any::<bool>(),
        interactive: any::<bool>(),
        replay: of(word(Replay::KNOWN)),
        label: of(text()),
        strict: any::<bool>(),
        timeout_ms: of(any::<u64>()),
        annotations: of(annotations()),
        execution: of(word(Execution::KNOWN)),
        pure: any::<bool>(),
        approval: of(approval()),
        call_view: of(raw()),
        preference: of(preference()),
        outputs: Just(None),
    }
    preference: Preference {
        enabled: of(any::<bool>()),
        weight: of(0.0..1.0),
        parameters: of(raw_object()),
        reason: of(text()),
    }
    annotations: Annotations {
        read_only: of(any::<bool>()),
        destructive: of(any::<bool>()),
        idempotent: of(any::<bool>()),
        open_world: of(any::<bool>()),
    }
    approval: Approval {
        gated: any::<bool>(),
        dynamic: any::<bool>(),
        tier: of(word(Tier::KNOWN)),
        key: of(text()),
        reason: of(text()),
    }
    unregister_tool: UnregisterTool { name: text(), }
    subscribe: Subscribe {
        events: of(texts()),
        intercept: of(texts()),
        guards: of(texts()),
        on_failure: of(btree_map(text(), word(OnFailure::KNOWN), 0..3)),
        filters: of(btree_map(text(), event_filter(), 0..3)),
    }
    event_filter: EventFilter { tools: of(texts()), }
}
