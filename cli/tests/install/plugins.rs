//! goose, whose servers and hooks stand in a plugin.

use std::path::Path;

use serde_json::{Value, json};

use super::{guarded, line};
use crate::machine::{Machine, clock, files, program, read};

const SERVERS: &str = ".agents/plugins/extline/.mcp.json";
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

/// The servers for these, by their names.
fn servers(dirs: &[(&str, &str)]) -> Value {
    let entry = |(name, dir): &(&str, &str)| {
        ((*name).to_owned(), json!({ "command": program(), "args": ["mcp", dir] }))
    };
    Value::Object(dirs.iter().map(entry).collect())
}

#[test]
fn goose_gets_a_plugin_with_servers_and_hooks() {
    let machine = Machine::new();
    let (guard, clock) = (guarded(&machine), clock());
    for (words, folder) in
        [(&["--scope", "project"][..], machine.project.path()), (&[], machine.home.path())]
    {
        let [mcp, file, plugin] = [SERVERS, HOOKS, PLUGIN].map(|name| folder.join(name));
        let before = files(folder);
        let run = |action: &str, more: &[&str]| {
            machine.ok(&[&[action, "--for", "goose"], words, more].concat())
        };
        let told = run("install", &["--dry-run", &guard]);
        assert!(told.stdout.contains("clock-shell would be added"), "{told:?}");
        assert_eq!(files(folder), before);
        let told = run("install", &[&guard]);
        assert!(told.stdout.contains("its guards are asked before each tool of goose"), "{told:?}");
        assert_eq!(json_of(&mcp)["mcpServers"], servers(&[("clock-shell", &guard)]));
        assert_eq!(json_of(&file), json!({ "hooks": hooks(&[&guard]) }));
        let manifest = json_of(&plugin);
        assert_eq!((&manifest["name"], &manifest["version"]), (&json!("extline"), &json!("1.0.0")));
        let told = run("install", &[&guard]);
        assert!(told.stdout.contains("clock-shell is there already\n"), "{told:?}");
        run("install", &["--hooks", "--name", "other", &clock]);
        assert_eq!(json_of(&file)["hooks"], hooks(&[&guard, &clock]));
        let both = servers(&[("clock-shell", &guard), ("other", &clock)]);
        assert_eq!(json_of(&mcp)["mcpServers"], both);
        let found = machine.ok(&["discover", "--json", "--for", "goose"]).json();
        let all = found["files"].as_array().unwrap();
        let hooks_of = |name: &str| all.iter().find(|it| it["hooks"][1]["dirs"] == json!([name]));
        assert!(hooks_of(&clock).is_some(), "{found}");
        // By its folder, and by its name.
        run("uninstall", &[&clock]);
        assert_eq!(json_of(&file)["hooks"], hooks(&[&guard]));
        assert!(plugin.exists());
        let json = run("uninstall", &["--json", "clock-shell"]).json();
        assert_eq!(json["hooks"]["action"], "removed");
        assert_eq!(files(folder), before);
    }
}

#[test]
fn the_plugin_goes_with_its_last_entry_and_only_what_is_ours() {
    let machine = Machine::new();
    let guard = guarded(&machine);
    let words = ["--for", "goose", "--scope", "project", &guard];
    machine.ok(&[&["install"], &words[..]].concat());
    machine.ok(&[&["uninstall"], &words[..]].concat());
    assert!(!machine.project.path().join(".agents/plugins/extline").exists());
    assert!(machine.project.path().join(".agents/plugins").exists());
    // What somebody made of it stays.
    let own = machine.write(PLUGIN, "{\"name\": \"extline\", \"version\": \"2.0.0\"}\n");
    machine.ok(&[&["install"], &words[..]].concat());
    machine.ok(&[&["uninstall"], &words[..]].concat());
    assert_eq!(machine.project_files(), [own]);
    let told = machine.run(&["uninstall", "--for", "goose", "--scope", "project", "clock-shell"]);
    told.assert_code(2);
    told.assert_says(&["clock-shell is not in ", "hooks.json", "none is installed there"]);
}

#[test]
fn without_hooks_it_is_a_plugin_too() {
    let machine = Machine::new();
    let guard = guarded(&machine);
    let words = ["--for", "goose", "--scope", "project"];
    for (more, dir) in [(&[][..], &*clock()), (&["--no-hooks"], &guard)] {
        machine.ok(&[&["install"], &words[..], more, &[dir]].concat());
        let folder = machine.project.path();
        assert_eq!(machine.project_files(), [folder.join(SERVERS), folder.join(PLUGIN)]);
        machine.ok(&[&["uninstall"], &words[..], &["clock-shell"]].concat());
        assert!(machine.project_files().is_empty());
    }
}
