//! The frames of an extension.

use std::collections::BTreeMap;

use extline_protocol::ErrorKind;
use extline_protocol::frame::{
    Action, Annotations, Approval, CallTool, CallToolCancel, Cancel, ClearNotes, CommandResponse,
    Effect, EffectKind, ErrorInfo, EventFilter, EventInterceptResponse, Execution, Exposure,
    ExtensionFrame, FileOp, Hello, Level, Log, Notify, OnFailure, OpenPanel, Panel, PanelClose,
    PanelRender, Parent, ParentKind, Preference, Progress, Ready, RegisterCommand, RegisterTool,
    ReplaceResult, Replay, Request, Response, ResponsePart, RpcError, SdkInfo, ShutdownAck, Submit,
    SubmitSlash, Subscribe, Tier, ToolResult, ToolUpdate, UnregisterTool,
};

use super::{Sample, blocks, list, raw, text};

pub(crate) fn extension_frames() -> Vec<Sample<ExtensionFrame>> {
    let groups =
        [handshake(), registrations(), tool_answers(), other_answers(), unasked(), panels()];
    groups.into_iter().flatten().chain(requests()).collect()
}

fn handshake() -> Vec<Sample<ExtensionFrame>> {
    let hello = Hello { name: "demo".to_owned(), version: "1.0.0".to_owned(), ..Hello::default() };
    let sdk = SdkInfo {
        name: "extline".to_owned(),
        version: "0.1.0".to_owned(),
        language: "rust".to_owned(),
    };
    let full_hello = Hello {
        capabilities: Some(list(&["commands", "tools"])),
        sdk: Some(sdk),
        methods: Some(list(&["health.check"])),
        guards: Some(list(&["tool_call"])),
        protocol_version: Some(2),
        min_protocol: Some(6),
        ..hello.clone()
    };
    vec![
        Sample::new(hello, full_hello),
        Sample::new(Ready {}, Ready {}),
        Sample::new(ShutdownAck {}, ShutdownAck {}),
    ]
}

