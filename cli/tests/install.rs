//! `extline install`, `uninstall` and `discover`: on files as people and agents write them.

#![cfg(unix)]

#[path = "install/hooks.rs"]
mod hooks;
#[path = "install/machine.rs"]
mod machine;
#[path = "support/published.rs"]
mod published;
mod support;
#[path = "install/user_files.rs"]
mod user_files;
#[path = "install/zot.rs"]
mod zot;

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use machine::{Machine, clock, copy_clock, files, filled, read};
use serde_json::Value;
use support::outcome;
use user_files::USER_FILES;

#[test]
fn each_agent_gets_the_entry_that_it_documents() {
    let plain = "{\n  \"KEY\": {\n    \"clock-shell\": {\n      \"command\": @,\n      \"args\": [\"mcp\", %]\n    }\n  }\n}\n";
    let typed = plain.replace("      \"command\"", "      \"type\": \"stdio\",\n      \"command\"");
    let local = "{\n  \"mcp\": {\n    \"clock-shell\": {\n      \"type\": \"local\",\n      \"command\": [@, \"mcp\", %],\n      \"enabled\": true\n    }\n  }\n}\n";
    let toml = "[mcp_servers.clock-shell]\ncommand = @\nargs = [\"mcp\", %]\n";
    let servers = plain.replace("KEY", "mcpServers");
    let all = servers
        .replace("      \"command\"", "      \"type\": \"local\",\n      \"command\"")
        .replace("%]", "%],\n      \"tools\": [\"*\"]");
    let direct = servers.replace("%]", "%],\n      \"exposure\": \"direct\"");
    for (agent, project, user, text) in [
        ("claude", ".mcp.json", ".claude.json", typed.replace("KEY", "mcpServers")),
        ("codex", ".codex/config.toml", ".codex/config.toml", toml.to_owned()),
        ("cursor", ".cursor/mcp.json", ".cursor/mcp.json", servers.clone()),
        (
            "vscode",
            ".vscode/mcp.json",
            ".config/Code/User/mcp.json",
            typed.replace("KEY", "servers"),
        ),
        ("gemini", ".gemini/settings.json", ".gemini/settings.json", servers.clone()),
        ("qwen", ".qwen/settings.json", ".qwen/settings.json", servers.clone()),
        ("opencode", "opencode.json", ".config/opencode/opencode.json", local.to_owned()),
        ("crush", ".crush.json", ".config/crush/crush.json", typed.replace("KEY", "mcp")),
        (
            "zed",
            ".zed/settings.json",
            ".config/zed/settings.json",
            plain.replace("KEY", "context_servers"),
        ),
        ("pi", ".pi/mcp.json", ".pi/agent/mcp.json", direct),
        ("copilot", ".github/mcp.json", ".copilot/mcp-config.json", all),
        (
            "goose",
            ".agents/plugins/extline/.mcp.json",
            ".agents/plugins/extline/.mcp.json",
            servers.clone(),
        ),
        ("droid", ".factory/mcp.json", ".factory/mcp.json", typed.replace("KEY", "mcpServers")),
    ] {
        let machine = Machine::new();
        let in_user = machine.home.path().join(user);
        if cfg!(target_os = "macos") && agent == "vscode" {
            continue;
        }
        for (words, file) in
            [(&["--scope", "project"][..], machine.project.path().join(project)), (&[], in_user)]
        {
            let clock = clock();
            let words = [&["--for", agent, &clock], words].concat();
            let told = machine.ok(&[&["install"], &*words].concat());
            assert!(told.stdout.contains("a new file"), "{told:?}");
            assert_eq!(read(&file), filled(&text), "{agent}");
            let told = machine.ok(&[&["install"], &*words].concat());
            assert!(told.stdout.contains("clock-shell is there already"), "{told:?}");
            machine.ok(&[&["uninstall"], &*words].concat());
            assert!(!file.exists(), "{agent}");
        }
        assert!(files(machine.home.path()).is_empty() && machine.project_files().is_empty());
    }
}

