//! `extline new`: an extension that works, to begin with.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use extline_host::file::{WRITTEN_BYTES, read_text, real};
use serde_json::json;

use crate::args::New;
use crate::exit::Exit;
use crate::failure::{Failure, nearest};
use crate::printer::Printer;
use crate::styled::BOLD;
use crate::template::{LANGUAGES, Language, Sdk, TemplateFile};

/// Names that cargo does not take for a package, or that a dependency has.
const NOT_FOR_CARGO: [&str; 14] = [
    "alloc",
    "build",
    "core",
    "deps",
    "examples",
    "extline",
    "incremental",
    "proc-macro",
    "proc-macro2",
    "schemars",
    "serde",
    "std",
    "test",
    "tokio",
];

const KEYWORDS: [&str; 51] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

pub(crate) fn run(new: &New, mut printer: Printer) -> Exit {
    let exit = match Plan::of(new) {
        Ok(plan) => match plan.write() {
            Ok(()) => {
                plan.tell(&mut printer);
                Exit::Ok
            }
            Err(error) => {
                printer.error(format_args!("{} cannot be written: {error}", plan.dir.display()));
                Exit::ToolError
            }
        },
        Err(message) => Failure::of_usage(&message).report(&mut printer),
    };
    printer.finish(exit)
}

/// What is to be written, and where.
struct Plan {
    name: String,
    language: &'static Language,
    dir: PathBuf,
    /// The folder of the SDK in this language; none for one without, and for that on a registry.
    sdk: Option<String>,
}

impl Plan {
    fn of(new: &New) -> Result<Self, String> {
        let language = language(&new.lang)?;
        check_name(&new.name, language)?;
        let dir = new.dir.clone().unwrap_or_else(|| PathBuf::from(&new.name));
        check_folder(&dir)?;
        let sdk = match (&language.sdk, &new.sdk) {
            (Some(sdk), Some(folder)) => Some(sdk_at(sdk, folder).map_err(|error| {
                let folder = folder.display();
                format!(
                    "--sdk {folder}: {error}; it is the folder {} of a clone of extline",
                    sdk.folder
                )
            })?),
            (Some(sdk), None) => sdk_of_this_build(sdk),
            (None, Some(_)) => {
                return Err(format!(
                    "--sdk names the folder of an SDK, and {} is written without one",
                    new.lang
                ));
            }
            (None, None) => None,
        };
        Ok(Self { name: new.name.clone(), language, dir, sdk })
    }

    fn write(&self) -> io::Result<()> {
        for file in self.language.files {
            let path = self.dir.join(file.path);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            create(&path, file, &self.filled_in(file.text))?;
        }
        Ok(())
    }

    fn filled_in(&self, text: &str) -> String {
        let (meant, other) = match self.sdk {
            Some(_) => ("{{from_clone}}", "{{from_registry}}"),
            None => ("{{from_registry}}", "{{from_clone}}"),
        };
        let lines = text.split_inclusive('\n').filter(|line| !line.starts_with(other));
        let lines: String = lines.map(|line| line.strip_prefix(meant).unwrap_or(line)).collect();
        let sdk = self.sdk.as_deref().unwrap_or_default();
        lines
            .replace("{{name}}", &self.name)
            .replace("{{dir}}", &quoted(&self.dir))
            .replace("{{version}}", env!("CARGO_PKG_VERSION"))
            .replace("{{sdk_path}}", &quoted(Path::new(sdk)))
            .replace("{{sdk}}", &serde_json::Value::from(sdk).to_string())
    }

    fn tell(&self, printer: &mut Printer) {
        let dir = quoted(&self.dir);
        let call = format!("extline call {dir} greet '{{\"who\":\"you\"}}'");
        let next = match &self.language.build {
            Some(build) if self.sdk.is_some() => [self.filled_in(build.from_clone), call],
            Some(build) => [self.filled_in(build.from_registry), call],
            None => [format!("extline inspect {dir}"), call],
        };
        let files: Vec<_> =
            self.language.files.iter().map(|file| self.dir.join(file.path)).collect();
        if printer.json {
            printer.json(&json!({ "dir": self.dir, "files": files, "next": next }));
            return;
        }
        for file in files {
            printer.result(file.display());
        }
        let [first, second] = next;
        printer.result(format_args!("next:\n  {BOLD}{first}{BOLD:#}\n  {BOLD}{second}{BOLD:#}"));
    }
}