fn registrations() -> Vec<Sample<ExtensionFrame>> {
    let command = RegisterCommand { name: "forecast".to_owned(), ..RegisterCommand::default() };
    let full_command = RegisterCommand {
        description: text("Shows the forecast"),
        usage: text("CITY [DAY]"),
        ..command.clone()
    };
    let tool = RegisterTool {
        name: "weather".to_owned(),
        schema: raw(r#"{"type":"object"}"#),
        ..RegisterTool::default()
    };
    let unregister = UnregisterTool { name: "weather".to_owned() };
    let subscribe = Subscribe {
        events: Some(list(&["turn_start", "turn_end"])),
        intercept: Some(list(&["tool_call"])),
        guards: Some(list(&["tool_call"])),
        on_failure: Some(BTreeMap::from([("tool_call".to_owned(), OnFailure::Block)])),
        filters: Some(BTreeMap::from([(
            "tool_result".to_owned(),
            EventFilter { tools: Some(list(&["bash", "mcp_*"])) },
        )])),
    };
    vec![
        Sample::new(command, full_command),
        Sample::new(tool, full_tool()),
        Sample::new(unregister.clone(), unregister),
        Sample::new(Subscribe::default(), subscribe),
    ]
}

fn full_tool() -> RegisterTool {
    RegisterTool {
        name: "weather".to_owned(),
        description: text("Tells the weather"),
        schema: raw(r#"{"type":"object","properties":{"city":{"type":"string"}}}"#),
        output_schema: Some(raw(r#"{"type":"object"}"#)),
        namespace: text("climate"),
        namespace_description: text("Weather and climate"),
        namespace_instructions: text("Ask for one city at a time"),
        exposure: Some(Exposure::ModelOnly),
        deferred: true,
        interactive: true,
        replay: Some(Replay::Reconcile),
        label: text("Weather"),
        strict: true,
        timeout_ms: Some(5_000),
        annotations: Some(Annotations {
            read_only: Some(true),
            destructive: Some(false),
            idempotent: Some(true),
            open_world: Some(false),
        }),
        execution: Some(Execution::Sequential),
        pure: true,
        approval: Some(Approval {
            gated: true,
            dynamic: true,
            tier: Some(Tier::Exec),
            key: text("{city}"),
            reason: text("it costs money"),
        }),
        call_view: Some(raw(r#"{"kind":"lines","lines":["{city}"]}"#)),
        preference: Some(Preference {
            enabled: Some(false),
            weight: Some(0.75),
            parameters: Some(raw(r#"{"city":"Berlin"}"#)),
            reason: text("few ask for it"),
        }),
        outputs: None,
    }
}

/// A view as an author gives it.
const VIEW: &str = r#"{"kind":"lines","lines":["one"]}"#;

fn tool_answers() -> Vec<Sample<ExtensionFrame>> {
    let error = ErrorInfo {
        kind: ErrorKind::Validation,
        message: "no such city".to_owned(),
        field: text("/city"),
        hint: text("try Berlin"),
        causes: Some(list(&["unknown station"])),
        retry_after_ms: Some(0),
    };
    // Which members an effect has depends on its kind; only both kinds together have all.
    let file = Effect {
        new_path: text("/b"),
        bytes_before: Some(0),
        bytes_after: Some(12),
        ..Effect::file(FileOp::Rename, "/a")
    };
    let process = Effect {
        pid: Some(42),
        background: true,
        status: text("exited"),
        exit_code: Some(-1),
        ..Effect::process("make test")
    };
    assert_eq!((&file.kind, &process.kind), (&EffectKind::File, &EffectKind::Process));
    let result = ToolResult {
        id: "1".into(),
        content: blocks(),
        is_error: true,
        activate_tools: Some(list(&["forecast"])),
        structured_content: Some(raw(r#"{"degrees": 18.50}"#)),
        details: Some(raw("[null]")),
        view: Some(raw(VIEW)),
        error: Some(error),
        effects: Some(vec![file, process]),
        trust: text("untrusted"),
    };
    let progress = Progress {
        done: Some(0.5),
        total: Some(3.0),
        unit: text("stations"),
        message: text("asking"),
    };
    let update = ToolUpdate {
        id: "1".into(),
        seq: 1,
        content: None,
        details: None,
        view: None,
        progress: None,
    };
    let full_update = ToolUpdate {
        content: Some(blocks()),
        details: Some(raw("{}")),
        view: Some(raw(VIEW)),
        progress: Some(progress),
        ..update.clone()
    };
    vec![
        Sample::new(ToolResult::new("1".into(), Vec::new()), result),
        Sample::new(update, full_update),
    ]
}

fn other_answers() -> Vec<Sample<ExtensionFrame>> {
    // No command answers with all of these; the snapshot shows the order of the keys.
    let command = CommandResponse {
        prompt: text("go on"),
        insert: text("inserted"),
        display: text(""),
        tool_name: text("weather"),
        tool_args: Some(raw("{}")),
        open_panel: Some(full_panel()),
        error: text("it went wrong"),
        ..CommandResponse::new("1".into(), Action::ToolPrompt)
    };
    let intercept = EventInterceptResponse {
        modified_args: Some(raw(r#"{"n":1}"#)),
        replace_text: text(""),
        system_prompt: text(""),
        replace_result: Some(ReplaceResult {
            content: Some(blocks()),
            structured_content: Some(raw(r#"{"n": 1}"#)),
            details: Some(raw("[]")),
            is_error: Some(false),
        }),
        handled: true,
        ..EventInterceptResponse::ask("1".into(), "not allowed here")
    };
    vec![
        Sample::new(CommandResponse::new("1".into(), Action::Noop), command),
        Sample::new(EventInterceptResponse::allow("1".into()), intercept),
    ]
}

fn unasked() -> Vec<Sample<ExtensionFrame>> {
    let call = CallTool {
        id: "1".into(),
        name: "weather".to_owned(),
        args: raw("{}"),
        parent_id: None,
        parent: None,
    };
    let parent = Parent { kind: ParentKind::Intercept, id: "3".into() };
    let full_call = CallTool { parent_id: Some("7".into()), parent: Some(parent), ..call.clone() };
    let cancel = CallToolCancel { id: "1".into() };
    let note = Notify { level: Level::Warn, message: "rain".to_owned() };
    let log = Log { level: Level::Debug, message: "asked".to_owned(), fields: None };
    let full_log = Log { fields: Some(raw(r#"{"ms":3}"#)), ..log.clone() };
    let submit = Submit { text: "what now?".to_owned() };
    let slash = SubmitSlash { text: "/forecast Berlin".to_owned() };
    vec![
        Sample::new(call, full_call),
        Sample::new(cancel.clone(), cancel),
        Sample::new(note.clone(), note),
        Sample::new(ClearNotes {}, ClearNotes {}),
        Sample::new(log, full_log),
        Sample::new(submit.clone(), submit),
        Sample::new(slash.clone(), slash),
    ]
}

fn panels() -> Vec<Sample<ExtensionFrame>> {
    let panel = Panel { id: "p1".to_owned(), ..Panel::default() };
    let render = PanelRender { panel_id: "p1".to_owned(), ..PanelRender::default() };
    let full_render = PanelRender {
        title: text("Forecast"),
        lines: Some(list(&["\u{1b}[1mBerlin\u{1b}[0m", ""])),
        footer: text("esc closes"),
        view: Some(raw(VIEW)),
        ..render.clone()
    };
    let close = PanelClose { panel_id: "p1".to_owned() };
    vec![
        Sample::new(OpenPanel { panel }, OpenPanel { panel: full_panel() }),
        Sample::new(render, full_render),
        Sample::new(close.clone(), close),
    ]
}

fn full_panel() -> Panel {
    Panel {
        id: "p1".to_owned(),
        title: text("Forecast"),
        lines: Some(list(&["one", "two"])),
        footer: text("esc closes"),
        view: Some(raw(VIEW)),
    }
}

fn requests() -> Vec<Sample<ExtensionFrame>> {
    let request = Request {
        id: "1".into(),
        method: "ui.confirm".to_owned(),
        params: None,
        parent: None,
        deadline_ms: None,
    };
    let full_request = Request {
        params: Some(raw(r#"{"text":"sure?"}"#)),
        parent: Some(Parent { kind: ParentKind::ToolCall, id: "7".into() }),
        deadline_ms: Some(10_000),
        ..request.clone()
    };
    // A response holds a result or an error; only the union of both has every member.
    let error = RpcError { data: Some(raw("1")), ..RpcError::new(ErrorKind::Unsupported, "no") };
    let response = Response { id: "1".into(), result: Some(raw("[]")), error: Some(error) };
    let cancel = Cancel { id: "1".into() };
    vec![
        Sample::new(request, full_request),
        Sample::new(Response { id: "1".into(), result: None, error: None }, response),
        Sample::new(
            ResponsePart { id: "1".into(), seq: 1, data: raw("null") },
            ResponsePart { id: "1".into(), seq: 2, data: raw("\"part\"") },
        ),
        Sample::new(cancel.clone(), cancel),
    ]
}