#[test]
fn variables_lead_to_the_files() {
    let machine = Machine::new();
    let elsewhere = machine.home.path().join("elsewhere");
    for (agent, variable, file) in [
        ("codex", "CODEX_HOME", "config.toml"),
        ("claude", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/opencode.json"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("pi", "PI_CODING_AGENT_DIR", "mcp.json"),
    ] {
        let mut command = machine.command(&["install", "--for", agent, &clock()]);
        outcome(command.env(variable, &elsewhere).spawn().unwrap()).assert_code(0);
        assert!(elsewhere.join(file).exists(), "{agent}");
    }
    let mut command = machine.command(&["install", "--for", "cursor", &clock()]);
    let told = outcome(command.env_remove("HOME").spawn().unwrap());
    told.assert_code(1);
    told.assert_says(&["HOME is not set to an absolute path", "--scope project"]);
}

#[test]
fn what_is_written_starts() {
    let machine = Machine::new();
    machine.install("cursor");
    let file = read(&machine.project.path().join(".cursor/mcp.json"));
    let json: Value = serde_json::from_str(&file).unwrap();
    let entry = &json["mcpServers"]["clock-shell"];
    let words = entry["args"].as_array().unwrap().iter().map(|it| it.as_str().unwrap());
    let mut command = Command::new(entry["command"].as_str().unwrap());
    command.args(words).arg("--list").current_dir("/").stdin(Stdio::null());
    let output = command.env("EXTLINE_HOME", machine.home.path()).output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains("clock_now"));
}

#[test]
fn files_keep_their_bytes_there_and_back() {
    for (agent, name, before, after) in USER_FILES {
        let machine = Machine::new();
        let file = machine.write(name, before);
        let told = machine.install(agent);
        let backup = PathBuf::from(format!("{}.extline-backup", file.display()));
        assert!(told.stdout.contains(&format!("backup: {}", backup.display())), "{told:?}");
        assert_eq!(read(&backup), before);
        let installed = read(&file);
        if let Some(after) = after {
            assert_eq!(installed, filled(after));
        }
        machine.uninstall(agent);
        assert_eq!(read(&file), before);
        assert_eq!(machine.project_files(), [&*file]);
        // The same without the backup: then it is taken out of the text.
        machine.install(agent);
        fs::write(&backup, "{\"another\": true}").unwrap();
        machine.uninstall(agent);
        let left = read(&file);
        assert!(!left.contains(&clock()), "{left}");
        if after.is_some() && !before.contains("\"mcpServers\":{}") {
            assert_eq!(left, before);
        }
        // What that did has a backup too.
        let second = format!("{}-2", backup.display());
        assert_eq!(read(Path::new(&second)), installed);
    }
}

#[test]
fn other_changes_meanwhile_stay() {
    for (agent, name, before, own) in [
        (
            "claude",
            ".mcp.json",
            "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n",
            ("\"a\": {}", "\"a\": {\"x\": 1}"),
        ),
        ("cursor", ".cursor/mcp.json", "{\n  \"a\": 1\n}\n", ("\"a\": 1", "\"a\": 2")),
        (
            "codex",
            ".codex/config.toml",
            "a = 1\n\n# tui\n[tui]\nb = 2\n",
            ("b = 2\n", "b = 3\n# own\n"),
        ),
    ] {
        let machine = Machine::new();
        let file = machine.write(name, before);
        machine.install(agent);
        machine.ok(&[
            "install",
            "--for",
            agent,
            "--scope",
            "project",
            "--name",
            "second",
            &clock(),
        ]);
        fs::write(&file, read(&file).replace(own.0, own.1)).unwrap();
        machine.ok(&["uninstall", "--for", agent, "--scope", "project", "clock-shell"]);
        machine.uninstall(agent);
        assert_eq!(read(&file), before.replace(own.0, own.1));
    }
    // Without one, the last backup is the first to go.
    let machine = Machine::new();
    let file = machine.write(".mcp.json", "{ }");
    for name in ["one", "two", "three"] {
        machine.ok(&["install", "--for", "claude", "--scope", "project", "--name", name, &clock()]);
    }
    assert_eq!(machine.project_files().len(), 4);
    for name in ["three", "two", "one"] {
        machine.ok(&["uninstall", "--for", "claude", "--scope", "project", name]);
    }
    assert_eq!((read(&file), machine.project_files()), ("{ }".to_owned(), vec![file]));
}

