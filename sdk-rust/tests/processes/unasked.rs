//! What an extension says besides its answers, and what it is told.

use std::process::Command;
use std::time::Instant;

use crate::host::{ACK, Host, probe};

#[test]
fn a_handler_can_notify_log_and_submit() {
    let mut host = Host::probe();
    host.send(r#"{"type":"command_invoked","id":"1","name":"notes"}"#);
    assert_eq!(host.line(), r#"{"type":"notify","level":"warn","message":"look out"}"#);
    assert_eq!(
        host.line(),
        r#"{"type":"log","level":"info","message":"two\nlines","fields":{"n":1}}"#
    );
    assert_eq!(host.line(), r#"{"type":"submit","text":"go on"}"#);
    assert_eq!(host.line(), r#"{"type":"submit_slash","text":"/compact"}"#);
    assert_eq!(host.line(), r#"{"type":"clear_notes"}"#);
    assert_eq!(host.line(), r#"{"type":"command_response","id":"1","action":"noop"}"#);
    assert_eq!(host.close().stderr, "");
}

#[test]
fn under_an_old_host_the_log_is_stderr_and_new_frames_are_remarked_on() {
    let probe = Host::start(&mut Command::new(probe()));
    let mut host =
        probe.accepted(r#"{"type":"hello_ack","protocol_version":1,"zot_version":"0.1.62"}"#);
    host.send(r#"{"type":"command_invoked","id":"1","name":"notes"}"#);
    assert_eq!(host.frame()["type"], "notify");
    for sent in ["submit", "submit_slash", "clear_notes"] {
        assert_eq!(host.frame()["type"], sent);
    }
    assert_eq!(host.frame()["type"], "command_response");
    host.call("1", "steps", r#"{"amount":2}"#);
    assert_eq!(host.text(), "done");
    let stderr = host.close().stderr;
    assert!(stderr.contains("extline: info: two\\nlines\n"), "{stderr}");
    assert!(stderr.contains("extline: host zot 0.1.62 may not know submit\n"), "{stderr}");
}

#[test]
fn updates_come_before_the_result_numbered_and_not_all_of_them() {
    let mut host = Host::probe();
    let begun = Instant::now();
    host.call("u", "steps", r#"{"amount":10}"#);
    assert_eq!(
        host.line(),
        concat!(
            r#"{"type":"tool_update","id":"u","seq":1,"#,
            r#""progress":{"done":1,"total":10,"unit":"steps","message":"step 1"}}"#
        )
    );
    let mut last = 1;
    let result = loop {
        let frame = host.frame();
        if frame["type"] == "tool_result" {
            break frame;
        }
        assert_eq!(frame["seq"], last + 1);
        last += 1;
    };
    assert_eq!(result["content"][0]["text"], "done");
    // Ten steps of 20 ms are more than 20 a second, unless the machine is too busy for them.
    let most = 2 + u64::try_from(begun.elapsed().as_millis() / 50).unwrap();
    assert!((2..=most).contains(&last), "{last} updates, at most {most}");
}

#[test]
fn events_are_handled_one_at_a_time_while_calls_go_on() {
    let mut host = Host::probe();
    host.send(
        "{\"type\":\"event\",\"event\":\"turn_start\",\"step\":1}\n\
         {\"type\":\"event\",\"event\":\"turn_start\",\"step\":2}\n\
         {\"type\":\"event\",\"event\":\"session_start\"}",
    );
    // The second might go on, and may not before the first.
    host.call("1", "release", r#"{"amount":2}"#);
    assert_eq!(host.frame()["id"], "1");
    host.call("2", "echo", r#"{"text":"meanwhile"}"#);
    assert_eq!(host.text(), "meanwhile");
    host.call("3", "release", r#"{"amount":1}"#);
    let mut notes = std::iter::repeat_with(|| host.frame()).filter(|it| it["type"] == "notify");
    assert_eq!(notes.next().unwrap()["message"], "turn_start 1");
    assert_eq!(notes.next().unwrap()["message"], "turn_start 2");
}

#[test]
fn a_panic_in_an_event_s_handler_is_reported_and_the_next_handler_runs() {
    let mut host = Host::probe();
    host.send(r#"{"type":"event","event":"turn_end"}"#);
    assert_eq!(host.frame()["message"], "the second handler of turn_end");
    host.send(r#"{"type":"event","event":"turn_end"}"#);
    assert_eq!(host.frame()["message"], "the second handler of turn_end");
    let stderr = host.close().stderr;
    let line = "extline: the handler of the event turn_end failed: panic: in an event\n";
    assert_eq!(stderr.matches(line).count(), 2, "{stderr}");
}

#[test]
fn frames_nobody_can_use_are_reported_in_one_line_and_skipped() {
    let mut host = Host::probe();
    host.send("no json at all\n{\"type\":\"quantum\"}\n{\"type\":\"quantum\"}");
    host.call("1", "echo", r#"{"text":"still here"}"#);
    assert_eq!(host.text(), "still here");
    let stderr = host.close().stderr;
    assert_eq!(stderr.lines().count(), 2, "{stderr}");
    assert!(stderr.lines().all(|line| line.starts_with("extline: ")), "{stderr}");
}

#[test]
fn what_the_host_rejects_is_a_warning_on_stderr_and_in_its_log() {
    let probe = Host::start(&mut Command::new(probe()));
    let mut host = probe.accepted(ACK);
    host.send(
        r#"{"type":"registered","rejected":[{"kind":"tool","name":"echo","code":"conflict","message":"echo is built in"}]}"#,
    );
    let log = host.frame();
    assert_eq!((log["type"].as_str(), log["level"].as_str()), (Some("log"), Some("warn")));
    let stderr = host.close().stderr;
    assert_eq!(stderr.matches("echo is built in").count(), 1, "{stderr}");
}

#[test]
fn a_stream_shows_its_steps_and_ends_in_its_result() {
    let mut host = Host::probe();
    host.call("s", "stream", r#"{"amount":2}"#);
    for step in 1..=2 {
        assert_eq!(
            host.line(),
            format!(
                r#"{{"type":"tool_update","id":"s","seq":{step},"progress":{{"done":{step},"total":2,"message":"streaming"}}}}"#
            )
        );
    }
    assert_eq!(host.frame()["structured_content"], serde_json::json!({"steps": 2}));
    host.call("s", "stream", r#"{"amount":0}"#);
    assert_eq!(host.frame()["error"]["kind"], "validation");
    host.call("s", "stream", r#"{"amount":1}"#);
    assert_eq!(host.frame()["type"], "tool_update");
    assert_eq!(host.text(), "the tool's stream ended without a result");
}

#[test]
fn a_cancel_ends_a_stream() {
    let mut host = Host::probe();
    host.call("s", "stream", r#"{"amount":100000}"#);
    assert_eq!(host.frame()["seq"], 1);
    host.send(r#"{"type":"tool_cancel","id":"s"}"#);
    let end = std::iter::repeat_with(|| host.frame()).find(|frame| frame["type"] == "tool_result");
    assert_eq!(end.unwrap()["error"]["kind"], "cancelled");
}

#[test]
fn a_tracked_loop_counts_what_is_done() {
    let mut host = Host::probe();
    host.call("t", "track", r#"{"amount":3}"#);
    for done in 0..=2 {
        let progress = host.frame()["progress"].take();
        let expected =
            serde_json::json!({"done": done, "total": 3, "unit": "steps", "message": "adding"});
        assert_eq!(progress, expected);
    }
    // That all is done may come too late to be shown.
    let last = host.frame();
    let answer = if last["type"] == "tool_update" {
        assert_eq!(last["progress"]["done"], 3);
        host.frame()
    } else {
        last
    };
    assert_eq!(answer["content"][0]["text"], "3");
}
