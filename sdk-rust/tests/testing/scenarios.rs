//! Scenario files, played in this process.

use std::cell::Cell;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use extline::prelude::*;
use extline::testing::{Failure, Host, scenario};

#[derive(Deserialize, JsonSchema)]
struct Weather {
    city: String,
}

/// It counts its calls, so that a shared process can be told from a new one.
fn extension() -> Extension {
    let calls = Cell::new(0);
    Extension::new("weather", "1.0.0")
        .tool("weather", "", async |w: Weather, _| match w.city.as_str() {
            "Atlantis" => Err(ToolError::not_found("no such city").field("/city")),
            city => Ok(format!("{city}: fog")),
        })
        .tool("count", "", async move |_: NoArgs, _| {
            calls.set(calls.get() + 1);
            Ok(calls.get().to_string())
        })
        .tool("slow", "", async |_: NoArgs, ctx: Context| {
            ctx.run_until_cancelled(std::future::pending::<()>()).await?;
            Ok(())
        })
        .tool("panics", "", async |_: NoArgs, _| -> Result<(), ToolError> { panic!("oh") })
        .command("weather", "", async |args: &str, _| Response::display(format!("{args}: fog")))
        .on("turn_start", async |_, ctx| {
            ctx.notify_info("a turn");
            Ok(())
        })
}

/// Plays cases, each given behind its id and title.
fn play(cases: &[&str]) -> Result<(), Failure> {
    static FILES: AtomicU64 = AtomicU64::new(0);
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let name = format!("extline-scenario-{}-{number}.toml", std::process::id());
    let file: PathBuf = std::env::temp_dir().join(name);
    let mut text = String::new();
    for (number, case) in cases.iter().enumerate() {
        let head = format!("[[case]]\nid = \"case-{number}\"\ntitle = \"t\"\n");
        text.extend([&head, *case, "\n"]);
    }
    fs::write(&file, text).unwrap();
    let played =
        scenario(&file, || Host::builder().deadline(Duration::from_secs(2)).start(extension));
    fs::remove_file(&file).unwrap();
    played
}

/// What is wrong with one case, whose steps begin in line 4.
fn refused(case: &str) -> String {
    play(&[case]).unwrap_err().to_string()
}

#[track_caller]
fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing in {text}");
    }
}

const COUNT: &str = r#"{ line = '{"type":"tool_call","id":"$id","name":"count","args":{}}' }"#;

fn counts(to: u64) -> String {
    let text = r#"'{"type":"tool_result","id":"$id","content":[{"type":"text","text":"N"}]}'"#;
    format!("steps = [{COUNT}, {{ expect = {} }}]", text.replace('N', &to.to_string()))
}

#[test]
fn every_step_that_needs_no_process_is_played() -> Result<(), Failure> {
    play(&[
        r#"
        needs = ["canary", "tool_canary", "tool", "command", "event", "calls"]
        steps = [
          { line = '{"type":"tool_call","id":"$id","name":"weather","args":{"city":"Rome"}}' },
          { expect = '{"type":"tool_result","id":"$id","content":[{"text":"Rome: fog"}]}' },
          { line = '{"type":"tool_call","id":"$id","name":"$tool","args":{"city":"Atlantis"}}' },
          { expect = '{"id":"$id","is_error":true,"error":{"kind":"not_found","field":"/city"}}' },
          { line = '{"type":"command_invoked","id":"$id","name":"$command","args":"Rome"}' },
          { expect = '{"type":"command_response","id":"$id","action":"display"}' },
          { line = '{"type":"event","event":"$event"}' },
          { expect = '{"type":"notify","message":"a turn"}' },
          { refuse = '{"type":"panel"}' },
          { raw = '{"type":"tool_call","id":"a b",' },
          { raw = "\"name\":\"$unknown\",\"args\":{}}\n" },
          { expect = '{"type":"tool_result","id":"a b","is_error":true}' },
          { hex = "0A 0A" },
          { line = "$ask", id = 'x\u00e9', chunk = 7, pause_ms = 1 },
          { answer = true },
          { canary = 20 },
          { wait_ms = 1 },
          { alive = true },
        ]"#,
        r#"
        values = [10, 70000]
        steps = [
          { line = '{"type":"event","event":"turn_start","pad":"$pad"}', bytes = "$value" },
          { canary = 1 },
        ]"#,
    ])
}

