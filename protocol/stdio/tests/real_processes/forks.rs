//! A fork's child is dead to the host, and the parent is not.

use rustix::process::{Signal, kill_process, test_kill_process};

use crate::host::{Extension, Wire};
use crate::runner::tests;

tests![
    the_host_sees_the_parent_end_while_a_forked_child_lives,
    every_operation_of_a_forked_child_says_why_it_fails,
    sigterm_to_a_forked_child_kills_it_and_does_not_reach_the_parent,
    files_opened_after_the_session_ended_are_whole_in_a_forked_child,
    a_child_forked_before_the_claim_can_claim,
];

fn the_host_sees_the_parent_end_while_a_forked_child_lives() {
    let mut extension = Extension::start("forked child stays", Wire::Pipes);
    // The first write may open the pipe once more.
    assert_eq!(extension.receive_line(), "written before\n");
    let child = extension.receive_pid();
    assert_eq!(extension.stderr_line(), "the child lives");
    assert_eq!(extension.receive_line(), "the parent talks\n");
    extension.close_input();
    assert_eq!(extension.receive_rest(), b"");
    test_kill_process(child).unwrap();
    kill_process(child, Signal::KILL).unwrap();
    extension.end_well();
}

fn every_operation_of_a_forked_child_says_why_it_fails() {
    Extension::start("forked child tries", Wire::Pipes).end_well();
}

fn sigterm_to_a_forked_child_kills_it_and_does_not_reach_the_parent() {
    let mut extension = Extension::start("forked child is terminated", Wire::Pipes);
    let child = extension.receive_pid();
    kill_process(child, Signal::TERM).unwrap();
    assert_eq!(extension.receive_rest(), b"the parent was not told\n");
    extension.end_well();
}

fn files_opened_after_the_session_ended_are_whole_in_a_forked_child() {
    Extension::start("forked after the end", Wire::Pipes).end_well();
}

fn a_child_forked_before_the_claim_can_claim() {
    let mut extension = Extension::start("forked before the claim", Wire::Pipes);
    assert_eq!(extension.receive_rest(), b"the child claimed\n");
    extension.end_well();
}
