//! A user of hooks.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Extline, Outcome, outcome, repository};

/// A user with an extension, a project, and a folder for sockets.
pub(crate) struct User {
    folder: TempDir,
    extline: Extline,
}

impl User {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let guard = folder.path().join("guard");
        for made in [&guard, &folder.path().join("run"), &folder.path().join("project")] {
            fs::create_dir(made).unwrap();
        }
        let source = repository().join("cli/tests/hook/guard.py");
        fs::copy(source, guard.join("guard.py")).unwrap();
        let manifest = json!({
            "name": "guard", "version": "1.0.0", "exec": "python3", "args": ["guard.py"], "guards": ["tool_call"],
        });
        fs::write(guard.join("extension.json"), manifest.to_string()).unwrap();
        Self { folder, extline: Extline::new() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = self.extline.command(words);
        command
            .env("XDG_RUNTIME_DIR", self.path("run"))
            .current_dir(self.path("project"))
            .stdin(Stdio::piped());
        for agent in ["CLAUDE", "GEMINI", "CRUSH", "CURSOR", "QWEN", "FACTORY"] {
            command.env_remove(format!("{agent}_PROJECT_DIR"));
        }
        command
    }

    pub(crate) fn start(&self, words: &[&str], input: &[u8]) -> Child {
        let mut child = self.command(words).spawn().unwrap();
        // One that refuses the command line reads nothing.
        let _ = child.stdin.take().unwrap().write_all(input);
        child
    }

    pub(crate) fn run(&self, words: &[&str], input: &str) -> Outcome {
        outcome(self.start(words, input.as_bytes()))
    }

    /// A hook of that agent, for the guard.
    pub(crate) fn hook(&self, agent: &str, event: &Value) -> Outcome {
        let guard = self.path("guard");
        self.run(&["hook", "--agent", agent, guard.to_str().unwrap()], &event.to_string())
    }

    pub(crate) fn status(&self) -> Vec<Value> {
        let status = self.run(&["hook", "--status", "--json"], "");
        status.assert_code(0);
        status.json()["running"].as_array().unwrap().clone()
    }

    pub(crate) fn events(&self, count: usize) -> Vec<Value> {
        let file = self.path("guard/events");
        let read = || fs::read_to_string(&file).unwrap_or_default();
        wait_until(|| read().lines().count() >= count);
        read().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Drop for User {
    fn drop(&mut self) {
        let _ = self.command(&["hook", "--stop"]).output();
    }
}

#[track_caller]
pub(crate) fn wait_until(is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(60), "it does not come");
        thread::sleep(Duration::from_millis(10));
    }
}
