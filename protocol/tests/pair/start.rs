//! From `hello` to `ready`.

use extline_protocol::frame::{
    Approval, Hello, HelloAck, Limits, OnFailure, RegisterTool, SdkInfo,
};
use extline_protocol::{
    Capability, ExtensionConfig, ExtensionEvent, HandshakeError, HostEvent, Notice, RegisterError,
};

use crate::harness::{Pair, command, config, full_ack, tool, zot_ack};

#[test]
fn the_handshake_is_four_steps() {
    let mut config = config();
    config.sdk = Some(SdkInfo {
        name: "extline".to_owned(),
        version: "0.1.0".to_owned(),
        language: "rust".to_owned(),
    });
    config.registrations.subscribe.events = Some(vec!["session_start".to_owned()]);
    let mut pair = Pair::new(config, zot_ack());
    pair.step();
    assert!(matches!(&pair.extension_events[..], [ExtensionEvent::Accepted(_)]));
    pair.extension.ready();
    pair.step();
    assert_eq!(
        pair.wire,
        [
            "E> {\"type\":\"hello\",\"name\":\"pair\",\"version\":\"1.0.0\",\"capabilities\":[\
             \"commands\",\"tools\",\"events\",\"panels\",\"tool_cancel\",\"call_tool\",\
             \"tool_update\",\"tool_registry\",\"registration_report\",\"log\",\"rpc\",\"config\",\"view\",\"event_filters\"],\
             \"sdk\":{\"name\":\"extline\",\"version\":\"0.1.0\",\"language\":\"rust\"},\"protocol_version\":2}",
            "H> {\"type\":\"hello_ack\",\"protocol_version\":1,\"zot_version\":\"0.1.62\",\
             \"provider\":\"\",\"model\":\"\",\"cwd\":\"\"}",
            "E> {\"type\":\"register_command\",\"name\":\"greet\"}",
            "E> {\"type\":\"register_tool\",\"name\":\"echo\",\
             \"schema\":{\"type\":\"object\"}}",
            "E> {\"type\":\"subscribe\",\"events\":[\"session_start\"]}",
            "E> {\"type\":\"ready\"}",
        ]
    );
    assert!(matches!(
        &pair.host_events[..],
        [
            HostEvent::Hello(_),
            HostEvent::RegisterCommand(_),
            HostEvent::RegisterTool(_),
            HostEvent::Subscribe(_),
            HostEvent::Ready,
            HostEvent::SaidReady
        ]
    ));
}

#[test]
fn registrations_and_ready_come_out_in_one_piece() {
    let mut pair = Pair::new(config(), zot_ack());
    pair.step();
    pair.extension.ready();
    let mut out = Vec::new();
    assert!(pair.extension.poll_output(pair.now, &mut out));
    let text = String::from_utf8(out).unwrap();
    assert_eq!(text.lines().count(), 3);
    assert!(text.ends_with("{\"type\":\"ready\"}\n"));
    pair.extension.ready();
    assert!(!pair.extension.has_output(), "a second ready says nothing");
}

#[test]
fn a_guard_is_also_an_intercept_on_the_wire() {
    let mut config = config();
    config.registrations.subscribe.guards = Some(vec!["tool_call".to_owned()]);
    config.registrations.subscribe.on_failure =
        Some([("tool_call".to_owned(), OnFailure::Block)].into());
    let mut pair = Pair::new(config, full_ack());
    pair.step();
    pair.extension.ready();
    pair.step();
    assert_eq!(
        pair.lines("subscribe"),
        ["E> {\"type\":\"subscribe\",\"intercept\":[\"tool_call\"],\"guards\":[\"tool_call\"],\
          \"on_failure\":{\"tool_call\":\"block\"}}"]
    );
}

#[test]
fn a_slow_setup_keeps_the_host_s_idle_window_open() {
    let mut pair = Pair::new(config(), zot_ack());
    pair.step();
    pair.clear();
    pair.pass_ms(500);
    assert_eq!(pair.wire, vec!["E> {\"type\":\"subscribe\"}"; 3]);
    pair.extension.ready();
    pair.step();
    pair.clear();
    pair.pass_ms(500);
    assert_eq!(pair.wire, Vec::<String>::new());
}

