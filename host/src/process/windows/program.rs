//! What a program is here, and how it is started: by itself, or by an interpreter.
//!
//! The ending of a file says what it is. std starts `.bat` and `.cmd` by the system's `cmd.exe`, and quotes
//! what it is given by its rules. A script is started by the interpreter that is usual for it: what the
//! system has associated with the ending may as well be an editor.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What runs by itself.
const PROGRAMS: [&str; 4] = ["com", "exe", "bat", "cmd"];
/// What an interpreter runs, and its names, the first that is found. `py` is Python's own, which heeds the
/// script's first line and an environment that is active.
const SCRIPTS: [(&str, &[&str]); 4] =
    [("py", &["py", "python"]), ("js", &["node"]), ("mjs", &["node"]), ("cjs", &["node"])];
/// As the system has it where nobody changed it.
const ENDINGS: &str = ".COM;.EXE;.BAT;.CMD";

/// Whether the file is a program, or a script with a known interpreter.
pub(crate) fn is_executable(path: &Path) -> bool {
    path.is_file() && is_startable(path)
}

fn is_startable(path: &Path) -> bool {
    let is = |ending: &str| has_ending(path, ending);
    PROGRAMS.into_iter().any(is) || !interpreters(path).is_empty()
}

/// The file that a name stands for, which may leave out an ending that `PATHEXT` has. In a virtual
/// environment of Python it may be named as on Unix: one manifest serves all systems.
pub(crate) fn with_ending(path: PathBuf) -> PathBuf {
    let path = in_scripts(&path).unwrap_or(path);
    if is_executable(&path) {
        return path;
    }
    let endings = env::var("PATHEXT").unwrap_or_else(|_| ENDINGS.to_owned());
    let candidates = endings.split(';').filter(|ending| ending.len() > 1).map(|ending| {
        let mut name = path.clone().into_os_string();
        name.push(ending.to_ascii_lowercase());
        PathBuf::from(name)
    });
    let found = candidates.into_iter().find(|candidate| is_executable(candidate));
    found.unwrap_or(path)
}

/// `.venv/Scripts/python` for `.venv/bin/python`, where that is an environment for Windows.
fn in_scripts(path: &Path) -> Option<PathBuf> {
    let (name, bin) = (path.file_name()?, path.parent()?);
    let environment = bin.parent().filter(|_| bin.file_name() == Some(OsStr::new("bin")))?;
    let scripts = environment.join("Scripts");
    if !environment.join("pyvenv.cfg").is_file() || !scripts.is_dir() {
        return None;
    }
    Some(scripts.join(if name == "python3" { OsStr::new("python") } else { name }))
}

/// The program that runs a script; `None` for what runs by itself.
pub(crate) fn interpreter_of(path: &Path) -> Option<String> {
    interpreters(path).first().map(|name| (*name).to_owned())
}

/// What starts a program with its arguments. `folders` is where its interpreter is looked for, if it has one.
pub(crate) fn command(program: &Path, args: &[OsString], folders: &OsStr) -> Command {
    let interpreters = interpreters(program);
    let Some(first) = interpreters.first() else {
        let mut command = Command::new(program);
        command.args(args);
        return command;
    };
    let found = interpreters.iter().find_map(|name| look_up(name, folders));
    // One that is missing is an error of the start.
    let mut command = Command::new(found.unwrap_or_else(|| PathBuf::from(first)));
    command.arg(program).args(args);
    command
}

fn interpreters(path: &Path) -> &'static [&'static str] {
    let found = SCRIPTS.iter().find(|(ending, _)| has_ending(path, ending));
    found.map_or(&[], |(_, interpreters)| interpreters)
}

fn look_up(name: &str, folders: &OsStr) -> Option<PathBuf> {
    let candidates = env::split_paths(folders).map(|folder| with_ending(folder.join(name)));
    candidates.into_iter().find(|candidate| is_executable(candidate))
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_name_may_leave_its_ending_out() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str| dir.path().join(name);
        for name in ["both.cmd", "both.exe", "bare", "text.txt"] {
            fs::write(file(name), "").unwrap();
        }
        assert_eq!(with_ending(file("both")), file("both.exe"));
        assert_eq!(with_ending(file("both.cmd")), file("both.cmd"));
        for other in ["bare", "text", "text.txt", "missing"] {
            assert_eq!(with_ending(file(other)), file(other));
            assert!(!is_executable(&file(other)));
        }
    }

    #[test]
    fn an_environment_of_python_is_named_as_on_unix() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str| dir.path().join(name);
        fs::create_dir_all(file(".venv/Scripts")).unwrap();
        fs::write(file(".venv/Scripts/python.exe"), "").unwrap();
        // Somebody's own folder of that name is as it is.
        assert_eq!(with_ending(file(".venv/bin/python")), file(".venv/bin/python"));
        fs::write(file(".venv/pyvenv.cfg"), "").unwrap();
        for name in ["python", "python3", "python.exe"] {
            assert_eq!(with_ending(file(".venv/bin").join(name)), file(".venv/Scripts/python.exe"));
        }
        assert_eq!(with_ending(file(".venv/bin/other")), file(".venv/Scripts/other"));
    }

    #[test]
    fn a_script_is_given_to_its_interpreter() {
        let dir = tempfile::tempdir().unwrap();
        let (script, node) = (dir.path().join("a.MJS"), dir.path().join("node.exe"));
        fs::write(&script, "").unwrap();
        fs::write(&node, "").unwrap();
        assert!(is_executable(&script));
        let command = command(&script, &["x y".into()], dir.path().as_os_str());
        assert_eq!(command.get_program(), node);
        assert_eq!(command.get_args().collect::<Vec<_>>(), [script.as_os_str(), OsStr::new("x y")]);
        assert_eq!(interpreter_of(&script).as_deref(), Some("node"));
        assert_eq!(interpreter_of(&node), None);
    }
}
