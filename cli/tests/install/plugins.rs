//! Hooks of goose, which stand in a plugin. What else it needs of an extension a person adds.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{guarded, line};
use crate::machine::{Machine, clock, files, program, read};

const HOOKS: &str = ".agents/plugins/extline/hooks/hooks.json";
const PLUGIN: &str = ".agents/plugins/extline/plugin.json";

fn json_of(file: &Path) -> Value {
    serde_json::from_str(&read(file)).unwrap()
}

/// The hooks for these, as its page has them: no pattern, and blocked where there is no decision.
fn hooks(dirs: &[&str]) -> Value {
    let events = [
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "UserPromptSubmit",
        "SessionStart",
        "SessionEnd",
    ];
    let list = |event: &str| {
        let list = dirs.iter().map(|dir| {
            let command = line("goose", dir);
            let mut hook = json!({ "type": "command", "command": command, "timeout": 60 });
            if event == "PreToolUse" {
                hook["command"] = format!("{command} || exit 2").into();
                hook["on_failure"] = "block".into();
            }
            json!({ "hooks": [hook] })
        });
        (event.to_owned(), list.collect::<Value>())
    };
    Value::Object(events.into_iter().map(list).collect())
}

#[test]
fn goose_gets_a_plugin_with_hooks_and_is_told_the_rest() {
    let machine = Machine::new();
    let (guard, clock) = (guarded(&machine), clock());
    let yaml = format!("cmd: {:?}\n        args: [\"mcp\", {guard:?}]\n", program());
    for (words, folder) in
        [(&["--scope", "project"][..], machine.project.path()), (&[], machine.home.path())]
    {
        let (file, plugin) = (folder.join(HOOKS), folder.join(PLUGIN));
        let before = files(folder);
        let run = |action: &str, more: &[&str]| {
            machine.ok(&[&[action, "--for", "goose"], words, more].concat())
        };
        let told = run("install", &["--dry-run", &guard]);
        assert!(told.stdout.contains("clock-shell hooks would be added"), "{told:?}");
        assert_eq!(files(folder), before);
        let told = run("install", &[&guard]);
        for part in ["its guards are asked before each tool of goose", &yaml] {
            assert!(told.stdout.contains(part), "{told:?}");
        }
        assert_eq!(json_of(&file), json!({ "hooks": hooks(&[&guard]) }));
        let manifest = json_of(&plugin);
        assert_eq!((&manifest["name"], &manifest["version"]), (&json!("extline"), &json!("1.0.0")));
        let told = run("install", &[&guard]);
        assert!(told.stdout.contains("clock-shell is there already\n"), "{told:?}");
        run("install", &["--hooks", "--name", "other", &clock]);
        assert_eq!(json_of(&file)["hooks"], hooks(&[&guard, &clock]));
        let found = machine.ok(&["discover", "--json", "--for", "goose"]).json();
        assert_eq!(found["files"][0]["hooks"][1]["dirs"], json!([clock]));
        // By its folder, and by what is left of its name.
        run("uninstall", &[&clock]);
        assert_eq!(json_of(&file)["hooks"], hooks(&[&guard]));
        assert!(plugin.exists());
        let json = run("uninstall", &["--json", "guard"]).json();
        assert_eq!(json["hooks"]["action"], "removed");
        for left in files(folder).into_iter().filter(|it| !before.contains(it)) {
            // The backup of what `clock` was added to.
            assert!(left.starts_with(folder.join(HOOKS).parent().unwrap()), "{}", left.display());
            fs::remove_file(left).unwrap();
        }
    }
}

#[test]
fn the_plugin_goes_with_its_last_hook_and_only_what_is_ours() {
    let machine = Machine::new();
    let guard = guarded(&machine);
    let words = ["--for", "goose", "--scope", "project", &guard];
    machine.ok(&[&["install"], &words[..]].concat());
    machine.ok(&[&["uninstall"], &words[..]].concat());
    assert!(!machine.project.path().join(".agents/plugins/extline").exists());
    assert!(machine.project.path().join(".agents/plugins").exists());
    // What somebody made of it stays.
    let own = machine.write(PLUGIN, "{\"name\": \"extline\", \"version\": \"2.0.0\"}\n");
    let told = machine.ok(&[&["install", "--json"], &words[..]].concat()).json();
    assert!(told["by_hand"].as_str().unwrap().contains("type: stdio"), "{told}");
    machine.ok(&[&["uninstall"], &words[..]].concat());
    assert_eq!(machine.project_files(), [own]);
    let told = machine.run(&["uninstall", "--for", "goose", "--scope", "project", "clock-shell"]);
    told.assert_code(2);
    told.assert_says(&["clock-shell is not in ", "hooks.json", "none is installed there"]);
    machine.ok(&[&["install"], &words[..]].concat());
    let told = machine.run(&["uninstall", "--for", "goose", "--scope", "project", "other"]);
    told.assert_says(&[&format!("installed there: {guard}")]);
    machine.ok(&["uninstall", "--for", "goose", "--scope", "project", "clock-shell"]);
}

#[test]
fn without_hooks_nothing_is_written_for_anybody() {
    let machine = Machine::new();
    let guard = guarded(&machine);
    let words = ["install", "--for", "cursor", "--for", "goose", "--scope", "project"];
    for more in [&[&*clock()][..], &["--no-hooks", &guard]] {
        let told = machine.run(&[&words[..], more].concat());
        told.assert_code(1);
        told.assert_says(&["goose reads YAML, which is not edited here", "type: stdio"]);
        assert!(machine.project_files().is_empty());
    }
}
