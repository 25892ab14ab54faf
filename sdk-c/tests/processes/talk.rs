//! What comes one at a time, and handlers that wait for the host.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::host::{Host, call, text};

#[test]
fn events_come_one_at_a_time_in_order_beside_calls() {
    let mut host = Host::start("talk", &[]);
    let event = |step: i32| format!(r#"{{"type":"event","event":"turn_start","step":{step}}}"#);
    let mut lines: Vec<_> = (0..30).map(event).collect();
    lines.insert(15, call("1", "told", "{}"));
    host.send(&lines);
    let seen = |answer: &serde_json::Value| -> Vec<i32> {
        text(answer).split_whitespace().map(|step| step.parse().unwrap()).collect()
    };
    let mut steps = seen(&host.next("tool_result"));
    while steps.len() < 30 {
        assert_eq!(steps, (0..).take(steps.len()).collect::<Vec<_>>());
        steps = seen(&host.call("told", "{}"));
    }
    assert_eq!(steps, (0..30).collect::<Vec<_>>());
    host.shut_down().assert_code(0);
}

#[test]
fn panel_keys_come_in_order() {
    let mut host = Host::start("talk", &[]);
    host.send(&[r#"{"type":"command_invoked","id":"1","name":"show","args":""}"#]);
    let shown = host.next("command_response");
    assert_eq!(shown["open_panel"], json!({"id": "p", "title": "T", "lines": ["one"]}));
    let keys = "abcdefghijklmnop";
    let lines: Vec<_> = keys
        .chars()
        .map(|key| format!(r#"{{"type":"panel_key","panel_id":"p","key":"{key}"}}"#))
        .collect();
    host.send(&lines);
    for count in 1..=keys.len() {
        let drawn = host.next("panel_render");
        assert_eq!((&drawn["title"], &drawn["lines"]), (&json!("T"), &json!([keys[..count]])));
    }
    host.shut_down().assert_code(0);
}

#[test]
fn a_handler_that_holds_a_lock_and_calls_the_host() {
    // As many as there are threads, and with a single one that then waits for itself.
    for arguments in [&[][..], &["8"], &["1"]] {
        let mut host = Host::start("talk", arguments);
        let calls: Vec<_> =
            (0..8).map(|n| call(&n.to_string(), "ask", &format!(r#"{{"n":{n}}}"#))).collect();
        host.send(&calls);
        let mut answers = BTreeMap::new();
        while answers.len() < 8 {
            let frame = host.frame();
            if frame["type"] == "call_tool" {
                assert_eq!(frame["name"], "add");
                assert_eq!(frame["parent_id"], frame["args"]["n"].to_string());
                let content =
                    [json!({"type": "text", "text": format!("sum {}", frame["args"]["n"])})];
                let id = &frame["id"];
                let answer = json!({"type": "tool_result", "id": id, "content": content});
                host.send(&[answer.to_string()]);
            } else {
                answers.insert(frame["id"].to_string(), text(&frame).to_owned());
            }
        }
        let expected = (0..8).map(|n| (format!("\"{n}\""), format!("sum {n}")));
        assert_eq!(answers, expected.collect());
        host.shut_down().assert_code(0);
    }
}

#[test]
fn requests_go_to_the_host_and_come_from_it() {
    let mut host = Host::start("talk", &[]);
    host.send(&[r#"{"type":"request","id":"9","method":"health.check","params":[1]}"#]);
    assert_eq!(host.frame(), json!({"type": "response", "id": "9", "result": [1]}));
    host.send(&[call("1", "confirm", "{}")]);
    let request = host.next("request");
    assert_eq!(request["params"], json!({"question": "well?"}));
    let answer = json!({"type": "response", "id": request["id"], "result": {"yes": true}});
    host.send(&[answer.to_string()]);
    assert_eq!(host.next("tool_result")["structured_content"], json!({"yes": true}));
}

#[test]
fn parts_of_an_answer_come_before_it_to_who_waits() {
    let mut host = Host::start("talk", &[]);
    for (end, told) in [
        (json!({"result": [3]}), "1 {\"two\":2} [3]"),
        (json!({"error": {"code": "internal", "message": "no more"}}), "1 {\"two\":2} REMOTE"),
    ] {
        host.send(&[call("1", "list", "{}")]);
        let id = host.next("request")["id"].clone();
        let mut response = json!({"type": "response", "id": id});
        response.as_object_mut().unwrap().extend(end.as_object().unwrap().clone());
        let part =
            |seq: u64, data| json!({"type": "response_part", "id": id, "seq": seq, "data": data});
        let frames = [part(1, json!(1)), part(2, json!({"two": 2})), response];
        host.send(&frames.map(|frame| frame.to_string()));
        assert_eq!(text(&host.next("tool_result")), told);
    }
}

/// Answers the next request, and returns its method with what it asked.
fn answer_dialog(host: &mut Host, result: &Value) -> (String, Value) {
    let asked = host.next("request");
    assert_eq!(asked["parent"], json!({"kind": "tool_call", "id": "1"}));
    let response = json!({"type": "response", "id": asked["id"], "result": result});
    host.send(&[response.to_string()]);
    (asked["method"].as_str().unwrap().to_owned(), asked["params"].clone())
}

#[test]
fn dialogs_are_asked_and_answered_by_their_types() {
    let mut host = Host::start("talk", &[]);
    host.send(&[call("1", "ship", "{}")]);
    let (method, params) = answer_dialog(&mut host, &json!({"confirmed": true}));
    assert_eq!(method, "ui.confirm");
    assert_eq!(params, json!({"title": "Ship \"it\"?", "message": "To all\nof them."}));
    let (method, params) = answer_dialog(&mut host, &json!({"value": "the \"south\""}));
    assert_eq!(method, "ui.select");
    assert_eq!(params, json!({"title": "Where?", "options": ["north", "the \"south\""]}));
    let (method, params) = answer_dialog(&mut host, &json!({"value": "Ada\u{e9}"}));
    assert_eq!((&*method, params), ("ui.input", json!({"title": "By whom?", "secret": true})));
    assert_eq!(text(&host.next("tool_result")), "1 by Ada\u{e9}");
    host.shut_down().assert_code(0);
}

#[test]
fn a_secret_is_asked_for_where_the_host_keeps_some() {
    let ack = r#"{"type":"hello_ack","protocol_version":1,"capabilities":["rpc"],"methods":["secret.get"],"host":{"name":"test","version":"9"}}"#;
    let mut host = Host::launch("talk", &[]).accept(ack);
    host.send(&[call("1", "secret", "{}")]);
    let (method, params) = answer_dialog(&mut host, &json!({"value": "sw\u{f6}rd"}));
    assert_eq!((&*method, params), ("secret.get", json!({"name": "K\"EY"})));
    assert_eq!(text(&host.next("tool_result")), "6 sw\u{f6}rd");
    host.send(&[call("1", "secret", "{}")]);
    let asked = host.next("request");
    let error = json!({"code": "not_found", "message": "it is not set"});
    let response = json!({"type": "response", "id": asked["id"], "error": error});
    host.send(&[response.to_string()]);
    assert_eq!(text(&host.next("tool_result")), "REMOTE: it is not set");
    host.shut_down().assert_code(0);

    let mut host = Host::start("talk", &[]);
    host.send(&[call("1", "secret", "{}")]);
    let result = host.next("tool_result");
    assert!(
        text(&result).starts_with("NOT_FOUND: K\"EY is not set: this host keeps no secrets"),
        "{result}"
    );
    host.shut_down().assert_code(0);
}

#[test]
fn a_dialog_without_an_answer_is_a_no_and_nothing_is_found() {
    let mut host = Host::start("talk", &[]);
    let closed = json!({"dismissed": "user"});
    host.send(&[call("1", "ship", "{}")]);
    answer_dialog(&mut host, &closed);
    assert_eq!(text(&host.next("tool_result")), "kept");
    for (answer, said) in
        [(&closed, "NOT_FOUND: the dialog was closed"), (&json!({"value": "west"}), "REMOTE: ")]
    {
        host.send(&[call("1", "ship", "{}")]);
        answer_dialog(&mut host, &json!({"confirmed": true}));
        answer_dialog(&mut host, answer);
        let result = host.next("tool_result");
        assert!(text(&result).starts_with(said), "{result}");
    }
    host.shut_down().assert_code(0);
}

#[test]
fn parts_wait_for_a_host_that_takes_nothing() {
    let mut host = Host::launch("talk", &[]);
    let mut read = Vec::new();
    while !read.ends_with(b"\n") {
        read.extend(host.read_some(1));
    }
    let ack = r#"{"type":"hello_ack","protocol_version":1,"capabilities":["rpc"]}"#;
    host.send(&[ack, r#"{"type":"request","id":"9","method":"flood"}"#]);
    host.wait_until_full();
    let mut parts = 0;
    loop {
        let frame = host.frame();
        match frame["type"].as_str() {
            Some("response_part") => parts += 1,
            Some("response") => {
                assert_eq!(frame, json!({"type": "response", "id": "9", "result": "all"}));
                break;
            }
            _ => {}
        }
    }
    assert_eq!(parts, 40);
    host.shut_down().assert_code(0);
}

#[test]
fn what_the_host_does_not_do_is_a_code() {
    let ack = r#"{"type":"hello_ack","protocol_version":1}"#;
    let mut host = Host::launch("talk", &[]).accept(ack);
    assert!(text(&host.call("ask", "{}")).starts_with("UNSUPPORTED: "));
    assert!(text(&host.call("confirm", "{}")).starts_with("UNSUPPORTED: "));
}

#[test]
fn who_waits_for_the_host_at_the_end_is_answered_too() {
    let mut host = Host::start("talk", &[]);
    host.send(&[call("1", "ask", r#"{"n":1}"#)]);
    host.next("call_tool");
    let end = host.shut_down();
    end.assert_code(0);
    assert!(end.lines.iter().any(|line| line.contains(r#""id":"1""#)), "{:?}", end.lines);
    assert_eq!(end.lines.last().unwrap(), r#"{"type":"shutdown_ack"}"#);
}

#[test]
fn an_intercept_is_decided_later_from_another_thread_and_then_goes_on_to_the_guard() {
    let mut host = Host::start("talk", &[]);
    let frames: Vec<_> = (0..20)
        .map(|id| {
            json!({
                "type": "event_intercept", "id": id.to_string(), "event": "tool_call",
                "tool_name": "rm", "tool_args": {"safe": false},
            })
            .to_string()
        })
        .collect();
    host.send(&frames);
    for _ in &frames {
        let answer = host.next("event_intercept_response");
        assert_eq!(answer["modified_args"], json!({"safe": true}), "{answer}");
    }
    host.shut_down().assert_code(0);
}

#[test]
fn a_callback_with_an_answer_may_wait_for_the_next_one() {
    for arguments in [&[][..], &["1"]] {
        let mut host = Host::start("talk", arguments);
        host.send(&[call("1", "chain", "{}")]);
        for n in 1..=2 {
            let asked = host.next("call_tool");
            assert_eq!(asked["args"]["n"], n);
            let content = [json!({"type": "text", "text": format!("sum {n}")})];
            let answer = json!({"type": "tool_result", "id": asked["id"], "content": content});
            host.send(&[answer.to_string()]);
        }
        assert_eq!(text(&host.next("tool_result")), "sum 2");
        host.shut_down().assert_code(0);
    }
}
