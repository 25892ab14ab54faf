//! Hooks in the files of agents.

#[path = "modules.rs"]
mod modules;
#[path = "plugins.rs"]
mod plugins;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::machine::{Machine, clock, copy_clock, files, program, read};
use crate::published::validates;
use crate::support::outcome;

const CLAUDE: &str = ".claude/settings.json";

/// An extension whose manifest declares a guard.
fn guarded(machine: &Machine) -> String {
    let folder = machine.home.path().join("guard");
    copy_clock(&folder);
    let manifest = folder.join("extension.json");
    let text = read(&manifest).replace("\"version\"", "\"guards\": [\"tool_call\"], \"version\"");
    fs::write(manifest, text).unwrap();
    folder.to_str().unwrap().to_owned()
}

fn install(machine: &Machine, agent: &str, dir: &str) {
    machine.ok(&["install", "--for", agent, "--scope", "project", dir]);
}

fn uninstall(machine: &Machine, agent: &str, what: &str) {
    machine.ok(&["uninstall", "--for", agent, "--scope", "project", what]);
}

/// The command of a hook.
fn line(agent: &str, dir: &str) -> String {
    format!("{} hook --agent {agent} {dir}", program())
}

#[test]
fn each_agent_gets_the_hooks_that_it_documents() {
    let claude =
        "PreToolUse! PostToolUse* PostToolUseFailure* UserPromptSubmit SessionStart SessionEnd";
    let common = "PreToolUse! PostToolUse* UserPromptSubmit SessionStart SessionEnd";
    let cursor =
        "preToolUse! postToolUse postToolUseFailure beforeSubmitPrompt sessionStart sessionEnd";
    for (agent, project, user, events, timeout) in [
        ("claude", CLAUDE, CLAUDE, claude, 60),
        ("codex", ".codex/hooks.json", ".codex/hooks.json", common, 60),
        ("cursor", ".cursor/hooks.json", ".cursor/hooks.json", cursor, 60),
        (
            "gemini",
            ".gemini/settings.json",
            ".gemini/settings.json",
            "BeforeTool! AfterTool* BeforeAgent SessionStart SessionEnd",
            60_000,
        ),
        ("qwen", ".qwen/settings.json", ".qwen/settings.json", common, 60_000),
        ("crush", ".crush.json", ".config/crush/crush.json", "PreToolUse!", 60),
        (
            "copilot",
            ".github/hooks/extline.json",
            ".copilot/hooks/extline.json",
            "preToolUse! postToolUse userPromptSubmitted sessionStart sessionEnd",
            60,
        ),
        (
            "vscode",
            ".github/hooks/extline-vscode.json",
            ".copilot/hooks/extline-vscode.json",
            "PreToolUse! PostToolUse UserPromptSubmit SessionStart",
            60,
        ),
        ("droid", ".factory/settings.json", ".factory/settings.json", common, 60),
    ] {
        let machine = Machine::new();
        let dir = guarded(&machine);
        let is_flat = ["cursor", "crush"].contains(&agent);
        let hook = |event: &str| {
            let name = event.trim_end_matches(['!', '*']);
            let is_call = event.ends_with('!');
            let timeout = if (agent, name) == ("codex", "SessionEnd") { 3 } else { timeout };
            let or_block = if is_call && agent != "cursor" { " || exit 2" } else { "" };
            let command = format!("{}{or_block}", line(agent, &dir));
            if agent == "copilot" {
                let named = format!("--agent copilot --event {name}");
                let command = command.replace("--agent copilot", &named);
                let hook = json!({ "type": "command", "bash": command, "timeoutSec": timeout });
                return (name.to_owned(), json!([hook]));
            }
            let mut hook = json!({ "command": command, "timeout": timeout });
            if is_flat {
                if is_call && agent == "cursor" {
                    hook["failClosed"] = true.into();
                }
                return (name.to_owned(), json!([hook]));
            }
            hook["type"] = "command".into();
            if agent == "vscode" {
                return (name.to_owned(), json!([hook]));
            }
            let mut group = json!({ "hooks": [hook] });
            if event != name {
                group["matcher"] = "*".into();
            }
            (name.to_owned(), json!([group]))
        };
        let wanted: Value = events.split(' ').map(hook).collect::<serde_json::Map<_, _>>().into();
        let in_user = machine.home.path().join(user);
        for (words, file) in
            [(&["--scope", "project"][..], machine.project.path().join(project)), (&[], in_user)]
        {
            let words = [&["--for", agent, &dir], words].concat();
            let told = machine.ok(&[&["install"], &*words].concat());
            assert!(told.stdout.contains("its guards are asked before each tool of "), "{told:?}");
            let written: Value = serde_json::from_str(&read(&file)).unwrap();
            assert_eq!(written["hooks"], wanted, "{agent}");
            match agent {
                "claude" => {
                    validates("claude-plugin", &json!({ "name": "x", "hooks": written["hooks"] }));
                }
                "codex" => validates("codex-hooks", &written),
                _ => {}
            }
            let has_version = ["cursor", "copilot", "vscode"].contains(&agent);
            assert_eq!(written.get("version").is_some(), has_version);
            let told = machine.ok(&[&["install"], &*words].concat());
            assert!(told.stdout.contains("clock-shell is there already\n"), "{told:?}");
            machine.ok(&[&["uninstall"], &*words].concat());
            assert!(!file.exists(), "{agent}");
        }
        assert!(machine.project_files().is_empty());
    }
}

