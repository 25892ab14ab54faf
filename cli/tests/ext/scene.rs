//! A home, a project, and extensions that leave a mark when they run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{self, Extline, Outcome, Screen};

/// An extension with one tool, which leaves a mark that it ran.
pub(crate) const PROGRAM: &str = r#"
touch "$MARK_FOLDER/ran-$1"
echo '{"type":"hello","name":"'"$1"'","version":"1.0.0"}'
echo '{"type":"register_tool","name":"'"$1"'_tool","description":"d","schema":{"type":"object"}}'
echo '{"type":"ready"}'
while read -r frame; do case $frame in *'"shutdown"'*) exit 0;; esac; done
"#;

/// A home, and a project beside it.
pub(crate) struct Scene {
    pub(crate) extline: Extline,
    project: TempDir,
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self { extline: Extline::new(), project: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.project.path().canonicalize().unwrap()
    }

    /// Makes an extension in a folder.
    pub(crate) fn extension(folder: &Path, name: &str, version: &str) {
        fs::create_dir_all(folder).unwrap();
        let manifest = json!({"name": name, "version": version, "exec": "sh", "args": ["ext.sh", name],
                              "permissions": {"env": ["MARK_FOLDER"]}});
        fs::write(folder.join("extension.json"), manifest.to_string()).unwrap();
        fs::write(folder.join("ext.sh"), PROGRAM).unwrap();
    }

    /// One that came with the project.
    pub(crate) fn of_project(&self, name: &str) -> PathBuf {
        let folder = self.project().join(".extline/extensions").join(name);
        Self::extension(&folder, name, "1.0.0");
        folder
    }

    pub(crate) fn command(&self, words: &[&str], variables: &[(&str, &str)]) -> Outcome {
        let mut command = self.extline.command(words);
        command
            .current_dir(self.project())
            .env("ZOT_HOME", self.extline.home().join("zot"))
            .env("MARK_FOLDER", self.project())
            .envs(variables.iter().copied())
            .stdin(Stdio::null());
        support::outcome(command.spawn().unwrap())
    }

    pub(crate) fn run(&self, words: &[&str]) -> Outcome {
        self.command(words, &[])
    }

    /// The same at a terminal, which is driven by these steps.
    pub(crate) fn at_terminal(&self, words: &[&str], steps: &[Value]) -> Screen {
        let variables = [
            format!("ZOT_HOME={}", self.extline.home().join("zot").display()),
            format!("MARK_FOLDER={}", self.project().display()),
        ];
        support::in_terminal_at(&self.extline, &self.project(), &variables, steps, words)
    }

    /// What `ext list` says of one: its verdict and why.
    pub(crate) fn verdict(&self, name: &str) -> (String, String) {
        let list = self.run(&["ext", "list", "--json"]).json();
        let all = list["extensions"].as_array().unwrap().clone();
        let one = all.iter().find(|one| one["name"] == name).unwrap_or(&Value::Null).clone();
        let text = |member: &str| one[member].as_str().unwrap_or_default().to_owned();
        (text("verdict"), text("why"))
    }

    /// What is in the folder of what is installed, but for the lock.
    pub(crate) fn left(&self) -> Vec<String> {
        let entries = self.extline.home().join("extensions").read_dir().into_iter().flatten();
        let names = entries.map(|it| it.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name != ".lock").collect()
    }

    /// Whether it ran since this was asked the last time.
    pub(crate) fn ran(&self, name: &str) -> bool {
        fs::remove_file(self.project().join(format!("ran-{name}"))).is_ok()
    }

    pub(crate) fn installed(&self, name: &str) -> PathBuf {
        self.extline.home().join("extensions").join(name)
    }
}