#[test]
fn without_ready_the_host_goes_on_after_three_seconds() {
    let mut pair = Pair::new(config(), full_ack());
    pair.step();
    // A setup that takes its time keeps nothing waiting but `ready`.
    pair.pass_ms(2_999);
    assert!(!pair.host_events.contains(&HostEvent::Ready));
    pair.pass_ms(1);
    assert!(pair.host_events.contains(&HostEvent::Ready));
    assert!(pair.host_events.contains(&HostEvent::Notice(Notice::NotReady { waited_ms: 3_000 })));
    assert!(!pair.host_events.contains(&HostEvent::SaidReady), "it has not said so");
    pair.clear();
    pair.extension.ready();
    pair.step();
    assert!(pair.host_events.iter().any(|event| matches!(event, HostEvent::RegisterTool(_))));
    assert!(!pair.host_events.contains(&HostEvent::Ready), "ready is said once");
    let registered =
        pair.host_events.iter().rposition(|it| matches!(it, HostEvent::RegisterTool(_)));
    let said = pair.host_events.iter().position(|it| *it == HostEvent::SaidReady);
    assert!(registered < said, "{:?}", pair.host_events);
    pair.clear();
    pair.host.handle_input(b"{\"type\":\"ready\"}\n", pair.now);
    pair.step();
    assert_eq!(pair.host_events, [], "once");
}

#[test]
fn no_hello_in_ten_seconds_is_a_failed_handshake() {
    let mut pair = Pair::new(config(), full_ack());
    pair.now += std::time::Duration::from_secs(10);
    pair.host.handle_timeout(pair.now);
    let failed = HostEvent::HandshakeFailed(HandshakeError::NoHello { waited_ms: 10_000 });
    assert_eq!(pair.host.poll_event(), Some(failed));
    assert_eq!(pair.host.poll_timeout(), None);
}

#[test]
fn a_banner_before_hello_is_reported_and_skipped() {
    let mut pair = Pair::new(config(), full_ack());
    pair.host.handle_input(b"Welcome to my extension!\n[1]\n", pair.now);
    pair.step();
    assert!(matches!(
        &pair.host_events[..],
        [
            HostEvent::Notice(Notice::Skipped(_)),
            HostEvent::Notice(Notice::Skipped(_)),
            HostEvent::Hello(_)
        ]
    ));
}

