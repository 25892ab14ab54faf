//! What a manifest says that is right by itself, and does not work here or elsewhere.

use std::path::Path;

use super::check::{ManifestFault, Severity};
use super::place::{Places, line_and_column};
use super::{Manifest, ManifestError};

pub(super) fn of(manifest: &Manifest, file: &Path, text: &str) -> Vec<ManifestFault> {
    let text = text.trim_start_matches('\u{feff}');
    let mut advice = Vec::new();
    let mut add = |code: &str, pointer: &str, message: String, remedy: String| {
        let (line, column) = line_and_column(text, Places::of(text).value(pointer));
        advice.push(ManifestFault {
            code: format!("manifest.{code}"),
            severity: Severity::Warning,
            pointer: pointer.to_owned(),
            line: Some(line),
            column: Some(column),
            message,
            remedy,
        });
    };
    let name = &manifest.name;
    if !is_portable(name) {
        let message = format!("{name:?} is refused by some hosts");
        let remedy = "write it with a-z, 0-9, `.`, `_` and `-`, a letter or a digit first";
        add("name.portable", "/name", message, remedy.to_owned());
    }
    if manifest.version.is_empty() {
        let message = "it has no version, which some hosts want".to_owned();
        add("version.missing", "/version", message, "write \"version\": \"1.0.0\"".to_owned());
    }
    match &manifest.exec {
        None if manifest.host.as_deref().unwrap_or("process") == "process" => {
            let message = "without it nothing is started".to_owned();
            let remedy = "write \"exec\": \"./my-extension\", a path relative to this file";
            add("exec.missing", "/exec", message, remedy.to_owned());
        }
        Some(exec) => {
            if let Some((code, message, remedy)) = of_program(exec, file) {
                add(code, "/exec", message, remedy);
            }
        }
        None => {}
    }
    if let Some(ManifestError { pointer, problem, remedy, .. }) = manifest.unfit(file) {
        add("requires.unmet", pointer.as_deref().unwrap_or_default(), problem, remedy);
    }
    advice
}

/// The names that every host takes.
fn is_portable(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    name.bytes().next().is_some_and(is_plain)
        && name.bytes().all(|byte| is_plain(byte) || b"._-".contains(&byte))
}

/// A program that is not there may be built yet, so this is advice.
fn of_program(exec: &str, file: &Path) -> Option<(&'static str, String, String)> {
    let is_path = exec.contains('/');
    let program = file.parent().unwrap_or(Path::new("")).join(exec);
    if is_path && program.exists() {
        return None;
    }
    let mut words = exec.split_whitespace();
    if let (Some(first), Some(_)) = (words.next(), words.clone().next()) {
        let args: Vec<_> = words.collect();
        let message = format!("{exec:?} is looked for as one program, spaces included");
        let remedy = format!("write \"exec\": {first:?}, \"args\": {args:?}");
        return Some(("exec.command-line", message, remedy));
    }
    let message = || format!("there is no program {}", program.display());
    is_path.then(|| ("exec.not-found", message(), "build it, or correct the path".to_owned()))
}
