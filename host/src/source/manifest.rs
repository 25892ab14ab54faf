//! `extension.json`: what an extension is called and how it is started.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use extline_protocol::check_extension_name;
use extline_services::secret::check_name as check_variable;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::config_schema::ConfigSchema;
use crate::file::{MANIFEST_BYTES, read_bytes};
use crate::registry::Point;
use crate::report::Problem;

/// The manifest's file name.
pub const MANIFEST: &str = "extension.json";

/// What stands in an `extension.json`: zot's fields; further ones are kept in `other`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Manifest {
    /// What the extension is called, everywhere.
    pub name: String,
    /// Its version; empty when it says none.
    pub version: String,
    /// The program: absolute, relative to the folder when it holds a separator, else looked up in
    /// `$PATH`. A manifest without it offers nothing that runs.
    pub exec: Option<String>,
    /// The program's arguments.
    pub args: Vec<String>,
    /// The language it is written in, for people.
    pub language: String,
    /// What it does, in a line.
    pub description: String,
    /// `false`: it is not started.
    pub enabled: bool,
    /// Points at which nothing may pass while its guards cannot be asked, `["tool_call"]`
    /// (`guard.declared`). A host knows them here also of an extension that never says hello.
    pub guards: Vec<String>,
    /// What it asks of the host.
    pub permissions: Permissions,
    /// What it wants to be configured with: a JSON Schema of an object, whose members may have a `default` and may be
    /// `secret`, see [`ConfigSchema`].
    pub config_schema: Option<Value>,
    /// Skills it brings, as they stand.
    pub skills: Option<Value>,
    /// Fields that this version does not know.
    pub other: BTreeMap<String, Value>,
}

/// What an extension asks of the host, in the manifest's `permissions`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Permissions {
    /// Names of environment variables that it gets where the host has them, beside those that every
    /// extension gets: `"permissions": {"env": ["OPENWEATHER_KEY"]}`.
    pub env: Vec<String>,
    /// Names of secrets that it may ask for by `secret.get`: `"permissions": {"secrets": ["OPENWEATHER_KEY"]}`. Their
    /// values come to it by no other way.
    pub secrets: Vec<String>,
    /// What this version does not know.
    pub other: BTreeMap<String, Value>,
}

/// A manifest that cannot be used. `Display` says which file, where in it, what is wrong and what
/// to do.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}: {}{problem}; {remedy}", .file.display(), .pointer.as_ref().map_or_else(String::new, |at| format!("{at}: ")))]
#[non_exhaustive]
pub struct ManifestError {
    /// The file.
    pub file: PathBuf,
    /// Points that it may declare to guard, as far as can be told: all of them where it names
    /// `guards`, or where its text cannot be had, as in a file that is too long.
    pub guards: Vec<String>,
    /// JSON pointer of the offending member; `None` when the file cannot be read at all.
    pub pointer: Option<String>,
    /// What is wrong.
    pub problem: String,
    /// What to do.
    pub remedy: String,
}

impl ManifestError {
    /// Why its extension cannot be used.
    pub(crate) fn into_problem(self) -> Problem {
        let Self { file, pointer, problem: message, remedy, .. } = self;
        Problem::Manifest { file, pointer, message, remedy }
    }
}

impl Manifest {
    /// Reads the manifest of a folder, or the manifest itself when the path names that file.
    /// Nothing is run.
    pub fn read(path: &Path) -> Result<Self, ManifestError> {
        let file = manifest_file(path);
        let bytes = read_bytes(&file, MANIFEST_BYTES).map_err(|error| {
            // A file whose text nobody knows may guard anything.
            let guards = if file.is_file() { all_points() } else { Vec::new() };
            ManifestError { guards, ..unreadable(path, &file, &error) }
        })?;
        match String::from_utf8(bytes) {
            Ok(text) => Self::parse(&text, &file),
            Err(error) => {
                let guards = guards_named_in(&String::from_utf8_lossy(error.as_bytes()));
                let error = io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8");
                Err(ManifestError { guards, ..unreadable(path, &file, &error) })
            }
        }
    }

