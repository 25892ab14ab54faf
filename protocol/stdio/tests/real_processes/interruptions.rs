//! Signals that end a wait, a read or a write.

use std::os::unix::process::ExitStatusExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::{Signal, kill_process};

use crate::host::{EVERY_WIRE, Extension, Wire};
use crate::runner::tests;

tests![
    a_signal_handler_interrupts_a_blocked_read,
    a_signal_handler_interrupts_a_wait,
    sigterm_ends_a_wait,
    sigterm_ends_a_blocked_write,
    sigterm_kills_again_when_nobody_listens_any_more,
    a_signal_is_heard_in_front_of_a_handler_that_was_installed_later_which_runs_too,
    last_words_are_waited_for_on_a_busy_machine,
];

fn a_signal_handler_interrupts_a_blocked_read() {
    interrupt("interrupted read");
}

fn a_signal_handler_interrupts_a_wait() {
    interrupt("interrupted wait");
}

/// Signals the role until it has noticed: one that comes before it blocks is lost on it.
fn interrupt(role: &str) {
    let mut extension = Extension::start(role, Wire::Pipes);
    assert_eq!(extension.receive_line(), "ready\n");
    let noticed = AtomicBool::new(false);
    let line = thread::scope(|scope| {
        let pid = extension.pid();
        let noticed = &noticed;
        scope.spawn(move || {
            while !noticed.load(Ordering::Relaxed) {
                kill_process(pid, Signal::USR1).unwrap();
                thread::sleep(Duration::from_millis(5));
            }
        });
        let line = extension.receive_line();
        noticed.store(true, Ordering::Relaxed);
        line
    });
    assert_eq!(line, "interrupted\n");
    extension.close_input();
    extension.end_well();
}

fn sigterm_ends_a_wait() {
    for &wire in EVERY_WIRE {
        let mut extension = Extension::start("sigterm in a wait", wire);
        assert_eq!(extension.receive_line(), "ready\n");
        extension.signal(Signal::TERM);
        assert_eq!(extension.receive_rest(), b"terminated\n");
        extension.end_well();
    }
}

fn sigterm_ends_a_blocked_write() {
    for &wire in EVERY_WIRE {
        let mut extension = Extension::start("sigterm in a write", wire);
        extension.receive_byte();
        extension.signal(Signal::TERM);
        let said = extension.stderr_line();
        let on_the_wire = 1 + extension.receive_rest().len();
        assert_eq!(said, format!("given up after {on_the_wire}"), "{wire:?}");
        extension.end_well();
    }
}

fn sigterm_kills_again_when_nobody_listens_any_more() {
    let mut extension = Extension::start("sigterm for nobody", Wire::Pipes);
    assert_eq!(extension.receive_line(), "ready\n");
    extension.signal(Signal::TERM);
    let (status, stderr) = extension.end();
    assert_eq!(status.signal(), Some(Signal::TERM.as_raw()), "{status}; it said:\n{stderr}");
}

fn a_signal_is_heard_in_front_of_a_handler_that_was_installed_later_which_runs_too() {
    Extension::start("signals in front", Wire::Pipes).end_well();
}

fn last_words_are_waited_for_on_a_busy_machine() {
    let extension = Extension::start("slow last words", Wire::Pipes);
    let (status, stderr) = extension.end();
    assert_eq!(status.code(), Some(3), "{status}");
    assert!(stderr.contains("tool slow would not stop"), "{stderr}");
}