#[test]
fn hooks_are_written_where_they_are_wanted() {
    let machine = Machine::new();
    let (guard, clock) = (guarded(&machine), clock());
    let hooks = machine.project.path().join(CLAUDE);
    let claude = ["install", "--for", "claude", "--scope", "project"];
    for (words, has_hooks, says) in [
        (&[&*guard][..], true, "none is used where they cannot be asked"),
        (&[&*guard, "--no-hooks"], false, "if it has guards, they hold for its own tools and not"),
        (&[&*clock], false, "with --hooks they hold for both"),
        (&[&*clock, "--hooks"], true, "`/hooks` shows them"),
        (&["--hooks", "--name", "x", "--", "sh", "-c", "exit"], true, "/sh -c exit"),
    ] {
        let told = machine.ok(&[&claude, words].concat());
        assert!(told.stdout.contains(says), "{told:?}");
        assert_eq!(hooks.exists(), has_hooks, "{words:?}");
        uninstall(&machine, "claude", if words.contains(&"x") { "x" } else { "clock-shell" });
        assert!(machine.project_files().is_empty());
    }
    // A second time they are added to what is there.
    install(&machine, "claude", &clock);
    let told = machine.ok(&[&claude[..], &["--hooks", &clock]].concat());
    assert!(told.stdout.contains("clock-shell is there already, its hooks added\n"), "{told:?}");
    let told = machine.run(&[&claude[..], &["--for", "zed", "--hooks", &clock]].concat());
    told.assert_code(2);
    told.assert_says(&[
        "no hooks are written for Zed",
        "claude, codex, cursor, vscode, gemini, qwen, copilot, droid, opencode, crush, pi, goose",
    ]);
    let told = machine.ok(&["install", "--for", "zed", "--scope", "project", &guard]);
    assert!(told.stdout.contains("of Zed, for which no hooks are written"), "{told:?}");
    machine.run(&[&claude[..], &["--hooks", "--no-hooks", &clock]].concat()).assert_code(2);
}