#[test]
fn cases_share_an_extension_unless_they_want_their_own() -> Result<(), Failure> {
    let own = format!("process = \"own\"\n{}", counts(1));
    let timing = format!("timing = true\n{}", counts(1));
    play(&[&counts(1), &counts(2), &own, &counts(3), &timing, &own])
}

#[test]
fn what_did_not_come_is_told_with_its_step_and_the_frames() {
    let failed = refused(
        r#"steps = [
          { line = '{"type":"tool_call","id":"$id","name":"weather","args":{"city":"Rome"}}' },
          { expect = '{"type":"tool_result","id":"$id","content":[{"text":"Rome: sun"}]}' },
        ]"#,
    );
    assert_has(
        &failed,
        &[
            ".toml:6: case case-0\n  expected  {\"type\":\"tool_result\",\"id\":\"run1-1\"",
            "within 2.0 s\n  got       {\"content\":[{\"text\":\"Rome: fog\"",
            "\nthe frames:\n  extension > {\"type\":\"hello\"",
            r#"host      > {"type":"tool_call","id":"run1-1","name":"weather","args":{"city":"Rome"}}"#,
            r#"extension > {"type":"tool_result","id":"run1-1""#,
        ],
    );
    let silent = refused(
        r#"steps = [
          { line = '{"type":"tool_call","id":"$id","name":"slow","args":{}}' },
          { answer = true, within_ms = 20 },
        ]"#,
    );
    assert_has(
        &silent,
        &[".toml:6: ", "the id \"run1-1\" within 0.0 s", "got       nothing of the kind"],
    );
    let noted = refused(
        r#"steps = [
          { line = '{"type":"event","event":"turn_start"}' },
          { refuse = '{"type":"notify"}' },
        ]"#,
    );
    assert_has(&noted, &[".toml:6: ", "no frame like", "got       {\"level\":\"info\""]);
    let failed = refused(
        r#"values = [3, 4]
        steps = [{ line = '$value' }, { expect = '{"value":$value}', within_ms = 1 }]"#,
    );
    assert_has(&failed, &[".toml:5: case case-0 with the value 3\n", "{\"value\":3} within"]);
}

#[test]
fn an_extension_that_ends_is_told() {
    let ended = refused(
        r#"steps = [
          { line = '{"type":"shutdown"}' },
          { expect = '{"type":"shutdown_ack"}' },
          { expect = '{"type":"never"}' },
        ]"#,
    );
    assert_has(&ended, &[".toml:7: ", "got       the extension has ended with exit code 0"]);
    let ended = refused(
        r#"steps = [
          { line = '{"type":"shutdown"}' },
          { wait_ms = 100 },
          { alive = true },
        ]"#,
    );
    assert_has(&ended, &[".toml:7: ", "expected  the extension lives"]);
}

#[test]
fn what_needs_a_process_says_where_to_get_one() {
    for (case, what) in [
        ("steps = [{ close = \"stdout\" }]", "close needs a process: "),
        ("steps = [{ signal = \"TERM\" }]", "signal needs a process: "),
        ("steps = [{ exit = { status = 0 } }]", "exit needs a process: "),
        ("steps = [{ burst = 10 }]", "burst needs a process: "),
        ("process = \"raw\"\nsteps = [{ handshake = {} }]", "it needs a process from its start"),
        ("check = \"names\"", "its check looks at processes"),
        ("steps = [{ line = '$args' }]", "it needs the manifest"),
        ("needs = [\"manifest\"]\nsteps = [{ canary = 1 }]", "it needs the manifest"),
    ] {
        let refused = refused(case);
        assert_has(
            &refused,
            &[": case case-0: ", what, "run it with `extline conformance --cases "],
        );
    }
}

#[test]
fn what_cannot_be_used_is_told_with_its_place() {
    let refused_need = refused("needs = [\"intercept\"]\nsteps = [{ canary = 1 }]");
    assert_has(
        &refused_need,
        &[".toml:1: case case-0: it needs an interceptor, and the extension"],
    );
    assert_has(&refused("steps = [{ nope = 1 }]"), &[".toml:4: ", "nope"]);
    let missing = scenario("no/such.toml", || Host::builder().start(extension)).unwrap_err();
    assert_has(&missing.to_string(), &["no/such.toml cannot be read: "]);
}
