//! Hooks of agents whose hooks are modules: one file, which is ours as a whole.

use std::fs;

use serde_json::json;

use super::guarded;
use crate::machine::{Machine, clock, program, read};

const MARK: &str = "// Written by `extline install`";
const MODULES: [(&str, &str, &str, &str); 2] = [
    (
        "opencode",
        ".opencode/plugins/extline.js",
        ".config/opencode/plugins/extline.js",
        "\"tool.execute.before\": async",
    ),
    (
        "pi",
        ".pi/extensions/extline.js",
        ".pi/agent/extensions/extline.js",
        "pi.on(\"tool_call\", async",
    ),
];

/// The line of the file that asks an extension.
fn command(agent: &str, dir: &str) -> String {
    format!("  [{:?}, \"hook\", \"--agent\", {agent:?}, {dir:?}],\n", program())
}

#[test]
fn one_module_is_for_all_extensions() {
    for (agent, project, user, does) in MODULES {
        let machine = Machine::new();
        let (guard, clock) = (guarded(&machine), clock());
        let in_user = machine.home.path().join(user);
        for (words, file) in
            [(&["--scope", "project"][..], machine.project.path().join(project)), (&[], in_user)]
        {
            let run = |action: &str, more: &[&str]| {
                machine.ok(&[&[action, "--for", agent], words, more].concat())
            };
            let told = run("install", &["--dry-run", &guard]);
            assert!(told.stdout.contains("+ hooks.{tool"), "{told:?}");
            assert!(!file.exists());
            let told = run("install", &[&guard]);
            assert!(told.stdout.contains("its guards are asked before each tool of "), "{told:?}");
            let one = read(&file);
            assert!(one.starts_with(MARK) && one.contains(does), "{one}");
            let told = run("install", &[&guard]);
            assert!(told.stdout.contains("clock-shell is there already\n"), "{told:?}");
            let second = ["--hooks", "--name", "other", &clock];
            let told = run("install", &second);
            assert!(!told.stdout.contains("extline.js.extline-backup"), "{told:?}");
            let both = [command(agent, &guard), command(agent, &clock)].concat();
            assert_eq!(read(&file), one.replace(&command(agent, &guard), &both));
            let found = machine.ok(&["discover", "--json", "--for", agent]).json();
            let hooks = found["files"].as_array().unwrap().iter().find_map(|it| it.get("hooks"));
            assert_eq!(hooks.unwrap()[1]["dirs"], json!([clock]));
            run("uninstall", &["other"]);
            assert_eq!(read(&file), one);
            let json = run("uninstall", &["--json", &guard]).json();
            assert_eq!(json["hooks"]["deleted_file"], true);
            assert!(!file.exists(), "{agent}");
        }
        assert!(machine.project_files().is_empty());
    }
}

#[test]
fn only_a_module_of_ours_is_written_over_and_taken_out() {
    let machine = Machine::new();
    let guard = guarded(&machine);
    for (agent, project, ..) in MODULES {
        let words = ["--for", agent, "--scope", "project", &guard];
        let install = [&["install"], &words[..]].concat();
        let force = [&install[..], &["--force"]].concat();
        let foreign = "// of somebody, about extline\n";
        let file = machine.write(project, foreign);
        let told = machine.run(&install);
        told.assert_code(1);
        told.assert_says(&["extline.js: it was not written by `extline install`", "--force"]);
        machine.ok(&[&install[..], &["--no-hooks"]].concat());
        machine.ok(&[&["uninstall"], &words[..]].concat());
        assert_eq!(read(&file), foreign);
        let told = machine.ok(&force);
        assert!(told.stdout.contains("backup: "), "{told:?}");
        // One of an earlier version is written anew, and one without its list is refused.
        let ours = read(&file);
        fs::write(&file, format!("{ours}// more\n")).unwrap();
        let told = machine.ok(&install);
        assert!(told.stdout.contains("its hooks replaced"), "{told:?}");
        assert_eq!(read(&file), ours);
        fs::write(&file, ours.replace("const COMMANDS = [", "")).unwrap();
        machine.run(&install).assert_says(&["its list of commands was taken out"]);
        machine.ok(&force);
        assert_eq!(read(&file), ours);
        machine.ok(&[&["uninstall"], &words[..]].concat());
        assert!(!file.exists());
    }
}
