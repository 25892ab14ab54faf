//! `--env`, `--profile` and `--trace`, the same wherever an extension is started.

#![cfg(unix)]

mod support;

use support::{Extline, behave};

/// The words of a command on an extension that a zot does not take for ready too early, on however
/// busy a machine.
fn at_once<'a>(words: &[&'a str]) -> Vec<&'a str> {
    [behave(words), vec!["at-once"]].concat()
}

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
        let outcome = extline.run(&at_once(&[words, &["seen", "--json"]].concat()));
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

#[test]
fn a_trace_has_every_line_and_is_the_user_s_own() {
    use std::os::unix::fs::PermissionsExt;
    let extline = Extline::new();
    let file = extline.home().join("trace.ndjson");
    let name = file.to_str().unwrap();
    for words in [&["call", "echo", r#"{"text":"hi"}"#][..], &["run"]] {
        std::fs::write(&file, "from before\n").unwrap();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
        let words = [words, &["--trace", name, "--profile", "zot-37c7945"]].concat();
        let input = if words[0] == "run" { "!echo {\"text\":\"hi\"}\n" } else { "" };
        extline.run_with_input(&at_once(&words), input).assert_code(0);
        let text = std::fs::read_to_string(&file).unwrap();
        let records = extline_protocol::trace::read(name, &text).unwrap();
        let begin = format!("{:?}", records[0].what);
        assert!(begin.contains("extline ") && begin.contains("zot-37c7945"), "{begin}");
        for part in ["hello_ack", "register_tool", "tool_call", "tool_result", "shutdown_ack"] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
        assert!(text.trim_end().ends_with("\"event\":\"exit\",\"code\":0}"), "{text}");
    }
    std::fs::remove_file(&file).unwrap();
    extline.run(&behave(&["inspect", "--trace", name])).assert_code(0);
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);

    let outcome = extline.run(&behave(&["inspect", "--trace", "/no/such/trace"]));
    outcome.assert_code(1);
    outcome.assert_says(&["the trace /no/such/trace cannot be written: No such file"]);
}

#[test]
fn a_timeout_that_a_zot_does_not_know_is_told_once() {
    let extline = Extline::new();
    let says = "warning: --timeout does not hold for commands: a zot-0.1.62 gives them 30 s\n";
    let zot = ["--profile", "zot-0.1.62"];
    let timeout = ["--timeout", "9"];
    for (words, warned) in [
        ([&["command"], &zot[..], &timeout, &["nothing"]].concat(), true),
        ([&["run"], &zot[..], &timeout].concat(), true),
        // A tool call is given up by the host itself, whatever the zot.
        ([&["call"], &zot[..], &timeout, &["echo", r#"{"text":"hi"}"#]].concat(), false),
        ([&["command"], &zot[..], &["nothing"]].concat(), false),
        ([&["command"], &timeout[..], &["nothing"]].concat(), false),
    ] {
        let outcome = extline.run_with_input(&at_once(&words), "");
        outcome.assert_code(0);
        assert_eq!(outcome.stderr.matches(says).count(), usize::from(warned), "{outcome:#?}");
        assert_eq!(outcome.stderr.matches("--timeout").count(), usize::from(warned));
    }
}

#[test]
fn the_timeout_of_a_tool_call_holds_under_a_zot_too() {
    let extline = Extline::new();
    let words = ["call", "--profile", "zot-0.1.62", "--timeout", "0.5", "hang"];
    let outcome = extline.run(&support::misbehave(&words, &[]));
    outcome.assert_code(5);
}
