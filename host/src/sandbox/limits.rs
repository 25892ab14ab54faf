//! What is limited, from the `permissions` of a manifest.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use extline_protocol::frame::Tier;
use serde_json::Value;

use crate::process::Environment;
use crate::source::{Permissions, resolve};

/// The folder of the project, in a path of `permissions.fs`.
const PROJECT: &str = "${project}";

/// What an extension is held to. What its manifest does not state is not limited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Limits {
    /// What it may read beside what it needs to run; `None`: all.
    pub(crate) read: Option<Vec<PathBuf>>,
    /// What it may write beside its data folder; `None`: all.
    pub(crate) write: Option<Vec<PathBuf>>,
    /// It has no network: `net` is `false`, or an empty list.
    pub(crate) no_network: bool,
    pub(crate) programs: Programs,
    /// What the manifest names and is not there, as `permissions.fs.read/0: no file /x`.
    pub(crate) missing: Vec<String>,
}

/// The programs that it may run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Programs {
    #[default]
    All,
    None,
    /// These, by their files.
    Listed(Vec<PathBuf>),
}

impl Limits {
    /// What is limited of an extension in `dir`, in the project `cwd`; `None` where nothing is.
    pub(crate) fn of(
        permissions: &Permissions,
        dir: &Path,
        cwd: &Path,
        environment: &Environment,
    ) -> Option<Self> {
        let mut missing = Vec::new();
        let home = environment.variables.get(OsStr::new("HOME")).map(PathBuf::from);
        let mut paths = |texts: &Option<Vec<String>>, member: &str| {
            let texts = texts.as_ref()?;
            let path = |(index, text): (usize, &String)| {
                let path = path(text, dir, cwd, home.as_deref());
                let path = path.filter(|path| path.exists());
                if path.is_none() {
                    let done = if member == "read" { "read" } else { "written" };
                    missing.push(format!(
                        "permissions.fs.{member}/{index}: there is no {text}, so nothing is {done} there"
                    ));
                }
                path
            };
            Some(texts.iter().enumerate().filter_map(path).collect())
        };
        let read = paths(&permissions.fs.read, "read");
        let write = paths(&permissions.fs.write, "write");
        let no_network = machines(permissions).is_some_and(|machines| machines.is_empty());
        let programs = match names(permissions.exec.as_ref()) {
            None => Programs::All,
            Some(names) if names.is_empty() => Programs::None,
            Some(names) => {
                let program = |(index, name): (usize, &String)| {
                    let found = resolve(OsStr::new(name), dir, environment.path()).ok();
                    if found.is_none() {
                        missing.push(format!(
                            "permissions.exec/{index}: there is no program {name}, so it is not run"
                        ));
                    }
                    found
                };
                Programs::Listed(names.iter().enumerate().filter_map(program).collect())
            }
        };
        let limits = Self { read, write, no_network, programs, missing };
        let is_limited = limits.has_file_rules() || no_network || limits.programs == Programs::None;
        is_limited.then_some(limits)
    }

    /// Whether some of it is held to by rules about files, which refuse without a word.
    pub(crate) fn has_file_rules(&self) -> bool {
        self.read.is_some() || self.write.is_some() || matches!(self.programs, Programs::Listed(_))
    }

    /// The most that any call of its tools can do: what is declared beyond that does not happen.
    pub(crate) fn most(&self) -> Tier {
        // A program that may run others, or reach other machines, may do anything somewhere.
        match (&self.programs, self.no_network, &self.write) {
            (Programs::None, true, Some(written)) if written.is_empty() => Tier::Read,
            (Programs::None, true, _) => Tier::Write,
            _ => Tier::Exec,
        }
    }

