//! The tester is tested: what is right passes, and each case fails what is wrong.

use extline_conformance::{Kill, Selftest, selftest, server_selftest};

#[test]
fn the_unbroken_puppet_passes_and_every_case_fails_a_mutant() {
    holds(&selftest(&|_, _| {}).unwrap_or_else(|error| panic!("{error}")));
}

#[test]
fn the_unbroken_mcp_server_passes_in_both_eras_and_every_case_fails_a_mutant() {
    holds(&server_selftest(&|_, _| {}).unwrap_or_else(|error| panic!("{error}")));
}

#[track_caller]
fn holds(outcome: &Selftest) {
    let unsound: Vec<_> = outcome
        .unsound
        .iter()
        .map(|case| format!("{} {:?} {:?} {:?}", case.id, case.verdict, case.reason, case.failure))
        .collect();
    assert!(unsound.is_empty(), "what is not broken does not pass {unsound:#?}");
    let alive: Vec<&Kill> = outcome.kills.iter().filter(|kill| !kill.is_caught()).collect();
    assert!(alive.is_empty(), "mutants that are not caught: {alive:#?}");
    assert_eq!(outcome.untested, [""; 0], "cases that no mutant fails");
    assert!(outcome.is_sound());
}
