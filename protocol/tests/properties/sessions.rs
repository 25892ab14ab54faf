//! Both sessions under peers that send anything, and the limits of what they write.
//!
//! What a session promises is checked by the fuzz targets; here they get frames of every type.

use std::time::Instant;

use extline_protocol::frame::{
    AnyFrame, Content, ErrorInfo, ExtensionFrame, HelloAck, HostFrame, RegisterTool, ToolResult,
};
use extline_protocol::limits::FRAME_BYTES;
use extline_protocol::{
    CallKey, ErrorKind, ExtensionConfig, ExtensionEvent, ExtensionSession, Incoming, RawJson,
    decode_text,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::fuzz_targets::{Target, target};
use crate::strategies::{extension_frame, host_frame};
use crate::{line_of, stream};

proptest! {
    #![proptest_config(crate::cases(250))]

    #[test]
    fn an_extension_keeps_its_promises_under_any_host(script in script(host_frame())) {
        target("extension_session")(&script);
    }

    #[test]
    fn a_host_keeps_its_promises_under_any_extension(script in script(extension_frame())) {
        target("host_session")(&script);
    }

    #[test]
    fn no_bytes_upset_a_session(bytes in vec(stream::bytes(), 0..4)) {
        let bytes = bytes.concat();
        let targets: [Target; 3] = ["frame", "extension_session", "host_session"].map(target);
        for target in targets {
            target(&bytes);
        }
    }

    #[test]
    fn a_result_passes_to_the_last_level_and_no_further(levels in 120_usize..136) {
        let (mut session, key) = called(None);
        let deep = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let details = Some(RawJson::parse(&deep).unwrap());
        let result = ToolResult { details, ..ToolResult::new("x".into(), Vec::new()) };
        let answered = session.reply_tool(&key, result);
        let (_, result) = answer(&mut session);
        prop_assert_eq!(answered.is_err(), result.is_error);
        // The frame's own object is one level.
        prop_assert_eq!(result.is_error, levels + 1 > 128);
        prop_assert_eq!(result.details.is_some(), levels < 128);
    }
}

#[test]
fn a_result_passes_to_the_last_byte_and_no_further() {
    for granted in [None, Some(1), Some(FRAME_BYTES as u64 + 1_000)] {
        let limit = granted.unwrap_or(0).max(FRAME_BYTES as u64);
        let limit = usize::try_from(limit).unwrap();
        let empty = ToolResult::new("1".into(), vec![Content::text("")]);
        let overhead = line_of(&ExtensionFrame::from(empty)).len() - 1;
        for (bytes, is_error) in [(limit - 1, false), (limit, false), (limit + 1, true)] {
            let (mut session, key) = called(granted);
            let content = vec![Content::text("x".repeat(bytes - overhead))];
            let answered = session.reply_tool(&key, ToolResult::new("x".into(), content));
            let (line, result) = answer(&mut session);
            assert_eq!(answered.is_err(), is_error, "{answered:?}");
            assert_eq!(result.is_error, is_error, "{bytes} bytes of {limit}");
            if is_error {
                let error = result.error.unwrap();
                assert_eq!(error.kind, ErrorKind::TooLarge);
                assert!(error.message.contains(&limit.to_string()), "{}", error.message);
            } else {
                assert_eq!(line.len(), bytes);
            }
        }
    }
}

/// The names a host sends come back in errors; an answer must come even then.
#[test]
fn a_call_is_answered_however_long_its_name() {
    let name = "x".repeat(FRAME_BYTES - 100);
    for (frame_type, member) in [
        ("tool_call", "name"),
        ("command_invoked", "name"),
        ("request", "method"),
        ("event_intercept", "event"),
    ] {
        let (mut session, _) = called(None);
        let line = format!("{{\"type\":\"{frame_type}\",\"id\":\"9\",\"{member}\":\"{name}\"}}\n");
        session.handle_input(line.as_bytes(), Instant::now());
        let frames = output(&mut session);
        assert_eq!(frames.len(), 1, "{frame_type} got {} answers", frames.len());
        assert!(frames[0].contains(r#""id":"9""#), "{frame_type}");
    }
}

#[test]
fn an_error_is_answered_however_long_its_message() {
    let (mut session, key) = called(None);
    let error = ErrorInfo::new(ErrorKind::Internal, "x".repeat(FRAME_BYTES));
    assert!(session.fail_tool(&key, error).is_err());
    assert_eq!(answer(&mut session).1.error.unwrap().kind, ErrorKind::TooLarge);
}

fn script<F: AnyFrame + std::fmt::Debug>(
    frame: BoxedStrategy<F>,
) -> impl Strategy<Value = Vec<u8>> {
    let handshake = r#"{"type":"hello","name":"x","capabilities":["call_tool","rpc","tool_cancel"],"methods":["health.check"]}
{"type":"hello_ack","protocol_version":1,"capabilities":["call_tool","rpc","tool_update","log"],"methods":["ui.confirm"]}
"#;
    let orders = [
        "!hold",
        "!answer",
        "!call",
        "!request",
        "!update",
        "!cancel",
        "!command",
        "!intercept",
        "!wait 100",
        "!wait 6000",
        "!log",
        "!part",
    ];
    let calls = [
        r#"{"type":"tool_call","id":"1","name":"weather"}"#,
        r#"{"type":"event_intercept","id":"1","event":"tool_call"}"#,
        r#"{"type":"tool_result","id":"1","content":[]}"#,
        r#"{"type":"call_tool","id":"1","name":"x","args":{}}"#,
        r#"{"type":"request","id":"1","method":"ui.confirm"}"#,
    ];
    let step = prop_oneof![
        2 => frame.prop_map(|frame| line_of(&frame)),
        2 => select(orders.to_vec()).prop_map(|order| format!("{order}\n")),
        1 => select(calls.to_vec()).prop_map(|call| format!("{call}\n")),
    ];
    vec(step, 0..12).prop_map(move |steps| format!("{handshake}{}", steps.concat()).into_bytes())
}

/// An extension with a call to answer.
fn called(granted: Option<u64>) -> (ExtensionSession, CallKey) {
    let now = Instant::now();
    let mut config = ExtensionConfig::new("limits", "1.0.0");
    let schema = RawJson::empty_object();
    let tool = RegisterTool { name: "weather".to_owned(), schema, ..RegisterTool::default() };
    config.registrations.tool(tool).unwrap();
    let mut session = ExtensionSession::new(config);
    let mut ack = HelloAck { protocol_version: 1, ..HelloAck::default() };
    ack.limits.get_or_insert_default().frame_bytes = granted;
    let call = "{\"type\":\"tool_call\",\"id\":\"1\",\"name\":\"weather\",\"args\":{}}\n";
    session.handle_input((line_of(&HostFrame::from(ack)) + call).as_bytes(), now);
    output(&mut session);
    let events = std::iter::from_fn(|| session.poll_event());
    let key = events.filter_map(|event| match event {
        ExtensionEvent::ToolCall { key, .. } => Some(key),
        _ => None,
    });
    let key = key.last().unwrap();
    (session, key)
}

fn output(session: &mut ExtensionSession) -> Vec<String> {
    let mut bytes = Vec::new();
    session.poll_output(Instant::now(), &mut bytes);
    String::from_utf8(bytes).unwrap().split_terminator('\n').map(str::to_owned).collect()
}

/// The one line that the session wrote, and the result that it is.
fn answer(session: &mut ExtensionSession) -> (String, ToolResult) {
    let lines = output(session);
    let [line] = lines.as_slice() else { panic!("{} lines", lines.len()) };
    match decode_text(line) {
        Incoming::Frame(ExtensionFrame::ToolResult(result)) => (line.clone(), *result),
        other => panic!("{other:?}"),
    }
}