#[test]
fn what_is_broken_is_refused_whole() {
    let two = "{\n  \"mcpServers\": {},\n  \"mcpServers\": {}\n}\n";
    for (agent, name, text, says) in [
        ("claude", ".mcp.json", "{\n  \"mcpServers\": {\n", "line 2: it is not JSON"),
        ("claude", ".mcp.json", "{\n  // no\n}\n", "line 2: it is not JSON as this agent reads it"),
        (
            "gemini",
            ".gemini/settings.json",
            "{\n  // yes\n  \"a\": 1,\n}\n",
            "line 3: it is not JSON as this",
        ),
        ("claude", ".mcp.json", "[]", "line 1: it is no object"),
        ("claude", ".mcp.json", "{\n\"mcpServers\": []}", "line 2: `mcpServers` is not a table"),
        ("cursor", ".cursor/mcp.json", two, "line 3: `mcpServers` is there twice"),
        ("vscode", ".vscode/mcp.json", "{\"servers\": null}", "line 1: `servers` is not a table"),
        ("codex", ".codex/config.toml", "a = 1\nb =\n", "line 2: it is not TOML"),
        (
            "codex",
            ".codex/config.toml",
            "a = 1\n[[mcp_servers]]\n",
            "line 2: `mcp_servers` is not a table",
        ),
        (
            "codex",
            ".codex/config.toml",
            "mcp_servers = { a = {} }\n",
            "line 1: `mcp_servers` is written in a way",
        ),
        ("cursor", ".cursor/mcp.json", &"[".repeat(100_000), "it is not JSON"),
    ] {
        let machine = Machine::new();
        let file = machine.write(name, text);
        // Nor is anything written for an agent that has nothing to refuse.
        let told = machine.run(&[
            "install",
            "--for",
            "gemini",
            "--for",
            agent,
            "--scope",
            "project",
            &clock(),
        ]);
        told.assert_code(1);
        told.assert_says(&[name, says, "nothing was written"]);
        assert_eq!(read(&file), text);
        assert_eq!(machine.project_files(), [file], "{told:?}");
    }
    let machine = Machine::new();
    machine.write(".mcp.json", [b'{', 0xff, b'}']);
    let words = ["install", "--for", "claude", "--scope", "project", &clock()];
    machine.run(&words).assert_says(&["it is not UTF-8"]);
    fs::remove_file(machine.project.path().join(".mcp.json")).unwrap();
    fs::create_dir(machine.project.path().join(".mcp.json")).unwrap();
    machine.run(&words).assert_says(&["it is a folder"]);
    // As a script reads it.
    let told = machine.run(&[&words[..], &["--json"]].concat());
    assert_eq!((told.code, told.json()["error"]["kind"].as_str()), (1, Some("conflict")));
}

