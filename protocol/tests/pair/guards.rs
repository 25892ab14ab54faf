//! What an extension says of its guards before they can be asked, and what a host makes of a
//! `subscribe` or a `hello` that it cannot read as a whole.

use std::time::Instant;

use extline_protocol::frame::{OnFailure, Subscribe};
use extline_protocol::limits::FRAME_BYTES;
use extline_protocol::{HostConfig, HostEvent, HostSession, Notice, Profile};

use crate::harness::{Pair, config, full_ack};

fn hello(subscribe: Subscribe) -> String {
    let mut config = config();
    config.registrations.subscribe = subscribe;
    let mut pair = Pair::new(config, full_ack());
    pair.step();
    pair.lines("hello\"")[0].to_owned()
}

fn tool_calls() -> Vec<String> {
    vec!["tool_call".to_owned()]
}

#[test]
fn hello_names_the_guards_that_are_registered_by_then_unless_they_may_be_missed() {
    let guarded = hello(Subscribe { guards: Some(tool_calls()), ..Subscribe::default() });
    assert!(guarded.contains(",\"guards\":[\"tool_call\"]"), "{guarded}");
    for (mode, is_named) in [(OnFailure::Block, true), (OnFailure::Allow, false)] {
        let on_failure = Some([("tool_call".to_owned(), mode)].into());
        let hello =
            hello(Subscribe { guards: Some(tool_calls()), on_failure, ..Subscribe::default() });
        assert_eq!(hello.contains("\"guards\""), is_named, "{hello}");
    }
    let intercepts = hello(Subscribe { intercept: Some(tool_calls()), ..Subscribe::default() });
    assert!(!intercepts.contains("\"guards\""), "{intercepts}");
}

/// What comes of lines behind a plain hello.
fn after_hello(profile: Profile, lines: &[&str]) -> Vec<HostEvent> {
    let mut events = of_lines(profile, &[&[r#"{"type":"hello","name":"x"}"#], lines].concat());
    assert!(matches!(events.remove(0), HostEvent::Hello(_)));
    events
}

fn of_lines(profile: Profile, lines: &[&str]) -> Vec<HostEvent> {
    let now = Instant::now();
    let mut host = HostSession::new(HostConfig { profile, ..HostConfig::default() }, now);
    for line in lines {
        host.handle_input(format!("{line}\n").as_bytes(), now);
    }
    std::iter::from_fn(|| host.poll_event()).collect()
}

fn notices(events: &[HostEvent]) -> Vec<String> {
    let notice = |event: &HostEvent| match event {
        HostEvent::Notice(notice @ Notice::ReadInPart(_)) => Some(notice.to_string()),
        _ => None,
    };
    events.iter().filter_map(notice).collect()
}

fn unclear(events: &[HostEvent]) -> Option<&str> {
    events.iter().find_map(|event| match event {
        HostEvent::UnclearGuards { why } => Some(why.as_str()),
        _ => None,
    })
}

#[test]
fn each_member_of_a_subscribe_counts_on_its_own() {
    let line = r#"{"type":"subscribe","events":["x",5],"intercept":["tool_call"],"guards":["tool_call"],"on_failure":[]}"#;
    let events = after_hello(Profile::spec(), &[line]);
    let expected = Subscribe {
        intercept: Some(tool_calls()),
        guards: Some(tool_calls()),
        ..Subscribe::default()
    };
    assert_eq!(events[0], HostEvent::Subscribe(expected));
    assert_eq!(unclear(&events), None);
    let left_out =
        |member: &str| format!("left out what cannot be read of a frame: subscribe: {member}");
    assert_eq!(
        notices(&events),
        [
            left_out("/events/1: expected a string, found 5"),
            left_out("/on_failure: expected an object, found []"),
        ]
    );
    let of_bad_id = r#"{"type":"subscribe","id":5,"guards":["tool_call"]}"#;
    let events = after_hello(Profile::spec(), &[of_bad_id]);
    let expected = Subscribe { guards: Some(tool_calls()), ..Subscribe::default() };
    assert_eq!(events[0], HostEvent::Subscribe(expected));
    assert_eq!(notices(&events), [left_out("/id: expected a non-empty string, found 5")]);
}

#[test]
fn guards_that_cannot_be_read_are_told() {
    for guards in [r#""tool_call""#, r#"["tool_call",5]"#, "true", r#"{"tool_call":true}"#] {
        let line = format!(r#"{{"type":"subscribe","guards":{guards},"intercept":["tool_call"]}}"#);
        let events = after_hello(Profile::spec(), &[&line]);
        assert!(
            matches!(&events[0], HostEvent::Subscribe(it) if it.intercept == Some(tool_calls()))
        );
        assert!(unclear(&events).unwrap().starts_with("subscribe: /guards"), "{events:?}");
    }
    // What is no JSON, or too deep, may hold anything.
    let deep = format!(r#"{{"type":"subscribe","x":{}{}}}"#, "[".repeat(200), "]".repeat(200));
    for line in [r#"{"type":"subscribe","guards":["tool_call"]"#, &deep] {
        assert!(unclear(&after_hello(Profile::spec(), &[line])).is_some(), "{line}");
    }
    for line in ["nonsense", r#"{"type":"notify","message":5}"#] {
        assert_eq!(unclear(&after_hello(Profile::spec(), &[line])), None, "{line}");
    }
}

#[test]
fn guards_of_an_extension_that_is_refused_are_told() {
    let refused = [
        r#"{"type":"hello","name":5,"guards":["tool_call"]}"#,
        r#"{"type":"hello","name":"x","guards":"tool_call"}"#,
        r#"{"type":"hello","name":"","guards":["tool_call"]}"#,
        r#"{"type":"subscribe","guards":["tool_call"]}"#,
    ];
    for line in refused {
        let events = of_lines(Profile::spec(), &[line]);
        assert!(unclear(&events).is_some(), "{line}: {events:?}");
        assert!(matches!(events.last(), Some(HostEvent::HandshakeFailed(_))), "{events:?}");
    }
    // What is no JSON, too deep or too long may hold anything.
    let deep = format!(r#"{{"type":"hello","x":{}{}}}"#, "[".repeat(200), "]".repeat(200));
    let long = format!(r#"{{"type":"hello","name":"{}"}}"#, "x".repeat(FRAME_BYTES));
    for line in [r#"{"type":"hello","name":"x","guards":["tool_call"]"#, &deep, &long] {
        let events = of_lines(Profile::spec(), &[line]);
        assert!(unclear(&events).is_some(), "{events:?}");
        assert!(matches!(events.last(), Some(HostEvent::HandshakeFailed(_))), "{events:?}");
        assert_eq!(unclear(&of_lines(Profile::zot_0_1_62(), &[line])), None);
    }
    for line in [r#"{"type":"hello","name":5}"#, r#"{"type":"hello","name":5,"guards":[]}"#] {
        assert_eq!(unclear(&of_lines(Profile::spec(), &[line])), None, "{line}");
    }
}

#[test]
fn a_zot_knows_nothing_of_this() {
    let line = r#"{"type":"subscribe","guards":"tool_call","intercept":["tool_call"]}"#;
    let events = after_hello(Profile::zot_0_1_62(), &[line]);
    assert!(matches!(&events[..], [HostEvent::Notice(Notice::Skipped(_))]), "{events:?}");
}
