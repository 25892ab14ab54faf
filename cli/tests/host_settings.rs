//! `--env` and `--profile`, the same wherever an extension is started.

#![cfg(unix)]

mod support;

use support::{Extline, behave};

#[test]
fn variables_reach_the_extension() {
    let extline = Extline::new();
    let script = "echo \"$GIVEN $TAKEN\" >&2; exit 3";
    let words = ["inspect", "--env", "GIVEN=a=b", "--env", "TAKEN", "--", "sh", "-c", script];
    let mut command = extline.command(&words);
    let outcome = support::outcome(command.env("TAKEN", "from here").spawn().unwrap());
    outcome.assert_says(&["stderr  a=b from here"]);

    let outcome = extline.run(&["inspect", "--env", "TAKEN", "."]);
    outcome.assert_code(2);
    outcome.assert_says(&["TAKEN is not set here; give it a value with --env TAKEN=VALUE"]);
}

#[test]
fn the_host_is_like_the_profile() {
    let extline = Extline::new();
    let seen = |words: &[&str]| {
        let outcome = extline.run(&behave(&[words, &["seen", "--json"]].concat()));
        outcome.assert_code(0);
        let text = outcome.json()["content"][0]["text"].as_str().unwrap().to_owned();
        serde_json::from_str::<serde_json::Value>(&text).unwrap()["ack"].clone()
    };
    assert_eq!(seen(&["call"])["zot_version"], "");
    assert!(seen(&["call"])["capabilities"].is_array());
    let zot = seen(&["call", "--profile", "zot-0.1.62"]);
    assert_eq!(zot["zot_version"], "0.1.62");
    assert!(zot["capabilities"].is_null());

    let outcome = extline.run(&["run", "--profile", "zot-0.1.61", "."]);
    outcome.assert_code(2);
    outcome.assert_says(&["'zot-0.1.61' for '--profile <NAME>'", "zot-37c7945", "'zot-0.1.62'"]);
}
