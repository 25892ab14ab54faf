//! The examples in C, C++ and Go: built with plain make in a copy of their folder, run under the host
//! as itself and as a zot.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::c_library::{built, found, sh, try_sh};
use crate::support::signal;

#[test]
fn weather_c() {
    let folder = built("weather-c");
    let call = |args: &str| try_sh(&format!("extline call . weather '{args}'"), folder.path());
    assert_eq!(call(r#"{"city":"Berlin"}"#), (0, "Berlin: 16°C, fog\n".to_owned()));
    assert_eq!(call(r#"{"city":"Berlin","units":"f"}"#).1, "Berlin: 61°F, fog\n");
    let (code, said) = call(r#"{"city":"Atlantis"}"#);
    assert_eq!(code, 1);
    for part in ["not_found", "no such city", "hint: try a city that exists"] {
        assert!(said.contains(part), "{said}");
    }
    // The host checks the arguments; a zot does not, and then the handler's own look does.
    assert_eq!(call("{}").0, 6);
    let (code, said) = try_sh("extline call --profile zot-0.1.62 . weather '{}'", folder.path());
    assert_eq!(code, 1);
    assert!(said.contains("/city"), "{said}");
    let said = sh("extline command . weather Berlin", folder.path());
    assert_eq!(said, "prompt: Show today's weather for Berlin in one line.\n");
    sh("extline call --trace wire . weather '{\"city\":\"Berlin\"}'", folder.path());
    assert!(sh("grep tool_update wire", folder.path()).contains("asking"));
    let typed = r#"printf '!weather {"city":"Berlin"}\n/weather Berlin\n'"#;
    sh(&format!("{typed} | extline record session.ndjson ."), folder.path());
    let replayed = sh("extline conformance replay session.ndjson .", folder.path());
    assert!(replayed.contains("\nconformant: "), "{replayed}");
    holds("weather-c", &folder);
    ends_at_sigterm("weather", &folder);
}

#[test]
fn calc_cpp() {
    if !found("c++", "examples/calc-cpp") {
        return;
    }
    let folder = built("calc-cpp");
    let call = |expression: &str| {
        try_sh(&format!("extline call . calc '{{\"expression\":\"{expression}\"}}'"), folder.path())
    };
    assert_eq!(call("2 * (3 + 4) - -1"), (0, "15\n".to_owned()));
    let (code, said) = call("2 *");
    assert_eq!(code, 1);
    for part in ["validation", "a number is missing at character 4", "hint: use + - * /"] {
        assert!(said.contains(part), "{said}");
    }
    assert!(call("1 / (2 - 2)").1.contains("division by zero"));
    assert!(call(&"(".repeat(10_000)).1.contains("more than 100 brackets"));
    assert_eq!(sh("extline command . calc 2+2", folder.path()), "display: 4\n");
    // An exception that nobody caught, in a command.
    let (code, said) = try_sh("extline command . calc 2+x", folder.path());
    assert_eq!(code, 1);
    assert!(said.contains("a number is expected at character 3"), "{said}");
    holds("calc-cpp", &folder);
}

#[test]
fn hello_go() {
    if !found("go", "examples/hello-go") {
        return;
    }
    let folder = built("hello-go");
    assert_eq!(sh(r#"extline call . hello '{"who":"Ada"}'"#, folder.path()), "Hello, Ada!\n");
    let (code, said) = try_sh(r#"extline call . hello '{"who":"nobody"}'"#, folder.path());
    assert_eq!(code, 1);
    assert!(said.contains("not_found"), "{said}");
    // A panic in Go is one call's failure.
    let (code, said) = try_sh(r#"extline call . hello '{"who":"panic"}'"#, folder.path());
    assert_eq!(code, 1);
    assert!(said.contains("internal"), "{said}");
    holds("hello-go", &folder);
    ends_at_sigterm("hello-go", &folder);
}

#[test]
fn poll_c() {
    if cfg!(not(target_os = "linux")) {
        return; // epoll and timerfd are Linux's
    }
    let folder = built("poll-c");
    let said = sh(r#"extline call . wait '{"ticks":3}'"#, folder.path());
    assert!(said.starts_with("tick "), "{said}");
    assert!(sh("extline command . ticks", folder.path()).ends_with(" ticks\n"));
    let (code, _) =
        try_sh(r#"extline call --timeout 0.5 . wait '{"ticks":1000000}'"#, folder.path());
    assert_eq!(code, 5);
    holds("poll-c", &folder);
    ends_at_sigterm("ticker", &folder);
}

/// Nothing about it surprises a host, ours or a zot, and the wire is kept.
fn holds(example: &str, folder: &TempDir) {
    for profile in ["spec", "zot-0.1.62"] {
        let said = sh(&format!("extline inspect --json --profile {profile} ."), folder.path());
        let inspected: serde_json::Value = serde_json::from_str(&said).expect(&said);
        assert_eq!(inspected["notices"], serde_json::json!([]), "{example}: {said}");
    }
    let tester = "extline conformance --call --only E-TOL --only E-CMD --only E-REG --only E-LIF .";
    let report = sh(tester, folder.path());
    assert!(report.contains("conformant: "), "{example}: {report}");
}

/// SIGTERM ends the session, in order and with its exit status, whatever the language's own runtime
/// would do about it.
fn ends_at_sigterm(program: &str, folder: &TempDir) {
    let mut child = Command::new(folder.path().join(program))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Its input stays open: the end of that would end it too.
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"{\"type\":\"hello_ack\",\"protocol_version\":1}\n").unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(said.any(|line| line.contains(r#""type":"ready""#)), "{program} is not ready");
    signal(&child, "TERM");
    assert_eq!(child.wait().unwrap().code(), Some(143), "{program}");
    drop(stdin);
}
