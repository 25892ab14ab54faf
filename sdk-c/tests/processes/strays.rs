//! What handlers print, run and fork, which the host must not see.

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::host::{Host, call, text};

/// The whole of what the host sees of an extension, byte for byte.
fn answered(id: &str, text: &str) -> String {
    format!(r#"{{"type":"tool_result","id":"{id}","content":[{{"type":"text","text":"{text}"}}]}}"#)
}

#[test]
fn what_is_printed_lands_on_stderr_and_not_on_the_wire() {
    let mut host = Host::start("strays", &[]);
    host.send(&[call("1", "print", "{}")]);
    assert_eq!(host.line(), answered("1", "printed"));
    host.send(&[call("2", "run_echo", "{}")]);
    assert_eq!(host.line(), answered("2", "0"));
    let end = host.shut_down();
    end.assert_code(0);
    assert_eq!(end.lines, [r#"{"type":"shutdown_ack"}"#]);
    let strays = "stray by printf\nstray by write\nstray by echo\nstray after run\n";
    assert_eq!(end.stderr, strays);
}

#[test]
fn a_child_process_reads_nothing_of_the_wire() {
    let mut host = Host::start("strays", &[]);
    // Its `cat` would take the second call.
    host.send(&[call("1", "run_echo", "{}"), call("2", "print", "{}")]);
    let mut lines = [host.line(), host.line()];
    lines.sort();
    assert_eq!(lines, [answered("1", "0"), answered("2", "printed")]);
}

#[test]
fn the_child_of_a_fork_is_no_extension() {
    let mut host = Host::start("strays", &[]);
    host.send(&[call("1", "fork_and_return", "{}")]);
    assert_eq!(host.line(), answered("1", "1"));
    assert_eq!(text(&host.call("print", "{}")), "printed");
    let end = host.shut_down();
    end.assert_code(0);
    assert!(end.stderr.contains("extline: the child of a fork is no extension"), "{}", end.stderr);
}

#[test]
fn the_host_sees_the_end_while_a_forked_child_lives() {
    let mut host = Host::start("strays", &[]);
    let child = text(&host.call("fork_and_leave", "{}")).parse().unwrap();
    let child = Pid::from_raw(child).unwrap();
    // Its stdout is seen as closed, or this waits for ever.
    let end = host.shut_down();
    end.assert_code(0);
    test_kill_process(child).unwrap();
    kill_process(child, Signal::KILL).unwrap();
}

#[test]
fn sigpipe_is_left_as_the_program_has_it() {
    let mut host = Host::start("strays", &[]);
    assert_eq!(text(&host.call("pipe_signal", "{}")), "141");
}
