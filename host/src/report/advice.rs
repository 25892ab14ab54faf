//! What the last words of a program say of why it did not start: a module that is not installed, a
//! file that is not there, a variable that is not set.

use std::path::{Path, PathBuf};

use crate::environment::{BIN, EnvironmentKind, MissingEnvironment, PYTHON3};

/// What to do, where the lines of stderr say it.
pub(crate) fn of_stderr(lines: &[String]) -> Option<String> {
    lines.iter().rev().find_map(|line| of_python(line).or_else(|| of_node(line)))
}

/// What to do where a program is not there that an installation would have brought: by its path, and as that is written.
pub(crate) fn of_missing_program(program: &Path, written: &str) -> Option<String> {
    let path = Path::new(written);
    let (name, folder) = (path.file_name()?.to_str()?, path.parent()?);
    let home = program.to_str().and_then(|program| program.strip_suffix(written));
    let home = home.map(|home| Path::new(home).components().collect::<PathBuf>());
    if folder.ends_with("node_modules/.bin") {
        return Some("npm install in the extension's folder".to_owned());
    }
    // On Windows a manifest may name it as on Unix.
    let is_of_programs = folder.ends_with("bin") || folder.ends_with(BIN);
    let environment = folder.parent().filter(|it| is_of_programs && *it != Path::new(""))?;
    // An interpreter of the system is installed otherwise.
    if !name.starts_with("python")
        || environment == Path::new("/usr")
        || environment == Path::new("/")
    {
        return None;
    }
    let environment = environment.display();
    let what = format!("there is no Python environment {environment}, or its interpreter is gone");
    let home = home.filter(|home| home.is_absolute());
    let made = home.and_then(|home| {
        let missing = MissingEnvironment::in_folder(&home, [written]);
        let is_python = |one: &&MissingEnvironment| one.kind == EnvironmentKind::Python;
        missing.iter().find(is_python).map(|one| one.command(&home))
    });
    Some(match made {
        Some(command) => format!("{what}: {command}"),
        None => format!(
            "{what}: {PYTHON3} -m venv --clear {environment} in the extension's folder, and install \
             there what it needs, with {environment}/{BIN}/pip install ..."
        ),
    })
}

/// Whether a line speaks of the environment, without the name of a variable that was withheld.
pub(crate) fn speaks_of_environment(line: &str) -> bool {
    const WORDS: [&str; 7] =
        ["environ", "env var", "process.env", "getenv", "not set", "unset", "unbound variable"];
    let line = line.to_lowercase();
    WORDS.iter().any(|word| line.contains(word))
}

fn of_python(line: &str) -> Option<String> {
    if let Some(name) = quoted_after(line, "ModuleNotFoundError: No module named ") {
        let package = name.split('.').next().unwrap_or(name);
        return Some(format!(
            "install {package} for the Python that starts it: {PYTHON3} -m venv .venv in the \
             extension's folder, .venv/{BIN}/pip install {package}, and \"exec\": \
             \"./.venv/bin/python\" in extension.json"
        ));
    }
    let file = quoted_after(line, "can't open file ")?;
    Some(format!(
        "there is no file {file}: correct \"args\" in extension.json; its paths begin at the \
         extension's folder"
    ))
}

fn of_node(line: &str) -> Option<String> {
    if line.contains("Unknown file extension \".ts\"") {
        return Some(
            "this Node does not run TypeScript by itself: npm install tsx, and \"args\": \
             [\"--import\", \"tsx\", FILE] in extension.json, or a Node of 22.18 or newer"
                .to_owned(),
        );
    }
    let found = ["Cannot find package ", "Cannot find module "];
    let name = found.iter().find_map(|words| quoted_after(line, words))?;
    if name.starts_with(['.', '/']) || name.starts_with("file:") {
        return Some(format!(
            "there is no file {name}: build it, as with npm run build, or correct its path"
        ));
    }
    let scoped = name.starts_with('@');
    let package: Vec<_> = name.splitn(if scoped { 3 } else { 2 }, '/').collect();
    let package = package[..package.len().min(if scoped { 2 } else { 1 })].join("/");
    Some(format!("npm install {package} in the extension's folder"))
}

/// What stands in quotation marks behind those words.
fn quoted_after<'a>(line: &'a str, words: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(words)?;
    let quote = rest.chars().next().filter(|it| matches!(it, '\'' | '"'))?;
    rest[1..].split_once(quote).map(|(text, _)| text).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(line: &str) -> String {
        of_stderr(&[line.to_owned(), "Node.js v22".to_owned()]).unwrap_or_default()
    }

    #[test]
    fn what_is_missing_is_told_with_the_line_that_brings_it() {
        let python = told("ModuleNotFoundError: No module named 'httpx.client'");
        assert!(python.contains(&format!(".venv/{BIN}/pip install httpx, and")), "{python}");
        let node =
            told("Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@a/b' imported from /x");
        assert_eq!(node, "npm install @a/b in the extension's folder");
        assert_eq!(
            told("Error: Cannot find module 'zod/v4'"),
            "npm install zod in the extension's folder"
        );
        assert!(
            told("Error: Cannot find module '/x/dist/a.js'")
                .starts_with("there is no file /x/dist")
        );
        let file = told("python3: can't open file '/x/a.py': [Errno 2] No such file or directory");
        assert!(file.starts_with("there is no file /x/a.py: correct \"args\""), "{file}");
        let old = told(
            "TypeError [ERR_UNKNOWN_FILE_EXTENSION]: Unknown file extension \".ts\" for /x/a.ts",
        );
        assert!(old.contains("[\"--import\", \"tsx\", FILE]"), "{old}");
        for line in ["", "No module named", "Cannot find module ", "Cannot find module '"] {
            assert_eq!(told(line), "", "{line}");
        }
    }

    #[test]
    fn a_program_that_an_installation_brings_is_told_with_it() {
        let of = |written: &str| of_missing_program(Path::new(written), written);
        let python = of(&format!("../env/{BIN}/python3")).unwrap();
        let told = format!("{PYTHON3} -m venv --clear ../env in the extension's");
        assert!(python.contains(&told), "{python}");
        let home = if cfg!(windows) { "C:/x" } else { "/x" };
        let written = "./.venv/bin/python3";
        let python = of_missing_program(Path::new(&format!("{home}/{written}")), written);
        let python = python.unwrap();
        let goes = if cfg!(windows) { r#"cd "C:\\x" && "# } else { "cd /x && " };
        assert!(python.contains(goes) && python.ends_with("venv .venv"), "{python}");
        let node = of("node_modules/.bin/tsx");
        assert_eq!(node.as_deref(), Some("npm install in the extension's folder"));
        for other in ["python3", "bin/python", "/usr/bin/python3.9", "./build/x", ""] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
