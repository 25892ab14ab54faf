//! What a program is, and how it is started: by the system, which reads the first line of a script itself.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::first_line::interpreter_line;

/// Whether the file is a program: somebody may execute it.
pub(crate) fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// The file that a name stands for: itself.
pub(crate) fn with_ending(path: PathBuf) -> PathBuf {
    path
}

/// The program in a script's first line, `#!/usr/bin/env python3` or the like.
pub(crate) fn interpreter_of(script: &Path) -> Option<String> {
    let line = interpreter_line(script)?;
    line.split([' ', '\t']).next().map(str::to_owned)
}

/// What starts a program with its arguments.
pub(crate) fn command(program: &Path, args: &[OsString], _folders: &OsStr) -> Command {
    let mut command = Command::new(program);
    command.args(args);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interpreter_of_a_script_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("x");
        fs::write(&script, "#! /usr/bin/nope -x\nrest").unwrap();
        assert_eq!(interpreter_of(&script).as_deref(), Some("/usr/bin/nope"));
        fs::write(&script, "\u{7f}ELF").unwrap();
        assert_eq!(interpreter_of(&script), None);
    }
}