/// Files as they are found. `@` is the command of a hook before a call.
const FILES: [(&str, &str, &str, Option<&str>); 8] = [
    ("claude", CLAUDE, "{\"model\":\"x\"}", None),
    (
        "claude",
        CLAUDE,
        "{\n    \"hooks\": {\n        \"Stop\": [\n            {\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}\n        ],\n        \"PreToolUse\": [\n            {\n                \"matcher\": \"Bash\",\n                \"hooks\": [{\"type\": \"command\", \"command\": \"my-check\", \"timeout\": 5}]\n            }\n        ]\n    },\n    \"model\": \"x\"\n}\n",
        None,
    ),
    (
        "crush",
        "crush.json",
        "{\r\n\t\"hooks\": {\r\n\t\t\"PreToolUse\": [\r\n\t\t\t{ \"command\": \"./mine.sh\", \"matcher\": \"^bash$\" }\r\n\t\t]\r\n\t},\r\n\t\"mcp\": {\r\n\t\t\"a\": {}\r\n\t}\r\n}\r\n",
        Some(
            "{\r\n\t\"hooks\": {\r\n\t\t\"PreToolUse\": [\r\n\t\t\t{ \"command\": \"./mine.sh\", \"matcher\": \"^bash$\" },\r\n\t\t\t{\r\n\t\t\t\t\"command\": @,\r\n\t\t\t\t\"timeout\": 60\r\n\t\t\t}\r\n\t\t]\r\n\t},\r\n\t\"mcp\": {\r\n\t\t\"a\": {},\r\n\t\t\"clock-shell\": {\r\n\t\t\t\"type\": \"stdio\",\r\n\t\t\t\"command\": PROGRAM,\r\n\t\t\t\"args\": [\"mcp\", DIR]\r\n\t\t}\r\n\t}\r\n}\r\n",
        ),
    ),
    (
        "crush",
        "crush.json",
        "\u{feff}{\"hooks\":{\"PreToolUse\":[{\"command\":\"x\"}]},\"mcp\":{\"a\":{}}}",
        Some(
            "\u{feff}{\"hooks\":{\"PreToolUse\":[{\"command\":\"x\"},{\"command\":@,\"timeout\":60}]},\"mcp\":{\"a\":{},\"clock-shell\":{\"type\":\"stdio\",\"command\":PROGRAM,\"args\":[\"mcp\",DIR]}}}",
        ),
    ),
    (
        "cursor",
        ".cursor/hooks.json",
        "// mine\n{\n  \"version\": 1, // the only one\n  \"hooks\": {\n    \"stop\": [{ \"command\": \"x\" }], // ]\n    // end\n  },\n}\n",
        None,
    ),
    (
        "cursor",
        ".cursor/hooks.json",
        "{\n  \"version\": 1,\n  \"hooks\": {\n    \"preToolUse\": [\n      { \"command\": \"x\" }, // mine\n    ],\n  },\n}\n",
        None,
    ),
    (
        "gemini",
        ".gemini/settings.json",
        "{\n  // hooks of mine\n  \"hooks\": {\n    \"AfterTool\": [\n      {\n        \"matcher\": \"write_.*\",\n        \"hooks\": [ { \"type\": \"command\", \"command\": \"fmt\" } ]\n      } // }\n    ]\n  },\n  \"hooksConfig\": { \"enabled\": true }\n}",
        None,
    ),
    ("codex", ".codex/hooks.json", "{\n  \"description\": \"mine\"\n}\n", None),
];

#[test]
fn hooks_of_others_keep_their_bytes() {
    for (agent, name, before, after) in FILES {
        let machine = Machine::new();
        let dir = guarded(&machine);
        let file = machine.write(name, before);
        install(&machine, agent, &dir);
        let installed = read(&file);
        if let Some(after) = after {
            let command = format!("{} || exit 2", line(agent, &dir));
            let filled = after.replace('@', &format!("{command:?}"));
            let filled = filled.replace("PROGRAM", &format!("{:?}", program()));
            assert_eq!(installed, filled.replace("DIR", &format!("{dir:?}")));
        }
        let backup = PathBuf::from(format!("{}.extline-backup", file.display()));
        assert_eq!(read(&backup), before);
        uninstall(&machine, agent, &dir);
        assert_eq!((read(&file), backup.exists()), (before.to_owned(), false), "{agent}");
        assert_eq!(machine.project_files(), [&*file]);
        // The same without the backup: then they are taken out of the text.
        install(&machine, agent, &dir);
        fs::write(&backup, "{\"another\": true}").unwrap();
        uninstall(&machine, agent, &dir);
        assert_eq!(read(&file), before);
    }
}

