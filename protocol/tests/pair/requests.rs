//! `call_tool` and `request`, in both directions.

use std::time::Duration;

use extline_protocol::frame::{
    Approval, CallToolResult, Content, HelloAck, RegisterTool, RpcError,
};
use extline_protocol::{
    CallKind, CallToolError, Capabilities, Capability, ErrorKind, ExtensionEvent, HostEvent,
    Notice, RawJson, RequestError,
};

use crate::harness::{Pair, config, full_ack, tool, zot_ack};

fn with_methods() -> Pair {
    let mut config = config();
    config.methods = vec!["health.check".to_owned()];
    let ack = HelloAck { methods: Some(vec!["ui.confirm".to_owned()]), ..full_ack() };
    Pair::ready(config, ack)
}

fn raw(text: &str) -> RawJson {
    RawJson::parse(text).unwrap()
}

#[test]
fn a_tool_calls_a_tool() {
    let mut pair = Pair::usual();
    let (_, parent) = pair.open_call();
    pair.clear();
    let child =
        pair.extension.call_tool(Some(&parent), "read", raw(r#"{"path":"x"}"#), pair.now).unwrap();
    pair.step();
    assert_eq!(
        pair.wire,
        ["E> {\"type\":\"call_tool\",\"id\":\"1\",\"name\":\"read\",\"args\":{\"path\":\"x\"},\
          \"parent_id\":\"1\"}"]
    );
    let HostEvent::CallTool { key, call } = &pair.host_events[0] else { panic!() };
    assert_eq!(call.name, "read");
    let content = vec![Content::text("contents")];
    let (is_error, truncated) = (false, false);
    let answer =
        CallToolResult { id: "x".into(), name: "read".to_owned(), content, is_error, truncated };
    let key = key.clone();
    pair.host.reply_call_tool(&key, answer.clone(), pair.now).unwrap();
    assert!(pair.host.reply_call_tool(&key, answer, pair.now).is_err());
    pair.step();
    let Some(ExtensionEvent::CallToolDone { key, result }) = pair.extension_events.last() else {
        panic!("{:?}", pair.extension_events)
    };
    assert_eq!((key, &result.content[0]), (&child, &Content::text("contents")));
}

#[test]
fn children_end_with_their_parent() {
    let mut pair = Pair::usual();
    let (host, parent) = pair.open_call();
    pair.extension.call_tool(Some(&parent), "a", raw("{}"), pair.now).unwrap();
    pair.extension.call_tool(None, "b", raw("{}"), pair.now).unwrap();
    pair.step();
    pair.clear();
    pair.host.cancel(&host, "user", pair.now);
    pair.step();
    assert_eq!(pair.lines("call_tool_cancel"), ["E> {\"type\":\"call_tool_cancel\",\"id\":\"1\"}"]);
    assert!(matches!(&pair.host_events[..], [HostEvent::Cancelled { .. }]));
    pair.answer(&parent, "done");
    assert_eq!(pair.lines("call_tool_cancel").len(), 1, "told once");
    let late = pair.extension.call_tool(Some(&parent), "a", raw("{}"), pair.now);
    assert_eq!(late, Err(CallToolError::ParentEnded));
}

#[test]
fn a_host_finds_the_parent_of_a_call_by_its_id() {
    let mut pair = Pair::usual();
    let (host, parent) = pair.open_call();
    assert_eq!(pair.host.in_flight(CallKind::Tool, host.id()), Some(host.clone()));
    assert_eq!(pair.host.in_flight(CallKind::Command, host.id()), None);
    pair.answer(&parent, "done");
    assert_eq!(pair.host.in_flight(CallKind::Tool, host.id()), None);
}

#[test]
fn a_call_tool_is_answered_by_the_session_when_the_host_takes_too_long() {
    let mut pair = Pair::usual();
    let call = pair.extension.call_tool(None, "read", raw("{}"), pair.now).unwrap();
    pair.step();
    let Some(HostEvent::CallTool { key, .. }) = pair.host_events.pop() else { panic!() };
    pair.pass_ms(59_999);
    assert_eq!(pair.host_events, []);
    pair.pass_ms(1);
    assert_eq!(pair.host_events, [HostEvent::Cancelled { key: key.clone() }]);
    let Some(ExtensionEvent::CallToolDone { key: answered, result }) = pair.extension_events.last()
    else {
        panic!("{:?}", pair.extension_events)
    };
    assert_eq!((answered, result.is_error), (&call, true));
    assert_eq!(result.content, [Content::text("timeout: read took longer than 60 s")]);
    assert!(pair.host.reply_call_tool(&key, result.clone(), pair.now).is_err());
}

#[test]
fn an_answer_to_a_call_tool_is_cut_and_says_so() {
    let mut pair = Pair::usual();
    for (bytes, truncated) in [(262_144, false), (262_145, true)] {
        pair.extension.call_tool(None, "read", raw("{}"), pair.now).unwrap();
        pair.step();
        let Some(HostEvent::CallTool { key, call }) = pair.host_events.pop() else { panic!() };
        let content = vec![Content::text("x".repeat(bytes))];
        let (name, is_error) = (call.name, false);
        let answer = CallToolResult { id: call.id, name, content, is_error, truncated: false };
        pair.host.reply_call_tool(&key, answer, pair.now).unwrap();
        pair.step();
        let Some(ExtensionEvent::CallToolDone { result, .. }) = pair.extension_events.last() else {
            panic!("{:?}", pair.extension_events)
        };
        assert_eq!(result.truncated, truncated);
        assert!(matches!(&result.content[..], [Content::Text(text)] if text.len() == 262_144));
    }
}

#[test]
fn what_the_host_does_not_offer_is_not_sent() {
    let mut pair = Pair::ready(config(), zot_ack());
    let call = pair.extension.call_tool(None, "a", raw("{}"), pair.now);
    assert_eq!(call, Err(CallToolError::Unsupported));
    let method = "ui.confirm".to_owned();
    let request = pair.extension.request(None, &method, None, None, pair.now);
    assert_eq!(request, Err(RequestError::Unsupported { method }));
    pair.step();
    assert_eq!(pair.wire, Vec::<String>::new());
}

#[test]
fn what_comes_all_the_same_is_answered_with_an_error() {
    let ack = HelloAck {
        capabilities: Some(Capabilities::all().without(Capability::CallTool).names()),
        ..full_ack()
    };
    let mut pair = Pair::ready(config(), ack);
    pair.extension_writes(r#"{"type":"call_tool","id":"1","name":"a","args":{}}"#);
    pair.extension_writes(r#"{"type":"request","id":"1","method":"nope"}"#);
    let answers = pair.lines("H> ");
    assert!(answers[0].contains("\"is_error\":true") && answers[0].contains("unsupported"));
    assert!(answers[1].contains("\"code\":\"unsupported\""));
    assert_eq!(pair.host_events, []);
}

#[test]
fn args_of_a_call_tool_are_an_object() {
    let mut pair = Pair::usual();
    let refused = pair.extension.call_tool(None, "a", raw("[1]"), pair.now);
    assert_eq!(refused, Err(CallToolError::NotAnObject { found: "[1]".to_owned() }));
}

#[test]
fn requests_go_both_ways_with_ids_of_their_own() {
    let mut pair = with_methods();
    let ours = pair.extension.request(None, "ui.confirm", Some(raw("{}")), None, pair.now).unwrap();
    let theirs = pair.host.request("health.check", None, None, pair.now).unwrap();
    pair.step();
    assert_eq!(
        pair.wire,
        [
            "E> {\"type\":\"request\",\"id\":\"1\",\"method\":\"ui.confirm\",\"params\":{}}",
            "H> {\"type\":\"request\",\"id\":\"1\",\"method\":\"health.check\"}",
        ]
    );
    let key = pair.last_call();
    pair.extension.reply_request(&key, Ok(raw("\"fine\""))).unwrap();
    let HostEvent::Request { key, .. } = &pair.host_events[0] else { panic!() };
    let error = RpcError::new(ErrorKind::Permission, "no");
    let key = key.clone();
    pair.host.reply_request(&key, Err(error.clone()), pair.now).unwrap();
    pair.step();
    let answered = HostEvent::Response { key: theirs, result: Ok(raw("\"fine\"")) };
    assert_eq!(pair.host_events.last(), Some(&answered));
    let answered = ExtensionEvent::Response { key: ours, result: Err(error) };
    assert_eq!(pair.extension_events.last(), Some(&answered));
}

fn asked(pair: &mut Pair, params: Option<&str>) -> Option<RpcError> {
    pair.clear();
    let request = pair.host.request("tool.approval", params.map(raw), None, pair.now).unwrap();
    pair.step();
    pair.host_events.iter().find_map(|event| match event {
        HostEvent::Response { key, result: Err(error) } if *key == request => Some(error.clone()),
        _ => None,
    })
}

/// `tool.approval-failed`.
#[test]
fn what_is_asked_about_a_call_is_asked_of_a_tool_that_says_more() {
    let approval = Approval { dynamic: true, ..Approval::default() };
    let mut config = config();
    config.registrations.tool(RegisterTool { approval: Some(approval), ..tool("wipe") }).unwrap();
    let mut pair = Pair::ready(config.clone(), full_ack());
    assert_eq!(asked(&mut pair, Some(r#"{"tool":"wipe","args":{"path":"a"}}"#)), None);
    let [ExtensionEvent::Approval { tool, args, .. }] = &pair.extension_events[..] else {
        panic!("{:?}", pair.extension_events)
    };
    assert_eq!((&**tool, args.get()), ("wipe", r#"{"path":"a"}"#));

    let wrong =
        [None, Some("{}"), Some(r#"{"tool":"wipe"}"#), Some(r#"{"tool":"wipe","args":[]}"#)];
    for params in wrong.into_iter().chain([Some("[]"), Some(r#"{"tool":5,"args":{}}"#)]) {
        let error = asked(&mut pair, params).expect("an error");
        assert_eq!(error.code, ErrorKind::Validation, "{params:?}");
    }
    for name in ["echo", "never"] {
        let error = asked(&mut pair, Some(&format!(r#"{{"tool":"{name}","args":{{}}}}"#))).unwrap();
        assert_eq!(error.code, ErrorKind::NotFound);
        assert_eq!(error.message, format!("no tool {name} says more of its calls"));
    }
    assert_eq!(pair.extension_events, []);

    // A method of the author's own gets all that is asked by it.
    config.methods = vec!["tool.approval".to_owned()];
    let mut pair = Pair::ready(config, full_ack());
    assert_eq!(asked(&mut pair, None), None);
    assert!(matches!(&pair.extension_events[..], [ExtensionEvent::Request { .. }]));
}

#[test]
fn parts_come_before_the_answer_and_sixteen_may_wait() {
    let mut pair = with_methods();
    let request = pair.host.request("health.check", None, None, pair.now).unwrap();
    pair.step();
    let key = pair.last_call();
    for part in 0..16 {
        pair.extension.send_part(Some(&key), raw(&part.to_string())).unwrap();
    }
    assert_eq!(pair.extension.send_part(Some(&key), raw("16")), Err(RequestError::PartsAhead));
    pair.step();
    pair.extension.send_part(Some(&key), raw("16")).unwrap();
    pair.extension.reply_request(&key, Ok(RawJson::null())).unwrap();
    assert_eq!(pair.extension.send_part(Some(&key), raw("17")), Err(RequestError::ParentEnded));
    pair.step();
    let parts: Vec<_> = pair
        .host_events
        .iter()
        .filter_map(|event| match event {
            HostEvent::ResponsePart { key, seq, data } if *key == request => {
                Some((*seq, data.get().to_owned()))
            }
            _ => None,
        })
        .collect();
    let expected: Vec<_> = (0..17).map(|part| (part + 1, part.to_string())).collect();
    assert_eq!(parts, expected);
    assert!(matches!(pair.host_events.last(), Some(HostEvent::Response { .. })));
}

#[test]
fn a_cancelled_request_is_still_answered() {
    let mut pair = with_methods();
    let request = pair.host.request("health.check", None, None, pair.now).unwrap();
    pair.step();
    let key = pair.last_call();
    pair.host.cancel(&request, "", pair.now);
    pair.step();
    assert_eq!(pair.lines("cancel"), ["H> {\"type\":\"cancel\",\"id\":\"1\"}"]);
    let cancelled = |event: &ExtensionEvent| matches!(event, ExtensionEvent::Cancelled { key: it, .. } if *it == key);
    assert!(pair.extension_events.iter().any(cancelled));
    let error = RpcError::new(ErrorKind::Cancelled, "cancelled");
    pair.extension.reply_request(&key, Err(error)).unwrap();
    pair.step();
    assert!(matches!(pair.host_events.last(), Some(HostEvent::Response { result: Err(_), .. })));
}

#[test]
fn a_request_times_out_on_both_sides() {
    let mut pair = with_methods();
    let ours = pair.extension.request(None, "ui.confirm", None, Some(100), pair.now).unwrap();
    let theirs = pair
        .host
        .request("health.check", None, Some(Duration::from_millis(200)), pair.now)
        .unwrap();
    pair.pass_ms(250);
    let error = |event: Option<&ExtensionEvent>| match event {
        Some(ExtensionEvent::Response { key, result: Err(error) }) if *key == ours => {
            error.code.clone()
        }
        other => panic!("{other:?}"),
    };
    let response =
        pair.extension_events.iter().find(|event| matches!(event, ExtensionEvent::Response { .. }));
    assert_eq!(error(response), ErrorKind::Timeout);
    assert!(pair.host_events.iter().any(|event| matches!(event, HostEvent::Response { key, result: Err(error) } if *key == theirs && error.code == ErrorKind::Timeout)));
    pair.host_writes(r#"{"type":"response","id":"1","result":1}"#);
    assert!(matches!(
        pair.extension_events.last(),
        Some(ExtensionEvent::Notice(Notice::Unexpected { .. }))
    ));
}

#[test]
fn the_end_of_the_session_answers_for_the_host() {
    let mut pair = with_methods();
    let tool = pair.extension.call_tool(None, "a", raw("{}"), pair.now).unwrap();
    let request = pair.extension.request(None, "ui.confirm", None, None, pair.now).unwrap();
    pair.step();
    pair.extension.handle_eof(pair.now);
    pair.step();
    assert!(pair.extension_events.iter().any(|event| matches!(event, ExtensionEvent::CallToolDone { key, result } if *key == tool && result.is_error)));
    assert!(pair.extension_events.iter().any(
        |event| matches!(event, ExtensionEvent::Response { key, result: Err(_) } if *key == request)
    ));
}

#[test]
fn requests_for_values_say_their_version() {
    let methods = ["state.get", "ui.confirm"].map(str::to_owned).to_vec();
    let mut config = config();
    config.state_version = Some(2);
    let ack = HelloAck { methods: Some(methods), ..full_ack() };
    let mut pair = Pair::ready(config, ack);
    pair.clear();
    for (method, params) in [
        ("state.get", r#"{"key":"n"}"#),
        ("state.get", "{ }"),
        ("state.get", r#"{"slot_version":1}"#),
        ("ui.confirm", r#"{"title":"?"}"#),
    ] {
        pair.extension.request(None, method, Some(raw(params)), None, pair.now).unwrap();
    }
    pair.step();
    let params: Vec<_> =
        pair.wire.iter().map(|line| line.split_once("\"params\":").unwrap().1).collect();
    assert_eq!(
        params,
        [
            r#"{"slot_version":2,"key":"n"}}"#,
            r#"{"slot_version":2}}"#,
            r#"{"slot_version":1}}"#,
            r#"{"title":"?"}}"#,
        ]
    );
}
