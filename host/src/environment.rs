//! What an extension needs beside its own files: the packages that an installer of its language puts into its folder.

use std::borrow::Cow;
use std::env;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::file::{WRITTEN_BYTES, read_text};
use crate::process::{is_executable, with_ending};

/// The folder of programs in a virtual environment, the interpreter there, what makes one, and what npm is called.
pub(crate) const BIN: &str = if cfg!(windows) { "Scripts" } else { "bin" };
pub(crate) const PYTHON: &str = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
pub(crate) const PYTHON3: &str = if cfg!(windows) { "python" } else { "python3" };
const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// An environment that an extension needs and that is not there, with the commands that make it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MissingEnvironment {
    /// What it is.
    pub kind: EnvironmentKind,
    /// The commands that make it, one after the other, in the extension's folder: program and arguments.
    pub steps: Vec<Vec<String>>,
}

/// What makes an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EnvironmentKind {
    /// A virtual environment of Python, by `uv` where that is installed, else by `python3 -m venv`, which is
    /// `python -m venv` on Windows.
    Python,
    /// `node_modules`, by `npm`.
    Node,
    /// A program that is built, by `cargo`.
    Rust,
}

impl MissingEnvironment {
    /// What is missing in the folder of an extension that is started by these words: `exec` and `args` of its manifest.
    /// Files are looked at, and nothing is run.
    pub fn in_folder<'w>(dir: &Path, words: impl IntoIterator<Item = &'w str>) -> Vec<Self> {
        let folder = words.into_iter().find_map(python_folder);
        let missing = [python(dir, folder), node(dir), rust(dir)];
        missing.into_iter().flatten().collect()
    }

    /// The line for a shell that makes it in that folder.
    pub fn command(&self, dir: &Path) -> String {
        let lines = self.steps.iter().map(|step| quoted(step.iter().map(String::as_str)));
        let dir = dir.to_string_lossy();
        let cd = quoted(["cd", &*dir]);
        std::iter::once(cd).chain(lines).collect::<Vec<_>>().join(" && ")
    }
}

impl fmt::Display for MissingEnvironment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self.kind {
            EnvironmentKind::Python => "its Python environment is not there",
            EnvironmentKind::Node => "its node_modules are not there",
            EnvironmentKind::Rust => "it is not built",
        })
    }
}

/// The environment that a word of a command lies in, as `.venv` of `./.venv/bin/python`.
fn python_folder(word: &str) -> Option<&str> {
    let path = word.strip_prefix("./").unwrap_or(word);
    let (folder, _) = path.split_once('/')?;
    matches!(folder, ".venv" | "venv").then_some(folder)
}

fn python(dir: &Path, named: Option<&str>) -> Option<MissingEnvironment> {
    let requirements = dir.join("requirements.txt").exists();
    let project = has_python_packages(dir);
    if named.is_none() && !requirements && !project {
        return None;
    }
    let folder = named.unwrap_or(".venv");
    let python = format!("{folder}/{PYTHON}");
    // A link to an interpreter that is gone is none.
    if dir.join(&python).exists() {
        return None;
    }
    let packages: &[&str] = match (requirements, project || has_project(dir)) {
        (true, _) => &["-r", "requirements.txt"],
        (false, true) => &["."],
        (false, false) => &[],
    };
    let clear = dir.join(folder).symlink_metadata().is_ok().then_some("--clear");
    let (make, install) = if is_installed("uv") {
        (vec!["uv", "venv"], vec!["uv", "pip", "install", "--python", &*python])
    } else {
        (vec![PYTHON3, "-m", "venv"], vec![&*python, "-m", "pip", "install"])
    };
    let mut steps = vec![words(make.into_iter().chain(clear).chain([folder]))];
    if !packages.is_empty() {
        steps.push(words(install.into_iter().chain(packages.iter().copied())));
    }
    Some(MissingEnvironment { kind: EnvironmentKind::Python, steps })
}

/// Whether its `pyproject.toml` names packages. One that only has settings of tools needs none.
fn has_python_packages(dir: &Path) -> bool {
    let Some(project) = project_of(dir) else { return false };
    let names = |value: &toml::Value| value.as_array().is_some_and(|names| !names.is_empty());
    let dynamic = project.get("dynamic").and_then(toml::Value::as_array);
    let is_dynamic =
        |names: &Vec<toml::Value>| names.iter().any(|name| name.as_str() == Some("dependencies"));
    project.get("dependencies").is_some_and(names) || dynamic.is_some_and(is_dynamic)
}

/// Whether its `pyproject.toml` describes a package.
fn has_project(dir: &Path) -> bool {
    project_of(dir).is_some()
}

fn project_of(dir: &Path) -> Option<toml::Value> {
    let text = read_text(dir.join("pyproject.toml"), WRITTEN_BYTES).ok()?;
    let file: toml::Table = text.parse().ok()?;
    file.get("project").cloned()
}

