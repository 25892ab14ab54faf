//! A machine to install on.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::support::{Extline, Outcome, outcome, repository};

const VARIABLES: [&str; 8] = [
    "XDG_CONFIG_HOME",
    "CODEX_HOME",
    "COPILOT_HOME",
    "CLAUDE_CONFIG_DIR",
    "GEMINI_CLI_HOME",
    "PI_CODING_AGENT_DIR",
    "ZOT_HOME",
    "XDG_STATE_HOME",
];

/// A home and a project that are empty at first.
pub(crate) struct Machine {
    pub(crate) home: TempDir,
    pub(crate) project: TempDir,
    extline: Extline,
}

impl Machine {
    pub(crate) fn new() -> Self {
        let folder = || tempfile::tempdir().unwrap();
        Self { home: folder(), project: folder(), extline: Extline::new() }
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = self.extline.command(words);
        for name in VARIABLES {
            command.env_remove(name);
        }
        command.env("HOME", self.home.path()).current_dir(self.project.path());
        command
    }

    pub(crate) fn run(&self, words: &[&str]) -> Outcome {
        outcome(self.command(words).spawn().unwrap())
    }

    pub(crate) fn ok(&self, words: &[&str]) -> Outcome {
        let outcome = self.run(words);
        outcome.assert_code(0);
        outcome
    }

    pub(crate) fn install(&self, agent: &str) -> Outcome {
        self.ok(&["install", "--for", agent, "--scope", "project", &clock()])
    }

    pub(crate) fn uninstall(&self, agent: &str) -> Outcome {
        self.ok(&["uninstall", "--for", agent, "--scope", "project", &clock()])
    }

    /// Writes a file of the project.
    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.project.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn project_files(&self) -> Vec<PathBuf> {
        files(self.project.path())
    }
}

pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(self::files(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

pub(crate) fn clock() -> String {
    repository().join("examples/clock-shell").to_str().unwrap().to_owned()
}

/// The same extension in another place.
pub(crate) fn copy_clock(to: &Path) {
    fs::create_dir(to).unwrap();
    for name in ["extension.json", "clock.sh"] {
        fs::copy(Path::new(&clock()).join(name), to.join(name)).unwrap();
    }
}

pub(crate) fn program() -> &'static str {
    env!("CARGO_BIN_EXE_extline")
}

/// `@` is the command and `%` the folder, as the files have them.
pub(crate) fn filled(text: &str) -> String {
    text.replace('@', &format!("\"{}\"", program())).replace('%', &format!("\"{}\"", clock()))
}

pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}
