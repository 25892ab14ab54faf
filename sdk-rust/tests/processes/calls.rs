//! Calls and their answers.

use std::process::Command;

use serde_json::{Value, json};

use crate::host::{Host, call, probe};

#[test]
fn a_typed_call_is_answered_byte_for_byte() {
    let mut host = Host::probe();
    host.call("a", "echo", r#"{"text":"é\n\u0001😀","times":2}"#);
    assert_eq!(
        host.line(),
        r#"{"type":"tool_result","id":"a","content":[{"type":"text","text":"é\n\u0001😀é\n\u0001😀"}]}"#
    );
}

#[test]
fn wrong_arguments_are_answered_with_the_place() {
    let mut host = Host::probe();
    for (tool, args, field) in [
        ("echo", "{}", "/text"),
        ("echo", r#"{"text":5}"#, "/text"),
        ("echo", r#"{"text":"a","times":-1}"#, "/times"),
        ("echo", r#"{"text":"a","x":1}"#, "/x"),
        ("echo", "[]", ""),
        ("raw", "{}", "/count"),
        ("raw", r#"{"count":"many"}"#, "/count"),
        ("raw", r#"{"count":0}"#, "/count"),
    ] {
        host.call("1", tool, args);
        let answer = host.frame();
        assert_eq!(answer["is_error"], true, "{args}");
        assert_eq!(answer["error"]["kind"], "validation", "{args}");
        assert_eq!(answer["error"]["field"], field, "{args}");
        assert_ne!(answer["content"][0]["text"], Value::Null, "{args}");
    }
}

#[test]
fn raw_arguments_reach_the_handler_as_they_were_written() {
    let mut host = Host::probe();
    host.call("1", "raw", r#"{"z":1.0e2,  "count":1}"#);
    let answer = host.line();
    assert!(answer.ends_with(r#""structured_content":{"z":1.0e2,  "count":1}}"#), "{answer}");
}

#[test]
fn a_call_that_may_be_made_again_says_so() {
    let mut host = Host::probe();
    let mut asked = |id: &str, tool: &str, more: &str| {
        let call =
            format!(r#"{{"type":"tool_call","id":"{id}","name":"{tool}","args":{{}}{more}}}"#);
        host.send(&call);
        host.frame()["structured_content"].clone()
    };
    assert_eq!(asked("1", "pay", ""), json!({"key": null, "reconcile": false}));
    let again = r#","operation_key":"op-7""#;
    assert_eq!(asked("2", "pay", again), json!({"key": "op-7", "reconcile": false}));
    let became = r#","operation_key":"op-7","reconcile":true"#;
    assert_eq!(asked("3", "pay", became), json!({"key": "op-7", "reconcile": true}));
    // It does not declare it, so its handler is not entered.
    assert_eq!(asked("4", "host", became), json!({"state": "unknown"}));
}

#[test]
fn what_nobody_offers_is_answered_too() {
    let mut host = Host::probe();
    host.call("1", "nothing", "{}");
    let answer = host.frame();
    assert_eq!(answer["content"][0]["text"], "unknown tool nothing");
    assert_eq!(answer["error"]["kind"], "not_found");
    host.send(r#"{"type":"command_invoked","id":"1","name":"nothing"}"#);
    assert_ne!(host.frame()["error"], "");
    host.send(r#"{"type":"request","id":"1","method":"nothing"}"#);
    assert_eq!(host.frame()["error"]["code"], "unsupported");
    host.send(r#"{"type":"event_intercept","id":"1","event":"tool_call"}"#);
    assert_eq!(host.line(), r#"{"type":"event_intercept_response","id":"1"}"#);
}

#[test]
fn commands_are_answered() {
    let mut host = Host::probe();
    host.send(r#"{"type":"command_invoked","id":"7","name":"SHOW","args":"a b"}"#);
    assert_eq!(
        host.line(),
        r#"{"type":"command_response","id":"7","action":"display","display":"<a b>"}"#
    );
    host.send(r#"{"type":"command_invoked","id":"8","name":"show"}"#);
    assert_eq!(host.frame()["display"], "<>");
    host.send(r#"{"type":"command_invoked","id":"9","name":"fail","args":"fly"}"#);
    assert_eq!(
        host.line(),
        r#"{"type":"command_response","id":"9","action":"noop","error":"cannot fly"}"#
    );
}

#[test]
fn a_panic_is_an_error_and_the_rest_goes_on() {
    let mut host = Host::probe();
    host.call("0", "wait", "{}");
    assert_eq!(host.frame()["message"], "waiting");
    host.call("1", "panic", r#"{"amount":3}"#);
    let answer = host.frame();
    assert_eq!(answer["content"][0]["text"], "panic: no room for 3");
    assert_eq!(answer["error"]["kind"], "internal");
    host.send(r#"{"type":"command_invoked","id":"1","name":"panic"}"#);
    assert_eq!(host.frame()["error"], "panic: in a command");
    host.call("2", "blocking", r#"{"amount":0}"#);
    assert_eq!(host.text(), "panic: nothing to do");
    host.call("3", "echo", r#"{"text":"still here"}"#);
    assert_eq!(host.text(), "still here");
    host.send(r#"{"type":"tool_cancel","id":"0"}"#);
    assert_eq!(host.frame()["id"], "0");
    assert!(host.close().stderr.contains("no room for 3"));
}

#[test]
fn a_handler_knows_its_call_and_its_host() {
    let mut host = Host::probe();
    host.send(r#"{"type":"tool_call","id":"c1","name":"host","args":{},"deadline_ms":60000}"#);
    let known = host.frame()["structured_content"].take();
    assert_eq!(
        known,
        json!({
            "call_id": "c1", "host": "test", "version": "9", "model": "m", "cwd": "/project",
            "log": true, "updates": true, "data_dir": "/data", "deadline": true, "session": "s1",
        })
    );
}

#[test]
fn a_zot_that_says_less_is_a_host_too() {
    let probe = Host::start(&mut Command::new(probe()));
    let mut host =
        probe.accepted(r#"{"type":"hello_ack","protocol_version":1,"zot_version":"0.1.62"}"#);
    host.call("c1", "host", "{}");
    let known = host.frame()["structured_content"].take();
    assert_eq!(
        known,
        json!({
            "call_id": "c1", "host": "zot", "version": "0.1.62", "model": "", "cwd": "",
            "log": false, "updates": false, "data_dir": null, "deadline": false, "session": null,
        })
    );
}

#[test]
fn a_cancel_that_comes_with_its_call_is_seen_from_the_start() {
    let mut host = Host::probe();
    let cancel = r#"{"type":"tool_cancel","id":"1"}"#;
    host.send(&format!("{}\n{cancel}", call("1", "early", "{}")));
    assert_eq!(host.text(), "cancelled: true");
    host.send(&format!("{}\n{cancel}", call("1", "wait", "{}")));
    assert_eq!(host.frame()["level"], "info");
    assert_eq!(
        host.line(),
        concat!(
            r#"{"type":"tool_result","id":"1","content":[{"type":"text","text":"cancelled"}],"#,
            r#""is_error":true,"error":{"kind":"cancelled","message":"cancelled"}}"#
        )
    );
    // It counts for that call and no other.
    host.call("1", "early", "{}");
    assert_eq!(host.text(), "cancelled: false");
}

#[test]
fn a_cancel_reaches_a_handler_that_waits_and_one_on_another_thread() {
    let mut host = Host::probe();
    host.call("1", "wait", "{}");
    assert_eq!(host.frame()["message"], "waiting");
    host.call("2", "blocking", r#"{"amount":30000}"#);
    host.send("{\"type\":\"tool_cancel\",\"id\":\"2\"}\n{\"type\":\"tool_cancel\",\"id\":\"1\"}");
    let mut answers = [host.frame(), host.frame()];
    answers.sort_by_key(|answer| answer["id"].to_string());
    assert_eq!(answers[0]["error"]["kind"], "cancelled");
    assert_eq!(answers[1]["content"][0]["text"], "cancelled: true");
}

#[test]
fn a_result_over_the_limit_is_an_error_that_names_the_limit() {
    let mut host = Host::probe();
    host.call("1", "big", r#"{"amount":5000000}"#);
    let answer = host.frame();
    assert_eq!(answer["error"]["kind"], "too_large");
    assert!(answer["content"][0]["text"].as_str().unwrap().contains("4194303"), "{answer}");
    host.call("2", "big", r#"{"amount":4000000}"#);
    assert_eq!(host.text().len(), 4_000_000);
}

#[test]
#[cfg(target_os = "linux")]
fn a_flood_of_calls_does_not_keep_a_waiting_handler_from_going_on() {
    use std::io::Write;
    use std::thread;

    use crate::host::ACK;

    // Where a handler is kept, it goes on behind 85,092 calls; else behind about a thousand, and later
    // where the machine is busy.
    const CALLS: usize = 80_000;
    // A host enlarges its pipes, and then every read finds more behind it.
    let (its_stdin, stdin) = std::io::pipe().unwrap();
    rustix::pipe::fcntl_setpipe_size(&stdin, 1 << 20).unwrap();
    let mut flooded = stdin.try_clone().unwrap();
    let (stdout, its_stdout) = std::io::pipe().unwrap();
    let mut probe = Command::new(probe());
    let its = (its_stdin.into(), its_stdout.into());
    let mut host = Host::start_over(&mut probe, its, stdin, stdout).accepted(ACK);
    host.call("sleeper", "sleep", r#"{"amount":10}"#);
    let few = call("x", "no such tool", r#"{"text":"a line of the usual length"}"#) + "\n";
    let few = few.repeat(1000);
    let flood = thread::spawn(move || {
        // Until it is dealt with, or the process is gone.
        (0..CALLS / 1000).all(|_| flooded.write_all(few.as_bytes()).is_ok())
    });
    let answered = (0..CALLS).take_while(|_| !host.line().contains("sleeper")).count();
    drop(host);
    flood.join().unwrap();
    assert!(answered < CALLS, "as many answers came before");
}

#[test]
fn two_hundred_calls_wait_at_the_same_time_and_one_more_is_answered_meanwhile() {
    let mut host = Host::probe();
    let waiting: Vec<_> = (0..200).map(|id| call(&id.to_string(), "wait", "{}")).collect();
    host.send(&waiting.join("\n"));
    for _ in 0..200 {
        assert_eq!(host.frame()["message"], "waiting");
    }
    host.call("quick", "echo", r#"{"text":""}"#);
    assert_eq!(host.frame()["id"], "quick");
    let cancels: Vec<_> =
        (0..200).map(|id| format!(r#"{{"type":"tool_cancel","id":"{id}"}}"#)).collect();
    host.send(&cancels.join("\n"));
    let mut ids: Vec<u32> =
        (0..200).map(|_| host.frame()["id"].as_str().unwrap().parse().unwrap()).collect();
    ids.sort_unstable();
    assert!(ids.into_iter().eq(0..200));
}