fn node(dir: &Path) -> Option<MissingEnvironment> {
    let has = |name: &str| dir.join(name).exists();
    if !has("package.json") || has("node_modules") || !has_node_packages(dir) {
        return None;
    }
    let has_lock = has("package-lock.json") || has("npm-shrinkwrap.json");
    let steps = vec![words([NPM, if has_lock { "ci" } else { "install" }])];
    Some(MissingEnvironment { kind: EnvironmentKind::Node, steps })
}

/// Whether its `package.json` names packages; npm says what is wrong with one that cannot be read.
fn has_node_packages(dir: &Path) -> bool {
    let text = read_text(dir.join("package.json"), WRITTEN_BYTES).unwrap_or_default();
    let Ok(package) = serde_json::from_str::<serde_json::Value>(&text) else { return true };
    let names = ["dependencies", "devDependencies", "optionalDependencies"];
    let has = |name: &str| package[name].as_object().is_some_and(|names| !names.is_empty());
    names.into_iter().any(has)
}

fn rust(dir: &Path) -> Option<MissingEnvironment> {
    if !dir.join("Cargo.toml").exists() || dir.join("target").exists() {
        return None;
    }
    let steps = vec![words(["cargo", "build", "--release"])];
    Some(MissingEnvironment { kind: EnvironmentKind::Rust, steps })
}

fn is_installed(program: &str) -> bool {
    let folders = env::var_os("PATH").unwrap_or_default();
    let found = |folder: PathBuf| is_executable(&with_ending(folder.join(program)));
    env::split_paths(&folders).any(found)
}

fn words<'w>(words: impl IntoIterator<Item = &'w str>) -> Vec<String> {
    words.into_iter().map(str::to_owned).collect()
}

/// As it is typed into a shell. What no shell takes, a zero byte, is in no path.
fn quoted<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let word = |word: &'w str| shlex::try_quote(word).unwrap_or(Cow::Borrowed("?")).into_owned();
    words.into_iter().map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The commands that are told for a folder with these files.
    fn told(files: &[(&str, &str)], words: &[&str]) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let missing = MissingEnvironment::in_folder(dir.path(), words.iter().copied());
        let line = |it: &MissingEnvironment| it.command(Path::new("/a b"));
        missing.iter().map(line).collect()
    }

    #[test]
    fn what_is_missing_is_told_with_the_commands() {
        let (make, pip) = if is_installed("uv") {
            ("uv venv .venv".to_owned(), format!("uv pip install --python .venv/{PYTHON}"))
        } else {
            (format!("{PYTHON3} -m venv .venv"), format!(".venv/{PYTHON} -m pip install"))
        };
        let python = |with: &str| vec![format!("cd '/a b' && {make} && {pip} {with}")];
        assert_eq!(told(&[("requirements.txt", "")], &[]), python("-r requirements.txt"));
        let project = "[project]\nname = \"a\"\ndependencies = [\"extline\"]\n";
        assert_eq!(told(&[("pyproject.toml", project)], &["./a.py"]), python("."));
        let bare = "[project]\nname = \"a\"\n";
        assert_eq!(told(&[("pyproject.toml", bare)], &["./.venv/bin/python"]), python("."));
        assert_eq!(told(&[], &["./.venv/bin/python"]), [format!("cd '/a b' && {make}")]);
        let package = r#"{"devDependencies": {"tsx": "4"}}"#;
        assert_eq!(
            told(&[("package.json", package)], &[]),
            [format!("cd '/a b' && {NPM} install")]
        );
        let locked = [("package.json", "{"), ("package-lock.json", "{}")];
        assert_eq!(told(&locked, &[]), [format!("cd '/a b' && {NPM} ci")]);
        assert_eq!(told(&[("Cargo.toml", "")], &[]), ["cd '/a b' && cargo build --release"]);
    }

    #[test]
    fn what_needs_nothing_or_has_it_is_told_nothing() {
        let nothing: [String; 0] = [];
        assert_eq!(told(&[], &["python3", "a.py"]), nothing);
        let settings = [("pyproject.toml", "[tool.ruff]\nline-length = 100\n")];
        assert_eq!(told(&settings, &["./a.py"]), nothing);
        assert_eq!(told(&[("package.json", r#"{"type": "module"}"#)], &["node"]), nothing);
        let python = format!(".venv/{PYTHON}");
        let made = [("requirements.txt", "a"), (&*python, "")];
        assert_eq!(told(&made, &[&format!("./{python}")]), nothing);
        let made = [("package.json", "{"), ("node_modules/a", "")];
        assert_eq!(told(&made, &[]), nothing);
    }

    #[cfg(unix)]
    #[test]
    fn an_environment_whose_interpreter_is_gone_is_cleared() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("venv/bin")).unwrap();
        let python = dir.path().join("venv/bin/python");
        std::os::unix::fs::symlink("/nowhere/python3", python).unwrap();
        let missing = MissingEnvironment::in_folder(dir.path(), ["venv/bin/python"]);
        assert_eq!(missing.len(), 1);
        assert!(missing[0].command(dir.path()).ends_with("venv --clear venv"), "{missing:?}");
    }
}
