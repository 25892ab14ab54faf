//! `extline secret`: what is set, listed and removed, and that a value is nowhere afterwards.

#![cfg(unix)]

mod support;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use support::{Extline, Outcome, Screen, in_terminal, repository};

const VALUE: &str = "swordfish \"7\" of the sea";

/// Asks for its secret, and writes it wherever an extension can; `how` says how it ends.
const WEATHER: &str = r#"
import json, sys
def say(**frame): print(json.dumps(frame), flush=True)
say(type="hello", name="weather", version="1.0.0", capabilities=["tools", "rpc", "log"])
for tool in ["weather", "die"]:
    say(type="register_tool", name=tool, description="d", schema={"type": "object"})
say(type="register_command", name="forecast", description="d")
say(type="ready")
call = None
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "tool_call":
        call = frame
        say(type="request", id="1", method="secret.get", params={"name": "KEY_OF_TEST", "purpose": "to ask"})
    elif frame["type"] == "response":
        key = frame.get("result", {}).get("value")
        if key is None:
            say(type="tool_result", id=call["id"], content=[{"type": "text", "text": frame["error"]["message"]}],
                is_error=True)
            continue
        print("half of", key[:5], end="", file=sys.stderr, flush=True)
        print(key[5:], "and", repr({"key": key}), json.dumps({"key": key}), file=sys.stderr, flush=True)
        print(key, flush=True)
        say(type="log", level="warn", message="log " + key, fields={"key": key})
        say(type="notify", level="info", message="note " + key)
        say(type=key)
        say(type="tool_update", id=call["id"], progress={"message": "still " + key})
        if call["name"] == "die":
            raise RuntimeError("no answer for " + key)
        how = call["args"].get("how")
        say(type="tool_result", id=call["id"], content=[{"type": "text", "text": "failed with " + key}],
            is_error=how != "well") if how != "quietly" else say(
            type="tool_result", id=call["id"], content=[{"type": "text", "text": "asked"}])
    elif frame["type"] == "shutdown":
        say(type="shutdown_ack")
        break
"#;

struct Weather {
    extline: Extline,
    folder: tempfile::TempDir,
}

impl Weather {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let manifest = json!({
            "name": "weather", "exec": "python3", "args": ["-S", "weather.py"],
            "permissions": {"secrets": ["KEY_OF_TEST"]},
        });
        fs::write(folder.path().join("extension.json"), manifest.to_string()).unwrap();
        fs::write(folder.path().join("weather.py"), WEATHER).unwrap();
        Self { extline: Extline::new(), folder }
    }

    fn folder(&self) -> &str {
        self.folder.path().to_str().unwrap()
    }

    fn run(&self, words: &[&str]) -> Outcome {
        self.extline.run(words)
    }

    fn set(&self, value: &str) -> Outcome {
        let words = ["secret", "set", self.folder(), "KEY_OF_TEST"];
        self.extline.run_with_input(&words, &format!("{value}\n"))
    }

    fn list(&self) -> Value {
        self.run(&["secret", "list", "--json", self.folder()]).json()
    }
}

#[track_caller]
fn assert_unseen(text: &str) {
    assert!(!text.contains("swordfish") && !text.contains("of the sea"), "{text}");
}

fn assert_nowhere(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            assert_nowhere(&path);
        } else {
            assert_unseen(&String::from_utf8_lossy(&fs::read(&path).unwrap()));
        }
    }
}