#[test]
fn what_is_broken_is_refused_with_both_files() {
    for (agent, name, text, says) in [
        ("claude", CLAUDE, "{\n  \"hooks\": {\n", "line 2: it is not JSON"),
        ("claude", CLAUDE, "{\n  // no\n}\n", "line 2: it is not JSON as this agent reads it"),
        ("claude", CLAUDE, "[]", "line 1: it is no object"),
        (
            "codex",
            ".codex/hooks.json",
            "{\n\"hooks\": []}",
            "line 2: `hooks` is no table of events",
        ),
        (
            "claude",
            CLAUDE,
            "{\"hooks\": {\n\"PreToolUse\": {}}}",
            "line 2: `hooks.PreToolUse` is no list of hooks",
        ),
        (
            "cursor",
            ".cursor/hooks.json",
            "{\"hooks\": {},\n \"hooks\": {}}",
            "`hooks` is there twice",
        ),
        (
            "cursor",
            ".cursor/hooks.json",
            "{\"hooks\": {\"stop\": [],\n \"stop\": []}}",
            "line 2: `stop` is there twice",
        ),
        ("cursor", ".cursor/hooks.json", "{\n \"version\": 2}", "line 2: `version` is not 1"),
    ] {
        let machine = Machine::new();
        let dir = guarded(&machine);
        let file = machine.write(name, text);
        let told = machine.run(&["install", "--for", agent, "--scope", "project", &dir]);
        told.assert_code(1);
        told.assert_says(&[name, says, "nothing was written"]);
        assert_eq!((read(&file), machine.project_files()), (text.to_owned(), vec![file]));
        // What does not name the program is not read for an entry without hooks.
        machine.ok(&["install", "--for", agent, "--scope", "project", "--no-hooks", &dir]);
        uninstall(&machine, agent, &dir);
    }
}

#[test]
fn where_one_file_cannot_be_written_no_file_is() {
    let machine = Machine::new();
    let dir = guarded(&machine);
    let servers = machine.write(".mcp.json", "{ }\n");
    // More than a process may write here; its backup is there, so that writing begins.
    let long = format!("{{\"long\": \"{}\"}}", "x".repeat(100_000));
    let hooks = machine.write(CLAUDE, &long);
    let backup = machine.write(".claude/settings.json.extline-backup", &long);
    let mut install = machine.command(&["install", "--for", "claude", "--scope", "project", &dir]);
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 8; exec \"$@\"", "sh"]);
    shell.arg(install.get_program()).args(install.get_args());
    shell.current_dir(machine.project.path()).stdin(Stdio::null());
    for (name, value) in install.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let told = outcome(shell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
    told.assert_code(1);
    told.assert_says(&["settings.json: it cannot be written: ", "nothing was written"]);
    assert_eq!((read(&servers), read(&hooks)), ("{ }\n".to_owned(), long));
    assert_eq!(machine.project_files(), [hooks, backup, servers]);
    // The same without that limit.
    outcome(install.spawn().unwrap()).assert_code(0);
    assert!(read(&machine.project.path().join(CLAUDE)).contains("PreToolUse"));
}

