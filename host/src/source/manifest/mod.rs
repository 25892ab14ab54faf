//! `extension.json`: what an extension is called and how it is started.

mod advice;
mod check;
mod json_schema;
mod place;
mod read;
mod shape;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use semver::{Version, VersionReq};
use serde::Deserialize;
use serde_json::{Map, Value};
use thiserror::Error;

pub use self::check::{ManifestFault, Severity};
pub use self::json_schema::manifest_schema;
pub(crate) use self::read::manifest_file;
pub use self::read::{ManifestCheck, manifests_in};
pub use self::shape::manifest_members;
use crate::report::Problem;

/// The manifest's file name.
pub const MANIFEST: &str = "extension.json";

/// What a manifest may be called, in the order in which they are looked for.
pub(crate) const NAMES: [&str; 3] = [MANIFEST, "lemon_extension.json", ".lemon-extension.json"];

/// What stands in an `extension.json`: zot's fields and extline's; further ones are kept in `other`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
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
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Points at which nothing may pass while its guards cannot be asked, `["tool_call"]`
    /// (`guard.declared`). A host knows them here also of an extension that never says hello.
    pub guards: Vec<String>,
    /// What it asks of the host.
    pub permissions: Permissions,
    /// What it wants to be configured with: a JSON Schema of an object, whose members may have a `default` and may be
    /// `secret`, see [`ConfigSchema`](crate::config::ConfigSchema).
    pub config_schema: Option<Value>,
    /// Skills it brings, as they stand.
    pub skills: Option<Value>,
    /// By the name of a tool, arguments with which it may be called to try it.
    pub samples: Option<Map<String, Value>>,
    /// The version of the format that it was written for, as it stands.
    pub schema_version: Option<Value>,
    /// What it offers, in words of its own; for people and for indexes.
    pub capabilities: Vec<String>,
    /// What it provides to a host.
    pub providers: Vec<Provider>,
    /// What runs it: `process`, the default, `wasm`, `mcp` or `external`. This host starts only the first.
    #[serde(deserialize_with = "read::short_type")]
    pub host: Option<String>,
    /// What it does not run without.
    pub requires: Requires,
    /// Where it comes from.
    #[serde(deserialize_with = "read::short_source")]
    pub distribution: Option<Distribution>,
    /// Whether somebody has looked at it, by its own word: `pending`, `passed`, `warn`, `blocked` or `unknown`.
    #[serde(deserialize_with = "read::short_status")]
    pub audit: Option<String>,
    /// Its tools as they were registered the last time, for lists.
    pub tools: Vec<Value>,
    /// Its prompts, for lists.
    pub prompts: Vec<Value>,
    /// Its resources, for lists.
    pub resources: Vec<Value>,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub other: BTreeMap<String, Value>,
}

/// What an extension asks of the host, in the manifest's `permissions`. What a member states the host holds it to, `fs`,
/// `net` and `exec` on Linux; a member that is absent limits nothing. See docs/sandbox.md.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Permissions {
    /// Names of environment variables that it gets where the host has them, beside those that every
    /// extension gets: `"permissions": {"env": ["OPENWEATHER_KEY"]}`.
    pub env: Vec<String>,
    /// Names of secrets that it may ask for by `secret.get`: `"permissions": {"secrets": ["OPENWEATHER_KEY"]}`. Their
    /// values come to it by no other way.
    pub secrets: Vec<String>,
    /// Files and folders that it reads and writes: absolute, `~/x`, `${project}/x`, or from its folder.
    pub fs: FilePermissions,
    /// Machines that it talks to: a list, or `true` for all and `false` for none. A list with a machine in it is not held to.
    pub net: Option<Value>,
    /// Programs that it runs, in the same way.
    pub exec: Option<Value>,
    /// What this version does not know.
    #[serde(flatten)]
    pub other: BTreeMap<String, Value>,
}

/// Files and folders that an extension says it uses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct FilePermissions {
    /// Those that it reads, beside what it needs to run; absent: all.
    pub read: Option<Vec<String>>,
    /// Those that it writes, beside its data folder; absent: all.
    pub write: Option<Vec<String>>,
}

/// Something that an extension provides to a host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Provider {
    /// `model`, `memory`, `tool_executor` or `storage`.
    pub r#type: String,
    /// What it is called.
    pub name: String,
}

