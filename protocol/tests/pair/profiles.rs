//! The switches of a profile that are thrown in the session; those of the process and the registry
//! are tested with the host. Each test says what the three profiles do.

use std::time::{Duration, Instant};

use extline_protocol::frame::{
    Event, EventPayload, HelloAck, OnFailure, Phase, RegisterTool, Registered, SessionInfo,
    ShutdownReason,
};
use extline_protocol::{
    CallKind, Capability, Deadlines, ErrorKind, HandshakeError, HostConfig, HostEvent, HostSession,
    Id, Intercept, Notice, Profile, RawJson, ToolCallOptions,
};

use crate::harness::{Pair, config, full_ack};

/// A hello that names everything an extension may name.
const HELLO: &str = r#"{"type":"hello","name":"x","capabilities":["tool_cancel","call_tool","tool_update","registration_report","log","rpc"],"methods":["m"]}"#;

const ALL: fn() -> [Profile; 3] =
    || [Profile::spec(), Profile::zot_0_1_62(), Profile::zot_37c7945()];

fn ack() -> HelloAck {
    let session = Some(SessionInfo { id: "s".to_owned(), ..SessionInfo::default() });
    HelloAck { methods: Some(vec!["m".to_owned()]), session, ..full_ack() }
}

/// A host like that, and the lines of an extension that said hello and ready.
fn ready(profile: Profile) -> Pair {
    let mut pair = said_hello(profile);
    pair.extension_writes(r#"{"type":"ready"}"#);
    assert!(pair.host_events.contains(&HostEvent::Ready));
    pair.clear();
    pair
}

fn said_hello(profile: Profile) -> Pair {
    let mut pair = Pair::like(profile, config(), ack());
    // Only the host's end of the pair plays here; the extension's lines are written by hand.
    pair.extension.poll_output(pair.now, &mut Vec::new());
    pair.extension_writes(HELLO);
    pair
}

fn turn_start() -> Intercept {
    Intercept { event: "turn_start".to_owned(), ..Intercept::default() }
}

/// What the host writes now.
fn written(pair: &mut Pair) -> Vec<String> {
    let mut bytes = Vec::new();
    pair.host.poll_output(&mut bytes);
    String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect()
}

fn events(pair: &mut Pair) -> Vec<HostEvent> {
    std::iter::from_fn(|| pair.host.poll_event()).collect()
}

/// What the host makes of a line.
fn hears(pair: &mut Pair, line: &str) -> Vec<HostEvent> {
    pair.host.handle_input(format!("{line}\n").as_bytes(), pair.now);
    events(pair)
}

#[test]
fn the_ack_says_what_its_zot_says() {
    let acks = ALL().map(|profile| said_hello(profile).lines("hello_ack").concat());
    assert!(acks[0].contains("\"tool_update\"") && acks[0].contains("\"limits\""));
    let plain = |capabilities: &str| {
        format!(
            "H> {{\"type\":\"hello_ack\",\"protocol_version\":1,{capabilities}\"zot_version\":\"\",\
             \"provider\":\"\",\"model\":\"\",\"cwd\":\"\"}}"
        )
    };
    assert_eq!(acks[1], plain(""));
    assert_eq!(acks[2], plain("\"capabilities\":[\"call_tool\"],"));
}

#[test]
fn a_zot_writes_no_field_of_extline_s() {
    let all_lines = ALL().map(|profile| {
        let mut pair = ready(profile);
        let options =
            ToolCallOptions { timeout: Some(Duration::from_secs(9)), ..ToolCallOptions::default() };
        pair.host.call_tool("echo", RawJson::empty_object(), options, pair.now).unwrap();
        let payload = EventPayload { step: Some(1), ..EventPayload::default() };
        let intercept = Intercept {
            phase: Some(Phase::Intercept),
            payload,
            system_prompt: Some("p".to_owned()),
            ..turn_start()
        };
        pair.host.intercept(intercept, pair.now).unwrap();
        pair.host.report(&Registered::default());
        assert_eq!(
            pair.host.request("m", None, None, pair.now).is_ok(),
            pair.host.supports(Capability::Rpc)
        );
        pair.host.shutdown(Some(ShutdownReason::Exit), pair.now);
        written(&mut pair)
    });
    let zot = |prompt: &str| {
        [
            r#"{"type":"tool_call","id":"1","name":"echo","args":{}}"#.to_owned(),
            format!(
                r#"{{"type":"event_intercept","id":"1","event":"turn_start","step":1{prompt}}}"#
            ),
            r#"{"type":"shutdown"}"#.to_owned(),
        ]
    };
    assert_eq!(
        all_lines[0],
        [
            r#"{"type":"tool_call","id":"1","name":"echo","args":{},"deadline_ms":9000,"session":{"id":"s"}}"#,
            r#"{"type":"event_intercept","id":"1","event":"turn_start","phase":"intercept","step":1,"system_prompt":"p"}"#,
            r#"{"type":"registered","tools":[],"commands":[],"events":[],"intercept":[],"guards":[],"rejected":[]}"#,
            r#"{"type":"request","id":"1","method":"m"}"#,
            r#"{"type":"shutdown","reason":"exit"}"#,
        ]
    );
    assert_eq!(all_lines[1], zot(""));
    assert_eq!(all_lines[2], zot(r#","system_prompt":"p""#));
}

#[test]
fn an_older_zot_sends_no_event_and_no_field_that_came_later() {
    let lines = ALL().map(|profile| {
        let mut pair = ready(profile);
        let payload = EventPayload {
            step: Some(1),
            session_id: Some("s".to_owned()),
            sequence: Some(4),
            ..EventPayload::default()
        };
        for event in ["turn_start", "session_end", "moon_phase"] {
            pair.host.send_event(&Event { event: event.to_owned(), payload: payload.clone() });
        }
        written(&mut pair)
    });
    let full = |event: &str| {
        format!(r#"{{"type":"event","event":"{event}","step":1,"session_id":"s","sequence":4}}"#)
    };
    assert_eq!(lines[0], ["turn_start", "session_end", "moon_phase"].map(full));
    assert_eq!(lines[1], [r#"{"type":"event","event":"turn_start","step":1}"#]);
    assert_eq!(lines[2], ["turn_start", "session_end"].map(full));
}

#[test]
fn who_cancels_and_who_waits_for_the_answer_to_that() {
    for profile in ALL() {
        let name = profile.name;
        let mut pair = ready(profile);
        let key = pair.call("{}");
        written(&mut pair);
        pair.host.cancel(&key, "the user cancelled", pair.now);
        let cancel = match name {
            "spec" => vec![r#"{"type":"tool_cancel","id":"1","reason":"the user cancelled"}"#],
            "zot-0.1.62" => vec![],
            _ => vec![r#"{"type":"tool_cancel","id":"1"}"#],
        };
        assert_eq!(written(&mut pair), cancel, "{name}");
        let failed = events(&mut pair);
        let result = r#"{"type":"tool_result","id":"1","content":[]}"#;
        let heard = hears(&mut pair, result);
        if name == "spec" {
            assert_eq!(failed, [], "it may still answer");
            assert!(matches!(heard[..], [HostEvent::ToolResult { .. }]));
        } else {
            assert!(
                matches!(&failed[..], [HostEvent::CallFailed { error, .. }] if error.kind == ErrorKind::Cancelled),
                "{name}"
            );
            assert!(matches!(heard[..], [HostEvent::Notice(Notice::Unexpected { .. })]), "{name}");
        }
    }
}

#[test]
fn silence_of_250_ms_is_ready_for_a_zot_and_any_line_breaks_it() {
    for profile in ALL() {
        let is_zot = profile.name != "spec";
        let mut pair = said_hello(profile);
        pair.clear();
        for line in ["junk", r#"{"type":"from_the_future"}"#] {
            pair.now += Duration::from_millis(249);
            pair.host.handle_timeout(pair.now);
            pair.extension_writes(line);
            assert!(!pair.host_events.contains(&HostEvent::Ready));
        }
        pair.now += Duration::from_millis(249);
        pair.host.handle_timeout(pair.now);
        assert!(!events(&mut pair).contains(&HostEvent::Ready));
        pair.now += Duration::from_millis(1);
        pair.host.handle_timeout(pair.now);
        let events = events(&mut pair);
        assert_eq!(events.contains(&HostEvent::Ready), is_zot);
        let said = HostEvent::Notice(Notice::NotReady { waited_ms: 250 });
        assert_eq!(events.contains(&said), is_zot);
    }
}

#[test]
fn lines_that_never_stop_do_not_hold_up_a_zot_for_ever() {
    let mut pair = said_hello(Profile::zot_0_1_62());
    for _ in 0..29 {
        pair.now += Duration::from_millis(100);
        pair.host.handle_timeout(pair.now);
        assert!(!hears(&mut pair, "junk").contains(&HostEvent::Ready));
    }
    pair.now += Duration::from_millis(100);
    pair.host.handle_timeout(pair.now);
    let said = HostEvent::Notice(Notice::NotReady { waited_ms: 3_000 });
    assert_eq!(events(&mut pair), [said, HostEvent::Ready]);
}

#[test]
fn a_zot_offers_no_tool_that_comes_after_ready() {
    for profile in ALL() {
        let takes_it = profile.name == "spec";
        let mut pair = ready(profile);
        let heard = hears(&mut pair, r#"{"type":"register_tool","name":"late","schema":{}}"#);
        match &heard[..] {
            [HostEvent::RegisterTool(_)] => assert!(takes_it),
            [HostEvent::Notice(Notice::OutOfPlace { .. })] => assert!(!takes_it),
            other => panic!("{other:?}"),
        }
        let heard = hears(&mut pair, r#"{"type":"register_command","name":"late"}"#);
        assert!(matches!(heard[..], [HostEvent::RegisterCommand(_)]), "commands always come");
    }
}

#[test]
fn a_zot_refuses_what_prints_before_hello() {
    for profile in ALL() {
        let skips = profile.name == "spec";
        let mut session =
            HostSession::new(HostConfig { profile, ..HostConfig::default() }, Instant::now());
        session.handle_input(b"Welcome!\n", Instant::now());
        let event = session.poll_event();
        let refused = HandshakeError::BadHello(
            "not JSON (expected value at line 1 column 1): Welcome!".to_owned(),
        );
        match event {
            Some(HostEvent::Notice(Notice::Skipped(_))) => assert!(skips),
            event => assert_eq!((event, skips), (Some(HostEvent::HandshakeFailed(refused)), false)),
        }
    }
}

#[test]
fn a_zot_drops_a_frame_of_wrong_types_and_lets_the_call_wait() {
    for profile in ALL() {
        let answers = profile.name == "spec";
        let mut pair = ready(profile);
        pair.call("{}");
        written(&mut pair);
        let heard = hears(&mut pair, r#"{"type":"tool_result","id":"1","content":"a string"}"#);
        match &heard[..] {
            [HostEvent::CallFailed { .. }, HostEvent::Notice(Notice::Refused { .. })] => {
                assert!(answers);
            }
            [HostEvent::Notice(Notice::Skipped(_))] => assert!(!answers),
            other => panic!("{other:?}"),
        }
        hears(&mut pair, r#"{"type":"call_tool","id":"c","name":5,"args":{}}"#);
        assert_eq!(written(&mut pair).len(), usize::from(answers));
    }
}

#[test]
fn frames_that_a_zot_does_not_know_have_no_effect_there() {
    let later = [
        (r#"{"type":"submit","text":"hi"}"#, "zot-37c7945"),
        (r#"{"type":"clear_notes"}"#, "zot-37c7945"),
        (r#"{"type":"open_panel","panel":{"id":"p"}}"#, "zot-37c7945"),
        (r#"{"type":"call_tool","id":"c","name":"x","args":{}}"#, "zot-37c7945"),
        (r#"{"type":"log","level":"info","message":"m"}"#, "spec"),
        (r#"{"type":"unregister_tool","name":"x"}"#, "spec"),
        (r#"{"type":"request","id":"r","method":"m"}"#, "spec"),
        (r#"{"type":"tool_update","id":"u","seq":1}"#, "spec"),
    ];
    for profile in ALL() {
        let name = profile.name;
        let mut pair = ready(profile);
        for (line, since) in later {
            let heard = hears(&mut pair, line);
            let is_unknown = matches!(heard[..], [HostEvent::Notice(Notice::UnknownType(_))]);
            let knows = name == "spec" || name == since;
            assert_eq!(is_unknown, !knows, "{name}: {line}: {heard:?}");
        }
        assert_eq!(written(&mut pair), Vec::<String>::new(), "{name}: and no answer");
    }
}

#[test]
fn fields_that_a_zot_does_not_know_are_not_there() {
    let lines = [
        r#"{"type":"register_tool","name":"t","description":"d","schema":{},"interactive":true,"timeout_ms":9}"#,
        r#"{"type":"register_command","name":"c","usage":"CITY"}"#,
        r#"{"type":"subscribe","intercept":["tool_call"],"guards":["tool_call"],"on_failure":{"tool_call":"block"}}"#,
    ];
    for profile in ALL() {
        let name = profile.name;
        let mut pair = said_hello(profile);
        pair.clear();
        for line in lines {
            pair.extension_writes(line);
        }
        let [
            HostEvent::RegisterTool(tool),
            HostEvent::RegisterCommand(command),
            HostEvent::Subscribe(subscribe),
        ] = &pair.host_events[..]
        else {
            panic!("{:?}", pair.host_events)
        };
        let RegisterTool { interactive, timeout_ms, description, .. } = &**tool;
        assert_eq!(description.as_deref(), Some("d"));
        assert_eq!(*interactive, name != "zot-0.1.62");
        assert_eq!(timeout_ms.is_some(), name == "spec");
        assert_eq!(command.usage.is_some(), name == "spec");
        assert_eq!(subscribe.intercept, Some(vec!["tool_call".to_owned()]));
        let guards = [("tool_call".to_owned(), OnFailure::Block)];
        assert_eq!(subscribe.guards.is_some(), name == "spec");
        assert_eq!(subscribe.on_failure == Some(guards.into()), name == "spec");

        pair.extension_writes(r#"{"type":"ready"}"#);
        pair.call("{}");
        written(&mut pair);
        let heard = hears(
            &mut pair,
            r#"{"type":"tool_result","id":"1","content":[],"is_error":true,"structured_content":1,"details":2,"view":{},"error":{"kind":"fatal","message":"m"}}"#,
        );
        let [HostEvent::ToolResult { result, .. }] = &heard[..] else { panic!("{heard:?}") };
        assert!(result.is_error && result.id == Id::from("1"));
        assert_eq!(result.structured_content.is_some(), name != "zot-0.1.62");
        assert_eq!(result.details.is_some(), name == "spec");
        assert_eq!(result.view.is_some(), name == "spec");
        assert_eq!(result.error.is_some(), name == "spec");
    }
}

#[test]
fn a_zot_reads_nothing_more_after_a_line_of_4_mib() {
    for profile in ALL() {
        let reads_on = profile.name == "spec";
        let mut pair = ready(profile);
        pair.call("{}");
        written(&mut pair);
        // The most that is read: after it everything goes on.
        let note = r#"{"type":"notify","level":"info","message":"m"}"#;
        let longest = format!("{note}{}", " ".repeat(4_194_303 - note.len()));
        assert!(matches!(hears(&mut pair, &longest)[..], [HostEvent::Notify { .. }]));
        // One byte more, and not even the end of the line.
        pair.host.handle_input(&vec![b'x'; 4_194_304], pair.now);
        let stopped = events(&mut pair);
        assert_eq!(stopped.as_slice() == [HostEvent::StoppedReading], !reads_on, "{stopped:?}");
        let result = "\n{\"type\":\"tool_result\",\"id\":\"1\",\"content\":[]}";
        let heard = hears(&mut pair, result);
        let answered = heard.iter().any(|event| matches!(event, HostEvent::ToolResult { .. }));
        assert_eq!(answered, reads_on, "{heard:?}");
        let payload = EventPayload::default();
        pair.host.send_event(&Event { event: "turn_start".to_owned(), payload });
        assert_eq!(written(&mut pair).len(), 1, "it is written to as before");
    }
}

#[test]
fn a_zot_escapes_what_html_would() {
    let args = "{\"a\":\"<b> & \u{2028}\u{2029}\u{2027} \u{e9}\"}";
    for profile in ALL() {
        let escapes = profile.name != "spec";
        let mut pair = ready(profile);
        pair.call(args);
        let seen = if escapes {
            "{\"a\":\"\\u003cb\\u003e \\u0026 \\u2028\\u2029\u{2027} \u{e9}\"}"
        } else {
            args
        };
        assert_eq!(
            written(&mut pair),
            [format!(
                r#"{{"type":"tool_call","id":"1","name":"echo","args":{seen}{}}}"#,
                if escapes { "" } else { r#","session":{"id":"s"}"# }
            )]
        );
    }
}

#[test]
fn the_deadlines_of_a_zot_are_its_own() {
    for profile in ALL() {
        let fixed = profile.name != "spec";
        let second = Duration::from_secs(1);
        let deadlines =
            Deadlines { tool: second, command: second, intercept: second, ..Deadlines::default() };
        let now = Instant::now();
        let config = HostConfig { profile, deadlines, ..HostConfig::default() };
        let mut session = HostSession::new(config, now);
        session.handle_input(format!("{HELLO}\n{{\"type\":\"ready\"}}\n").as_bytes(), now);
        for kind in [CallKind::Intercept, CallKind::Command, CallKind::Tool] {
            let (key, seconds) = match kind {
                CallKind::Intercept => (session.intercept(turn_start(), now), 5),
                CallKind::Command => (session.invoke_command("c", "", now), 30),
                _ => {
                    let (args, options) = (RawJson::empty_object(), ToolCallOptions::default());
                    (session.call_tool("t", args, options, now), 60)
                }
            };
            assert_eq!(key.unwrap().kind(), kind);
            let due = session.poll_timeout().unwrap() - now;
            assert_eq!(due, Duration::from_secs(if fixed { seconds } else { 1 }));
            session.handle_timeout(now + due);
        }
    }
}

#[test]
fn a_zot_takes_any_tool() {
    for profile in ALL() {
        let validates = profile.name == "spec";
        let mut pair = said_hello(profile);
        pair.clear();
        pair.extension_writes(r#"{"type":"register_tool","name":"bad name!","schema":5}"#);
        match &pair.host_events[..] {
            [HostEvent::Rejected(_)] => assert!(validates),
            [HostEvent::RegisterTool(tool)] => assert!(!validates && tool.schema.get() == "5"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_zot_writes_a_call_of_any_size() {
    for profile in ALL() {
        let refuses = profile.name == "spec";
        let mut pair = said_hello(profile);
        pair.extension_writes(r#"{"type":"register_tool","name":"echo","schema":{}}"#);
        pair.extension_writes(r#"{"type":"ready"}"#);
        let args = RawJson::parse(&format!(r#"{{"x":"{}"}}"#, "x".repeat(4_194_303))).unwrap();
        let called = pair.host.call_tool("echo", args, ToolCallOptions::default(), pair.now);
        assert_eq!(
            matches!(called, Err(extline_protocol::SendError::TooLarge(_))),
            refuses,
            "{called:?}"
        );
    }
}

#[test]
fn a_closed_output_before_ready_is_ready_for_the_zot_that_does_not_notice() {
    for profile in ALL() {
        let goes_on = profile.name == "zot-0.1.62";
        let mut pair = said_hello(profile);
        pair.clear();
        pair.host.handle_eof(pair.now);
        assert_eq!(events(&mut pair).contains(&HostEvent::Ready), goes_on);
    }
}

#[test]
fn a_configuration_is_given_and_changed_where_there_are_configurations() {
    let config = |text: &str| RawJson::parse(text).unwrap();
    let written = ALL().map(|profile| {
        let ack = HelloAck { config: Some(config(r#"{"a":1}"#)), ..ack() };
        let mut pair = Pair::like(profile, crate::harness::config(), ack);
        pair.extension.poll_output(pair.now, &mut Vec::new());
        pair.extension_writes(&HELLO.replace("\"rpc\"", "\"rpc\",\"config\""));
        let greeting = pair.lines("hello_ack").concat();
        pair.host.change_config(config(r#"{"a":2}"#));
        (greeting.contains(r#""config":{"a":1}"#), written(&mut pair))
    });
    let changed = r#"{"type":"event","event":"config_changed","config":{"a":2}}"#;
    assert_eq!(written[0], (true, vec![changed.to_owned()]));
    assert_eq!(written[1], (false, Vec::new()));
    assert_eq!(written[2], (false, Vec::new()));
}

#[test]
fn one_that_does_not_name_it_is_told_of_no_change_and_one_without_hello_gets_it_there() {
    let config = |text: &str| RawJson::parse(text).unwrap();
    let mut pair = said_hello(Profile::spec());
    pair.host.change_config(config(r#"{"a":2}"#));
    assert!(written(&mut pair).is_empty());

    let mut pair = Pair::like(Profile::spec(), crate::harness::config(), ack());
    pair.host.change_config(config(r#"{"a":3}"#));
    pair.extension_writes(HELLO);
    assert!(pair.lines("hello_ack").concat().contains(r#""config":{"a":3}"#));
}

#[test]
fn the_newest_configuration_is_there_whether_or_not_a_handler_is_told() {
    let config = |text: &str| RawJson::parse(text).unwrap();
    let ack = HelloAck { config: Some(config(r#"{"a":1}"#)), ..ack() };
    let mut pair = Pair::like(Profile::spec(), crate::harness::config(), ack);
    pair.step();
    assert_eq!(pair.extension.config(), Some(&config(r#"{"a":1}"#)));
    pair.host.change_config(config(r#"{"a":2}"#));
    pair.step();
    assert_eq!(pair.extension.config(), Some(&config(r#"{"a":2}"#)));
    // What is no object changes nothing.
    pair.host.change_config(config("[1]"));
    pair.step();
    assert_eq!(pair.extension.config(), Some(&config(r#"{"a":2}"#)));
}
