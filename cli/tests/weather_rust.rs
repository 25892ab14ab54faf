//! examples/weather-rust through the command, as a user runs it.
#![cfg(unix)]

mod support;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn a_call_prints_the_weather() {
    let output = call("weather", r#"{"city":"Berlin"}"#);
    assert_eq!(code(&output), 0, "{output:?}");
    assert_eq!(stdout(&output), "Berlin: 16°C, fog\n");
    assert_eq!(stdout(&call("weather", r#"{"city":"Berlin","units":"f"}"#)), "Berlin: 61°F, fog\n");
}

#[test]
fn a_missing_city_is_named() {
    let output = call("weather", "{}");
    assert_eq!(code(&output), 6, "{output:?}");
    assert!(stderr(&output).contains("/city"), "{output:?}");
}

#[test]
fn an_error_of_the_tool_is_shown_with_its_hint() {
    let output = call("weather", r#"{"city":"Atlantis"}"#);
    assert_eq!(code(&output), 1, "{output:?}");
    assert!(stderr(&output).contains("no such city"), "{output:?}");
    assert!(stderr(&output).contains("try a city that exists"), "{output:?}");
}

#[test]
fn the_command_makes_a_prompt() {
    let output = extline().arg("command").arg(example()).args(["weather", "Berlin"]).output();
    let output = output.unwrap();
    assert_eq!(code(&output), 0, "{output:?}");
    assert!(stdout(&output).contains("Show today's weather for Berlin in one line."), "{output:?}");
}

#[test]
fn a_call_that_takes_too_long_is_given_up() {
    let args = r#"{"city":"Berlin","delay_ms":60000}"#;
    let mut call = extline();
    let call = call.args(["call", "--timeout", "0.5"]).arg(example()).args(["weather", args]);
    let output = call.output().unwrap();
    assert_eq!(code(&output), 5, "{output:?}");
}

#[test]
fn an_extension_that_is_killed_in_the_call_is_reported_at_once_with_the_signal() {
    let folder = tempfile::tempdir().unwrap();
    let started = Instant::now();
    let running = extline()
        .args(["call", "weather", r#"{"city":"Berlin","delay_ms":60000}"#, "--"])
        .args([watched(folder.path()), program().to_owned()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The first update comes from the handler, so the call runs.
    let pid = folder.path().join("pid");
    wait_until(|| {
        let wire = fs::read_to_string(folder.path().join("wire")).unwrap_or_default();
        // The capabilities in hello name it as well.
        wire.contains(r#""type":"tool_update""#)
    });
    let pid = fs::read_to_string(pid).unwrap();
    let killed = Command::new("sh").args(["-c", &format!("kill -9 {pid}")]).status().unwrap();
    assert!(killed.success());
    let output = running.wait_with_output().unwrap();
    assert_eq!(code(&output), 4, "{output:?}");
    assert!(stderr(&output).contains("SIGKILL"), "{output:?}");
    assert!(started.elapsed() < Duration::from_secs(60), "it waited for the call's own time");
}

#[test]
fn its_scenario_is_played_against_the_program_too() {
    let file = example().join("tests/weather.toml");
    let run = |file: &Path| {
        let args = ["conformance", "--verbose", "--only", "own", "--cases"];
        extline().args(args).arg(file).arg(example()).output().unwrap()
    };
    let output = run(&file);
    assert_eq!(code(&output), 0, "{output:?}");
    assert!(stdout(&output).contains("conformant: 5 pass, "), "{output:?}");
    // A mock of it is held to the same.
    let words = ["conformance", "--only", "own", "--cases"];
    let mut mocked = extline();
    mocked.args(words).arg(&file).arg("--").arg(env!("CARGO_BIN_EXE_extline"));
    let output = mocked.arg("mock").arg(&file).output().unwrap();
    assert!(stdout(&output).contains("\nconformant: 5 pass, "), "{output:?}");

    let folder = tempfile::tempdir().unwrap();
    let colder = folder.path().join("colder.toml");
    let text = fs::read_to_string(file).unwrap().replace("16°C", "6°C");
    fs::write(&colder, text).unwrap();
    let output = run(&colder);
    assert_eq!(code(&output), 1, "{output:?}");
    let place = format!("  at        {}:10\n", colder.display());
    for part in ["FAIL berlin-has-weather", &place, "Berlin: 16°C, fog"] {
        assert!(stdout(&output).contains(part), "{part:?} is missing in {output:?}");
    }
}

#[test]
fn a_recorded_session_is_played_to_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("session.ndjson");
    let mut recording = extline()
        .arg("record")
        .args([&trace, &example()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let typed =
        b"!weather {\"city\":\"Berlin\"}\n/weather Berlin\n!weather {\"city\":\"Atlantis\"}\n";
    recording.stdin.take().unwrap().write_all(typed).unwrap();
    let recorded = recording.wait_with_output().unwrap();
    assert!(stdout(&recorded).contains("Berlin: 16°C, fog"), "{recorded:?}");
    let replay = || {
        let mut replay = extline();
        replay.args(["conformance", "replay"]).arg(&trace).arg(example());
        replay.output().unwrap()
    };
    let replayed = replay();
    assert_eq!(code(&replayed), 0, "{replayed:?}");
    // Had it been warmer that day.
    let text = fs::read_to_string(&trace).unwrap();
    fs::write(&trace, text.replace("Berlin: 16°C", "Berlin: 26°C")).unwrap();
    let differs = replay();
    assert_eq!(code(&differs), 1, "{differs:?}");
    let told = r#"/content/0/text: expected "Berlin: 26°C, fog", got "Berlin: 16°C, fog""#;
    assert!(stdout(&differs).contains(told), "{differs:?}");
}

#[test]
fn without_a_build_the_script_says_how_to_get_one() {
    let nowhere = tempfile::tempdir().unwrap();
    let script = example().join("weather-rust");
    let output = Command::new(script).env("CARGO_TARGET_DIR", nowhere.path()).output().unwrap();
    assert_eq!(code(&output), 1);
    assert_eq!(stdout(&output), "");
    assert!(stderr(&output).contains("cargo build -p weather-rust"), "{output:?}");
}

fn call(tool: &str, args: &str) -> Output {
    extline().arg("call").arg(example()).args([tool, args]).output().unwrap()
}

/// The command; the example's script looks for its program where this test's programs are.
fn extline() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_extline"));
    let target = program().parent().and_then(Path::parent).unwrap();
    command.env("CARGO_TARGET_DIR", target);
    command
}

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/weather-rust")
}

/// The example's program, built once.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| support::built("weather-rust"))
}

/// A script that becomes the program named as its argument, after it has written its process id into
/// `pid`; what the program says goes to the host and into `wire`.
fn watched(folder: &Path) -> PathBuf {
    let script = folder.join("watched.sh");
    let text = "#!/bin/sh\n\
        cd \"${0%/*}\" || exit 1\n\
        mkfifo said || exit 1\n\
        tee wire <said &\n\
        echo $$ >pid\n\
        exec \"$1\" >said\n";
    fs::write(&script, text).unwrap();
    let mut permissions = fs::metadata(&script).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
    fs::set_permissions(&script, permissions).unwrap();
    script
}

fn wait_until(mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(30), "it does not happen");
        thread::sleep(Duration::from_millis(10));
    }
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}