#[test]
fn a_name_that_is_taken_is_not_taken_away() {
    for (agent, name, text) in [
        (
            "claude",
            ".mcp.json",
            "{\n  \"mcpServers\": {\n    \"clock-shell\": {\"command\": \"npx\", \"env\": {\"KEY\": \"s3cret\"}},\n    \"b\": {}\n  }\n}\n",
        ),
        (
            "codex",
            ".codex/config.toml",
            "[mcp_servers.clock-shell]\ncommand = \"npx\"\n\n[mcp_servers.clock-shell.env]\nKEY = \"s3cret\"\n",
        ),
        (
            "codex",
            ".codex/config.toml",
            "[mcp_servers.clock-shell]\ncommand = \"npx\"\nenv.KEY = \"s3cret\"\n\n# next\n[tui]\n",
        ),
    ] {
        let machine = Machine::new();
        let file = machine.write(name, text);
        let clock = clock();
        let words = ["install", "--for", agent, "--scope", "project", &clock];
        let told = machine.run(&words);
        told.assert_code(1);
        told.assert_says(&["clock-shell` is there already, and starts something else; --force"]);
        let gone = machine.run(&["uninstall", "--for", agent, "--scope", "project", "clock-shell"]);
        gone.assert_code(1);
        gone.assert_says(&["does not start `extline mcp`"]);
        assert_eq!(read(&file), text);
        let forced = machine.run(&[&words[..], &["--force"]].concat());
        forced.assert_code(0);
        assert!(!format!("{forced:?}").contains("s3cret"), "{forced:?}");
        let after = read(&file);
        assert!(after.contains(&clock) && !after.contains("npx"), "{after}");
        assert!(
            after.contains("\"b\": {}\n  }\n}\n")
                || after.ends_with("]\n")
                || after.ends_with("\n\n# next\n[tui]\n")
        );
        // Taken out, and the backup has what was there.
        machine.uninstall(agent);
        assert!(!read(&file).contains("clock-shell"));
        assert_eq!(read(&PathBuf::from(format!("{}.extline-backup", file.display()))), text);
    }
    let machine = Machine::new();
    machine.install("zed");
    let told = machine.run(&[
        "install",
        "--for",
        "zed",
        "--scope",
        "project",
        "--name",
        "clock-shell",
        "--",
        "sh",
    ]);
    told.assert_says(&["this command or folder in another place"]);
}

#[test]
fn links_permissions_and_read_only_files() {
    let machine = Machine::new();
    let real = machine.write("dotfiles/config.toml", "a = 1\n");
    fs::set_permissions(&real, Permissions::from_mode(0o640)).unwrap();
    let owner = if std::os::unix::fs::chown(&real, Some(12_345), Some(54_321)).is_ok() {
        12_345
    } else {
        fs::metadata(&real).unwrap().uid()
    };
    fs::create_dir(machine.project.path().join(".codex")).unwrap();
    let link = machine.project.path().join(".codex/config.toml");
    symlink("../dotfiles/config.toml", &link).unwrap();
    machine.install("codex");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    let backup = machine.project.path().join(".codex/config.toml.extline-backup");
    for file in [&real, &backup] {
        let metadata = fs::metadata(file).unwrap();
        assert_eq!((metadata.mode() & 0o777, metadata.uid()), (0o640, owner), "{}", file.display());
    }
    machine.uninstall("codex");
    assert_eq!((read(&real), backup.exists()), ("a = 1\n".to_owned(), false));

    fs::set_permissions(&real, Permissions::from_mode(0o440)).unwrap();
    let words = ["install", "--for", "codex", "--scope", "project", &clock()];
    let told = machine.run(&words);
    told.assert_code(1);
    told.assert_says(&[".codex/config.toml: it is read-only", "nothing was written"]);
    assert_eq!(machine.project_files(), [link.clone(), real.clone()]);
    fs::remove_file(&real).unwrap();
    machine.run(&words).assert_says(&["it is a link to what is not there"]);
}

