//! Panels.

use std::process::Command;

use crate::host::{ACK, Host, probe};

fn rune(text: &str) -> String {
    format!(r#"{{"type":"panel_key","panel_id":"keys","key":"rune","text":"{text}"}}"#)
}

fn key(key: &str) -> String {
    format!(r#"{{"type":"panel_key","panel_id":"keys","key":"{key}"}}"#)
}

fn rendered(title: &str, line: &str) -> String {
    format!(
        r#"{{"type":"panel_render","panel_id":"keys","title":"{title}","lines":["{line}"],"footer":"type"}}"#
    )
}

/// A probe whose panel is open.
fn opened() -> Host {
    let mut host = Host::probe();
    open(&mut host);
    host
}

fn open(host: &mut Host) {
    host.send(r#"{"type":"command_invoked","id":"1","name":"panel","args":"Keys"}"#);
    assert_eq!(
        host.line(),
        concat!(
            r#"{"type":"command_response","id":"1","action":"open_panel","#,
            r#""open_panel":{"id":"keys","title":"Keys","lines":[""],"footer":"type"}}"#
        )
    );
}

#[test]
fn keys_reach_the_handler_in_order_and_what_it_does_not_say_is_sent_again() {
    let mut host = opened();
    let keys = [rune("h"), key("enter"), rune("é"), key("f13"), rune("y")];
    host.send(&keys.join("\n"));
    for line in ["h", "h/", "h/é", "h/éy"] {
        assert_eq!(host.line(), rendered("Keys", line));
    }
    host.send(r#"{"type":"panel_resize","panel_id":"keys","width":80,"height":24}"#);
    assert_eq!(host.line(), rendered("80x24", "h/éy"));
}

#[test]
fn a_slow_key_holds_up_its_own_panel_only() {
    let mut host = opened();
    host.send(&format!("{}\n{}", key("up"), rune("a")));
    host.call("1", "echo", r#"{"text":"meanwhile"}"#);
    assert_eq!(host.text(), "meanwhile");
    host.call("2", "release", r#"{"amount":0}"#);
    let mut drawn = std::iter::repeat_with(|| host.line()).filter(|it| it.contains("panel_render"));
    assert_eq!(drawn.next().unwrap(), rendered("Keys", "^"));
    assert_eq!(drawn.next().unwrap(), rendered("Keys", "^a"));
}

#[test]
fn an_error_or_a_panic_is_reported_and_the_panel_goes_on() {
    let mut host = opened();
    host.send(&[rune("!"), rune("?"), rune("a")].join("\n"));
    assert_eq!(host.line(), rendered("Keys", "a"));
    let stderr = host.close().stderr;
    for failure in ["panic: in a panel", "no questions"] {
        let line = format!("extline: the handler of the panel keys failed: {failure}\n");
        assert_eq!(stderr.matches(&line).count(), 1, "{stderr}");
    }
}

#[test]
fn closed_by_the_user_it_is_not_drawn_any_more() {
    let mut host = opened();
    host.send(&format!("{}\n{}", r#"{"type":"panel_close","panel_id":"keys"}"#, rune("a")));
    assert_eq!(host.frame()["message"], "closed; open: false");
    // Opened again it is a new panel.
    open(&mut host);
    host.send(&rune("b"));
    assert_eq!(host.line(), rendered("Keys", "b"));
}

#[test]
fn closed_by_its_handler_it_hears_no_more() {
    let mut host = opened();
    host.send(&[key("tab"), rune("a"), key("tab")].join("\n"));
    assert_eq!(host.line(), r#"{"type":"panel_close","panel_id":"keys"}"#);
    host.send(&rune("b"));
    host.call("1", "echo", r#"{"text":"still here"}"#);
    assert_eq!(host.text(), "still here");
    assert_eq!(host.close().stderr, "");
}

#[test]
fn keys_of_a_panel_that_is_not_open_or_has_no_handler_are_ignored() {
    let mut host = Host::probe();
    host.send(&rune("a"));
    host.send(r#"{"type":"command_invoked","id":"1","name":"other_panel"}"#);
    assert_eq!(host.frame()["open_panel"]["id"], "other");
    host.send(r#"{"type":"panel_key","panel_id":"other","key":"up"}"#);
    host.send(r#"{"type":"panel_close","panel_id":"other"}"#);
    host.call("1", "echo", r#"{"text":"still here"}"#);
    assert_eq!(host.text(), "still here");
    assert_eq!(host.close().stderr, "");
}

#[test]
fn a_tool_opens_it_too_and_an_old_host_is_remarked_on() {
    let zot = r#"{"type":"hello_ack","protocol_version":1,"zot_version":"0.1.62"}"#;
    for (ack, remark) in [(ACK, ""), (zot, "extline: host zot 0.1.62 may not know open_panel\n")] {
        let mut host = Host::start(&mut Command::new(probe())).accepted(ack);
        host.call("1", "panel", "{}");
        assert_eq!(
            host.line(),
            r#"{"type":"open_panel","panel":{"id":"keys","lines":["opened by a tool"]}}"#
        );
        assert_eq!(host.text(), "open: true");
        assert_eq!(host.close().stderr, remark);
    }
}
