//! `extline config` and `--config`: what is shown and set, and what an extension gets of it.

#![cfg(unix)]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;

use support::Extline;

/// An extension that answers with its configuration, in plain Python.
const PROGRAM: &str = r#"
import json, sys
def write(**frame):
    print(json.dumps(frame), flush=True)
write(type="hello", name="weather", version="1.0.0")
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "hello_ack":
        config = frame.get("config")
        write(type="register_tool", name="config", description="tells", schema={"type": "object"})
        write(type="ready")
    elif frame["type"] == "tool_call":
        text = json.dumps(config, sort_keys=True)
        write(type="tool_result", id=frame["id"], content=[{"type": "text", "text": text}])
    elif frame["type"] == "shutdown":
        break
"#;

/// A folder with the extension, and a home of its own.
struct Scene {
    dir: TempDir,
    extline: Extline,
}

impl Scene {
    fn new(schema: &Value) -> Self {
        let scene = Self { dir: tempfile::tempdir().unwrap(), extline: Extline::new() };
        let manifest = json!({"name": "weather", "version": "1.0.0", "exec": "python3",
                              "args": ["-S", "weather.py"], "config_schema": schema});
        fs::write(scene.path("extension.json"), manifest.to_string()).unwrap();
        fs::write(scene.path("weather.py"), PROGRAM).unwrap();
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn folder(&self) -> String {
        self.dir.path().display().to_string()
    }

    /// Runs it with the folder behind the subcommand.
    fn run(&self, subcommand: &str, words: &[&str]) -> support::Outcome {
        let folder = self.folder();
        let words: Vec<&str> = [&[subcommand, &folder], words].concat();
        self.extline.run(&words)
    }

    fn told(&self, words: &[&str]) -> Value {
        let outcome = self.run("call", &[&["config"], words].concat());
        outcome.assert_code(0);
        serde_json::from_str(&outcome.stdout).unwrap()
    }
}

fn schema() -> Value {
    json!({"type": "object", "required": ["base_url"], "properties": {
        "base_url": {"type": "string", "description": "where the service is"},
        "timeout_ms": {"type": "integer", "default": 5000},
        "retry": {"type": "object", "properties": {"times": {"type": "integer"}}},
    }})
}

#[test]
fn what_is_missing_is_told_with_the_command_that_sets_it_and_then_it_works() {
    let scene = Scene::new(&schema());
    let folder = scene.folder();
    let outcome = scene.run("inspect", &[]);
    outcome.assert_code(3);
    assert!(outcome.stderr.contains("/base_url: required, and missing"), "{}", outcome.stderr);
    let command = format!("extline config {folder} base_url VALUE");
    assert!(outcome.stderr.contains(&command), "{}", outcome.stderr);

    scene.run("config", &["base_url", "https://x"]).assert_code(0);
    assert_eq!(scene.told(&[]), json!({"base_url": "https://x", "timeout_ms": 5000}));
    scene.run("inspect", &[]).assert_code(0);
}

#[test]
fn a_missing_secret_is_told_with_the_command_that_sets_it() {
    let schema = json!({"type": "object", "required": ["api_key"],
                        "properties": {"api_key": {"type": "string", "secret": true}}});
    let scene = Scene::new(&schema);
    let outcome = scene.run("inspect", &[]);
    outcome.assert_code(3);
    assert!(outcome.stderr.contains("/api_key: a secret that is required"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("extline secret set weather api_key"), "{}", outcome.stderr);
    let shown = scene.run("config", &[]);
    assert!(
        shown.stdout.contains("not set: extline secret set weather api_key"),
        "{}",
        shown.stdout
    );
    let refused = scene.run("config", &["api_key", "sesame"]);
    refused.assert_code(1);
    assert!(refused.stderr.contains("extline secret set weather api_key"), "{}", refused.stderr);
    assert!(!refused.stderr.contains("sesame"), "{}", refused.stderr);
}

#[test]
fn a_value_is_checked_before_it_is_written() {
    let scene = Scene::new(&schema());
    for (key, value, expected) in [
        ("timeout_ms", "\"soon\"", "/timeout_ms: must be an integer, and is \"soon\""),
        ("timeout_ms", "NaN", "/timeout_ms: must be an integer, and is \"NaN\""),
        ("timeoutms", "5", "/timeoutms: there is no such setting; there is base_url, retry.times"),
        ("__proto__", "{}", "/__proto__: there is no such setting"),
        ("retry.times", "{-x", "/retry/times: is not JSON"),
    ] {
        let outcome = scene.run("config", &[key, value]);
        outcome.assert_code(1);
        assert!(outcome.stderr.contains(expected), "{expected}: {}", outcome.stderr);
        assert!(outcome.stderr.contains("nothing was changed"), "{}", outcome.stderr);
    }
    let shown = scene.run("config", &["--json"]);
    let shown: Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!(shown["settings"][0]["origin"], "unset");
    assert_eq!(shown["faults"][0]["pointer"], "/base_url");
    assert!(!PathBuf::from(shown["file"].as_str().unwrap()).exists());
}

#[test]
fn settings_are_set_shown_and_taken_away() {
    let scene = Scene::new(&schema());
    scene.run("config", &["base_url", "5"]).assert_code(0);
    scene.run("config", &["retry.times", "-3"]).assert_code(0);
    assert_eq!(scene.run("config", &["base_url"]).stdout, "5\n");
    assert_eq!(scene.run("config", &["retry.times"]).stdout, "-3\n");
    let shown = scene.run("config", &[]).stdout;
    assert!(shown.contains("base_url     \"5\""), "{shown}");
    assert!(shown.contains("timeout_ms   5000  default"), "{shown}");
    assert!(shown.contains("where the service is"), "{shown}");
    let json: Value = serde_json::from_str(&scene.run("config", &["--json"]).stdout).unwrap();
    let file = json["file"].as_str().unwrap();
    assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(json["settings"][0]["value"], "5");
    scene.run("config", &["--unset", "retry.times"]).assert_code(0);
    assert!(scene.run("config", &["--unset", "retry.times"]).stdout.contains("nothing was set"));
    scene.run("config", &["retry.times"]).assert_code(1);
    let unknown = scene.extline.run(&["config", "nowhere"]);
    unknown.assert_code(2);
    assert!(unknown.stderr.contains("there is no extension nowhere"), "{}", unknown.stderr);
}

#[test]
fn a_file_of_the_command_line_lies_over_what_is_set() {
    let scene = Scene::new(&schema());
    scene.run("config", &["base_url", "https://x"]).assert_code(0);
    let file = scene.path("my.json");
    fs::write(&file, r#"{"timeout_ms": 1}"#).unwrap();
    let file = file.display().to_string();
    let both = json!({"base_url": "https://x", "timeout_ms": 1});
    assert_eq!(scene.told(&["--config", &file]), both);
    assert_eq!(scene.told(&["--config", &format!("weather={file}")]), both);
    fs::write(&file, r#"{"timeout_ms": "soon"}"#).unwrap();
    let refused = scene.run("call", &["config", "--config", &file]);
    refused.assert_code(3);
    let told = format!("/timeout_ms: must be an integer, and is \"soon\" ({file})");
    assert!(refused.stderr.contains(&told), "{}", refused.stderr);
    fs::write(&file, r#"{"timeout_ms": NaN}"#).unwrap();
    let refused = scene.run("call", &["config", "--config", &file]);
    refused.assert_code(2);
    assert!(refused.stderr.contains("is not a JSON value"), "{}", refused.stderr);
}

#[test]
fn a_tool_is_switched_off_by_its_user() {
    let scene = Scene::new(&json!({"type": "object"}));
    scene.run("config", &["--tool", "config", "enabled", "false"]).assert_code(0);
    let shown = scene.run("config", &["--tool", "config"]).stdout;
    assert_eq!(shown, "config: enabled false\n");
    let refused = scene.run("call", &["config"]);
    refused.assert_code(1);
    assert!(refused.stderr.contains("config is disabled by its user, in /"), "{}", refused.stderr);
    let wrong = scene.run("config", &["--tool", "config", "timeout_ms", "soon"]);
    wrong.assert_code(1);
    assert!(
        wrong.stderr.contains("/tools/config/timeout_ms: must be a number"),
        "{}",
        wrong.stderr
    );
    scene.run("config", &["--tool", "config", "--unset", "enabled"]).assert_code(0);
    assert_eq!(scene.told(&[]), json!({}));
}

#[test]
fn a_tool_is_described_by_its_user() {
    let scene = Scene::new(&json!({"type": "object"}));
    let describe = |words: &[&str]| {
        let folder = scene.folder();
        let words: Vec<_> = [&["ext", "describe", &folder, "config"], words].concat();
        scene.extline.run(&words)
    };
    let set = describe(&["Tells its settings."]);
    set.assert_code(0);
    assert!(set.stdout.starts_with("set config: description in "), "{}", set.stdout);
    describe(&["--parameter", "a/b", "-1 or more"]).assert_code(0);
    assert_eq!(describe(&[]).stdout, "Tells its settings.\n");
    assert_eq!(describe(&["--parameter", "/properties/a~1b"]).stdout, "-1 or more\n");
    let shown = scene.run("config", &["--tool", "config"]).stdout;
    assert_eq!(
        shown,
        "config: description \"Tells its settings.\", /properties/a~1b \"-1 or more\"\n"
    );
    assert!(scene.run("inspect", &[]).stdout.contains("Tells its settings."));

    let empty = describe(&[""]);
    empty.assert_code(1);
    empty.assert_says(&[
        "/tools/config/description: is empty; take it away to have the author's words",
    ]);
    describe(&["--unset"]).assert_code(0);
    let gone = describe(&[]);
    gone.assert_code(1);
    gone.assert_says(&["description is not set for config"]);
    assert!(!scene.run("inspect", &[]).stdout.contains("Tells its settings."));
}
