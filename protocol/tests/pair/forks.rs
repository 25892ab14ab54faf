//! The forks of zot, from both ends: an extension of ours under each, and what a host does that plays
//! one. The lines of the hosts have the shapes that their sources and their documentation give.

use std::time::Duration;

use extline_protocol::frame::{
    CallToolResult, Content, Event, EventPayload, EventResult, HelloAck, Replay, SessionInfo,
};
use extline_protocol::{
    Capability, ErrorKind, ExtensionEvent, HandshakeError, HostEvent, Notice, Profile, RawJson,
    SendError, ToolCallOptions,
};

use crate::harness::{Pair, config, full_ack, tool};

const FORKS: fn() -> [Profile; 3] = || [Profile::zut(), Profile::ncode(), Profile::terva()];

/// What an embedder says of itself.
fn ack() -> HelloAck {
    HelloAck {
        zot_version: "1.2.3".to_owned(),
        provider: "ollama".to_owned(),
        model: "fake".to_owned(),
        cwd: "/p".to_owned(),
        extension_dir: Some("/e".to_owned()),
        data_dir: Some("/e".to_owned()),
        session: Some(SessionInfo { id: "s".to_owned(), ..SessionInfo::default() }),
        methods: Some(vec!["ui.status".to_owned(), "ui.widget".to_owned()]),
        config: Some(RawJson::parse(r#"{"units":"metric"}"#).unwrap()),
        ..full_ack()
    }
}

/// A host like that, and an extension of ours that is ready.
pub(crate) fn ready(profile: Profile) -> Pair {
    let mut pair = Pair::like(profile, config(), ack());
    pair.step();
    pair.extension.ready();
    pair.step();
    assert!(pair.host_events.contains(&HostEvent::Ready), "{:?}", pair.host_events);
    pair
}

/// A host like that, and an extension whose lines are written by hand.
fn by_hand(profile: Profile, hello: &str) -> Pair {
    let mut pair = Pair::like(profile, config(), ack());
    pair.extension.poll_output(pair.now, &mut Vec::new());
    pair.extension_writes(hello);
    pair
}

const HELLO: &str = r#"{"type":"hello","name":"x","version":"1","protocol_version":2}"#;

fn hears(pair: &mut Pair, line: &str) -> Vec<HostEvent> {
    pair.host.handle_input(format!("{line}\n").as_bytes(), pair.now);
    std::iter::from_fn(|| pair.host.poll_event()).collect()
}

fn written(pair: &mut Pair) -> Vec<String> {
    let mut bytes = Vec::new();
    pair.host.poll_output(&mut bytes);
    String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn the_ack_of_each_fork_has_its_own_members() {
    let acks = FORKS().map(|profile| ready(profile).lines("hello_ack").concat());
    let rest =
        r#""provider":"ollama","model":"fake","cwd":"/p","extension_dir":"/e","data_dir":"/e""#;
    assert_eq!(
        acks,
        [
            format!(
                r#"H> {{"type":"hello_ack","protocol_version":2,"zut_version":"1.2.3",{rest},"session":{{"id":"s","cwd":"/p"}}}}"#
            ),
            format!(
                r#"H> {{"type":"hello_ack","product":"ncode","protocol_version":2,"ncode_version":"1.2.3",{rest}}}"#
            ),
            format!(
                r#"H> {{"type":"hello_ack","protocol_version":6,"zot_version":"1.2.3","terva_version":"1.2.3",{rest},"supported_events":["session_start","turn_start","tool_call","assistant_message","turn_end","session_end","tool_result","run_end","user_message","workspace_changed","compact_start","transcript_compacted","config_update"],"config":{{"units":"metric"}}}}"#
            ),
        ]
    );
}

#[test]
fn an_extension_knows_the_fork_by_its_name_and_warns_of_nothing() {
    for (profile, version) in FORKS().into_iter().zip([2, 2, 6]) {
        let name = profile.name;
        let mut pair = ready(profile);
        let host = pair.extension.host().unwrap();
        assert_eq!((host.host_name(), host.host_version()), (name, "1.2.3"));
        assert_eq!(host.protocol_version, version);
        assert_eq!(host.config.is_some(), name == "terva");
        pair.extension.clear_notes();
        pair.extension.submit("hi");
        pair.step();
        let notices = |event: &ExtensionEvent| matches!(event, ExtensionEvent::Notice(_));
        assert!(!pair.extension_events.iter().any(notices), "{:?}", pair.extension_events);
    }
}

#[test]
fn an_ack_that_names_its_host_counts_before_a_fork_s_member() {
    let mut pair = Pair::new(config(), ack());
    pair.host_writes(
        r#"{"type":"hello_ack","protocol_version":1,"host":{"name":"mine","version":"9"},"zut_version":"1"}"#,
    );
    let host = pair.extension.host().unwrap();
    assert_eq!((host.host_name(), host.host_version()), ("mine", "9"));
    let mut pair = Pair::new(config(), ack());
    pair.host_writes(r#"{"type":"hello_ack","protocol_version":3,"zot_version":"9"}"#);
    let host = pair.extension.host().unwrap();
    assert_eq!((host.host_name(), host.host_version()), ("zot", "9"));
    let warning = ExtensionEvent::Notice(Notice::ProtocolVersion(3));
    assert!(pair.extension_events.contains(&warning), "a zot of another version is told of");
}

#[test]
fn an_event_that_the_host_does_not_tell_of_is_said_to_the_author() {
    let mut config = config();
    let events = ["turn_start", "permission_decision"].map(str::to_owned);
    config.registrations.subscribe.events = Some(events.to_vec());
    let mut pair = Pair::like(Profile::terva(), config, ack());
    pair.step();
    pair.extension.ready();
    pair.step();
    let said = pair.extension_events.iter().filter_map(|event| match event {
        ExtensionEvent::Notice(notice) => Some(notice.to_string()),
        _ => None,
    });
    let said: Vec<_> = said.collect();
    assert_eq!(said, ["this host does not tell of the event permission_decision"]);
    assert!(pair.lines("subscribe")[0].contains("permission_decision"), "it is asked for");
}

#[test]
fn a_fork_takes_the_protocol_version_that_it_speaks() {
    let hello = |members: &str| format!(r#"{{"type":"hello","name":"x"{members}}}"#);
    let outcomes = |members: &str| {
        FORKS().map(|profile| {
            let pair = by_hand(profile, &hello(members));
            match &pair.host_events[..] {
                [HostEvent::Hello(_)] => String::new(),
                [HostEvent::HandshakeFailed(HandshakeError::Version(why))] => why.clone(),
                other => panic!("{other:?}"),
            }
        })
    };
    let none = String::new;
    let unsaid = "its protocol_version is missing, and 2 is wanted".to_owned();
    assert_eq!(outcomes(""), [unsaid, none(), none()]);
    assert_eq!(outcomes(r#","protocol_version":2,"min_protocol":6"#), [none(), none(), none()]);
    let other = "its protocol_version is 1, and 2 is wanted".to_owned();
    let newer = "its min_protocol is 7, and 6 is spoken".to_owned();
    assert_eq!(outcomes(r#","protocol_version":1,"min_protocol":7"#), [other, none(), newer]);
}

#[test]
fn bootstrap_gives_time_until_a_ceiling_where_it_is_known() {
    let building = r#"{"type":"bootstrap","message":"building"}"#;
    for profile in Profile::all() {
        let takes = ["spec", "terva"].contains(&profile.name);
        let mut pair = by_hand(profile, building);
        if !takes {
            let found = "bootstrap".to_owned();
            let refused = HostEvent::HandshakeFailed(HandshakeError::NotHello { found });
            assert_eq!(pair.host_events, [refused]);
            continue;
        }
        assert_eq!(pair.host_events, [HostEvent::Bootstrap("building".to_owned())]);
        for _ in 0..66 {
            pair.pass(Duration::from_secs(9));
            pair.extension_writes(r#"{"type":"bootstrap"}"#);
        }
        let failed = |pair: &Pair| {
            pair.host_events.iter().any(|event| matches!(event, HostEvent::HandshakeFailed(_)))
        };
        assert!(!failed(&pair), "594 s after the start it is still waited for");
        pair.pass(Duration::from_millis(5_999));
        assert!(!failed(&pair));
        pair.pass(Duration::from_millis(1));
        assert!(failed(&pair), "600 s after the start it is given up");
    }
    let mut pair = by_hand(Profile::spec(), building);
    pair.extension_writes(HELLO);
    pair.clear();
    pair.extension_writes(building);
    assert!(
        matches!(&pair.host_events[..], [HostEvent::Notice(Notice::UnknownType(_))]),
        "behind hello it means nothing"
    );
}

#[test]
fn silence_behind_a_bootstrap_is_silence() {
    let mut pair = by_hand(Profile::spec(), r#"{"type":"bootstrap"}"#);
    pair.clear();
    pair.pass(Duration::from_secs(10));
    let failed = HostEvent::HandshakeFailed(HandshakeError::NoHello { waited_ms: 10_000 });
    assert_eq!(pair.host_events, [failed]);
}

#[test]
fn fields_that_a_fork_does_not_know_count_for_nothing() {
    let tool = r#"{"type":"register_tool","name":"t","schema":{},"namespace":"n","deferred":true,"replay":"safe","label":"T"}"#;
    let result = r#"{"type":"tool_result","id":"1","content":[{"type":"text","text":"t","format":"markdown"}],"activate_tools":["u"],"structured_content":1,"details":{"d":1}}"#;
    let seen = FORKS().map(|profile| {
        let mut pair = by_hand(profile, HELLO);
        let [HostEvent::RegisterTool(tool)] = &hears(&mut pair, tool)[..] else { panic!() };
        assert_eq!((&tool.namespace, &tool.label, &tool.replay), (&None, &None, &None));
        let deferred = tool.deferred;
        pair.host
            .call_tool("t", RawJson::empty_object(), ToolCallOptions::default(), pair.now)
            .unwrap();
        let [HostEvent::ToolResult { result, .. }] = &hears(&mut pair, result)[..] else {
            panic!()
        };
        assert_eq!(result.content, [Content::text("t")]);
        assert_eq!(result.structured_content, None);
        (deferred, result.activate_tools.is_some(), result.details.is_some())
    });
    assert_eq!(seen, [(true, true, true), (true, true, false), (false, false, false)]);
}

#[test]
fn a_fork_sends_its_own_events_with_its_own_fields() {
    let lines = FORKS().map(|profile| {
        let mut pair = by_hand(profile, HELLO);
        let payload = EventPayload {
            step: Some(1),
            session_id: Some("s".to_owned()),
            tool_preview: Some("ls".to_owned()),
            sequence: Some(4),
            ..EventPayload::default()
        };
        written(&mut pair);
        for event in ["turn_start", "run_end", "pre_compact"] {
            pair.host.send_event(&Event { event: event.to_owned(), payload: payload.clone() });
        }
        written(&mut pair)
    });
    let preview = r#"{"type":"event","event":"turn_start","step":1,"tool_preview":"ls"}"#;
    assert_eq!(lines[0], [preview]);
    assert_eq!(lines[1], [preview]);
    let terva =
        |event: &str| format!(r#"{{"type":"event","event":"{event}","step":1,"session_id":"s"}}"#);
    assert_eq!(lines[2], ["turn_start", "run_end"].map(terva));
}

#[test]
fn a_terva_refuses_arguments_over_1_mib_and_reads_on_behind_a_long_line() {
    for profile in FORKS() {
        let name = profile.name;
        let mut pair = by_hand(profile, HELLO);
        pair.extension_writes(r#"{"type":"register_tool","name":"t","schema":{}}"#);
        let args = |bytes: usize| {
            let text = "x".repeat(bytes - r#"{"a":""}"#.len());
            RawJson::parse(&format!(r#"{{"a":"{text}"}}"#)).unwrap()
        };
        let mut call =
            |bytes| pair.host.call_tool("t", args(bytes), ToolCallOptions::default(), pair.now);
        assert!(call(1024 * 1024).is_ok());
        let longer = call(1024 * 1024 + 1);
        match longer {
            Err(SendError::TooLarge(why)) => {
                assert_eq!(name, "terva");
                assert!(why.contains("1048577 bytes"), "{why}");
            }
            other => assert!(name != "terva" && other.is_ok(), "{name}: {other:?}"),
        }
        let long = format!(r#"{{"type":"notify","message":"{}"}}"#, "x".repeat(4_194_304));
        let stops = hears(&mut pair, &long).contains(&HostEvent::StoppedReading);
        assert_eq!(stops, name != "terva");
        let behind = hears(&mut pair, r#"{"type":"clear_notes"}"#);
        assert_eq!(behind == [HostEvent::ClearNotes], name == "terva", "{behind:?}");
    }
}

#[test]
fn what_a_fork_shows_by_a_frame_of_its_own_is_a_display() {
    let asked = |profile: Profile, line: &str| {
        let mut pair = by_hand(profile, HELLO);
        written(&mut pair);
        let events = hears(&mut pair, line);
        let [HostEvent::Request { key, request }] = &events[..] else { panic!("{events:?}") };
        let params = request.params.as_ref().unwrap().to_string();
        pair.host.reply_request(key, Ok(RawJson::empty_object()), pair.now).unwrap();
        assert_eq!(written(&mut pair), Vec::<String>::new(), "it is not answered");
        format!("{} {params}", request.method)
    };
    assert_eq!(
        asked(Profile::terva(), r#"{"type":"status_segment","id":"build","text":"3 of 5"}"#),
        r#"ui.status {"key":"build","text":"3 of 5"}"#
    );
    assert_eq!(
        asked(Profile::terva(), r#"{"type":"status_segment","id":"build"}"#),
        r#"ui.status {"key":"build","text":null}"#
    );
    assert_eq!(
        asked(Profile::zut(), r#"{"type":"status","key":"p","level":"success","text":"2/4"}"#),
        r#"ui.status {"key":"p","text":"2/4"}"#
    );
    let widget = r#"{"type":"widget","id":"plan","title":"Plan","lines":["parse","print"]}"#;
    assert_eq!(
        asked(Profile::zut(), widget),
        r#"ui.widget {"key":"plan","lines":["Plan","parse","print"]}"#
    );
    assert_eq!(
        asked(Profile::zut(), r#"{"type":"widget_clear","id":"plan"}"#),
        r#"ui.widget {"key":"plan","lines":null}"#
    );
}

#[test]
fn a_terva_s_question_for_what_is_not_served_is_answered_as_by_a_terva_without_it() {
    let mut pair = by_hand(Profile::terva(), HELLO);
    let mut answer = |line: &str| {
        written(&mut pair);
        assert_eq!(hears(&mut pair, line), []);
        written(&mut pair).concat()
    };
    let brokers = r#""error":"this host does not broker extension secrets""#;
    assert_eq!(
        answer(r#"{"type":"secret_get","id":"q1","key":"token"}"#),
        format!(r#"{{{brokers},"found":false,"id":"q1","type":"secret_value"}}"#)
    );
    for line in [
        r#"{"type":"secret_set","id":"q2","key":"token","value":"t"}"#,
        r#"{"type":"secret_delete","id":"q2","key":"token"}"#,
    ] {
        assert_eq!(answer(line), format!(r#"{{{brokers},"id":"q2","type":"secret_ack"}}"#));
    }
    assert_eq!(
        answer(r#"{"type":"secret_list","id":"q3"}"#),
        r#"{"id":"q3","keys":null,"type":"secret_keys"}"#
    );
    assert_eq!(
        answer(r#"{"type":"list_sessions","id":"l1"}"#),
        r#"{"id":"l1","sessions":[],"type":"session_list"}"#
    );
    assert_eq!(
        answer(r#"{"type":"read_session","id":"r1","session_id":"abc"}"#),
        r#"{"id":"r1","messages":null,"not_found":true,"type":"session_data"}"#
    );
}

#[test]
fn a_terva_s_call_of_a_host_s_tool_is_answered_in_its_frame() {
    let mut pair = by_hand(Profile::terva(), HELLO);
    written(&mut pair);
    let line =
        r#"{"type":"host_tool_call","id":"c1","name":"read","args":{"path":"x"},"silent":true}"#;
    let events = hears(&mut pair, line);
    let [HostEvent::CallTool { key, call }] = &events[..] else { panic!("{events:?}") };
    assert_eq!((call.name.as_str(), call.args.get()), ("read", r#"{"path":"x"}"#));
    let answer = CallToolResult {
        id: call.id.clone(),
        name: call.name.clone(),
        content: vec![Content::text("ok")],
        is_error: false,
        truncated: false,
    };
    pair.host.reply_call_tool(key, answer, pair.now).unwrap();
    assert_eq!(
        written(&mut pair),
        [r#"{"type":"host_tool_result","id":"c1","content":[{"type":"text","text":"ok"}]}"#]
    );
    assert_eq!(hears(&mut pair, &line.replace("c1", "c2")).len(), 1);
    pair.now += Duration::from_secs(60);
    pair.host.handle_timeout(pair.now);
    let late = written(&mut pair).concat();
    assert!(late.starts_with(r#"{"type":"host_tool_result","id":"c2""#), "{late}");
    assert!(late.ends_with(r#""is_error":true}"#), "{late}");
}

#[test]
fn a_frame_of_a_fork_that_means_nothing_here_is_told_once() {
    for (profile, frame, line) in [
        (Profile::terva(), "context_card", r#"{"type":"context_card","id":"c","text":"t"}"#),
        (Profile::zut(), "alert", r#"{"type":"alert","kind":"bell"}"#),
    ] {
        let (name, mut pair) = (profile.name, by_hand(profile, HELLO));
        let told = hears(&mut pair, line);
        let [HostEvent::Notice(notice)] = &told[..] else { panic!("{told:?}") };
        let said = format!("ignored {frame}: it means something to the host that is played");
        assert!(notice.to_string().starts_with(&said), "{name}: {notice}");
        assert_eq!(hears(&mut pair, line), [], "once");
    }
    let mut pair = by_hand(Profile::zot_0_1_62(), HELLO);
    let told = hears(&mut pair, r#"{"type":"status_segment","id":"a","text":"b"}"#);
    assert!(matches!(&told[..], [HostEvent::Notice(Notice::UnknownType(_))]), "{told:?}");
}

/// An extension with one tool that can be asked what became of a call, and one that cannot.
fn with_replay(profile: Profile) -> Pair {
    let mut config = config();
    let mut pay = tool("pay");
    pay.replay = Some(Replay::Reconcile);
    config.registrations.tool(pay).unwrap();
    let mut pair = Pair::like(profile, config, ack());
    pair.step();
    pair.extension.ready();
    pair.step();
    pair.clear();
    pair
}

#[test]
fn a_call_that_may_be_repeated_has_its_key_where_the_host_has_that() {
    for profile in Profile::all() {
        let has = ["spec", "zot-9d3e5db"].contains(&profile.name);
        let name = profile.name;
        let mut pair = with_replay(profile);
        let options = ToolCallOptions {
            operation_key: Some("op-7".to_owned()),
            reconcile: true,
            ..ToolCallOptions::default()
        };
        pair.host.call_tool("pay", RawJson::empty_object(), options, pair.now).unwrap();
        pair.step();
        let [ExtensionEvent::ToolCall { call, .. }] = &pair.extension_events[..] else {
            panic!("{:?}", pair.extension_events)
        };
        let key = has.then_some("op-7");
        assert_eq!((call.operation_key.as_deref(), call.reconcile), (key, has), "{name}");
    }
}

#[test]
fn a_tool_that_does_not_declare_it_is_not_entered_to_ask_what_became_of_a_call() {
    let mut pair = with_replay(Profile::spec());
    let line = r#"{"type":"tool_call","id":"9","name":"echo","args":{},"operation_key":"k","reconcile":true}"#;
    pair.host_writes(line);
    pair.step();
    assert_eq!(pair.extension_events, []);
    assert_eq!(
        pair.lines("tool_result"),
        [
            r#"E> {"type":"tool_result","id":"9","content":[{"type":"text","text":"{\"state\":\"unknown\"}"}],"structured_content":{"state":"unknown"}}"#
        ]
    );
}

#[test]
fn replay_and_format_are_known_since_9d3e5db() {
    let tool =
        r#"{"type":"register_tool","name":"t","schema":{},"replay":"idempotent","namespace":"n"}"#;
    let result = r#"{"type":"tool_result","id":"1","content":[{"type":"text","text":"t","format":"markdown"},{"type":"text","text":"u","format":"rtf"}]}"#;
    for profile in Profile::all() {
        let has = ["spec", "zot-9d3e5db"].contains(&profile.name);
        let mut pair = by_hand(profile, HELLO);
        let events = hears(&mut pair, tool);
        let Some(HostEvent::RegisterTool(tool)) = events.first() else { panic!("{events:?}") };
        assert_eq!(tool.replay, has.then_some(Replay::Idempotent));
        pair.host
            .call_tool("t", RawJson::empty_object(), ToolCallOptions::default(), pair.now)
            .unwrap();
        let events = hears(&mut pair, result);
        let Some(HostEvent::ToolResult { result, .. }) = events.first() else {
            panic!("{events:?}")
        };
        let first = if has { Content::markdown("t") } else { Content::text("t") };
        assert_eq!(result.content[0], first);
        assert_eq!(result.content[0].plain().as_deref(), Some("t"));
        assert_eq!(result.content[1].plain().as_deref(), Some("u"), "any format is readable");
        assert_eq!(result.content[1].format().as_deref(), has.then_some("rtf"));
    }
}

#[test]
fn the_result_in_an_event_keeps_its_format() {
    let result = EventResult::of(vec![Content::markdown("**t**")], false);
    let payload = EventPayload { result: Some(result), ..EventPayload::default() };
    let mut pair = by_hand(Profile::zot_9d3e5db(), HELLO);
    written(&mut pair);
    pair.host.send_event(&Event { event: "tool_result".to_owned(), payload });
    let block = r#"{"type":"text","text":"**t**","format":"markdown"}"#;
    assert_eq!(
        written(&mut pair),
        [format!(r#"{{"type":"event","event":"tool_result","result":{{"content":[{block}]}}}}"#)]
    );
}

#[test]
fn our_extension_asks_a_fork_for_nothing_that_it_does_not_have() {
    for profile in FORKS() {
        let name = profile.name;
        let mut pair = ready(profile);
        for capability in [Capability::ToolUpdate, Capability::Log, Capability::Rpc] {
            assert!(!pair.extension.supports(capability));
        }
        if name == "terva" {
            continue;
        }
        let refused = pair.extension.call_tool(None, "read", RawJson::empty_object(), pair.now);
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::Unsupported);
    }
}
