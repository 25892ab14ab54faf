//! A real zot, without a network and with a home of its own.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::model;

/// A folder for everything: zot's home, the project, the extension.
pub(crate) struct Zot {
    folder: TempDir,
    model: String,
}

impl Zot {
    /// A zot with one of the examples, or what runs it, as its only extension.
    pub(crate) fn with(name: &str, exec: &Path) -> Self {
        Self::with_command(name, exec, &[])
    }

    /// The same for a program with arguments.
    pub(crate) fn with_command(name: &str, exec: &Path, args: &[&Path]) -> Self {
        let zot = Self::new();
        let manifest = json!({"name": name, "version": "1.0.0", "exec": exec, "args": args});
        fs::write(zot.extension_dir().join("extension.json"), manifest.to_string()).unwrap();
        zot
    }

    /// A zot with a copy of an example's folder, `extension.json` and all.
    pub(crate) fn with_copy(example: &Path) -> Self {
        let zot = Self::new();
        for entry in fs::read_dir(example).unwrap() {
            let file = entry.unwrap();
            if file.file_type().unwrap().is_file() {
                fs::copy(file.path(), zot.extension_dir().join(file.file_name())).unwrap();
            }
        }
        zot
    }

    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for part in ["home", "project", "extension"] {
            fs::create_dir(folder.path().join(part)).unwrap();
        }
        Self { folder, model: model::start() }
    }

    pub(crate) fn extension_dir(&self) -> PathBuf {
        self.folder.path().join("extension")
    }

    /// Plays a plan and returns what the tools answered, in order.
    pub(crate) fn play(&self, plan: &Value) -> Vec<ToolResult> {
        let mut zot = self.command();
        zot.args(["--json", "--no-session", &plan.to_string()]).stdin(Stdio::null());
        let output = zot.output().unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{}\n{stdout}", String::from_utf8_lossy(&output.stderr));
        let events = stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let results = events.filter(|event| event["type"] == "tool_result");
        let result = |result: Value| ToolResult {
            text: result["content"][0]["text"].as_str().unwrap().to_owned(),
            is_error: result["is_error"] == true,
        };
        results.map(result).collect()
    }

    /// The command line of an interactive zot.
    pub(crate) fn command(&self) -> Command {
        let program = env::var_os("ZOT_BIN").expect("ZOT_BIN names a zot");
        assert!(Path::new(&program).is_absolute(), "ZOT_BIN must be an absolute path");
        let mut zot = Command::new(program);
        let home = self.folder.path().join("home");
        zot.args(["--provider", "ollama", "--model", "fake", "--base-url", &self.model])
            .args(["--no-skill", "--no-ext", "--ext"])
            .arg(self.extension_dir())
            .arg("--cwd")
            .arg(self.folder.path().join("project"))
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap_or_default())
            .env("HOME", &home)
            .env("ZOT_HOME", &home)
            // Its look for updates ends here.
            .env("HTTPS_PROXY", "http://127.0.0.1:9");
        zot
    }
}

/// What a tool answered, as the model reads it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ToolResult {
    pub(crate) text: String,
    pub(crate) is_error: bool,
}
