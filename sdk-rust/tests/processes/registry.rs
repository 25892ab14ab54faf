//! Tools and commands that come and go.

use std::process::Command;

use crate::host::{ACK, Host, probe};

#[test]
fn tools_come_and_go_where_the_host_takes_them() {
    let ack = ACK.replace(r#""log"]"#, r#""log","tool_registry"]"#);
    let mut host = Host::start(&mut Command::new(probe())).accepted(&ack);
    host.call("1", "grown", "{}");
    assert_eq!(host.text(), "unknown tool grown");
    host.call("2", "grow", "{}");
    assert_eq!(host.line(), r#"{"type":"register_command","name":"grown","description":"is new"}"#);
    assert_eq!(host.frame()["name"], "grown");
    let twin = host.text();
    assert!(
        twin.contains("probe/tools.rs:") && twin.contains("two tools named \"grown\""),
        "{twin}"
    );
    host.call("3", "grown", "{}");
    assert_eq!(host.text(), "new");
    host.send(r#"{"type":"command_invoked","id":"4","name":"grown"}"#);
    assert_eq!(host.frame()["display"], "new");
    host.call("5", "shrink", "{}");
    assert_eq!(host.line(), r#"{"type":"unregister_tool","name":"grown"}"#);
    assert_eq!(host.line(), r#"{"type":"tool_result","id":"5","content":[]}"#);
    host.call("6", "grown", "{}");
    assert_eq!(host.text(), "unknown tool grown");
}

#[test]
fn where_it_does_not_the_tool_is_refused_and_the_command_taken() {
    let mut host = Host::probe();
    host.call("2", "grow", "{}");
    assert_eq!(host.frame()["type"], "register_command");
    let answer = host.frame();
    assert_eq!(answer["error"]["kind"], "unsupported", "{answer}");
    host.call("5", "shrink", "{}");
    assert_eq!(host.frame()["error"]["kind"], "unsupported");
}