#[test]
fn any_path_is_written_so_that_it_is_read_again() {
    let machine = Machine::new();
    // A link in PATH outlives what it leads to.
    let link = machine.home.path().join("bin/extline");
    fs::create_dir(link.parent().unwrap()).unwrap();
    symlink(env!("CARGO_BIN_EXE_extline"), &link).unwrap();
    let folder = machine.project.path().join("it's \"a\\b\" ü");
    copy_clock(&folder);
    for (agent, file) in [("codex", ".codex/config.toml"), ("claude", ".mcp.json")] {
        let mut command = Command::new("extline");
        let given = format!("{}/", folder.file_name().unwrap().to_str().unwrap());
        command.args(["install", "--for", agent, "--scope", "project", "--json", &given]);
        let path = std::env::join_paths([link.parent().unwrap(), Path::new("/usr/bin")]).unwrap();
        // The program is found in the PATH of who starts it.
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "exec \"$@\"", "sh"]).arg(command.get_program()).args(command.get_args());
        shell.env("PATH", &path).current_dir(machine.project.path());
        let told = outcome(shell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
        told.assert_code(0);
        let text = read(&machine.project.path().join(file));
        let json: Value = match agent {
            "codex" => serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap(),
            _ => serde_json::from_str(&text).unwrap(),
        };
        let key = if agent == "codex" { "mcp_servers" } else { "mcpServers" };
        let entry = &json[key]["clock-shell"];
        assert_eq!(entry["command"], link.to_str().unwrap());
        assert_eq!(entry["args"], serde_json::json!(["mcp", folder.to_str().unwrap()]));
        let name = folder.to_str().unwrap();
        machine.ok(&["uninstall", "--for", agent, "--scope", "project", name]);
    }
}

#[test]
fn nothing_is_written_on_a_dry_run() {
    let machine = Machine::new();
    let file = machine.write(
        ".mcp.json",
        "{\n  \"mcpServers\": {\n    \"a\": {\"env\": {\"KEY\": \"s3cret\"}}\n  }\n}\n",
    );
    let before = read(&file);
    let words = ["--for", "claude", "--for", "zed", "--scope", "project", &clock(), "--dry-run"];
    let told = machine.ok(&[&["install"], &words[..]].concat());
    assert!(told.stdout.contains("clock-shell would be added"), "{told:?}");
    assert!(told.stdout.contains(".mcp.json, line 4\n  + mcpServers.clock-shell: {"), "{told:?}");
    assert!(!told.stdout.contains("s3cret") && !told.stdout.contains("backup"), "{told:?}");
    let told = machine.ok(&[&["install", "--json"], &words[..]].concat()).json_lines();
    assert_eq!((&told[0]["action"], &told[0]["dry_run"]), (&"added".into(), &true.into()));
    assert_eq!((&told[0]["backup"], &told[1]["new_file"]), (&Value::Null, &true.into()));
    assert_eq!(told[0]["entry"]["args"], serde_json::json!(["mcp", clock()]));
    assert_eq!((read(&file), machine.project_files()), (before, vec![file.clone()]));
    machine.install("claude");
    let told =
        machine.ok(&["uninstall", "--dry-run", "--for", "claude", "--scope", "project", &clock()]);
    assert!(told.stdout.contains("clock-shell would be removed"), "{told:?}");
    assert!(read(&file).contains("clock-shell"));
}

#[test]
fn what_no_agent_could_start_is_not_installed() {
    let machine = Machine::new();
    let folder = machine.project.path();
    copy_clock(&folder.join("$HOME"));
    fs::write(folder.join("x.py"), "").unwrap();
    for (words, says) in [
        (&["nowhere"][..], "nowhere"),
        (&["$HOME"], "holds `$`, which agents replace"),
        (&["--name", "a b", &clock()], "\"a b\" is no name that every agent takes"),
        (&["--name", "x", "--", "python3", "x.py"], "x.py is a path from the present folder"),
        (&["--name", "x", "--", "no-such-program"], "no-such-program"),
        (&["--", "python3"], "--name"),
        (&["--name", "x", &clock(), "--", "sh"], "either DIR or a program"),
        (&["--for", "cluade", &clock()], "unknown agent cluade; did you mean claude?"),
        (&["--for", "goose", "--hooks", "nowhere"], "nowhere"),
    ] {
        let told =
            machine.run(&[&["install", "--for", "zed", "--scope", "project"], words].concat());
        told.assert_code(2);
        told.assert_says(&[says]);
    }
    let told = machine.run(&["uninstall", "--for", "zed", "--scope", "project", "clock"]);
    told.assert_code(2);
    told.assert_says(&["clock is not in ", ".zed/settings.json", "none is installed there"]);
    assert!(!folder.join(".zed").exists());
    machine.ok(&[
        "install", "--for", "zed", "--scope", "project", "--name", "mine", "--", "sh", "-c", "exit",
    ]);
    assert!(read(&folder.join(".zed/settings.json")).contains("/sh\", \"-c\", \"exit\"]"));
}