#[test]
fn another_first_frame_is_a_failed_handshake() {
    let first = |line: &str| {
        let mut pair = Pair::new(config(), full_ack());
        pair.host.handle_input(format!("{line}\n").as_bytes(), pair.now);
        pair.host.poll_event()
    };
    let failed = |error| Some(HostEvent::HandshakeFailed(error));
    let found = "register_tool".to_owned();
    assert_eq!(
        first(r#"{"type":"register_tool","name":"x"}"#),
        failed(HandshakeError::NotHello { found })
    );
    let why = "its name is empty".to_owned();
    assert_eq!(first(r#"{"type":"hello","name":""}"#), failed(HandshakeError::BadHello(why)));
    let why = "hello: /name: expected a string, found 5".to_owned();
    assert_eq!(first(r#"{"type":"hello","name":5}"#), failed(HandshakeError::BadHello(why)));
}

#[test]
fn an_output_that_ends_before_hello_is_a_failed_handshake() {
    let mut pair = Pair::new(config(), full_ack());
    pair.host.handle_eof(pair.now);
    assert_eq!(pair.host.poll_event(), Some(HostEvent::HandshakeFailed(HandshakeError::Ended)));
}

#[test]
fn a_plain_zot_extension_is_taken_as_it_is() {
    let mut pair = Pair::new(config(), full_ack());
    pair.extension_writes(r#"{"type":"hello","name":"plain"}"#);
    pair.extension_writes(r#"{"type":"register_tool","name":"x","description":"d"}"#);
    pair.extension_writes(r#"{"type":"ready"}"#);
    let plain = Hello { name: "plain".to_owned(), ..Hello::default() };
    assert_eq!(pair.host_events[0], HostEvent::Hello(Box::new(plain)));
    assert!(pair.host_events.contains(&HostEvent::Notice(Notice::NoSchema("x".to_owned()))));
    assert!(!pair.host.supports(Capability::ToolCancel));
}

#[test]
fn a_tool_that_cannot_be_used_is_rejected_with_the_reason() {
    let mut pair = Pair::usual();
    pair.extension_writes(r#"{"type":"register_tool","name":"bad name","schema":{}}"#);
    pair.extension_writes(r#"{"type":"register_tool","name":"x","schema":5}"#);
    let [HostEvent::Rejected(name), HostEvent::Rejected(schema)] = &pair.host_events[..] else {
        panic!("{:?}", pair.host_events)
    };
    assert!(name.message.contains("\"bad name\""));
    assert!(schema.message.contains("is 5"));
}

#[test]
fn tools_come_and_go_after_ready_where_the_host_takes_them() {
    let mut pair = Pair::usual();
    pair.extension.register_tool(&tool("late")).unwrap();
    pair.extension.unregister_tool("echo").unwrap();
    pair.extension.unregister_tool("never").unwrap();
    pair.step();
    assert_eq!(pair.wire.len(), 2);
    assert!(
        matches!(&pair.host_events[..], [HostEvent::RegisterTool(_), HostEvent::UnregisterTool(name)] if name == "echo")
    );

    let mut pair = Pair::ready(config(), zot_ack());
    assert_eq!(pair.extension.register_tool(&tool("late")), Err(RegisterError::TooLate));
    pair.extension.register_command(&command("late")).unwrap();
    pair.step();
    assert_eq!(pair.wire, ["E> {\"type\":\"register_command\",\"name\":\"late\"}"]);
}

/// `tool.approval-asked`: the host asks for what `hello` names.
#[test]
fn the_method_of_approvals_is_named_where_a_tool_wants_it() {
    let dynamic = |name| {
        let approval = Approval { gated: true, dynamic: true, ..Approval::default() };
        RegisterTool { approval: Some(approval), ..tool(name) }
    };
    let mut config = config();
    config.registrations.tool(dynamic("wipe")).unwrap();
    let hello = |config: &ExtensionConfig| {
        let mut pair = Pair::new(config.clone(), full_ack());
        pair.step();
        pair.wire.swap_remove(0)
    };
    let named = hello(&config);
    assert!(named.contains(r#""methods":["tool.approval"]"#), "{named}");
    config.methods = vec!["tool.approval".to_owned()];
    assert_eq!(hello(&config), named, "it is named once");
    let mut pair = Pair::ready(config, full_ack());
    pair.extension.register_tool(&dynamic("late")).unwrap();
    let mut pair = Pair::usual();
    assert_eq!(pair.extension.register_tool(&dynamic("late")), Err(RegisterError::NotAsked));
}

#[test]
fn a_second_hello_or_ack_is_ignored() {
    let mut pair = Pair::usual();
    pair.extension_writes(r#"{"type":"hello","name":"again"}"#);
    pair.host_writes(r#"{"type":"hello_ack","protocol_version":1,"capabilities":[]}"#);
    assert!(matches!(&pair.host_events[..], [HostEvent::Notice(Notice::OutOfPlace { .. })]));
    assert!(matches!(
        &pair.extension_events[..],
        [ExtensionEvent::Notice(Notice::OutOfPlace { .. })]
    ));
    assert!(pair.extension.supports(Capability::Log));
}

#[test]
fn another_protocol_version_is_a_warning() {
    let mut pair = Pair::new(config(), HelloAck { protocol_version: 2, ..full_ack() });
    pair.step();
    assert_eq!(pair.extension_events[0], ExtensionEvent::Notice(Notice::ProtocolVersion(2)));
    assert!(matches!(pair.extension_events[1], ExtensionEvent::Accepted(_)));
}

#[test]
fn an_old_zot_is_named_once_for_each_thing_it_may_not_know() {
    let mut config = config();
    config.registrations.subscribe.intercept =
        Some(vec!["tool_call".to_owned(), "before_agent_start".to_owned()]);
    let mut pair = Pair::new(config, zot_ack());
    pair.step();
    pair.extension.ready();
    pair.extension.submit("one");
    pair.extension.submit("two");
    pair.step();
    let notices: Vec<_> = pair
        .extension_events
        .iter()
        .filter_map(|event| match event {
            ExtensionEvent::Notice(notice) => Some(notice.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(
        notices,
        ["host zot 0.1.62 may not know before_agent_start", "host zot 0.1.62 may not know submit"]
    );
    assert_eq!(pair.lines("\"submit\"").len(), 2, "they are sent all the same");
}

#[test]
fn a_misspelt_event_is_asked_for_and_named() {
    let mut config = config();
    let events = ["turn_end", "turn_ended", "subagent_stop", "moon_phase"].map(str::to_owned);
    config.registrations.subscribe.events = Some(events.into());
    let mut pair = Pair::new(config, full_ack());
    pair.step();
    pair.extension.ready();
    pair.step();
    let notices = pair.extension_events.iter().filter_map(|event| match event {
        ExtensionEvent::Notice(notice) => Some(notice.to_string()),
        _ => None,
    });
    assert_eq!(
        notices.collect::<Vec<_>>(),
        ["no host is known to have the event turn_ended, did you mean turn_end?"],
        "moon_phase may be an event of a later host"
    );
    let asked = r#""events":["turn_end","turn_ended","subagent_stop","moon_phase"]"#;
    assert_eq!(pair.lines(asked).len(), 1);
}

#[test]
fn the_frame_limit_can_only_grow() {
    let limits = |bytes| Some(Limits { frame_bytes: Some(bytes), ..Limits::default() });
    let text = "x".repeat(5_000_000);
    let mut pair = Pair::ready(config(), HelloAck { limits: limits(6_000_000), ..full_ack() });
    let (_, key) = pair.open_call();
    pair.answer(&key, &text);
    assert!(
        matches!(&pair.host_events[..], [HostEvent::ToolResult { result, .. }] if !result.is_error)
    );

    let mut pair = Pair::ready(config(), HelloAck { limits: limits(10_000), ..full_ack() });
    pair.extension.notify(extline_protocol::frame::Level::Info, "x".repeat(20_000));
    pair.step();
    assert_eq!(pair.lines("notify").len(), 1);
}