fn language(name: &str) -> Result<&'static Language, String> {
    if let Some(language) = LANGUAGES.iter().find(|language| language.name == name) {
        return Ok(language);
    }
    let there: Vec<_> = LANGUAGES.iter().map(|language| language.name.to_owned()).collect();
    let meant = nearest(name, &there).map(|it| format!("; did you mean {it}?"));
    Err(format!(
        "unknown language {name}{}\n  languages: {}",
        meant.unwrap_or_default(),
        there.join(", ")
    ))
}

fn check_name(name: &str, language: &Language) -> Result<(), String> {
    let is_plain = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-';
    let begins = name.starts_with(|it: char| it.is_ascii_lowercase());
    if !begins || !name.chars().all(is_plain) || name.len() > 64 {
        return Err(format!(
            "{name:?} is no name for an extension: it is 1 to 64 lower-case letters, digits and \
             dashes, and begins with a letter, as weather-berlin"
        ));
    }
    if language.name == "rust" && (NOT_FOR_CARGO.contains(&name) || KEYWORDS.contains(&name)) {
        return Err(format!("{name} means something else to cargo; try {name}-extension"));
    }
    Ok(())
}

/// Nothing is overwritten, and nothing written between what is there.
fn check_folder(dir: &Path) -> Result<(), String> {
    match fs::read_dir(dir) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => {
                Err(format!("{} is not empty; name another folder with --dir", dir.display()))
            }
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(format!("{}: {error}; name another folder with --dir", dir.display())),
    }
}

/// The SDK's folder, absolute, since it may be anywhere as seen from the new one.
fn sdk_at(sdk: &Sdk, folder: &Path) -> Result<String, String> {
    let folder = real(folder).map_err(|error| error.to_string())?;
    let manifest = read_text(folder.join(sdk.manifest), WRITTEN_BYTES)
        .map_err(|error| format!("its {} cannot be read: {error}", sdk.manifest))?;
    let names = ["name = \"extline\"", "\"name\": \"extline\",", "Name: extline"];
    if !manifest.lines().any(|line| names.contains(&line.trim())) {
        return Err(format!("its {} is not that of the package extline", sdk.manifest));
    }
    folder.into_os_string().into_string().map_err(|_| "its path is not UTF-8".to_owned())
}

/// The SDK beside which this program was built, where it still stands in `target`.
fn sdk_of_this_build(sdk: &Sdk) -> Option<String> {
    let program = env::current_exe().ok()?;
    program.ancestors().find_map(|folder| sdk_at(sdk, &folder.join(sdk.folder)).ok())
}

fn create(path: &Path, file: &TemplateFile, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    if file.is_program {
        let_start(&mut options);
    }
    options.open(path)?.write_all(text.as_bytes())
}

#[cfg(unix)]
fn let_start(options: &mut OpenOptions) {
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o755);
}

/// What a file's ending says.
#[cfg(not(unix))]
fn let_start(_options: &mut OpenOptions) {}

/// A path as it is typed into a shell.
fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let path = if path.starts_with('-') { format!("./{path}") } else { path };
    let is_plain = |it: char| it.is_alphanumeric() || "/._-".contains(it);
    if path.chars().all(is_plain) { path } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked_where_they_are_made() {
        let [rust, .., sh] = &LANGUAGES;
        for name in ["weather", "w", "weather-2"] {
            assert_eq!(check_name(name, rust), Ok(()));
        }
        for name in ["", "Weather", "2x", "-x", "a b", "a/b", "a_b", "größe", &"x".repeat(65)] {
            assert!(check_name(name, sh).unwrap_err().contains("is no name"), "{name}");
        }
        for name in ["test", "match", "extline"] {
            assert!(check_name(name, rust).unwrap_err().contains("means something else"));
            assert_eq!(check_name(name, sh), Ok(()));
        }
    }

    #[test]
    fn paths_can_be_pasted_into_a_shell() {
        assert_eq!(quoted(Path::new("a/b-c")), "a/b-c");
        assert_eq!(quoted(Path::new("it's here")), "'it'\\''s here'");
        assert_eq!(quoted(Path::new("-x y")), "'./-x y'");
    }
}