#[test]
fn discover_lists_what_is_there_and_no_secrets() {
    let machine = Machine::new();
    let told = machine.ok(&["discover"]);
    assert!(told.stdout.starts_with("no files of Claude Code, Codex"), "{told:?}");
    // Files with secrets in every place.
    let secrets = "{\"command\": \"npx\", \"args\": [\"--key\", \"s3cret\"], \"env\": {\"K\": \"s3cret\"}, \"headers\": {\"A\": \"s3cret\"}, \"url\": \"http://x/?s3cret\"}";
    machine.write(".mcp.json", format!("{{\"mcpServers\": {{\"other\": {secrets}}}}}"));
    machine.write(".cursor/mcp.json", "{\"mcpServers\": {\"a\": {\"env\": {\"K\": \"s3cret\"},}}");
    machine.write(".codex/config.toml", "[mcp_servers.a.env]\nK = \"s3cret\"\nK = \"s3cret\"\n");
    machine.install("claude");
    // What `claude mcp add` writes when nothing is said.
    let project = machine.project.path().canonicalize().unwrap();
    let local = format!(
        "{{\"projects\": {{{project:?}: {{\"mcpServers\": {{\"mine\": {{\"command\": \"/nowhere/extline\", \"args\": [\"mcp\", {:?}]}}}}}}, \"/x\": {secrets}}}}}",
        clock()
    );
    fs::write(machine.home.path().join(".claude.json"), local).unwrap();
    let lost = machine.home.path().join("lost");
    copy_clock(&lost);
    let gone = lost.clone();
    let lost = lost.to_str().unwrap();
    machine.ok(&["install", "--for", "gemini", "--name", "lost", lost]);
    fs::remove_dir_all(gone).unwrap();

    let told = machine.ok(&["discover"]);
    assert!(!format!("{told:?}").contains("s3cret"), "{told:?}");
    for part in [
        &format!("clock-shell  {}\n", clock()),
        "    other  another server\n",
        &format!(
            "    mine  {}, only in this folder\n      /nowhere/extline is no longer there\n",
            clock()
        ),
        "cannot be read:",
        "mcp.json, line 1: it is not JSON",
        "config.toml, line 3: it is not TOML",
        &format!("    lost  {lost}\n      {lost} is no longer there\n"),
        "no files of VS Code, Qwen Code, Copilot CLI, Factory Droid, opencode, Crush, Zed, pi, goose, zot",
    ] {
        assert!(told.stdout.contains(part), "{part}: {}", told.stdout);
    }
    let json = machine.ok(&["discover", "--json", "--for", "claude", "--start"]).json();
    let servers = &json["files"][1]["servers"];
    assert_eq!(json["files"].as_array().unwrap().len(), 2);
    assert_eq!(servers[0]["name"], "clock-shell");
    assert_eq!(servers[0]["dirs"], serde_json::json!([clock()]));
    assert_eq!(
        (&servers[0]["started"], &servers[0]["tools"][0]),
        (&true.into(), &"clock_now".into())
    );
    assert_eq!(servers[1], serde_json::json!({"name": "other", "ours": false}));
    let told = machine.run(&["discover", "--start"]);
    told.assert_code(3);
    assert!(told.stdout.contains("did not start") && told.stdout.contains("tools: clock_now"));
    // A folder that is gone is taken out by its path.
    machine.ok(&["uninstall", "--for", "gemini", lost]);
    assert_eq!(files(machine.home.path()), [machine.home.path().join(".claude.json")]);
}
