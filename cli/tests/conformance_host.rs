//! `extline conformance host`: our own host passes, a zot's deviations are its baseline, the tester
//! of hosts is tested with a host in Python that shares nothing with ours.
#![cfg(unix)]

use std::ffi::OsString;
use std::process::{Command, Output};

use extline_conformance::{Kill, host_selftest};

fn extline() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_extline"));
    command.args(["conformance", "host"]);
    command
}

fn text(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!("{}\n{}", String::from_utf8_lossy(out), String::from_utf8_lossy(err))
}

#[test]
fn our_own_host_keeps_every_rule() {
    let output = extline().output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let said = text(&output);
    assert!(said.contains("conformant: ") && said.contains("grade Solid"), "{said}");
}

#[test]
fn the_host_in_python_passes_and_every_case_fails_one_that_is_broken() {
    let puppet = [env!("CARGO_BIN_EXE_extline"), "conformance", "puppet"].map(OsString::from);
    let outcome = host_selftest(&puppet, &|_, _| {}).unwrap_or_else(|error| panic!("{error}"));
    let unsound = outcome.unsound.iter().map(|case| (&case.id, &case.verdict, &case.failure));
    let unsound: Vec<_> = unsound.collect();
    assert!(unsound.is_empty(), "what is not broken does not pass {unsound:#?}");
    let alive: Vec<&Kill> = outcome.kills.iter().filter(|kill| !kill.is_caught()).collect();
    assert!(alive.is_empty(), "mutants that are not caught: {alive:#?}");
    assert_eq!(outcome.untested, [""; 0], "cases that no mutant fails");
}

#[test]
fn a_zot_s_deviations_are_those_of_its_baseline_and_no_others() {
    for profile in ["zot-0.1.62", "zot-37c7945"] {
        let file = format!("../conformance/baselines/host-{profile}.toml");
        let output = extline().args(["--profile", profile, "--baseline", &file]).output().unwrap();
        let said = text(&output);
        assert!(output.status.success(), "{said}");
        assert!(!said.contains("says nothing any more"), "{said}");
    }
}