    /// Reads a manifest's text; `file` is only named in errors.
    pub fn parse(text: &str, file: &Path) -> Result<Self, ManifestError> {
        Self::read_text(text, file)
            .map_err(|error| ManifestError { guards: guards_named_in(text), ..error })
    }

    fn read_text(text: &str, file: &Path) -> Result<Self, ManifestError> {
        let whole = |problem: String, remedy: &str| ManifestError {
            file: file.to_owned(),
            guards: Vec::new(),
            pointer: None,
            problem,
            remedy: remedy.to_owned(),
        };
        let value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
            .map_err(|error| whole(format!("not JSON: {error}"), "correct that place"))?;
        let Value::Object(members) = value else {
            let problem = format!("it holds {}, not an object", kind_of(&value));
            return Err(whole(problem, "write {\"name\": \"...\", \"exec\": \"./...\"}"));
        };
        Members { rest: members, at: "", file }.manifest()
    }
}

/// Where a manifest that is wrong may guard: the word is enough.
fn guards_named_in(text: &str) -> Vec<String> {
    // In UTF-16 every second byte of it is 0.
    let names_them = text.replace('\0', "").contains("\"guards\"");
    if names_them { all_points() } else { Vec::new() }
}

/// The points that have guards.
fn all_points() -> Vec<String> {
    let points = Point::ALL.into_iter().filter(|point| point.has_guards());
    points.map(|point| point.as_str().to_owned()).collect()
}

/// The manifest a path stands for.
pub(crate) fn manifest_file(path: &Path) -> PathBuf {
    let names_it = path.file_name().is_some_and(|name| name == MANIFEST) && !path.is_dir();
    if names_it { path.to_owned() } else { path.join(MANIFEST) }
}

fn unreadable(path: &Path, file: &Path, error: &io::Error) -> ManifestError {
    let (problem, remedy) = if path.is_file() && path != file {
        let remedy = "give the folder of an extension, or start this program with \
                      `-- PROGRAM ARGS` in place of the folder";
        ("it is a file, not a folder with an extension.json".to_owned(), remedy)
    } else if !path.exists() {
        ("there is no such folder".to_owned(), "check the path")
    } else if error.kind() == io::ErrorKind::NotFound {
        let remedy = "write one with at least \"name\" and \"exec\", or start a program without \
                      a manifest with `-- PROGRAM ARGS` in place of the folder";
        ("there is no such file".to_owned(), remedy)
    } else {
        let remedy = "it must be a regular file of at most 256 KiB in UTF-8 that you may read";
        (format!("it cannot be read: {error}"), remedy)
    };
    let file = if path.is_dir() { file } else { path };
    let (file, remedy) = (file.to_owned(), remedy.to_owned());
    ManifestError { file, guards: Vec::new(), pointer: None, problem, remedy }
}

/// The members that were not looked at yet; what is left at the end is `other`.
struct Members<'a> {
    rest: Map<String, Value>,
    /// JSON pointer of the object they stand in.
    at: &'static str,
    file: &'a Path,
}