    /// What it may do, in words, a line each; beginning with the member of `permissions`.
    pub(crate) fn lines(&self) -> Vec<String> {
        let list = |paths: &[PathBuf], none: &str| match paths {
            [] => none.to_owned(),
            paths => paths.iter().map(|it| it.display().to_string()).collect::<Vec<_>>().join(", "),
        };
        let mut lines = Vec::new();
        if let Some(read) = &self.read {
            let read = list(read, "nothing but what it needs to run");
            lines.push(format!("permissions.fs.read: it reads {read}"));
        }
        if let Some(write) = &self.write {
            let write = list(write, "nothing but its data folder");
            lines.push(format!("permissions.fs.write: it writes {write}"));
        }
        if self.no_network {
            lines.push("permissions.net: it has no network".to_owned());
        }
        match &self.programs {
            Programs::All => {}
            Programs::None => lines.push("permissions.exec: it runs no programs".to_owned()),
            Programs::Listed(programs) => {
                let programs = list(programs, "none");
                lines.push(format!("permissions.exec: it runs {programs}"));
            }
        }
        lines
    }
}

/// The machines that it says it talks to; `None`: any. No kernel holds a program to them, but to none at all.
fn machines(permissions: &Permissions) -> Option<Vec<String>> {
    names(permissions.net.as_ref())
}

/// What is said of a list of machines.
pub(crate) fn of_machines(permissions: &Permissions) -> Option<String> {
    let machines = machines(permissions).filter(|machines| !machines.is_empty())?.join(", ");
    Some(format!("permissions.net: it says {machines}; nothing holds it to that"))
}

/// The names in a list, none for `false`; `None` for `true` and where nothing is said.
fn names(value: Option<&Value>) -> Option<Vec<String>> {
    match value? {
        Value::Bool(false) => Some(Vec::new()),
        Value::Array(names) => {
            Some(names.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        }
        _ => None,
    }
}

/// A path as a manifest writes it: absolute, from the home of the user (`~/x`), from the project (`${project}/x`), or
/// from the folder of the extension.
fn path(text: &str, dir: &Path, cwd: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let below = |folder: &Path, rest: &str| folder.join(rest.trim_start_matches('/'));
    if let Some(rest) = text.strip_prefix(PROJECT) {
        return Some(below(cwd, rest));
    }
    match text.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => Some(below(home?, rest)),
        _ => Some(dir.join(text)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn limits(permissions: Value) -> Option<Limits> {
        let permissions = serde_json::from_value(permissions).unwrap();
        let environment = Environment::default();
        Limits::of(&permissions, Path::new("/usr"), Path::new("/etc"), &environment)
    }

    #[test]
    fn what_is_not_stated_is_not_limited() {
        for open in [json!({}), json!({"net": true, "exec": true, "fs": {}, "env": ["A"]})] {
            assert_eq!(limits(open), None);
        }
        assert_eq!(limits(json!({"net": ["api.example.com"]})), None);
        for closed in [json!({"net": false}), json!({"net": []})] {
            assert!(limits(closed).unwrap().no_network);
        }
        assert_eq!(limits(json!({"exec": []})).unwrap().programs, Programs::None);
        assert_eq!(limits(json!({"fs": {"write": []}})).unwrap().write, Some(vec![]));
    }

    #[test]
    fn paths_begin_at_the_folder_or_the_project() {
        let read =
            json!({"fs": {"read": ["lib", "${project}/passwd", "/", "~/x", "nothing-there"]}});
        let limits = limits(read).unwrap();
        let expected = ["/usr/lib", "/etc/passwd", "/"].map(PathBuf::from);
        assert_eq!(limits.read.as_deref(), Some(&expected[..]));
        let missing = [
            "permissions.fs.read/3: there is no ~/x, so nothing is read there",
            "permissions.fs.read/4: there is no nothing-there, so nothing is read there",
        ];
        assert_eq!(limits.missing, missing);
    }

    #[test]
    fn the_most_that_it_can_do_follows() {
        let most = |permissions| limits(permissions).unwrap().most();
        let none = json!({"net": false, "exec": false});
        assert_eq!(most(none), Tier::Write);
        assert_eq!(most(json!({"net": false, "exec": false, "fs": {"write": []}})), Tier::Read);
        assert_eq!(most(json!({"net": false, "exec": false, "fs": {"write": ["."]}})), Tier::Write);
        assert_eq!(most(json!({"exec": false, "fs": {"write": []}})), Tier::Exec);
    }
}
