//! `extline mock`: what a trace or cases say, said to a host in place of the extension.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::Recorded;
use crate::support::{Extline, outcome, repository};

/// The words of the mock as a program.
fn mock<'a>(files: &[&'a str]) -> Vec<&'a str> {
    [&["--", env!("CARGO_BIN_EXE_extline"), "mock"], files].concat()
}

fn written(folder: &Path, text: &str) -> PathBuf {
    let file = folder.join("weather.toml");
    fs::write(&file, text).unwrap();
    file
}

#[test]
fn every_conversation_of_a_real_zot_comes_again_byte_for_byte() {
    let traces = fs::read_dir(repository().join("protocol/tests/traces")).unwrap();
    let traces = traces.map(|entry| entry.unwrap().path());
    let traces: Vec<_> = traces
        .filter(|file| {
            let name = file.file_name().unwrap().to_str().unwrap();
            name.ends_with(".ndjson") && !name.ends_with(".rpc.ndjson")
        })
        .collect();
    assert!(traces.len() > 15, "{traces:?}");
    // They wait more than they compute.
    std::thread::scope(|scope| {
        for trace in &traces {
            scope.spawn(move || {
                let trace = trace.to_str().unwrap();
                let replay = [&["conformance", "replay", trace][..], &mock(&[trace])].concat();
                let replayed = Extline::new().run(&replay);
                assert!(replayed.stdout.contains("\nconformant: "), "{trace}: {replayed:?}");
                replayed.assert_code(0);
            });
        }
    });
}