impl Members<'_> {
    fn manifest(mut self) -> Result<Manifest, ManifestError> {
        let name = self.string("name")?.unwrap_or_default();
        self.check_name(&name)?;
        Ok(Manifest {
            name,
            version: self.string("version")?.unwrap_or_default(),
            exec: self.string("exec")?.filter(|exec| !exec.is_empty()),
            args: self.strings("args")?,
            language: self.string("language")?.unwrap_or_default(),
            description: self.string("description")?.unwrap_or_default(),
            enabled: self.boolean("enabled")?.unwrap_or(true),
            guards: self.strings("guards")?,
            permissions: self.permissions()?,
            config_schema: self.config_schema()?,
            skills: self.take("skills"),
            other: self.rest.into_iter().collect(),
        })
    }

    /// The name becomes part of file names, and people have to know it again.
    fn check_name(&self, name: &str) -> Result<(), ManifestError> {
        let remedy = "write \"name\": \"my-extension\" (letters, digits, `-` and `_` are always \
                      fine)";
        if name.is_empty() {
            return Err(self.error("/name", "required, and missing or empty", remedy));
        }
        if let Err(why) = check_extension_name(name) {
            return Err(self.error("/name", &format!("{name:?} is no name: {why}"), remedy));
        }
        Ok(())
    }

    fn permissions(&mut self) -> Result<Permissions, ManifestError> {
        let rest = match self.take("permissions") {
            None => return Ok(Permissions::default()),
            Some(Value::Object(members)) => members,
            Some(other) => return Err(self.wrong_type("permissions", "an object", &other)),
        };
        let mut members = Members { rest, at: "/permissions", file: self.file };
        let env = members.strings("env")?;
        self.check_names("env", &env, "an environment variable")?;
        let secrets = members.strings("secrets")?;
        self.check_names("secrets", &secrets, "a secret")?;
        Ok(Permissions { env, secrets, other: members.rest.into_iter().collect() })
    }

    fn check_names(&self, member: &str, names: &[String], of: &str) -> Result<(), ManifestError> {
        let Some(at) = names.iter().position(|name| check_variable(name).is_err()) else {
            return Ok(());
        };
        let problem = format!("{:?} is no name of {of}", names[at]);
        let remedy = "write the name alone, as \"API_KEY\"; the value comes from the host";
        Err(self.error(&format!("/permissions/{member}/{at}"), &problem, remedy))
    }

    fn config_schema(&mut self) -> Result<Option<Value>, ManifestError> {
        let Some(schema) = self.take("config_schema") else { return Ok(None) };
        if let Err(error) = ConfigSchema::compile(&schema) {
            let pointer = format!("/config_schema{}", error.pointer);
            let remedy = "write a JSON Schema of an object, as {\"type\": \"object\", \"properties\": \
                          {\"url\": {\"type\": \"string\"}}}";
            return Err(self.error(&pointer, &error.message, remedy));
        }
        Ok(Some(schema))
    }

    /// A member; `null` is as if it were not there.
    fn take(&mut self, name: &str) -> Option<Value> {
        self.rest.remove(name).filter(|value| !value.is_null())
    }

    fn string(&mut self, name: &str) -> Result<Option<String>, ManifestError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong_type(name, "a string", &other)),
        }
    }

    fn boolean(&mut self, name: &str) -> Result<Option<bool>, ManifestError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(other) => Err(self.wrong_type(name, "true or false", &other)),
        }
    }

    fn strings(&mut self, name: &str) -> Result<Vec<String>, ManifestError> {
        let elements = match self.take(name) {
            None => return Ok(Vec::new()),
            Some(Value::Array(elements)) => elements,
            Some(other) => {
                return Err(self.wrong_type(name, "a list of strings", &other));
            }
        };
        let strings = elements.into_iter().enumerate().map(|(at, element)| match element {
            Value::String(text) => Ok(text),
            other => Err(self.wrong_type(&format!("{name}/{at}"), "a string", &other)),
        });
        strings.collect()
    }

    fn wrong_type(&self, member: &str, expected: &str, found: &Value) -> ManifestError {
        let problem = format!("expected {expected}, found {}", kind_of(found));
        self.error(&format!("{}/{member}", self.at), &problem, "correct the value")
    }

    fn error(&self, pointer: &str, problem: &str, remedy: &str) -> ManifestError {
        ManifestError {
            file: self.file.to_owned(),
            guards: Vec::new(),
            pointer: Some(pointer.to_owned()),
            problem: problem.to_owned(),
            remedy: remedy.to_owned(),
        }
    }
}

