//! What a user says about which extensions are found and run: `config.toml` in the home, and the environment.

use std::collections::BTreeSet;
use std::env;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::file::{WRITTEN_BYTES, make_folder, read_text, replace};
use crate::home::HOME;
use crate::switch::{SWITCH, is_off};

/// The file that people write.
const FILE: &str = "config.toml";
/// The file that `extline ext enable` and `disable` write.
const SWITCHES: &str = "extensions.json";

const PATHS: &str = "EXTLINE_EXTENSION_PATHS";

/// Which extensions are found and run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExtensionSettings {
    /// `false`: none of those that are found runs.
    pub enabled: bool,
    /// Folders of extensions, or with extensions in them, beside the known places.
    pub paths: Vec<PathBuf>,
    /// `false`: what is in the known places is found, and not run.
    pub auto_load: bool,
    /// Names that do not run.
    pub disabled: BTreeSet<String>,
    /// Names of which no other runs, where there are any.
    pub enabled_only: BTreeSet<String>,
    /// Names that `extline ext disable` has switched off.
    switched_off: BTreeSet<String>,
}

impl Default for ExtensionSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            paths: Vec::new(),
            auto_load: true,
            disabled: BTreeSet::new(),
            enabled_only: BTreeSet::new(),
            switched_off: BTreeSet::new(),
        }
    }
}

/// Settings that cannot be used. Nothing is run then: they may say that nothing should.
#[derive(Clone, Debug, Error)]
#[error("{}: {problem}", file.display())]
pub struct SettingsError {
    file: PathBuf,
    problem: String,
}

/// What else stands in the file is for others.
#[derive(Default, Deserialize)]
#[serde(default)]
struct File {
    extensions: Table,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Table {
    enabled: Option<bool>,
    paths: Vec<PathBuf>,
    auto_load: Option<bool>,
    disabled: BTreeSet<String>,
    enabled_only: BTreeSet<String>,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
struct Switches {
    disabled: BTreeSet<String>,
}

impl ExtensionSettings {
    /// Reads those of a home, with what the environment says over them. Paths in the file are relative to the home.
    pub fn read(home: &Path) -> Result<Self, SettingsError> {
        let mut settings = Self::of_file(home)?;
        let switches = Switches::read(home)?;
        settings.switched_off = switches.disabled;
        match env::var(SWITCH) {
            Ok(value) if is_off(&value) => settings.enabled = false,
            Ok(value) if !value.trim().is_empty() => settings.enabled = true,
            _ => {}
        }
        let paths = env::var_os(PATHS).unwrap_or_default();
        let paths: Vec<_> =
            env::split_paths(&paths).filter(|path| !path.as_os_str().is_empty()).collect();
        if !paths.is_empty() {
            settings.paths = paths;
        }
        Ok(settings)
    }

    fn of_file(home: &Path) -> Result<Self, SettingsError> {
        let file = home.join(FILE);
        let wrong = |problem: String| SettingsError { file: file.clone(), problem };
        let text = match read_text(&file, WRITTEN_BYTES) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(wrong(format!("it cannot be read: {error}"))),
        };
        let File { extensions } =
            toml::from_str(&text).map_err(|error| wrong(error.to_string().trim().to_owned()))?;
        let Table { enabled, paths, auto_load, disabled, enabled_only } = extensions;
        Ok(Self {
            enabled: enabled.unwrap_or(true),
            paths: paths.into_iter().map(|path| home.join(expanded(path))).collect(),
            auto_load: auto_load.unwrap_or(true),
            disabled,
            enabled_only,
            switched_off: BTreeSet::new(),
        })
    }

    /// Why the extension of that name does not run, where these say so, and what enables it.
    pub(super) fn off(&self, name: &str) -> Option<(String, String)> {
        if self.disabled.contains(name) {
            let mend = format!("take {name} out of disabled in {FILE}");
            return Some((format!("{FILE} disables it"), mend));
        }
        if self.switched_off.contains(name) {
            let why = "it is disabled; `extline ext enable` enables it".to_owned();
            return Some((why, format!("extline ext enable {name}")));
        }
        let is_left_out = !self.enabled_only.is_empty() && !self.enabled_only.contains(name);
        is_left_out.then(|| {
            let why = format!("{FILE} has it not in enabled_only");
            (why, format!("add {name} to enabled_only in {FILE}"))
        })
    }
}

/// Enables or disables an extension by its name, for all projects, from the next start on. Whether that changed something.
///
/// # Errors
///
/// The settings cannot be read or written; or `config.toml` disables it, which a person has written.
pub fn switch_extension(home: &Path, name: &str, enabled: bool) -> Result<bool, SettingsError> {
    let file = home.join(SWITCHES);
    let wrong = |file: &Path, problem: String| SettingsError { file: file.to_owned(), problem };
    let settings = ExtensionSettings::of_file(home)?;
    if enabled && settings.disabled.contains(name) {
        let problem = format!("it has {name:?} in [extensions] disabled: take it out there");
        return Err(wrong(&home.join(FILE), problem));
    }
    let mut switches = Switches::read(home)?;
    let changed = if enabled {
        switches.disabled.remove(name)
    } else {
        switches.disabled.insert(name.to_owned())
    };
    if changed {
        let text = serde_json::to_vec_pretty(&switches).unwrap_or_default();
        let written = make_folder(home).and_then(|()| replace(&file, &text));
        written.map_err(|error| wrong(&file, format!("it cannot be written: {error}")))?;
    }
    Ok(changed)
}

impl Switches {
    fn read(home: &Path) -> Result<Self, SettingsError> {
        let file = home.join(SWITCHES);
        let wrong = |problem: String| SettingsError { file: file.clone(), problem };
        match read_text(&file, WRITTEN_BYTES) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| wrong(error.to_string())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(wrong(format!("it cannot be read: {error}"))),
        }
    }
}

