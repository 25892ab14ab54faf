//! The files that hold configurations.
//!
//! `config/NAME.json` in the home is the user's, for its owner only; `.extline/config/NAME.json` in the project
//! is the project's, and holds nothing about tools. Both look the same:
//! `{"version": 1, "config": {...}, "tools": {"NAME": {"enabled": false, "timeout_ms": 5000, "description": "..."}}}`.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use extline_protocol::pointer::join;
use serde_json::{Map, Value, json};

use super::text::{check_size, excerpt, read_object};
use crate::config_fault::{ConfigFault, source_of};
use crate::file::{WRITTEN_BYTES, make_folder, read_text, replace};
use crate::home::file_name;
use crate::tool_settings::ToolSettings;

const NO_SETTING: &str = "is no setting of a tool: those are enabled, timeout_ms, weight, description, and pointers to \
                          parameters, as /properties/city";

/// What stands in a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Stored {
    pub(super) config: Map<String, Value>,
    pub(super) tools: BTreeMap<String, ToolSettings>,
    /// Members that this version does not know, which stay as they are.
    other: Map<String, Value>,
}

/// The user's file of an extension.
pub(super) fn user_file(home: &Path, extension: &str) -> PathBuf {
    home.join("config").join(format!("{}.json", file_name(extension)))
}

/// The project's.
pub(super) fn project_file(cwd: &Path, extension: &str) -> PathBuf {
    cwd.join(".extline").join("config").join(format!("{}.json", file_name(extension)))
}

impl Stored {
    /// Reads a file; one that is not there is empty.
    pub(super) fn read(path: &Path) -> Result<Self, ConfigFault> {
        let here = |fault: ConfigFault| fault.of(&source_of(path));
        match read_text(path, WRITTEN_BYTES) {
            Ok(text) => Self::parse(&text).map_err(here),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(here(ConfigFault::new("", format!("cannot be read: {error}")))),
        }
    }

    fn parse(text: &str) -> Result<Self, ConfigFault> {
        let mut members = read_object(text)?;
        if let Some(version) = members.remove("version")
            && version != json!(1)
        {
            let message = format!("is {}, and this extline reads 1", excerpt(&version));
            return Err(ConfigFault::new("/version", message));
        }
        let config = object(members.remove("config"), "/config")?;
        check_size(&config)
            .map_err(|fault| ConfigFault { pointer: "/config".to_owned(), ..fault })?;
        let tools = object(members.remove("tools"), "/tools")?;
        let tools = tools.into_iter().map(|(name, value)| {
            let settings = tool_settings(&value, &join("/tools", &name))?;
            Ok((name, settings))
        });
        Ok(Self { config, tools: tools.collect::<Result<_, ConfigFault>>()?, other: members })
    }

    /// Writes the file whole, for its owner only, or removes it where nothing is in it.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        if *self == Self::default() {
            return match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        let mut text = serde_json::to_string_pretty(&self.to_json())?;
        text.push('\n');
        if let Some(folder) = path.parent() {
            folder.parent().map_or(Ok(()), make_folder)?;
            make_folder(folder)?;
        }
        replace(path, text.as_bytes())
    }

    fn to_json(&self) -> Value {
        let mut members = self.other.clone();
        members.insert("version".to_owned(), json!(1));
        members.insert("config".to_owned(), Value::Object(self.config.clone()));
        if !self.tools.is_empty() {
            let tools = self.tools.iter().map(|(name, settings)| {
                let mut members = Map::new();
                if let Some(enabled) = settings.enabled {
                    members.insert("enabled".to_owned(), json!(enabled));
                }
                if let Some(timeout) = settings.timeout_ms {
                    members.insert("timeout_ms".to_owned(), json!(timeout));
                }
                if let Some(weight) = settings.weight {
                    members.insert("weight".to_owned(), json!(weight));
                }
                if let Some(description) = &settings.description {
                    members.insert("description".to_owned(), json!(description));
                }
                if !settings.parameters.is_empty() {
                    members.insert("parameters".to_owned(), json!(settings.parameters));
                }
                (name.clone(), Value::Object(members))
            });
            members.insert("tools".to_owned(), tools.collect::<Map<_, _>>().into());
        }
        Value::Object(members)
    }
}

