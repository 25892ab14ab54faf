//! Who waits to write, reads; and a host that is gone.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::host::{EVERY_WIRE, Extension, Wire, pattern};
use crate::roles::{ENOUGH, FLOOD};
use crate::runner::tests;

tests![
    two_full_pipes_cannot_stop_each_other,
    an_extension_that_has_read_enough_reads_no_further_while_it_writes,
    a_host_that_is_gone_is_an_error_and_no_signal,
    a_host_that_goes_during_a_blocked_write_ends_it,
    a_system_call_that_is_refused_is_no_end_of_the_host,
];

fn two_full_pipes_cannot_stop_each_other() {
    for &wire in EVERY_WIRE {
        let mut extension = Extension::start("flood", wire);
        // Everything is sent before anything is read, as a host with one thread might.
        extension.send(&pattern(2, FLOOD));
        extension.close_input();
        let received = extension.receive_rest();
        extension.end_well();
        assert!(received == pattern(1, FLOOD), "{wire:?}: {} bytes arrived", received.len());
    }
}

fn an_extension_that_has_read_enough_reads_no_further_while_it_writes() {
    let mut extension = Extension::start("enough", Wire::Pipes);
    let mut sender = extension.sender();
    let sent = Arc::new(AtomicUsize::new(0));
    let progress = Arc::clone(&sent);
    let sending = thread::spawn(move || {
        for part in pattern(2, FLOOD).chunks(4096) {
            sender.write_all(part).unwrap();
            progress.fetch_add(part.len(), Ordering::Relaxed);
        }
    });
    // Only an extension that reads while it writes lets the sender come this far.
    while sent.load(Ordering::Relaxed) < ENOUGH {
        thread::yield_now();
    }
    assert!(extension.receive_rest() == pattern(1, FLOOD));
    sending.join().unwrap();
    extension.end_well();
}

fn a_host_that_is_gone_is_an_error_and_no_signal() {
    for &wire in EVERY_WIRE {
        let mut extension = Extension::start("host gone", wire);
        assert_eq!(extension.receive_line(), "ready\n");
        extension.hang_up();
        extension.close_input();
        assert_eq!(extension.end_well(), "the host is gone\n", "{wire:?}");
    }
}

fn a_host_that_goes_during_a_blocked_write_ends_it() {
    for &wire in EVERY_WIRE {
        let mut extension = Extension::start("host gone in a write", wire);
        extension.receive_byte();
        extension.hang_up();
        extension.close_input();
        assert_eq!(extension.end_well(), "the host is gone\n", "{wire:?}");
    }
}

fn a_system_call_that_is_refused_is_no_end_of_the_host() {
    // Only Linux has the call.
    if cfg!(target_os = "linux") {
        for role in ["host gone without pwritev2", "host gone with pwritev2 forbidden"] {
            let mut extension = Extension::start(role, Wire::Pipes);
            assert_eq!(extension.receive_line(), "ready\n", "{role}");
            extension.hang_up();
            extension.close_input();
            assert_eq!(extension.end_well(), "the host is gone\n", "{role}");
        }
    }
}
