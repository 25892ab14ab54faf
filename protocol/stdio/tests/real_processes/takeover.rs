//! What the takeover keeps off the wire, and what it gives back.

use std::io::{ErrorKind, Write, pipe};

use rustix::fs::{Mode, OFlags, open};
use rustix::process::{Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::host::{EVERY_WIRE, Extension, Wire};
use crate::runner::tests;

tests![
    stray_output_never_reaches_the_wire_and_all_of_it_is_on_stderr,
    child_processes_do_not_inherit_the_private_descriptors,
    one_socket_can_be_both_stdin_and_stdout,
    after_end_of_file_the_extension_can_still_answer,
    release_gives_stdin_and_stdout_back_and_they_can_be_claimed_again,
    claiming_twice_is_an_error_even_after_the_first_session_is_gone,
    a_closed_stderr_is_replaced_before_stray_output_goes_there,
    a_closed_stdin_is_an_error_that_leaves_stdout_alone,
    pipes_and_sockets_are_a_host_and_are_claimed_at_load,
    a_terminal_is_a_person_and_is_not_claimed_at_load,
];

fn stray_output_never_reaches_the_wire_and_all_of_it_is_on_stderr() {
    for &wire in EVERY_WIRE {
        let mut extension = Extension::start("stray", wire);
        extension.send(b"frame\n");
        extension.close_input();
        assert_eq!(String::from_utf8(extension.receive_rest()).unwrap(), "frame\n");
        let stderr = extension.end_well();
        let stray = ["[buffered before the claim]", "[println]", "[write(1)]", "[child process]"];
        for text in stray {
            assert!(stderr.contains(text), "{text} is not on stderr ({wire:?}):\n{stderr}");
        }
        assert!(stderr.starts_with(stray[0]), "buffered text waits ({wire:?}):\n{stderr}");
    }
}

fn child_processes_do_not_inherit_the_private_descriptors() {
    let mut extension = Extension::start("child process stays", Wire::Pipes);
    let child = extension.receive_pid();
    // With a copy in the child's hands the wire would not end, and would still take bytes.
    assert_eq!(extension.receive_rest(), b"");
    let error = extension.sender().write_all(b"x").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BrokenPipe);
    kill_process(child, Signal::KILL).unwrap();
    extension.end_well();
}

fn one_socket_can_be_both_stdin_and_stdout() {
    let mut extension = Extension::start("echo", Wire::OneSocket);
    for frame in ["one\n", "two\n"] {
        extension.send(frame.as_bytes());
        assert_eq!(extension.receive_line(), frame);
    }
    extension.close_input();
    assert_eq!(extension.receive_rest(), b"bye\n");
    extension.end_well();
}

fn after_end_of_file_the_extension_can_still_answer() {
    for &wire in EVERY_WIRE {
        let mut extension = Extension::start("echo", wire);
        extension.send(b"last\n");
        extension.close_input();
        assert_eq!(extension.receive_rest(), b"last\nbye\n", "{wire:?}");
        extension.end_well();
    }
}

fn release_gives_stdin_and_stdout_back_and_they_can_be_claimed_again() {
    let mut extension = Extension::start("release", Wire::Pipes);
    assert_eq!(extension.receive_line(), "printed after the release\n");
    extension.send(b"read from stdin\n");
    assert_eq!(extension.receive_line(), "read from stdin\n");
    assert_eq!(extension.receive_rest(), b"claimed again\n");
    assert_eq!(extension.end_well(), "printed while claimed\nprinted while claimed again\n");
}

fn claiming_twice_is_an_error_even_after_the_first_session_is_gone() {
    Extension::start("claim twice", Wire::Pipes).end_well();
}

fn a_closed_stderr_is_replaced_before_stray_output_goes_there() {
    let mut extension = Extension::start("closed stderr", Wire::Pipes);
    assert_eq!(extension.receive_rest(), b"frame\n");
    extension.end_well();
}

fn a_closed_stdin_is_an_error_that_leaves_stdout_alone() {
    let mut extension = Extension::start("closed stdin", Wire::Pipes);
    assert_eq!(extension.receive_rest(), b"still stdout\n");
    assert!(extension.end_well().contains("cannot copy stdin (descriptor 0)"));
}

fn pipes_and_sockets_are_a_host_and_are_claimed_at_load() {
    for &wire in EVERY_WIRE {
        Extension::start("started by a host", wire).end_well();
    }
}

fn a_terminal_is_a_person_and_is_not_claimed_at_load() {
    let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&keyboard).unwrap();
    unlockpt(&keyboard).unwrap();
    let name = ptsname(&keyboard, Vec::new()).unwrap();
    let terminal = open(&name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
    let (from, stdout) = pipe().unwrap();
    Extension::start_on("started by hand", terminal, stdout.into(), Some(keyboard), from.into())
        .end_well();
}