/// `~/` is the user's home.
fn expanded(path: PathBuf) -> PathBuf {
    match (path.strip_prefix("~"), env::var_os(HOME)) {
        (Ok(rest), Some(home)) => PathBuf::from(home).join(rest),
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_the_file_says_holds_and_a_mistake_is_an_error() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join(FILE);
        fs::write(
            &file,
            "theme = \"x\"\n[extensions]\npaths = [\"more\"]\ndisabled = [\"a\"]\nenabled_only = [\"b\"]\n",
        )
        .unwrap();
        let settings = ExtensionSettings::of_file(home.path()).unwrap();
        assert_eq!(settings.paths, [home.path().join("more")]);
        assert_eq!(settings.off("a").unwrap().0, "config.toml disables it");
        assert_eq!(settings.off("b"), None);
        assert!(settings.off("c").unwrap().0.contains("enabled_only"));
        fs::write(&file, "[extensions]\nenabld = false\n").unwrap();
        let error = ExtensionSettings::of_file(home.path()).unwrap_err().to_string();
        assert!(error.contains("enabld") && error.contains("config.toml"), "{error}");
    }

    #[test]
    fn a_name_is_switched_off_and_on() {
        let home = tempfile::tempdir().unwrap();
        let off = || Switches::read(home.path()).unwrap().disabled;
        assert!(switch_extension(home.path(), "a", false).unwrap());
        assert!(!switch_extension(home.path(), "a", false).unwrap());
        assert!(off().contains("a"));
        assert!(switch_extension(home.path(), "a", true).unwrap());
        assert!(off().is_empty());
        fs::write(home.path().join(FILE), "[extensions]\ndisabled = [\"a\"]\n").unwrap();
        let error = switch_extension(home.path(), "a", true).unwrap_err().to_string();
        assert!(error.contains("take it out there"), "{error}");
    }

    #[test]
    fn the_switch_has_words() {
        for off in ["off", "OFF", "0", "false", " no "] {
            assert!(is_off(off), "{off}");
        }
        for on in ["", "on", "1", "true", "offf"] {
            assert!(!is_off(on), "{on}");
        }
    }
}
