//! Tool calls and commands: one answer each, whatever happens.

use extline_protocol::frame::{
    Action, CommandResponse, Content, Effect, ErrorInfo, Progress, ToolResult,
};
use extline_protocol::{
    CallKind, ErrorKind, ExtensionEvent, HostEvent, Notice, RawJson, ReplyError, SendError,
    ToolCallOptions, Update,
};

use crate::harness::{Pair, config, full_ack, zot_ack};

fn result(pair: &Pair) -> &ToolResult {
    let last = pair.host_events.iter().rev().find_map(|event| match event {
        HostEvent::ToolResult { result, .. } => Some(result),
        _ => None,
    });
    last.expect("a result")
}

fn failure(pair: &Pair) -> &ErrorInfo {
    let last = pair.host_events.iter().rev().find_map(|event| match event {
        HostEvent::CallFailed { error, .. } => Some(error),
        _ => None,
    });
    last.expect("a failure")
}

#[test]
fn a_call_is_answered_under_its_id() {
    let mut pair = Pair::usual();
    let host = pair.call(r#"{"n":12345678901234567890}"#);
    pair.step();
    let [ExtensionEvent::ToolCall { key, call, deadline }] = &pair.extension_events[..] else {
        panic!("{:?}", pair.extension_events)
    };
    assert_eq!(call.args.get(), r#"{"n":12345678901234567890}"#);
    assert_eq!(*deadline, None);
    let key = key.clone();
    pair.answer(&key, "hi");
    assert!(matches!(&pair.host_events[..], [HostEvent::ToolResult { key, .. }] if *key == host));
    assert_eq!(
        pair.wire,
        [
            "H> {\"type\":\"tool_call\",\"id\":\"1\",\"name\":\"echo\",\
             \"args\":{\"n\":12345678901234567890}}",
            "E> {\"type\":\"tool_result\",\"id\":\"1\",\
             \"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}",
        ]
    );
}

#[test]
fn a_second_answer_is_refused_and_never_sent() {
    let mut pair = Pair::usual();
    let (_, key) = pair.open_call();
    pair.answer(&key, "first");
    let second = ToolResult::new(key.id().clone(), vec![]);
    let error = ReplyError::AlreadyAnswered(CallKind::Tool);
    assert_eq!(pair.extension.reply_tool(&key, second), Err(error));
    pair.step();
    assert_eq!(pair.lines("tool_result").len(), 1);
}

#[test]
fn answers_may_come_in_any_order() {
    let mut pair = Pair::usual();
    let (first, first_key) = pair.open_call();
    let (second, second_key) = pair.open_call();
    pair.answer(&second_key, "2");
    pair.answer(&first_key, "1");
    let keys = pair.host_events.iter().map(|event| match event {
        HostEvent::ToolResult { key, .. } => key,
        other => panic!("{other:?}"),
    });
    assert_eq!(keys.collect::<Vec<_>>(), [&second, &first]);
}

#[test]
fn unknown_names_are_answered_without_the_author() {
    let mut pair = Pair::usual();
    pair.host_writes(r#"{"type":"tool_call","id":"a","name":"nope","args":{}}"#);
    pair.host_writes(r#"{"type":"command_invoked","id":"a","name":"nope"}"#);
    pair.host_writes(r#"{"type":"request","id":"a","method":"nope"}"#);
    assert_eq!(
        pair.lines("E> "),
        [
            "E> {\"type\":\"tool_result\",\"id\":\"a\",\"content\":[{\"type\":\"text\",\
             \"text\":\"unknown tool nope\"}],\"is_error\":true,\"error\":{\"kind\":\"not_found\",\
             \"message\":\"unknown tool nope\"}}",
            "E> {\"type\":\"command_response\",\"id\":\"a\",\"action\":\"noop\",\
             \"error\":\"unknown command nope\"}",
            "E> {\"type\":\"response\",\"id\":\"a\",\"error\":{\"code\":\"unsupported\",\
             \"message\":\"unknown method nope\"}}",
        ]
    );
    assert_eq!(pair.extension_events, []);
}

#[test]
fn args_are_an_object_or_the_call_fails() {
    let mut pair = Pair::usual();
    pair.host_writes(r#"{"type":"tool_call","id":"a","name":"echo"}"#);
    pair.host_writes(r#"{"type":"tool_call","id":"b","name":"echo","args":null}"#);
    pair.host_writes(r#"{"type":"tool_call","id":"c","name":"echo","args":[1]}"#);
    let args: Vec<_> = pair
        .extension_events
        .iter()
        .map(|event| match event {
            ExtensionEvent::ToolCall { call, .. } => call.args.get(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(args, ["{}", "{}"]);
    let refused = pair.lines("\"id\":\"c\"")[1];
    assert!(
        refused.contains("\"kind\":\"validation\"") && refused.contains("and are [1]"),
        "{refused}"
    );
}

#[test]
fn one_id_may_be_a_call_and_a_command_but_not_two_calls() {
    let mut pair = Pair::usual();
    pair.host_writes(r#"{"type":"tool_call","id":"x","name":"echo","args":{}}"#);
    pair.host_writes(r#"{"type":"command_invoked","id":"x","name":"GREET","args":"a  b"}"#);
    let [ExtensionEvent::ToolCall { key, .. }, ExtensionEvent::Command { command, .. }] =
        &pair.extension_events[..]
    else {
        panic!("{:?}", pair.extension_events)
    };
    assert_eq!((command.name.as_str(), command.args.as_deref()), ("greet", Some("a  b")));
    let key = key.clone();
    pair.clear();
    pair.host_writes(r#"{"type":"tool_call","id":"x","name":"echo","args":{}}"#);
    pair.host_writes(r#"{"type":"tool_call","id":"x","name":"nope","args":{}}"#);
    pair.host_writes(r#"{"type":"tool_call","id":"x","name":5}"#);
    let in_use = ExtensionEvent::Notice(Notice::IdInUse { kind: CallKind::Tool, id: "x".into() });
    assert_eq!(pair.extension_events, vec![in_use; 3]);
    assert_eq!(pair.lines("E> ").len(), 0, "the first one keeps its single answer");
    pair.answer(&key, "first");
    pair.host_writes(r#"{"type":"tool_call","id":"x","name":"echo","args":{}}"#);
    assert!(matches!(pair.extension_events.last(), Some(ExtensionEvent::ToolCall { .. })));
}

#[test]
fn a_bad_frame_with_an_id_is_answered_and_one_without_is_skipped() {
    let mut pair = Pair::usual();
    pair.host_writes(r#"{"type":"tool_call","id":"a","name":5}"#);
    pair.host_writes(r#"{"type":"command_invoked","id":"b""#);
    pair.host_writes(r#"{"type":"request","id":"c","method":[]}"#);
    pair.host_writes(r#"{"type":"tool_call","name":5}"#);
    pair.host_writes("nonsense");
    let answers = pair.lines("E> ");
    assert_eq!(answers.len(), 3, "{answers:?}");
    assert!(
        answers[0].contains("\"kind\":\"protocol\"")
            && answers[0].contains("/name: expected a string, found 5")
    );
    assert!(answers[1].contains("\"error\":\"protocol: not JSON"), "{}", answers[1]);
    assert!(answers[2].contains("\"code\":\"protocol\""));
    let skipped =
        |event: &&ExtensionEvent| matches!(event, ExtensionEvent::Notice(Notice::Skipped(_)));
    assert_eq!(pair.extension_events.iter().filter(skipped).count(), 2);
}

#[test]
fn a_frame_that_is_too_long_fails_only_its_own_call() {
    let mut config = config();
    config.accepts_bytes = 1000;
    let mut pair = Pair::ready(config, full_ack());
    let args = format!(r#"{{"x":"{}"}}"#, "x".repeat(2000));
    pair.call(&args);
    pair.step();
    assert_eq!(result(&pair).error.as_ref().unwrap().kind, ErrorKind::TooLarge);
    pair.clear();
    let (_, key) = pair.open_call();
    pair.answer(&key, "fine");
    assert!(!result(&pair).is_error);
}

#[test]
fn a_call_over_the_limit_is_refused_and_nothing_of_it_is_written() {
    let mut pair = Pair::usual();
    let args = RawJson::parse(&format!(r#"{{"x":"{}"}}"#, "x".repeat(4_194_303))).unwrap();
    let refused = pair.host.call_tool("echo", args, ToolCallOptions::default(), pair.now);
    assert!(
        matches!(&refused, Err(SendError::TooLarge(why)) if why.contains("4194303")),
        "{refused:?}"
    );
    pair.step();
    assert_eq!(pair.wire, Vec::<String>::new());
}

#[test]
fn a_result_over_the_limit_becomes_too_large_and_names_the_limit() {
    let mut pair = Pair::usual();
    let (_, key) = pair.open_call();
    let long = vec![Content::text("x".repeat(4_194_303))];
    let answered = pair.extension.reply_tool(&key, ToolResult::new(key.id().clone(), long));
    assert!(matches!(answered, Err(ReplyError::TooLarge(why)) if why.contains("4194303")));
    pair.step();
    let error = result(&pair).error.as_ref().unwrap();
    assert_eq!(error.kind, ErrorKind::TooLarge);
    assert!(error.message.contains("4194303"), "{}", error.message);
}

#[test]
fn a_result_that_is_too_deep_becomes_too_large() {
    let mut pair = Pair::usual();
    let (_, key) = pair.open_call();
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let mut answer = ToolResult::new(key.id().clone(), vec![]);
    answer.structured_content = Some(RawJson::parse(&deep).unwrap());
    let answered = pair.extension.reply_tool(&key, answer);
    assert!(matches!(answered, Err(ReplyError::TooLarge(_))), "{answered:?}");
    pair.step();
    assert_eq!(result(&pair).error.as_ref().unwrap().kind, ErrorKind::TooLarge);
}

#[test]
fn a_result_that_is_handed_over_has_the_same_limits() {
    let limit = 4_194_303;
    // What stands around the text in its frame, with an id of one digit.
    let around = r#"{"type":"tool_result","id":"1","content":[{"type":"text","text":""}]}"#.len();
    let text = |text: String| ToolResult::new("0".into(), vec![Content::text(text)]);
    let results = [
        text("x".repeat(limit - around)),
        text("x".repeat(limit - around + 1)),
        text("\u{1}".repeat((limit - around) / 6)),
        text("\u{1}".repeat((limit - around) / 6 + 1)),
        ToolResult {
            effects: Some(vec![Effect::process("x".repeat(limit))]),
            ..ToolResult::new("0".into(), Vec::new())
        },
    ];
    let answered = |result: &ToolResult, hands_over: bool| {
        let mut pair = Pair::usual();
        if hands_over {
            pair.extension.hand_over_results();
        }
        let (_, key) = pair.open_call();
        assert_eq!(key.id().as_str().len(), 1);
        let answered = pair.extension.reply_tool(&key, result.clone()).map_err(|it| it.to_string());
        let handed_over = pair.extension.poll_result();
        assert_eq!(handed_over.is_some(), hands_over && answered.is_ok());
        answered
    };
    let written = results.each_ref().map(|result| answered(result, false));
    assert_eq!(written.each_ref().map(Result::is_ok), [true, false, true, false, false]);
    assert_eq!(results.each_ref().map(|result| answered(result, true)), written);
}

#[test]
fn an_answer_that_cannot_be_read_fails_its_call() {
    let mut pair = Pair::usual();
    pair.open_call();
    pair.extension_writes(r#"{"type":"tool_result","id":"1","content":"a string"}"#);
    assert_eq!(failure(&pair).kind, ErrorKind::Protocol);
    assert!(failure(&pair).message.contains("/content: expected an array"), "{:?}", failure(&pair));
    pair.extension_writes(r#"{"type":"tool_result","id":"1","content":[]}"#);
    assert!(matches!(pair.host_events.last(), Some(HostEvent::Notice(Notice::Unexpected { .. }))));
}

#[test]
fn an_error_always_has_text_to_read() {
    let mut pair = Pair::usual();
    let (_, key) = pair.open_call();
    let mut answer = ToolResult::new(key.id().clone(), vec![Content::text("")]);
    answer.error = Some(ErrorInfo::new(ErrorKind::NotFound, "no such city"));
    pair.extension.reply_tool(&key, answer).unwrap();
    pair.step();
    assert!(result(&pair).is_error);
    assert!(result(&pair).content.contains(&Content::text("no such city")));
}

#[test]
fn a_cancel_in_the_same_write_reaches_the_handler() {
    let mut pair = Pair::usual();
    let call = r#"{"type":"tool_call","id":"a","name":"echo","args":{}}"#;
    pair.extension.handle_input(
        format!("{call}\n{{\"type\":\"tool_cancel\",\"id\":\"a\"}}\n").as_bytes(),
        pair.now,
    );
    pair.step();
    let [ExtensionEvent::ToolCall { key, .. }, ExtensionEvent::Cancelled { key: cancelled, .. }] =
        &pair.extension_events[..]
    else {
        panic!("{:?}", pair.extension_events)
    };
    assert_eq!(key, cancelled);
}

/// The thread that stands in for a driver takes the cancel out before the driver has begun the call.
#[test]
fn a_cancel_is_known_whoever_takes_its_event_out_and_when() {
    let call = r#"{"type":"tool_call","id":"a","name":"echo","args":{}}"#;
    let cancel = r#"{"type":"tool_cancel","id":"a"}"#;
    for is_in_one_read in [true, false] {
        let mut pair = Pair::usual();
        pair.extension.handle_input(format!("{call}\n").as_bytes(), pair.now);
        let mut handed_out = (!is_in_one_read).then(|| pair.extension.poll_event().unwrap());
        if let Some(ExtensionEvent::ToolCall { key, .. }) = &handed_out {
            assert!(!pair.extension.is_cancelled(key));
        }
        pair.extension.handle_input(format!("{cancel}\n").as_bytes(), pair.now);
        let event = handed_out.take().unwrap_or_else(|| pair.extension.poll_event().unwrap());
        let ExtensionEvent::ToolCall { key, .. } = event else { panic!("{event:?}") };
        let taken = pair.extension.poll_control();
        assert!(matches!(taken, Some(ExtensionEvent::Cancelled { .. })), "{taken:?}");
        assert!(pair.extension.is_cancelled(&key));
    }
}

#[test]
fn a_call_that_was_answered_in_its_handler_s_place_is_not_wanted_any_more() {
    let mut pair = Pair::usual();
    let (_, key) = pair.open_call();
    assert!(!pair.extension.is_cancelled(&key) && !pair.extension.is_ending());
    pair.extension.handle_write_failed(pair.now);
    while pair.extension.poll_event().is_some() {}
    assert!(pair.extension.is_cancelled(&key) && pair.extension.is_ending());
}

#[test]
fn a_cancel_is_told_once_and_the_call_is_still_answered() {
    let mut pair = Pair::usual();
    let (host, key) = pair.open_call();
    pair.host.cancel(&host, "user", pair.now);
    pair.host.cancel(&host, "user", pair.now);
    pair.step();
    pair.host_writes(r#"{"type":"tool_cancel","id":"1"}"#);
    pair.host_writes(r#"{"type":"tool_cancel","id":"unknown"}"#);
    let cancels = |event: &&ExtensionEvent| matches!(event, ExtensionEvent::Cancelled { reason, .. } if reason == "user");
    assert_eq!(pair.extension_events.iter().filter(cancels).count(), 1);
    pair.extension.fail_tool(&key, ErrorInfo::new(ErrorKind::Cancelled, "cancelled")).unwrap();
    pair.step();
    assert_eq!(result(&pair).error.as_ref().unwrap().kind, ErrorKind::Cancelled);
}

#[test]
fn a_cancelled_call_that_is_not_answered_ends_after_a_while() {
    let mut pair = Pair::usual();
    let (host, _) = pair.open_call();
    pair.host.cancel(&host, "user", pair.now);
    pair.pass_ms(1_999);
    assert_eq!(pair.host_events, []);
    pair.pass_ms(1);
    assert_eq!(failure(&pair).kind, ErrorKind::Cancelled);
}

#[test]
fn an_extension_that_knows_no_cancel_is_not_told() {
    let mut config = config();
    config.capabilities = [].into_iter().collect();
    let mut pair = Pair::ready(config, full_ack());
    let (host, _) = pair.open_call();
    pair.clear();
    pair.host.cancel(&host, "user", pair.now);
    pair.step();
    assert_eq!(failure(&pair).kind, ErrorKind::Cancelled);
    assert_eq!(pair.wire, Vec::<String>::new());
}

#[test]
fn a_call_times_out_after_a_minute_and_is_cancelled() {
    let mut pair = Pair::usual();
    let (_, key) = pair.open_call();
    pair.pass_ms(59_999);
    assert_eq!(pair.host_events, []);
    pair.pass_ms(1);
    assert_eq!(failure(&pair).kind, ErrorKind::Timeout);
    assert_eq!(
        pair.lines("tool_cancel"),
        ["H> {\"type\":\"tool_cancel\",\"id\":\"1\",\"reason\":\"timeout\"}"]
    );
    pair.answer(&key, "late");
    assert!(matches!(pair.host_events.last(), Some(HostEvent::Notice(Notice::Unexpected { .. }))));
}

#[test]
fn a_tool_s_own_deadline_is_announced_and_an_interactive_one_has_none() {
    let mut pair = Pair::usual();
    let timeout = std::time::Duration::from_secs(2);
    let options = ToolCallOptions { timeout: Some(timeout), ..ToolCallOptions::default() };
    pair.host.call_tool("echo", RawJson::empty_object(), options, pair.now).unwrap();
    pair.step();
    assert!(pair.wire[0].contains("\"deadline_ms\":2000"));
    let expected = pair.now + timeout;
    assert!(
        matches!(&pair.extension_events[0], ExtensionEvent::ToolCall { deadline, .. } if *deadline == Some(expected))
    );
    pair.pass_ms(2_000);
    assert_eq!(failure(&pair).kind, ErrorKind::Timeout);
    pair.clear();
    let options = ToolCallOptions { interactive: true, ..ToolCallOptions::default() };
    pair.host.call_tool("echo", RawJson::empty_object(), options, pair.now).unwrap();
    pair.pass_ms(3_600_000);
    assert_eq!(pair.host_events, []);
}

#[test]
fn updates_are_snapshots_at_most_twenty_a_second() {
    let mut pair = Pair::usual();
    let (_, key) = pair.open_call();
    pair.clear();
    let update = |done: f64| Update {
        progress: Some(Progress { done: Some(done), ..Progress::default() }),
        ..Update::default()
    };
    for done in 0..10 {
        pair.extension.update(&key, update(f64::from(done)));
    }
    pair.step();
    pair.extension.update(&key, update(10.0));
    pair.extension.update(&key, update(11.0));
    pair.step();
    assert_eq!(
        pair.wire,
        ["E> {\"type\":\"tool_update\",\"id\":\"1\",\"seq\":1,\"progress\":{\"done\":9}}"]
    );
    pair.pass_ms(50);
    assert_eq!(
        pair.wire[1],
        "E> {\"type\":\"tool_update\",\"id\":\"1\",\"seq\":2,\"progress\":{\"done\":11}}"
    );
    pair.extension.update(&key, update(12.0));
    pair.answer(&key, "done");
    pair.extension.update(&key, update(13.0));
    pair.pass_ms(1_000);
    assert_eq!(pair.lines("tool_update").len(), 2, "nothing comes after the result");
}

#[test]
fn a_host_without_tool_update_gets_none() {
    let mut pair = Pair::ready(config(), zot_ack());
    let (_, key) = pair.open_call();
    pair.extension.update(&key, Update::default());
    pair.pass_ms(100);
    assert_eq!(pair.lines("tool_update").len(), 0);
}

#[test]
fn a_command_is_answered_or_times_out() {
    let mut pair = Pair::usual();
    pair.host.invoke_command("greet", "", pair.now).unwrap();
    pair.step();
    assert_eq!(pair.wire, ["H> {\"type\":\"command_invoked\",\"id\":\"1\",\"name\":\"greet\"}"]);
    let key = pair.last_call();
    let mut response = CommandResponse::new("ignored".into(), Action::Display);
    response.display = Some("hi".to_owned());
    pair.answer_command(&key, response);
    assert_eq!(
        pair.wire[1],
        "E> {\"type\":\"command_response\",\"id\":\"1\",\"action\":\"display\",\"display\":\"hi\"}"
    );
    pair.clear();
    pair.host.invoke_command("greet", "x", pair.now).unwrap();
    pair.pass_ms(30_000);
    assert_eq!(failure(&pair).kind, ErrorKind::Timeout);
}

#[test]
fn tool_prompt_becomes_prompt_on_an_old_zot() {
    let mut pair = Pair::ready(config(), zot_ack());
    pair.host.invoke_command("greet", "", pair.now).unwrap();
    pair.step();
    let key = pair.last_call();
    let mut response = CommandResponse::new(key.id().clone(), Action::ToolPrompt);
    response.prompt = Some("do it".to_owned());
    response.tool_name = Some("echo".to_owned());
    pair.answer_command(&key, response);
    assert_eq!(
        pair.wire[1],
        "E> {\"type\":\"command_response\",\"id\":\"1\",\"action\":\"prompt\",\"prompt\":\"do it\"}"
    );
}

#[test]
fn unknown_types_are_reported_once() {
    let mut pair = Pair::usual();
    for _ in 0..3 {
        pair.host_writes(r#"{"type":"weather_report","id":"1"}"#);
        pair.extension_writes(r#"{"type":"weather_report","id":"1"}"#);
    }
    let unknown = Notice::UnknownType("weather_report".to_owned());
    assert_eq!(pair.extension_events, [ExtensionEvent::Notice(unknown.clone())]);
    assert_eq!(pair.host_events, [HostEvent::Notice(unknown)]);
}

#[test]
fn a_first_update_may_be_written_at_once_and_the_next_has_its_time() {
    let mut pair = Pair::usual();
    let (_, key) = pair.open_call();
    assert!(!pair.extension.has_output());
    pair.extension.update(&key, Update::default());
    assert!(pair.extension.has_output());
    pair.step();
    pair.extension.update(&key, Update::default());
    assert!(!pair.extension.has_output());
    let due = pair.now + std::time::Duration::from_millis(50);
    assert_eq!(pair.extension.poll_timeout(), Some(due));
}
