//! `extline inspect`.

#![cfg(unix)]

mod support;

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use support::{Extline, behave, misbehave};

#[test]
fn everything_that_is_registered_is_shown() {
    let outcome = Extline::new().run(&behave(&["inspect"]));
    outcome.assert_code(0);
    for part in [
        "behave 1.2.3",
        "knows      commands, tools, events,",
        "tools      9, about ",
        "tokens in all (estimate)",
        "  echo  about ",
        "    the tool echo\n      text  string, required  what to say\n",
        "      no named arguments",
        "  /show [TEXT]  the command show",
        "events     session_start, turn_start",
        "intercepts none",
        "guards     tool_call",
        "notices    none",
    ] {
        assert!(outcome.stdout.contains(part), "{part:?} is missing in\n{}", outcome.stdout);
    }
}

#[test]
fn json_has_the_same_for_programs() {
    let json = Extline::new().run(&behave(&["inspect", "--json"])).json();
    assert_eq!(json["name"], "behave");
    assert_eq!(json["hello"]["version"], "1.2.3");
    let echo = json["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "echo");
    let echo = echo.unwrap();
    assert_eq!(echo["schema"]["properties"]["text"]["type"], "string");
    assert!(echo["tokens_estimate"].as_u64().unwrap() > 20);
    assert_eq!(json["commands"][0]["name"], "insert");
    assert_eq!(json["events"], serde_json::json!(["session_start", "turn_start"]));
    assert_eq!(json["guards"], serde_json::json!(["tool_call"]));
    assert_eq!(json["rejected"], serde_json::json!([]));
}

#[test]
fn what_the_host_did_not_take_is_shown_with_the_reason() {
    let script = r#"echo '{"type":"hello","name":"odd"}'
        echo '{"type":"register_tool","name":"bad name","schema":{}}'
        echo '{"type":"subscribe","intercept":["sunrise"]}'
        echo '{"type":"ready"}'
        while read -r frame; do :; done"#;
    let outcome = Extline::new().run(&["inspect", "--", "sh", "-c", script]);
    outcome.assert_code(0);
    for part in ["rejected   2", "the tool name \"bad name\" is not allowed", "intercept sunrise: "]
    {
        assert!(outcome.stdout.contains(part), "{part:?} is missing in\n{}", outcome.stdout);
    }
}

#[test]
fn notices_are_part_of_it() {
    let extline = Extline::new();
    let outcome = extline.run(&misbehave(&["inspect"], &["banner"]));
    outcome.assert_code(0);
    assert!(outcome.stdout.contains("notices    2\n"), "{outcome:?}");
    assert!(outcome.stdout.contains("Welcome to misbehave 1.0"));
    let json = extline.run(&misbehave(&["inspect", "--json"], &["never-ready"])).json();
    assert!(json["notices"][0]["suggestion"].as_str().unwrap().contains("\"ready\""));
}

#[test]
fn one_that_does_not_start_is_exit_3() {
    let extline = Extline::new();
    let outcome = extline.run(&misbehave(&["inspect"], &["wrong-first"]));
    outcome.assert_code(3);
    outcome.assert_says(&["its first frame is \"register_tool\"", "stdout  {\"type\""]);
    let json = extline.run(&misbehave(&["inspect", "--json"], &["bad-hello"])).json();
    assert_eq!(json["diagnosis"]["problem"]["code"], "bad_hello");
    extline.run(&["inspect"]).assert_code(2);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let extline = Extline::new();
    let mut child = extline.command(&behave(&["inspect"])).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert_eq!(first, "behave 1.2.3\n");
    support::outcome(child).assert_code(0);
}

/// What `inspect` says of an extension whose manifest has these members beside, with that `subscribe`.
fn of_guards(
    manifest: &serde_json::Value,
    subscribe: &str,
) -> (support::Outcome, serde_json::Value) {
    let folder = tempfile::tempdir().unwrap();
    let script = format!(
        r#"echo '{{"type":"hello","name":"g"}}'
        echo '{{"type":"subscribe"{subscribe}}}'
        echo '{{"type":"ready"}}'
        while read -r frame; do :; done"#
    );
    let mut all = serde_json::json!({"name": "g", "exec": "sh", "args": ["-c", script]});
    all.as_object_mut().unwrap().extend(manifest.as_object().unwrap().clone());
    std::fs::write(folder.path().join("extension.json"), all.to_string()).unwrap();
    let extline = Extline::new();
    let folder = folder.path().to_str().unwrap();
    let text = extline.run(&["inspect", folder]);
    (text, extline.run(&["inspect", "--json", folder]).json())
}

#[test]
fn a_guard_that_the_manifest_does_not_declare_is_told_with_the_line_to_add() {
    let guards = r#","guards":["tool_call"]"#;
    let (text, json) = of_guards(&serde_json::json!({}), guards);
    text.assert_code(0);
    let line = r#"(write "guards": ["tool_call"] in extension.json)"#;
    assert!(text.stdout.contains(line), "{}", text.stdout);
    assert_eq!(
        json["notices"][0]["suggestion"],
        r#"write "guards": ["tool_call"] in extension.json"#
    );
    let (text, _) = of_guards(&serde_json::json!({"guards": ["tool_call"]}), guards);
    assert!(text.stdout.contains("notices    none"), "{}", text.stdout);
}

#[test]
fn a_guard_that_only_the_manifest_knows_is_told() {
    let (text, _) = of_guards(&serde_json::json!({"guards": ["tool_call"]}), "");
    let told = "its extension.json declares a guard at tool_call, and it registered none";
    assert!(text.stdout.contains(told), "{}", text.stdout);
    let (text, _) = of_guards(&serde_json::json!({"guards": ["turn_start"]}), "");
    assert!(text.stdout.contains("where nobody asks guards"), "{}", text.stdout);
}

/// What `inspect` says of an extension with that manifest beside its program, and that script.
fn notices_of(manifest: &serde_json::Value, script: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let script =
        format!("{script}\necho '{{\"type\":\"ready\"}}'\nwhile read -r frame; do :; done");
    let mut all = serde_json::json!({"exec": "sh", "args": ["-c", script]});
    all.as_object_mut().unwrap().extend(manifest.as_object().unwrap().clone());
    std::fs::write(folder.path().join("extension.json"), all.to_string()).unwrap();
    let folder = folder.path().to_str().unwrap();
    let json = Extline::new().run(&["inspect", "--json", folder]).json();
    let notices = json["notices"].as_array().unwrap().iter();
    notices.map(|it| format!("{}; {}", it["text"], it["suggestion"]).replace('\\', "")).collect()
}

#[test]
fn members_of_a_manifest_that_nobody_reads_are_told_with_the_near_one() {
    let manifest = serde_json::json!({
        "name": "g", "arg": ["-v"], "requires": {"method": []},
        "colour": 1, "$schema": "s", "x-mine": 1, "samples": {},
    });
    let notices = notices_of(&manifest, r#"echo '{"type":"hello","name":"g"}'"#);
    assert_eq!(
        notices,
        [
            r#""extension.json: /arg is not read"; "did you mean "args"?""#,
            r#""extension.json: /colour is not read"; "take it out, or begin its name with x- if it is for somebody else""#,
            r#""extension.json: /requires/method is not read"; "did you mean "methods"?""#,
        ]
    );
}

#[test]
fn a_name_and_a_version_unlike_those_of_the_manifest_are_told() {
    let manifest = serde_json::json!({"name": "g", "version": "1.0.0"});
    let hello = r#"echo '{"type":"hello","name":"h","version":"1.1.0"}'"#;
    let notices = notices_of(&manifest, hello);
    assert_eq!(notices.len(), 2, "{notices:?}");
    let name = r#"its name is "g" in extension.json, and "h" in its hello"#;
    assert!(notices[0].contains(name), "{notices:?}");
    let version = r#"its version is "1.0.0" in extension.json, and "1.1.0" in its hello"#;
    assert!(notices[1].contains(version), "{notices:?}");
    let same = r#"echo '{"type":"hello","name":"g","version":"1.0.0"}'"#;
    assert_eq!(notices_of(&manifest, same), [""; 0]);
}

#[test]
fn events_that_no_host_sends_are_told() {
    let script = r#"echo '{"type":"hello","name":"g"}'
        echo '{"type":"subscribe","events":["turn_ended","turn_start","sunrise"]}'"#;
    let notices = notices_of(&serde_json::json!({"name": "g"}), script);
    assert_eq!(notices.len(), 2, "{notices:?}");
    assert!(notices[0].contains(r#""sunrise", which no known host sends"#), "{notices:?}");
    assert!(notices[0].contains("hosts have session_start, turn_start"), "{notices:?}");
    assert!(notices[1].contains(r#"did you mean "turn_end"?"#), "{notices:?}");
}

#[test]
fn a_member_that_nobody_reads_is_told_beside_a_failed_start() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = r#"{"name":"g","exec":"false","arg":["-c"]}"#;
    std::fs::write(folder.path().join("extension.json"), manifest).unwrap();
    for command in ["inspect", "run"] {
        let outcome = Extline::new().run(&[command, folder.path().to_str().unwrap()]);
        outcome.assert_code(3);
        outcome.assert_says(&["/arg is not read (did you mean \"args\"?)"]);
    }
}