#[test]
fn a_host_gets_the_recorded_answers_and_is_told_what_there_is_no_answer_to() {
    let recorded = Recorded::new();
    let trace = recorded.trace.to_str().unwrap();
    let call = |tool: &str, args: &str| {
        recorded.extline.run(&[&["call", tool, args][..], &mock(&[trace])].concat())
    };
    for _ in 0..2 {
        let same = call("greet", "{}");
        same.assert_code(0);
        assert_eq!(same.stdout, "hello\n");
        same.assert_says(&[" info: greeting"]);
    }
    let other = call("greet", r#"{"who":"Ada"}"#);
    other.assert_code(1);
    other.assert_says(&[
        r#"the mock has no answer of greet to {"who":"Ada"}"#,
        &format!("{trace} has those to {{}}"),
    ]);
    call("leave", "{}").assert_code(2);
}

#[test]
fn it_stands_in_the_manifest_of_a_folder_and_answers_as_often_as_it_is_asked() {
    let recorded = Recorded::new();
    let folder = recorded.extline.home().join("greeter");
    fs::create_dir(&folder).unwrap();
    fs::copy(&recorded.trace, folder.join("s.ndjson")).unwrap();
    let manifest = serde_json::json!({
        "name": "greeter",
        "version": "1",
        "exec": env!("CARGO_BIN_EXE_extline"),
        "args": ["mock", "s.ndjson"],
    });
    fs::write(folder.join("extension.json"), manifest.to_string()).unwrap();
    let folder = folder.to_str().unwrap();
    for profile in ["spec", "zot-0.1.62"] {
        let lines = "!greet {}\n!greet {}\n!greet {}\n";
        let run = ["run", "--profile", profile, folder];
        let ran = recorded.extline.run_with_input(&run, lines);
        ran.assert_code(0);
        assert_eq!(ran.stdout.matches("hello").count(), 3, "{ran:?}");
        assert!(ran.stdout.contains("exit status 0"), "{ran:?}");
    }
    // It is a healthy extension itself.
    let tested = ["conformance", "--only", "E-FRM", "--only", "E-TOL", folder];
    recorded.extline.run(&tested).assert_code(0);
}

#[test]
fn cases_answer_what_they_expect() {
    let extline = Extline::new();
    let file = written(
        extline.home(),
        r#"
        [[case]]
        id = "berlin"
        title = "Berlin has fog"
        steps = [
          { line = '{"type":"tool_call","id":"$id","name":"weather","args":{"city":"Berlin"}}' },
          { expect = '{"type":"notify","level":"info","message":"asking"}' },
          { expect = '{"type":"tool_result","id":"$id","content":[{"text":"16°C, fog"}]}' },
        ]
        [[case]]
        id = "atlantis"
        title = "Atlantis has none"
        steps = [
          { line = '{"type":"tool_call","id":"$id","name":"weather","args":{"city":"Atlantis"}}' },
          { frame = '{"type":"tool_result","id":"$id","content":[{"type":"text","text":"no such city"}],"is_error":true}' },
        ]
        [[case]]
        id = "forecast"
        title = "a command"
        steps = [
          { line = '{"type":"command_invoked","id":"$id","name":"forecast","args":"now"}' },
          { expect = '{"type":"command_response","id":"$id","action":"display","display":"rain"}' },
        ]
        [[case]]
        id = "breaks"
        title = "it dies"
        process = "own"
        steps = [
          { line = '{"type":"tool_call","id":"$id","name":"die","args":{}}' },
          { stderr = "so long" },
          { exit = { status = 3 } },
        ]
        "#,
    );
    let file = file.to_str().unwrap();
    let run = |words: &[&str]| extline.run(&[words, &mock(&[file])].concat());
    let berlin = run(&["call", "weather", r#"{"city":"Berlin"}"#]);
    berlin.assert_code(0);
    assert_eq!(berlin.stdout, "16°C, fog\n");
    berlin.assert_says(&["weather info: asking"]);
    let atlantis = run(&["call", "weather", r#"{"city":"Atlantis"}"#]);
    atlantis.assert_code(1);
    atlantis.assert_says(&["no such city"]);
    assert_eq!(run(&["command", "forecast", "now"]).stdout, "display: rain\n");
    let died = run(&["call", "die", "{}"]);
    died.assert_code(4);
    died.assert_says(&["exit status 3", "so long"]);
    // What the cases say of an extension holds of the mock.
    let own = ["conformance", "--cases", file, "--only", "own", "--skip", "breaks"];
    run(&own).assert_code(0);
}

#[test]
fn a_cancel_a_request_and_a_wait_are_as_the_script_has_them() {
    let extline = Extline::new();
    let file = written(
        extline.home(),
        r#"
        [[case]]
        id = "slow"
        title = "it ends when it is cancelled, however long it would have waited"
        steps = [
          { line = '{"type":"tool_call","id":"1","name":"slow","args":{}}' },
          { wait_ms = 60000 },
          { line = '{"type":"tool_cancel","id":"1"}' },
          { expect = '{"type":"tool_result","id":"1","is_error":true,"content":[{"text":"late"}]}' },
        ]
        [[case]]
        id = "asks"
        title = "it asks the host"
        steps = [
          { line = '{"type":"tool_call","id":"2","name":"ask","args":{}}' },
          { expect = '{"type":"request","id":"r","method":"m","parent":{"kind":"tool_call","id":"2"}}' },
          { line = '{"type":"response","id":"r","result":1}' },
          { expect = '{"type":"tool_result","id":"2","content":[{"text":"told"}]}' },
        ]
        "#,
    );
    let mut child = extline.command(&["mock", file.to_str().unwrap()]);
    let mut child = child.stdin(Stdio::piped()).spawn().unwrap();
    let lines = r#"{"type":"hello_ack","protocol_version":1}
{"type":"tool_call","id":"a","name":"slow","args":{}}
{"type":"tool_call","id":"b","name":"ask"}
{"type":"response","id":"r","result":2}
{"type":"tool_call","id":"c","name":"ask"}
{"type":"response","id":"r-2","result":2}
{"type":"tool_cancel","id":"a"}
{"type":"tool_call","id":"d","name":"nobody"}
{"type":"shutdown"}
"#;
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let done = outcome(child);
    done.assert_code(0);
    let said: Vec<_> = done.json_lines();
    assert_eq!(said[0]["name"], "weather");
    let said: Vec<_> = said
        .iter()
        .skip_while(|frame| frame["type"] != "ready")
        .skip(1)
        .map(|frame| {
            let word = |name: &str| frame[name].as_str().unwrap_or("-").to_owned();
            let of = frame["parent"]["id"].as_str().or(frame["content"][0]["text"].as_str());
            format!("{} {} {}", word("type"), word("id"), of.unwrap_or("-"))
        })
        .collect();
    let wanted = [
        "request r b",
        "tool_result b told",
        "request r-2 c",
        "tool_result c told",
        "tool_result a late",
        "tool_result d unknown tool nobody",
        "shutdown_ack - -",
    ];
    assert_eq!(said, wanted);
}

#[test]
fn the_example_of_the_documentation_offers_what_it_says() {
    let document = fs::read_to_string(repository().join("docs/tester/guide.md")).unwrap();
    let section = document.split("\n## Without the extension\n").nth(1).unwrap();
    let example = section.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let extline = Extline::new();
    let file = written(extline.home(), example);
    let mock = mock(&[file.to_str().unwrap()]);
    // A zot offers nothing that comes behind `ready`.
    let inspect = ["inspect", "--json", "--profile", "zot-0.1.62"];
    let inspected = extline.run(&[&inspect[..], &mock].concat());
    inspected.assert_code(0);
    let tools = &inspected.json()["tools"];
    assert_eq!(tools[0]["description"], "The weather of a city", "{inspected:?}");
    assert_eq!(tools[1], serde_json::Value::Null, "{inspected:?}");
    let called = ["call", "--timeout", "60", "weather", r#"{"city":"Oslo"}"#];
    assert_eq!(extline.run(&[&called[..], &mock].concat()).stdout, "snow\n");
}

#[test]
fn what_cannot_be_played_is_refused_with_its_place() {
    let extline = Extline::new();
    let refused = |text: &str, told: &str| {
        let file = written(extline.home(), text);
        let refused = extline.run(&["mock", file.to_str().unwrap()]);
        refused.assert_code(2);
        refused.assert_says(&[told]);
    };
    let case = "[[case]]\nid = \"x\"\ntitle = \"t\"\n";
    refused(
        &format!("{case}steps = [{{ line = '{{\"name\":\"$tool\"}}' }}]"),
        "weather.toml:4: $tool stands for what a tester finds",
    );
    refused(&format!("{case}steps = [{{ expect = 'x' }}]"), "weather.toml:4: x is no JSON");
    refused("", "missing field `case`");
    extline.run(&["mock"]).assert_code(2);
    let missing = extline.run(&["mock", "/no/such.ndjson"]);
    missing.assert_code(2);
    missing.assert_says(&["/no/such.ndjson: No such file"]);
}
