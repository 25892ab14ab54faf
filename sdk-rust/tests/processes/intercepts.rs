//! Interceptors and guards.

use std::fs;
use std::process::Command;

use crate::host::{ACK, HELLO, Host, probe};

/// The extension that decides; `mode` is its argument, `ack` what its host says.
fn deciding(mode: &str, ack: &str) -> Host {
    let host = Host::start(Command::new(probe()).arg(mode));
    // One that lets failures pass may be missed, and its hello names no guard.
    if mode == "open" { host.accepted(ack) } else { host.accepted_guard(ack) }
}

/// What stands behind the id in the answer to an intercept with these fields.
fn decision(host: &mut Host, fields: &str) -> String {
    host.send(&format!(r#"{{"type":"event_intercept","id":"i",{fields}}}"#));
    let line = host.line();
    let start = r#"{"type":"event_intercept_response","id":"i""#;
    line.strip_prefix(start).unwrap_or_else(|| panic!("another frame: {line}")).to_owned()
}

/// The decision on a call of the tool `bash`, asked in `phase`, which is empty on a zot.
fn on_call(host: &mut Host, phase: &str, args: &str) -> String {
    let phase = if phase.is_empty() { String::new() } else { format!(r#""phase":"{phase}","#) };
    let fields = format!(
        r#""event":"tool_call",{phase}"tool_id":"c","tool_name":"bash","tool_args":{args}"#
    );
    decision(host, &fields)
}

fn blocked(reason: &str) -> String {
    format!(r#","block":true,"reason":"{reason}"}}"#)
}

#[test]
fn the_subscription_names_points_and_guards() {
    let mut host = Host::start(Command::new(probe()).arg("open"));
    assert_eq!(host.line(), HELLO);
    host.send(ACK);
    assert_eq!(
        host.line(),
        concat!(
            r#"{"type":"subscribe","intercept":["tool_call","turn_start","assistant_message","#,
            r#""before_agent_start"],"guards":["tool_call"],"on_failure":{"tool_call":"allow"}}"#
        )
    );
}

#[test]
fn a_call_is_allowed_or_blocked() {
    let mut host = deciding("intercepts", ACK);
    assert_eq!(on_call(&mut host, "", "{}"), "}");
    assert_eq!(on_call(&mut host, "", r#"{"do":"block"}"#), blocked("the interceptor says no"));
    let forbidden = r#""event":"tool_call","tool_name":"forbidden""#;
    assert_eq!(decision(&mut host, forbidden), blocked("no such thing here"));
    assert_eq!(host.close().stderr, "");
}

#[test]
fn rewrites_add_up_and_the_guard_sees_the_last() {
    let mut host = deciding("intercepts", ACK);
    let args = r#"{"do":"rewrite"}"#;
    let rewritten = r#"{"do":"rewrite","path":"second"}"#;
    let seen = format!("sees {}", rewritten.replace('"', r#"\""#));
    assert_eq!(on_call(&mut host, "", args), blocked(&seen));
    let answer = on_call(&mut host, "intercept", args);
    assert_eq!(answer, format!(r#","modified_args":{rewritten}}}"#));
}

#[test]
fn each_phase_asks_only_its_own_handlers() {
    let mut host = deciding("intercepts", ACK);
    assert_eq!(on_call(&mut host, "guard", r#"{"do":"block"}"#), "}");
    assert_eq!(on_call(&mut host, "intercept", r#"{"path":"second","do":"fail"}"#), "}");
    let answer = on_call(&mut host, "guard", r#"{"path":"second"}"#);
    assert_eq!(answer, blocked(r#"sees {\"path\":\"second\"}"#));
}

#[test]
fn a_handler_that_fails_blocks_and_is_reported() {
    let mut host = deciding("intercepts", ACK);
    let failures = [
        ("panic", "guard paths failed: panic: in the guard"),
        ("fail", "guard paths failed: invalid digit found in string"),
        ("panic first", "interceptor of tool_call failed: panic: in the interceptor"),
        ("no object", "interceptor of tool_call failed: the rewritten arguments are not an object"),
    ];
    for (what, failure) in failures {
        let answer = on_call(&mut host, "", &format!(r#"{{"do":"{what}"}}"#));
        assert_eq!(answer, blocked(failure));
    }
    let stderr = host.close().stderr;
    for (_, failure) in failures {
        assert!(stderr.contains(&format!("extline: {failure}\n")), "{failure}: {stderr}");
    }
}

#[test]
fn where_the_author_chose_so_a_failure_lets_it_pass_but_not_past_the_other_guards() {
    let mut host = deciding("open", ACK);
    assert_eq!(on_call(&mut host, "", r#"{"do":"panic"}"#), "}");
    assert_eq!(on_call(&mut host, "", r#"{"do":"panic first"}"#), "}");
    for what in ["panic", "panic first"] {
        let fields =
            format!(r#""event":"tool_call","tool_name":"forbidden","tool_args":{{"do":"{what}"}}"#);
        assert_eq!(decision(&mut host, &fields), blocked("no such thing here"));
    }
}

#[test]
fn a_guard_that_hangs_is_answered_for_and_named() {
    let limits = r#""limits":{"intercept_timeout_ms":400},"#;
    let ack = ACK.replace(r#""host":"#, &format!(r#"{limits}"host":"#));
    let mut host = deciding("intercepts", &ack);
    assert_eq!(on_call(&mut host, "", r#"{"do":"hang"}"#), blocked("guard paths timed out"));
    // The next one is decided as if nothing had happened.
    assert_eq!(on_call(&mut host, "", "{}"), "}");
}

#[test]
fn the_other_points_change_what_they_can() {
    let mut host = deciding("intercepts", ACK);
    assert_eq!(decision(&mut host, r#""event":"turn_start","step":1"#), "}");
    assert_eq!(decision(&mut host, r#""event":"turn_start","step":10"#), blocked("enough"));
    assert_eq!(
        decision(&mut host, r#""event":"assistant_message","text":"banana""#),
        r#","replace_text":"bbnbnb"}"#
    );
    assert_eq!(
        decision(&mut host, r#""event":"before_agent_start","cwd":"/p","system_prompt":"Be kind""#),
        r#","system_prompt":"Be kind in /p"}"#
    );
    // A point that cannot be blocked goes on when its handler fails.
    assert_eq!(decision(&mut host, r#""event":"before_agent_start""#), "}");
}

#[test]
fn a_guard_that_keeps_the_thread_is_answered_for_in_time() {
    let limits = r#""limits":{"intercept_timeout_ms":400},"#;
    let ack = ACK.replace(r#""host":"#, &format!(r#"{limits}"host":"#));
    let mut host = deciding("intercepts", &ack);
    // No file of another run: this process still runs.
    let file = format!("{}/go-on-{}", env!("CARGO_TARGET_TMPDIR"), host.id());
    let _ = fs::remove_file(&file);
    let keep = serde_json::json!({"do": "keep until", "file": file}).to_string();
    assert_eq!(on_call(&mut host, "", &keep), blocked("guard paths timed out"));
    // It keeps the thread up to here. Its own decision comes too late and is dropped. So is what is
    // asked meanwhile; the next is decided when the thread is free.
    fs::write(file, "").unwrap();
    while on_call(&mut host, "", "{}") != "}" {}
    let stderr = host.close().stderr;
    assert!(
        stderr.contains("extline: paths did not decide on tool_call in time: blocked"),
        "{stderr}"
    );
}