fn object(value: Option<Value>, at: &str) -> Result<Map<String, Value>, ConfigFault> {
    match value {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(members)) => Ok(members),
        Some(other) => {
            Err(ConfigFault::new(at, format!("must be an object, and is {}", excerpt(&other))))
        }
    }
}

fn tool_settings(value: &Value, at: &str) -> Result<ToolSettings, ConfigFault> {
    let mut settings = ToolSettings::default();
    for (name, value) in object(Some(value.clone()), at)? {
        let at = join(at, &name);
        let parameters = match name.as_str() {
            "parameters" => object(Some(value), &at)?,
            _ => Map::from_iter([(name.clone(), value)]),
        };
        for (key, value) in parameters {
            let is_here = (name == "parameters") == key.starts_with('/');
            let set = if is_here {
                set_tool(&mut settings, &key, &value)
            } else {
                Err(NO_SETTING.to_owned())
            };
            set.map_err(|message| ConfigFault::new(at.clone(), message))?;
        }
    }
    Ok(settings)
}

fn description(value: &Value) -> Result<String, String> {
    match value.as_str() {
        Some(text) if !text.trim().is_empty() => Ok(text.to_owned()),
        Some(_) => Err("is empty; take it away to have the author's words".to_owned()),
        None => Err(format!("must be a text, and is {}", excerpt(value))),
    }
}

/// Sets one of the settings of a tool.
pub(super) fn set_tool(
    settings: &mut ToolSettings,
    name: &str,
    value: &Value,
) -> Result<(), String> {
    match name {
        "enabled" => {
            let enabled = value.as_bool();
            let wrong = || format!("must be true or false, and is {}", excerpt(value));
            settings.enabled = Some(enabled.ok_or_else(wrong)?);
        }
        "timeout_ms" => {
            let timeout = value.as_u64().filter(|it| *it > 0);
            let wrong = || {
                format!("must be a number of milliseconds of at least 1, and is {}", excerpt(value))
            };
            settings.timeout_ms = Some(timeout.ok_or_else(wrong)?);
        }
        "weight" => {
            let weight = value.as_f64().filter(|weight| (0.0..=1.0).contains(weight));
            let wrong = || format!("must be a number from 0 to 1, and is {}", excerpt(value));
            settings.weight = Some(weight.ok_or_else(wrong)?);
        }
        "description" => settings.description = Some(description(value)?),
        pointer if pointer.starts_with('/') => {
            settings.parameters.insert(pointer.to_owned(), description(value)?);
        }
        _ => return Err(NO_SETTING.to_owned()),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_written_whole_and_read_again() {
        let home = tempfile::tempdir().unwrap();
        let path = user_file(home.path(), "weather");
        let text = r#"{"version":1,"config":{"url":"x"},"note":"mine",
                       "tools":{"rain":{"enabled":false,"timeout_ms":5,"weight":0.75,"description":"Tells of rain.",
                                "parameters":{"/properties/city":"Where"}}}}"#;
        let stored = Stored::parse(text).unwrap();
        stored.write(&path).unwrap();
        assert_eq!(Stored::read(&path).unwrap(), stored);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        Stored::default().write(&path).unwrap();
        assert!(!path.exists());
        assert_eq!(Stored::read(&path).unwrap(), Stored::default());
    }

    #[test]
    fn what_is_wrong_in_a_file_is_told_with_its_place() {
        let fault = |text: &str| Stored::parse(text).unwrap_err().to_string();
        assert_eq!(fault(r#"{"version":2}"#), "/version: is 2, and this extline reads 1");
        assert_eq!(fault(r#"{"config":[]}"#), "/config: must be an object, and is []");
        assert_eq!(
            fault(r#"{"tools":{"a/b":{"timeout_ms":-1}}}"#),
            "/tools/a~1b/timeout_ms: must be a number of milliseconds of at least 1, and is -1"
        );
        assert_eq!(
            fault(r#"{"tools":{"a":{"weight":2}}}"#),
            "/tools/a/weight: must be a number from 0 to 1, and is 2"
        );
        assert!(fault(r#"{"tools":{"a":{"enable":true}}}"#).contains("is no setting of a tool"));
        assert_eq!(
            fault(r#"{"tools":{"a":{"description":" "}}}"#),
            "/tools/a/description: is empty; take it away to have the author's words"
        );
        assert!(fault(r#"{"tools":{"a":{"parameters":{"city":"x"}}}}"#).contains("no setting"));
    }
}