/// What an extension does not run without.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Requires {
    /// Versions of extline, `>=0.2`: under another one it is not started.
    pub extline: Option<String>,
    /// Methods that it calls, for people and indexes. An extension refuses a host without them by `required` in its code.
    pub methods: Vec<String>,
    /// Capabilities that it relies on, as `methods`.
    pub capabilities: Vec<String>,
}

/// Where an extension comes from, by its own word.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Distribution {
    /// `local`, `git`, `github`, `registry` or `archive`.
    pub source: Option<String>,
    /// The place.
    pub url: Option<String>,
    /// The SHA-256 of the archive.
    pub sha256: Option<String>,
}

fn yes() -> bool {
    true
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
    /// What stands at a place of the file and keeps the extension from starting.
    pub(crate) fn at(file: &Path, pointer: &str, problem: String, remedy: &str) -> Self {
        let (file, remedy) = (file.to_owned(), remedy.to_owned());
        Self { file, guards: Vec::new(), pointer: Some(pointer.to_owned()), problem, remedy }
    }

    /// Why its extension cannot be used.
    pub(crate) fn into_problem(self) -> Problem {
        let Self { file, pointer, problem: message, remedy, .. } = self;
        Problem::Manifest { file, pointer, message, remedy }
    }
}

impl Manifest {
    /// Reads the manifest of a folder, or the manifest itself when the path names that file.
    /// Nothing is run. The first thing that is wrong is the error; [`Manifest::check`] has all.
    pub fn read(path: &Path) -> Result<Self, ManifestError> {
        Self::check(path).manifest
    }

    /// Reads a manifest's text; `file` is only named in errors.
    pub fn parse(text: &str, file: &Path) -> Result<Self, ManifestError> {
        read::text(text, file).manifest
    }

    /// Reads a manifest as [`Manifest::read`] does, and says all that is wrong with it. Nothing is run.
    pub fn check(path: &Path) -> ManifestCheck {
        read::file(path)
    }

    /// What the members say, which were found to be right.
    fn of(mut members: Map<String, Value>) -> serde_json::Result<Self> {
        shape::without_nulls(&mut members, shape::MEMBERS);
        let mut manifest: Self = serde_json::from_value(Value::Object(members))?;
        manifest.exec = manifest.exec.filter(|exec| !exec.is_empty());
        Ok(manifest)
    }

    /// Why this host does not start it, if it does not.
    pub(crate) fn unfit(&self, file: &Path) -> Option<ManifestError> {
        if let Some(runs_in) = self.host.as_deref().filter(|host| *host != "process") {
            let problem = format!("it is run by {runs_in}, and this host starts programs only");
            return Some(ManifestError::at(file, "/host", problem, "use a host that can run it"));
        }
        let wanted = self.requires.extline.as_deref()?;
        let request = VersionReq::parse(wanted).ok()?;
        let here = Version::parse(env!("CARGO_PKG_VERSION")).ok()?;
        if request.matches(&here) {
            return None;
        }
        let problem = format!("it runs with extline {wanted}, and this is extline {here}");
        let remedy = "install a version of extline that fits, or another version of the extension";
        Some(ManifestError::at(file, "/requires/extline", problem, remedy))
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
                "description":"d","enabled":false,"skills":["s"],"samples":{"w":{}},"x":1}"#,
        )
        .unwrap();
        assert_eq!(manifest.exec.as_deref(), Some("./w"));
        assert_eq!(manifest.args, ["-v"]);
        assert!(!manifest.enabled);
        assert_eq!(manifest.skills, Some(serde_json::json!(["s"])));
        assert_eq!(manifest.samples.unwrap()["w"], serde_json::json!({}));
        assert_eq!(manifest.other.keys().collect::<Vec<_>>(), ["x"]);
    }

    #[test]
    fn permissions_name_environment_variables() {
        let manifest =
            parse(r#"{"name":"w","permissions":{"env":["API_KEY"],"secrets":["S"],"net":true}}"#)
                .unwrap();
        assert_eq!(manifest.permissions.secrets, ["S"]);
        assert_eq!(manifest.permissions.env, ["API_KEY"]);
        assert_eq!(manifest.permissions.net, Some(true.into()));
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
