//! What the last words of a program say of why it did not start: a module that is not installed, a
//! file that is not there, a variable that is not set.

/// What to do, where the lines of stderr say it.
pub(crate) fn of_stderr(lines: &[String]) -> Option<String> {
    lines.iter().rev().find_map(|line| of_python(line).or_else(|| of_node(line)))
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
            "install {package} for the Python that starts it: python3 -m venv .venv in the \
             extension's folder, .venv/bin/pip install {package}, and \"exec\": \
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
        assert!(python.contains(".venv/bin/pip install httpx, and"), "{python}");
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
        for line in ["", "No module named", "Cannot find module ", "Cannot find module '"] {
            assert_eq!(told(line), "", "{line}");
        }
    }
}
