//! The examples that need no SDK, as real processes under the real host. `weather-rust` has tests
//! of its own.

#![cfg(unix)]

mod support;

use support::Extline;

#[test]
fn hello_python_raw_answers_its_command() {
    let extline = Extline::new();
    let outcome = extline.run(&["command", "examples/hello-python-raw", "hellopy"]);
    outcome.assert_code(0);
    assert_eq!(outcome.stdout, "prompt: Greet me very briefly. Add one emoji.\n");
    // It is the quick start as it stands, without `ready`.
    outcome.assert_says(&["notice: hello-py: no ready frame"]);
}

#[test]
fn clock_shell_answers_its_command_and_its_tool() {
    let extline = Extline::new();
    let is_time = |text: &str| {
        let shape: String =
            text.chars().map(|it| if it.is_ascii_digit() { '9' } else { it }).collect();
        shape.starts_with("9999-99-99 99:99:99 ")
    };
    let outcome = extline.run(&["command", "examples/clock-shell", "clock"]);
    outcome.assert_code(0);
    assert!(is_time(outcome.stdout.strip_prefix("display: ").unwrap()), "{outcome:?}");
    assert_eq!(outcome.stderr, "");

    let outcome = extline.run(&["call", "examples/clock-shell", "clock_now", r#"{"utc":true}"#]);
    outcome.assert_code(0);
    assert!(is_time(&outcome.stdout) && outcome.stdout.ends_with(" UTC\n"), "{outcome:?}");

    let outcome = extline.run(&["command", "examples/clock-shell", "clock", "noon"]);
    outcome.assert_code(1);
    let outcome = extline.run(&["call", "examples/clock-shell", "clock_now", r#"{"utc":"yes"}"#]);
    outcome.assert_code(6);
    outcome.assert_says(&["clock_now: /utc: must be a boolean"]);
}

#[test]
fn a_session_of_both_is_played_to_each_again() {
    let extline = Extline::new();
    let trace = extline.home().join("session.ndjson");
    let trace = trace.to_str().unwrap();
    let (python, shell) = ("examples/hello-python-raw", "examples/clock-shell");
    let typed = "/hellopy\n/clock utc\n!clock_now {}\n";
    let record = ["record", "--profile", "zot-0.1.62", trace, python, shell];
    extline.run_with_input(&record, typed).assert_code(0);
    let replay = ["conformance", "replay", trace, "--extension"];
    extline.run(&[&replay[..], &["hello-py", python]].concat()).assert_code(0);
    // A clock says another time.
    let time = ["--ignore", "tool_result/content", "--ignore", "command_response/display"];
    extline.run(&[&replay[..], &["clock-shell", shell], &time].concat()).assert_code(0);
}

#[test]
fn both_run_side_by_side() {
    let outcome = Extline::new().run_with_input(
        &["run", "examples/hello-python-raw", "examples/clock-shell"],
        "/hellopy\n/clock\n!clock_now\n",
    );
    outcome.assert_code(0);
    assert!(outcome.stdout.contains("> /hellopy\nprompt: Greet me"), "{outcome:?}");
    assert_eq!(outcome.stdout.matches(", no process left\n").count(), 2, "{outcome:?}");
}