fn kind_of(value: &Value) -> String {
    match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::String(text) => format!("the string {text:?}"),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn parse(text: &str) -> Result<Manifest, ManifestError> {
        Manifest::parse(text, Path::new("dir/extension.json"))
    }

    #[test]
    fn zot_s_fields_are_read_and_others_kept() {
        let manifest = parse(
            r#"{"name":"w","version":"1","exec":"./w","args":["-v"],"language":"c",
                "description":"d","enabled":false,"skills":["s"],"samples":{"w":{}}}"#,
        )
        .unwrap();
        assert_eq!(manifest.exec.as_deref(), Some("./w"));
        assert_eq!(manifest.args, ["-v"]);
        assert!(!manifest.enabled);
        assert_eq!(manifest.skills, Some(serde_json::json!(["s"])));
        assert_eq!(manifest.other.keys().collect::<Vec<_>>(), ["samples"]);
    }

    #[test]
    fn permissions_name_environment_variables() {
        let manifest =
            parse(r#"{"name":"w","permissions":{"env":["API_KEY"],"secrets":["S"],"net":true}}"#)
                .unwrap();
        assert_eq!(manifest.permissions.secrets, ["S"]);
        assert_eq!(manifest.permissions.env, ["API_KEY"]);
        assert_eq!(manifest.permissions.other["net"], true);
        let pointer = |text: &str| parse(text).unwrap_err().pointer.unwrap();
        assert_eq!(pointer(r#"{"name":"w","permissions":[]}"#), "/permissions");
        assert_eq!(pointer(r#"{"name":"w","permissions":{"env":"A"}}"#), "/permissions/env");
        assert_eq!(pointer(r#"{"name":"w","permissions":{"env":["A",5]}}"#), "/permissions/env/1");
        assert_eq!(pointer(r#"{"name":"w","permissions":{"env":["A=1"]}}"#), "/permissions/env/0");
        let secrets = r#"{"name":"w","permissions":{"secrets":["A","B=1"]}}"#;
        assert_eq!(pointer(secrets), "/permissions/secrets/1");
    }

    #[test]
    fn what_is_absent_or_null_has_zot_s_default() {
        let manifest = parse("\u{feff}{\"name\":\"w\",\"enabled\":null}").unwrap();
        assert!(manifest.enabled);
        assert_eq!(manifest.exec, None);
        assert_eq!(manifest.version, "");
    }

    #[test]
    fn errors_name_the_file_the_place_the_fault_and_the_remedy() {
        let error = parse("{}").unwrap_err();
        assert_eq!(error.pointer.as_deref(), Some("/name"));
        assert!(error.to_string().starts_with("dir/extension.json: /name: required, and missing"));
        let error = parse(r#"{"name":"w","args":["a",5]}"#).unwrap_err();
        assert_eq!(
            error.to_string(),
            "dir/extension.json: /args/1: expected a string, found 5; correct the value"
        );
        assert_eq!(parse(r#"{"name":"../x"}"#).unwrap_err().pointer.as_deref(), Some("/name"));
        for name in ["a\u{202e}b", "a\u{2028}b", "a\u{200b}", "a\\u001b"] {
            let error = parse(&format!("{{\"name\":\"{name}\"}}")).unwrap_err();
            assert!(error.problem.contains("is not seen"), "{error}");
        }
        assert!(parse("{\n\"name\": }").unwrap_err().to_string().contains("line 2"));
        assert!(parse("[]").unwrap_err().to_string().contains("a list, not an object"));
    }

    #[test]
    fn what_is_no_extension_folder_is_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let problem = |path: &Path| Manifest::read(path).unwrap_err().to_string();
        assert!(problem(&dir.path().join("nowhere")).contains("no such folder"));
        assert!(problem(dir.path()).contains("extension.json: there is no such file"));
        let program = dir.path().join("program");
        fs::write(&program, "").unwrap();
        assert!(problem(&program).contains("it is a file, not a folder"));
    }
}