#[test]
fn a_tool_whose_guard_is_gone_is_blocked() {
    let machine = Machine::new();
    let link = machine.home.path().join("bin dir/extline");
    fs::create_dir(link.parent().unwrap()).unwrap();
    symlink(program(), &link).unwrap();
    let dir = machine.home.path().join("it's \"a\\b\" ü");
    copy_clock(&dir);
    let dir = dir.to_str().unwrap();
    for agent in ["claude", "crush"] {
        let mut command = Command::new(&link);
        command.args(["install", "--for", agent, "--scope", "project", "--hooks", dir]);
        command.env("HOME", machine.home.path()).current_dir(machine.project.path());
        assert!(command.stdout(Stdio::null()).status().unwrap().success());
    }
    let json = |name: &str| -> Value {
        serde_json::from_str(&read(&machine.project.path().join(name))).unwrap()
    };
    let (claude, crush) = (json(CLAUDE), json(".crush.json"));
    let claude = &claude["hooks"]["PreToolUse"][0]["hooks"][0]["command"];
    let crush = &crush["hooks"]["PreToolUse"][0]["command"];
    let run = |command: &Value| {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", command.as_str().unwrap()]).stdin(Stdio::null());
        shell.output().unwrap()
    };
    // A shell reads the words that are meant.
    fs::remove_file(&link).unwrap();
    fs::write(&link, "#!/bin/sh\nprintf '%s|' \"$@\"\nexit 7\n").unwrap();
    fs::set_permissions(&link, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for (agent, command) in [("claude", claude), ("crush", crush)] {
        let output = run(command);
        let words = String::from_utf8(output.stdout).unwrap();
        assert_eq!(words, format!("hook|--agent|{agent}|{dir}|"));
        assert_eq!(output.status.code(), Some(2));
    }
    fs::remove_file(&link).unwrap();
    let output = run(claude);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("not found"));
    uninstall(&machine, "claude", dir);
    uninstall(&machine, "crush", "clock-shell");
    assert!(machine.project_files().is_empty());
}

#[test]
fn only_ours_are_replaced_and_taken_out() {
    let machine = Machine::new();
    let dir = guarded(&machine);
    // Those of another place of the program, of another extension, and of somebody.
    let old = format!("/old/extline hook --agent claude --within 5 {dir}");
    let others = "{\"type\": \"command\", \"command\": \"/x/extline hook --agent claude /other\"}, {\"type\": \"command\", \"command\": \"extline hook /a /b\"}";
    let group =
        format!("{{\"hooks\": [{others}, {{\"type\": \"command\", \"command\": \"{old}\"}}]}}");
    let before = format!("{{\n  \"hooks\": {{\n    \"PreToolUse\": [{group}]\n  }}\n}}\n");
    let file = machine.write(CLAUDE, &before);
    let words = ["install", "--for", "claude", "--scope", "project", &dir];
    let told = machine.run(&words);
    told.assert_code(1);
    told.assert_says(&[
        "settings.json, line 3: hooks that run `extline hook` for it are there already",
    ]);
    assert_eq!(read(&file), before);
    let told = machine.ok(&[&words[..], &["--force"]].concat());
    assert!(told.stdout.contains("clock-shell added, its hooks replaced"), "{told:?}");
    let after = read(&file);
    assert!(!after.contains("/old/extline") && after.contains(&line("claude", &dir)), "{after}");
    assert!(after.contains(&format!("[{others}]")), "{after}");
    // The entry went by hand: hooks are found by the folder, which may be gone.
    fs::remove_file(machine.project.path().join(".mcp.json")).unwrap();
    fs::remove_dir_all(&dir).unwrap();
    uninstall(&machine, "claude", &dir);
    assert_eq!(
        read(&file),
        before.replace(&format!(", {{\"type\": \"command\", \"command\": \"{old}\"}}"), "")
    );
    let told = machine.run(&["uninstall", "--for", "claude", "--scope", "project", &dir]);
    told.assert_code(2);
    told.assert_says(&["is not in ", ".mcp.json or ", "settings.json"]);
    // Of two entries of one folder the last takes the hooks with it.
    let machine = Machine::new();
    let dir = guarded(&machine);
    install(&machine, "codex", &dir);
    machine.ok(&["install", "--for", "codex", "--scope", "project", "--name", "two", &dir]);
    let hooks = machine.project.path().join(".codex/hooks.json");
    uninstall(&machine, "codex", "clock-shell");
    assert!(hooks.exists());
    uninstall(&machine, "codex", "two");
    assert!(!hooks.exists());
}

