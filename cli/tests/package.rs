//! `extline package`: what agents install.

#![cfg(unix)]

#[path = "support/published.rs"]
mod published;
mod support;

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use published::validates;
use serde_json::{Value, json};
use support::{Extline, Outcome, outcome};
use tempfile::TempDir;

/// A folder with an extension in it that has everything a package carries.
struct Author {
    folder: TempDir,
    extline: Extline,
}

impl Author {
    fn new() -> Self {
        let author = Self { folder: tempfile::tempdir().unwrap(), extline: Extline::new() };
        let manifest = json!({
            "name": "calm", "version": "1.2.0", "exec": "./calm.sh", "description": "stays calm",
            "guards": ["tool_call"], "author": "Ada", "license": "MIT", "keywords": ["calm"],
        });
        author.write("calm/extension.json", &manifest.to_string());
        author.write("calm/calm.sh", "#!/bin/sh\n");
        fs::set_permissions(author.path("calm/calm.sh"), Permissions::from_mode(0o700)).unwrap();
        author.write(
            "calm/skills/breathe/SKILL.md",
            "---\nname: breathe\ndescription: in and out\n---\n",
        );
        author.write(
            "calm/commands/wait.md",
            "---\nmodel: any\ndescription: \"Wait a while\"\n---\n\nWait for $ARGUMENTS.\nThen go on.\n",
        );
        author.write("calm/.git/config", "secret");
        author.write("calm/__pycache__/calm.pyc", "made");
        author
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn package(&self, words: &[&str]) -> Outcome {
        let words = [&["package", "calm"], words].concat();
        outcome(self.extline.command(&words).current_dir(self.folder.path()).spawn().unwrap())
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&fs::read_to_string(self.path(name)).unwrap()).unwrap()
    }
}

/// Each file with its mode and bytes.
fn all_files(folder: &Path) -> BTreeMap<String, (u32, Vec<u8>)> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                let mode = path.metadata().unwrap().permissions().mode() & 0o777;
                files.insert(name, (mode, fs::read(path).unwrap()));
            }
        }
    }
    files
}

#[test]
fn each_package_is_whole_and_the_same_each_time() {
    let author = Author::new();
    let told = author.package(&[]);
    told.assert_code(0);
    assert!(told.stdout.contains("left out: .git, __pycache__"), "{told:?}");
    let first = all_files(&author.path("packages"));
    let names: Vec<_> = first.keys().map(String::as_str).collect();
    let own = ["calm.sh", "commands/wait.md", "extension.json", "skills/breathe/SKILL.md"];
    for kind in ["agent-plugin", "claude", "gemini"] {
        for file in own.map(|own| format!("{kind}/extension/{own}")) {
            assert!(names.contains(&&*file), "{file}: {names:?}");
        }
        assert!(names.contains(&&*format!("{kind}/skills/breathe/SKILL.md")));
        assert_eq!(first[&format!("{kind}/extension/calm.sh")].0, 0o755);
    }
    assert_eq!(names.len(), 3 * 5 + 2 + 4 + 3);
    assert!(author.package(&["--force"]).code == 0 && all_files(&author.path("packages")) == first);

    validates("agent-plugin", &author.json("packages/agent-plugin/plugin.json"));
    validates("agent-plugin-mcp", &author.json("packages/agent-plugin/mcp.json"));
    // Claude Code takes the same in its manifest as in files of their own.
    let mut claude = author.json("packages/claude/.claude-plugin/plugin.json");
    claude["hooks"] = author.json("packages/claude/hooks/hooks.json")["hooks"].take();
    claude["mcpServers"] = author.json("packages/claude/.mcp.json")["mcpServers"].take();
    validates("claude-plugin", &claude);
    let about = json!({
        "name": "calm", "version": "1.2.0", "description": "stays calm", "author": { "name": "Ada" },
        "license": "MIT", "keywords": ["calm"],
    });
    assert_eq!(author.json("packages/claude/.claude-plugin/plugin.json"), about);
    let gemini = author.json("packages/gemini/gemini-extension.json");
    assert_eq!(gemini["mcpServers"]["calm"]["args"], json!(["mcp", "${extensionPath}/extension"]));
    assert_eq!(gemini.get("author"), None);
    let command = fs::read_to_string(author.path("packages/gemini/commands/wait.toml")).unwrap();
    let command: toml::Table = command.parse().unwrap();
    assert_eq!(command["description"].as_str(), Some("Wait a while"));
    assert_eq!(command["prompt"].as_str(), Some("Wait for {{args}}.\nThen go on.\n"));
    for (kind, event) in [("claude", "PreToolUse"), ("gemini", "BeforeTool")] {
        let hooks = author.json(&format!("packages/{kind}/hooks/hooks.json"));
        let command = hooks["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap();
        assert!(command.starts_with(&format!("extline hook --agent {kind} ")), "{command}");
        assert!(command.ends_with("/extension\" || exit 2"), "{command}");
    }
}

#[test]
fn what_cannot_be_a_package_is_refused_and_nothing_is_written() {
    let author = Author::new();
    let manifest = fs::read_to_string(author.path("calm/extension.json")).unwrap();
    let wrong_name = manifest.replace("\"calm\"", "\"Calm_Down\"");
    let no_version = manifest.replace("1.2.0", "");
    for (text, says) in [
        (&*wrong_name, "/name: \"Calm_Down\" is no name for a package"),
        (&no_version, "/version is missing"),
        ("{", "extension.json"),
    ] {
        author.write("calm/extension.json", text);
        let told = author.package(&[]);
        told.assert_code(1);
        told.assert_says(&[says]);
    }
    author.write("calm/extension.json", &manifest);
    author.write("calm/commands/open.md", "---\ndescription: no end\n");
    let told = author.package(&[]);
    told.assert_code(1);
    told.assert_says(&["commands/open.md: its first line begins a head"]);
    fs::remove_file(author.path("calm/commands/open.md")).unwrap();
    symlink("/etc/passwd", author.path("calm/link")).unwrap();
    let told = author.package(&[]);
    told.assert_code(1);
    told.assert_says(&["calm/link is no file and no folder"]);
    fs::remove_file(author.path("calm/link")).unwrap();
    assert!(!author.path("packages").exists());

    // What is there stays, unless it is a package and may be replaced.
    author.write("packages/claude/mine.txt", "mine");
    for words in [&[][..], &["--force"]] {
        let told = author.package(words);
        told.assert_code(1);
        told.assert_says(&["packages/claude holds something that is no package"]);
    }
    assert_eq!(all_files(&author.path("packages")).len(), 1);
    // In the extension itself, a second run does not take the first one in.
    for words in [&["--out", "calm/packages"][..], &["--out", "calm/packages", "--force"]] {
        author.package(words).assert_code(0);
    }
    let told = author.package(&["--out", "calm/packages"]);
    told.assert_code(1);
    told.assert_says(&["is there already; --force replaces it"]);
    assert!(!author.path("calm/packages/claude/extension/packages").exists());
    let one = author.package(&["--out", "one", "--for", "gemini", "--json"]);
    one.assert_code(0);
    assert_eq!(one.json()["package"], "gemini");
    assert_eq!(fs::read_dir(author.path("one")).unwrap().count(), 1);
}
