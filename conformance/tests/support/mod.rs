//! Programs to test.

#![allow(dead_code, reason = "each test file uses a part")]

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use extline_host::{ExtensionSource, Program};

/// A program with its arguments, in the folder of this crate.
pub(crate) fn program(program: &str, args: &[&str]) -> Program {
    let source = ExtensionSource::command(program, args);
    Program::of(&source, Path::new(env!("CARGO_MANIFEST_DIR")))
        .unwrap_or_else(|problem| panic!("{problem}"))
}

/// A script for the shell.
pub(crate) fn sh(script: &str) -> Program {
    program("sh", &["-c", script])
}

/// The interpreter itself: `python3` on the path may be a script of a version manager that takes
/// longer than the interpreter.
pub(crate) fn python() -> String {
    static PYTHON: LazyLock<String> = LazyLock::new(|| {
        let asked =
            Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
        String::from_utf8(asked.unwrap().stdout).unwrap().trim().to_owned()
    });
    PYTHON.clone()
}
