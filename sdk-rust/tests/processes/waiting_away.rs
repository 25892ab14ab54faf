//! After some calls in a row the serving thread waits in the read itself. Whatever else happens is
//! seen all the same, though nothing comes from the host any more.

use std::thread;
use std::time::Duration;

use crate::host::{Host, call};

/// A probe that has answered so many calls that it most likely waits so.
fn away() -> Host {
    let mut host = Host::probe();
    host.call_echo(50);
    host
}

#[test]
fn sigterm_is_the_end() {
    for _ in 0..5 {
        let host = away();
        host.sigterm();
        assert_eq!(host.wait().status.code(), Some(143));
    }
}

#[test]
fn tasks_and_timers_go_on_whoever_started_them() {
    for what in ["local task", "task", "task of a thread", "timer of a thread"] {
        let mut host = away();
        host.call("leave", "leave", &format!(r#"{{"what":"{what}"}}"#));
        assert_eq!(host.frame()["id"], "leave", "{what}");
        assert_eq!(host.wait().status.code(), Some(7), "{what}");
    }
}

/// No read lasts long enough then for the stand-in to end it.
#[test]
fn timers_of_other_threads_go_on_while_calls_keep_coming() {
    let mut host = away();
    host.call("leave", "leave", r#"{"what":"timer of a thread"}"#);
    let echo = call("1", "echo", r#"{"text":"again"}"#) + "\n";
    // Ten seconds at the least; it takes a twentieth of one.
    let has_left = (0..10_000).any(|_| {
        thread::sleep(Duration::from_millis(1));
        host.write(echo.as_bytes()).is_err()
    });
    assert!(has_left, "the timer never came");
    assert_eq!(host.wait().status.code(), Some(7));
}

#[test]
fn the_end_of_stdin_is_the_end() {
    assert!(away().close().status.success());
}

#[test]
fn the_next_call_is_answered_however_late() {
    let mut host = away();
    thread::sleep(Duration::from_millis(200));
    host.call_echo(50);
    assert!(host.close().status.success());
}