#[test]
fn hooks_are_shown() {
    let machine = Machine::new();
    let dir = guarded(&machine);
    let secret = "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x s3cret\"}]}]}}";
    machine.write(CLAUDE, secret);
    machine.write(".codex/hooks.json", "{\"hooks\": \"s3cret\"}");
    let words = ["install", "--for", "claude", "--scope", "project", &dir];
    let told = machine.ok(&[&words[..], &["--dry-run", "--json"]].concat()).json();
    assert_eq!(told["hooks"]["action"], "added");
    assert_eq!(told["hooks"]["command"], line("claude", &dir));
    assert_eq!(told["hooks"]["events"][0], "PreToolUse");
    assert!(told["hooks"]["file"].as_str().unwrap().ends_with(CLAUDE));
    let told = machine.ok(&[&words[..], &["--dry-run"]].concat());
    assert!(told.stdout.contains(&format!("SessionEnd}}: {}\n", line("claude", &dir))), "{told:?}");
    assert_eq!(machine.project_files().len(), 2);

    machine.ok(&words);
    machine.ok(&["install", "--for", "gemini", &dir]);
    let told = machine.ok(&["discover"]);
    let hooks =
        format!("settings.json (user)\n    clock-shell  {dir}\n    hooks  {dir}  BeforeTool, ");
    for part in [
        &*hooks,
        &format!("    hooks  {dir}  PreToolUse, PostToolUse, "),
        "    1 other hook\n",
        "hooks.json, line 1: `hooks` is no table of events",
    ] {
        assert!(told.stdout.contains(part), "{part}: {}", told.stdout);
    }
    assert!(!format!("{told:?}").contains("s3cret"), "{told:?}");
    fs::remove_dir_all(&dir).unwrap();
    let told = machine.ok(&["discover", "--json", "--for", "claude"]).json();
    let hooks = &told["files"][1];
    assert_eq!(
        (&hooks["hooks"][0]["dirs"], &hooks["hooks"][0]["missing"]),
        (&json!([dir]), &json!([dir]))
    );
    assert_eq!((&hooks["other_hooks"], hooks.get("servers")), (&json!(1), None));
    let told = machine.ok(&["uninstall", "--dry-run", "--json", "--for", "gemini", &dir]).json();
    assert_eq!((&told["action"], &told["hooks"]["action"]), (&json!("removed"), &json!("removed")));
    assert_eq!(files(machine.home.path()), [Path::new(told["file"].as_str().unwrap())]);
}

#[test]
fn hooks_that_are_turned_off_are_told_of() {
    for (agent, name, text, setting) in [
        ("claude", CLAUDE, "{\"disableAllHooks\": true}", "disableAllHooks"),
        ("codex", ".codex/config.toml", "[features]\nhooks = false\n", "features.hooks"),
        (
            "gemini",
            ".gemini/settings.json",
            "{\"hooksConfig\": {\"enabled\": false}}",
            "hooksConfig.enabled",
        ),
    ] {
        let machine = Machine::new();
        let dir = guarded(&machine);
        let words = ["install", "--for", agent, "--scope", "project", &dir];
        machine.write(name, text);
        machine.ok(&words).assert_says(&[&format!("`{setting}` has ")]);
        let told = machine.ok(&[&words[..], &["--json"]].concat()).json();
        assert_eq!(told["hooks"]["turned_off"], setting);
        machine.write(name, text.replace("true", "null").replace("false", "true"));
        let told = machine.ok(&words);
        assert!(!format!("{told:?}").contains("run no hooks"), "{told:?}");
    }
}