#[test]
fn what_is_missing_is_told_with_what_sets_it_and_works_then() {
    let weather = Weather::new();
    let inspected = weather.run(&["inspect", weather.folder()]);
    let missing = "  KEY_OF_TEST  not set: extline secret set weather KEY_OF_TEST\n";
    assert!(inspected.stdout.contains(missing), "{inspected:?}");
    let called = weather.run(&["call", weather.folder(), "weather", r#"{"how":"quietly"}"#]);
    called.assert_code(1);
    called.assert_says(&["extline secret set weather KEY_OF_TEST"]);

    weather.set(VALUE).assert_code(0);
    let called = weather.run(&["call", weather.folder(), "weather", r#"{"how":"quietly"}"#]);
    called.assert_code(0);
    assert_eq!(called.stdout, "asked\n");
    let inspected = weather.run(&["inspect", "--json", weather.folder()]).json();
    let listed = json!([{"name": "KEY_OF_TEST", "declared": true, "set": true, "source": "file"}]);
    assert_eq!(inspected["secrets"], listed);
}

#[test]
fn a_secret_is_set_listed_and_removed() {
    let weather = Weather::new();
    assert_eq!(weather.run(&["secret", "list"]).stdout, "no secrets are set\n");
    weather.set("of the folder").assert_code(0);
    let by_name = ["secret", "set", "weather", "OTHER_OF_TEST"];
    weather.extline.run_with_input(&by_name, "lines\nof it\r\n").assert_code(0);
    let listed = json!({"extension": "weather", "secrets": [
        {"name": "KEY_OF_TEST", "declared": true, "set": true, "source": "file"},
        {"name": "OTHER_OF_TEST", "declared": false, "set": true, "source": "file"},
    ]});
    assert_eq!(weather.list(), listed);
    let listed = weather.run(&["secret", "list"]).stdout;
    assert_eq!(listed, "weather\n  KEY_OF_TEST  set (file)\n  OTHER_OF_TEST  set (file)\n");
    weather.run(&["secret", "remove", "weather", "KEY_OF_TEST"]).assert_code(0);
    let again = weather.run(&["secret", "remove", weather.folder(), "KEY_OF_TEST"]);
    again.assert_code(1);
    again.assert_says(&["KEY_OF_TEST of weather is not set"]);
    assert_eq!(weather.list()["secrets"][0]["set"], false);
}

#[test]
fn a_value_is_no_argument_and_is_not_shown_again() {
    let weather = Weather::new();
    for words in [["KEY_OF_TEST", VALUE], ["KEY_OF_TEST", "--swordfish"], ["KEY=swordfish", ""]] {
        let words = words.iter().filter(|word| !word.is_empty());
        let words: Vec<_> = ["secret", "set", "weather"].iter().chain(words).copied().collect();
        let outcome = weather.run(&words);
        outcome.assert_code(2);
        outcome.assert_says(&["a value is no argument"]);
        assert_unseen(&format!("{outcome:?}"));
    }
    let empty = weather.set("");
    empty.assert_code(1);
    empty.assert_says(&["the value is empty, and nothing is set"]);
    let nobody = weather.extline.run_with_input(&["secret", "set", "./no-such-folder", "A"], "v");
    nobody.assert_code(1);
    nobody.assert_says(&["there is no such folder"]);
    let undeclared = ["secret", "set", weather.folder(), "OTHER"];
    let undeclared = weather.extline.run_with_input(&undeclared, "value\n");
    undeclared.assert_code(0);
    undeclared.assert_says(&["add \"OTHER\" to permissions.secrets"]);
}

#[test]
fn on_a_terminal_it_is_typed_unseen() {
    let extline = Extline::new();
    let steps = [
        json!({"expect": "not shown: "}),
        json!({"send": "swordfish\r"}),
        json!({"expect": "is set"}),
    ];
    let screen: Screen =
        in_terminal(&extline, true, &steps, &["secret", "set", "weather", "KEY_OF_TEST"]);
    assert!(screen.restored && screen.code == 0, "{screen:?}");
    assert_unseen(&screen.output);
    let listed = extline.run(&["secret", "list", "weather"]).stdout;
    assert_eq!(listed, "weather\n  KEY_OF_TEST  set (file)\n");
}

#[test]
fn a_value_is_nowhere() {
    let weather = Weather::new();
    assert_unseen(&format!("{:?}", weather.set(VALUE)));
    let home = weather.extline.home();
    let trace = home.join("trace.jsonl");
    let audit = home.join("audit.jsonl");
    let kept = ["--redact", "--trace", trace.to_str().unwrap(), "--audit", audit.to_str().unwrap()];
    let args = json!({ "key": VALUE }).to_string();
    for (tool, code) in [("weather", 1), ("die", 4)] {
        for json in [&[][..], &["--json"][..]] {
            // What is behind the tool is a model's: it stands in the trace.
            let words = [&["call"], json, &kept[..], &[weather.folder(), tool, &args]].concat();
            let outcome = weather.run(&words);
            // A result as JSON is the answer itself.
            if tool == "die" || json.is_empty() {
                assert_unseen(&outcome.stdout);
            }
            assert_unseen(&outcome.stderr);
            outcome.assert_code(code);
            assert!(fs::read_to_string(&trace).unwrap().contains("***"));
            assert_nowhere(home);
        }
    }
    let lines = format!("!weather {args}\n!die {args}\n:frames\n");
    let words = [&["run"], &kept[..], &[weather.folder()]].concat();
    let outcome = weather.extline.run_with_input(&words, &lines);
    // The line that was typed is shown as it is.
    let said = outcome.stdout.lines().filter(|line| !line.starts_with("> "));
    assert_unseen(&said.collect::<Vec<_>>().join("\n"));
    assert_unseen(&outcome.stderr);
    for words in [
        &["inspect"][..],
        &["inspect", "--json"],
        &["secret", "list"],
        &["secret", "list", "--json"],
    ] {
        let folder =
            if words[0] == "inspect" || words.len() == 3 { &[weather.folder()][..] } else { &[] };
        assert_unseen(&format!("{:?}", weather.run(&[words, folder].concat())));
    }
    assert_nowhere(home);
    let log = fs::read_to_string(home.join("logs/weather.log")).unwrap();
    assert!(log.contains("half of ***") && log.contains("warn: log ***"), "{log}");
}

#[test]
fn the_result_is_the_model_s() {
    let weather = Weather::new();
    weather.set(VALUE).assert_code(0);
    let called = weather.run(&["call", weather.folder(), "weather", r#"{"how":"well"}"#]);
    called.assert_code(0);
    assert_eq!(called.stdout, format!("failed with {VALUE}\n"));
}

#[test]
fn the_shell_of_the_page_asks() {
    let page = fs::read_to_string(repository().join("docs/secrets.md")).unwrap();
    let (_, after) = page.split_once(" weather.sh\n").unwrap();
    let script = after.split_once("```\n").unwrap().0;
    assert!(script.lines().count() <= 22, "it is to be short");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("weather.sh"), script).unwrap();
    let manifest = json!({
        "name": "weather", "exec": "sh", "args": ["weather.sh"],
        "permissions": {"secrets": ["OPENWEATHER_KEY"]},
    });
    fs::write(folder.path().join("extension.json"), manifest.to_string()).unwrap();
    let extline = Extline::new();
    let words = ["call", folder.path().to_str().unwrap(), "weather"];
    assert_eq!(extline.run(&words).stdout, "there is no key\n");
    let set = ["secret", "set", "weather", "OPENWEATHER_KEY"];
    extline.run_with_input(&set, "swordfish").assert_code(0);
    assert_eq!(extline.run(&words).stdout, "asked with my key\n");
}

#[test]
fn the_rust_of_the_page_asks() {
    let path = repository().join("sdk-rust/examples/secret.rs");
    let example = fs::read_to_string(path).unwrap();
    let (head, program) = example.split_once("\n\n").unwrap();
    assert!(head.lines().all(|line| line.starts_with("//! ")), "{head}");
    let page = fs::read_to_string(repository().join("docs/secrets.md")).unwrap();
    let (_, after) = page.split_once(" weather.rs\n").unwrap();
    assert_eq!(program, after.split_once("```\n").unwrap().0);
    let built = support::built_example("extline", "secret");
    let folder = tempfile::tempdir().unwrap();
    let manifest = json!({
        "name": "weather", "exec": built, "permissions": {"secrets": ["OPENWEATHER_KEY"]},
    });
    fs::write(folder.path().join("extension.json"), manifest.to_string()).unwrap();
    let extline = Extline::new();
    let set = ["secret", "set", folder.path().to_str().unwrap(), "OPENWEATHER_KEY"];
    extline.run_with_input(&set, "swordfish").assert_code(0);
    let words = ["call", folder.path().to_str().unwrap(), "weather", r#"{"city":"Berlin"}"#];
    assert_eq!(extline.run(&words).stdout, "asked about Berlin with ***\n");
}
