//! The configuration of extensions: what their manifests want, what a user, a project and the agent set, and
//! what of it an extension gets.
//!
//! What is set later in this list holds over what is set before, member by member: the `default` of the
//! schema, the user's file, the project's file, what the agent or `--config` gives.

mod file;
mod live;
mod resolve;
mod secret;
mod text;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use extline_protocol::pointer::join;
use serde_json::{Map, Value, json};

use self::file::{Stored, project_file, set_tool, user_file};
pub(crate) use self::live::{LiveConfig, Reading};
pub use self::resolve::{ConfigValue, Origin};
pub use self::text::CONFIG_BYTES;
use self::text::{check_size, read_object, read_value};
use crate::config_fault::source_of;
pub use crate::config_fault::{ConfigError, ConfigFault};
pub use crate::config_schema::{ConfigSchema, Setting};
use crate::source::Manifest;
pub use crate::tool_settings::ToolSettings;

/// What is set for one extension, read from its files. Nothing is run.
///
/// ```
/// use extline_host::config::Configuration;
/// use extline_host::Manifest;
///
/// let home = tempfile::tempdir()?;
/// let schema = r#"{"name": "weather", "config_schema": {"type": "object",
///     "properties": {"units": {"enum": ["c", "f"], "default": "c"}}}}"#;
/// let manifest = Manifest::parse(schema, home.path())?;
/// let mut config = Configuration::read("weather", Some(&manifest), home.path(), home.path())?;
/// config.set("units", "f")?;
/// config.save()?;
/// assert_eq!(config.config()?.unwrap().get(), r#"{"units":"f"}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Configuration {
    extension: String,
    schema: Option<ConfigSchema>,
    home: PathBuf,
    user_file: PathBuf,
    project_file: PathBuf,
    user: Stored,
    project: Stored,
    /// What was given, and by whom.
    given: Option<(String, Map<String, Value>)>,
}

impl Configuration {
    /// Reads what is set for the extension of that name. Without a manifest, or where it has no
    /// `config_schema`, whatever is set is taken as it is. An error says which file cannot be used.
    pub fn read(
        extension: &str,
        manifest: Option<&Manifest>,
        home: &Path,
        cwd: &Path,
    ) -> Result<Self, ConfigError> {
        let (user_file, project_file) = (user_file(home, extension), project_file(cwd, extension));
        let user = Stored::read(&user_file).map_err(ConfigError::one)?;
        // A home in the project is no project's file.
        let project = if user_file == project_file {
            Stored::default()
        } else {
            Stored::read(&project_file).map_err(ConfigError::one)?
        };
        if let Some(tool) = project.tools.keys().next() {
            let message = "tools are switched off and given time by their user, not by a project: \
                           set it with extline config --tool";
            let fault = ConfigFault::new(join("/tools", tool), message);
            return Err(ConfigError::one(fault.of(&source_of(&project_file))));
        }
        let schema = manifest.and_then(|manifest| manifest.config_schema.as_ref());
        let schema = schema.map(ConfigSchema::compile).transpose().map_err(|error| {
            let pointer = format!("/config_schema{}", error.pointer);
            ConfigError::one(ConfigFault::new(pointer, error.message))
        })?;
        Ok(Self {
            extension: extension.to_owned(),
            schema,
            home: home.to_owned(),
            user_file,
            project_file,
            user,
            project,
            given: None,
        })
    }

    /// What its manifest says of it.
    pub fn schema(&self) -> Option<&ConfigSchema> {
        self.schema.as_ref()
    }

    /// The file in which [`Configuration::save`] writes.
    pub fn user_file(&self) -> &Path {
        &self.user_file
    }

    /// What the user set for tools, by their names.
    pub fn tools(&self) -> &BTreeMap<String, ToolSettings> {
        &self.user.tools
    }

    /// Lays an object over everything that the files say; `source` names it in errors.
    pub fn give(&mut self, source: &str, text: &str) -> Result<(), ConfigError> {
        let given = read_object(text).map_err(|fault| ConfigError::one(fault.of(source)))?;
        self.given = Some((source.to_owned(), given));
        Ok(())
    }

    /// Sets a member for the user: `text` is JSON, or any text where the schema wants a string. It is held
    /// against the schema; what others miss is no fault of it. Nothing is written before
    /// [`Configuration::save`].
    pub fn set(&mut self, key: &str, text: &str) -> Result<(), ConfigError> {
        let path = self.path_of(key)?;
        let pointer = pointer_of(&path);
        let fault = |fault: ConfigFault| {
            let key = Some(key.to_owned());
            ConfigError::one(ConfigFault { pointer: pointer.clone(), key, ..fault })
        };
        let value = self.value_of(&path, text).map_err(fault)?;
        let before = self.violations_of_user();
        let mut changed = self.user.config.clone();
        insert(&mut changed, &path, value)
            .map_err(|message| ConfigError::one(ConfigFault::new(pointer.clone(), message)))?;
        check_size(&changed).map_err(ConfigError::one)?;
        let kept = std::mem::replace(&mut self.user.config, changed);
        let is_new = |fault: &ConfigFault| {
            let is_here = fault.pointer == pointer
                || fault.pointer.strip_prefix(&pointer).is_some_and(|rest| rest.starts_with('/'));
            let is_missing = fault.message == resolve::MISSING;
            is_here || (!is_missing && !before.contains(fault))
        };
        let faults: Vec<_> = self.violations_of_user().into_iter().filter(is_new).collect();
        if faults.is_empty() {
            return Ok(());
        }
        self.user.config = kept;
        Err(ConfigError { faults })
    }

    /// Takes a member away that the user set; whether there was one.
    pub fn unset(&mut self, key: &str) -> Result<bool, ConfigError> {
        let path = self.path_of(key)?;
        Ok(remove(&mut self.user.config, &path))
    }

    /// Sets `enabled`, `timeout_ms`, `weight` or `description` of a tool for the user, or by a JSON pointer, as
    /// `/properties/city`, the description of a parameter.
    pub fn set_tool(&mut self, tool: &str, name: &str, text: &str) -> Result<(), ConfigError> {
        let at = join(&join("/tools", tool), name);
        let fault = |message: String| ConfigError::one(ConfigFault::new(at.clone(), message));
        let is_text = !matches!(name, "enabled" | "timeout_ms" | "weight");
        let read = if is_text { None } else { read_value(text).ok() };
        let value = read.unwrap_or_else(|| json!(text));
        let mut settings = self.user.tools.get(tool).cloned().unwrap_or_default();
        set_tool(&mut settings, name, &value).map_err(fault)?;
        self.user.tools.insert(tool.to_owned(), settings);
        Ok(())
    }

    /// Takes a setting of a tool away, or all of them; whether there was one.
    pub fn unset_tool(&mut self, tool: &str, name: Option<&str>) -> bool {
        let Some(settings) = self.user.tools.get_mut(tool) else { return false };
        let before = settings.clone();
        match name {
            Some("enabled") => settings.enabled = None,
            Some("timeout_ms") => settings.timeout_ms = None,
            Some("weight") => settings.weight = None,
            Some("description") => settings.description = None,
            Some(pointer) => drop(settings.parameters.remove(pointer)),
            None => *settings = ToolSettings::default(),
        }
        let has_changed = *settings != before;
        if *settings == ToolSettings::default() {
            self.user.tools.remove(tool);
        }
        has_changed
    }

    /// Writes what the user set, for its owner only; who reads it at that moment sees the old file or
    /// the new one.
    pub fn save(&self) -> io::Result<()> {
        self.user.write(&self.user_file)
    }

    /// The names on the way to a member: `auth.token`, or as a pointer `/auth/token` where a name has a dot.
    fn path_of(&self, key: &str) -> Result<Vec<String>, ConfigError> {
        let path: Vec<String> = match key.strip_prefix('/') {
            Some(pointer) => {
                let names = pointer.split('/');
                names.map(|name| name.replace("~1", "/").replace("~0", "~")).collect()
            }
            None => key.split('.').map(str::to_owned).collect(),
        };
        let fault = |message: String| {
            let fault = ConfigFault::new(pointer_of(&path), message);
            Err(ConfigError::one(fault))
        };
        if path.iter().any(String::is_empty) {
            return fault(format!("{key:?} is no key: write NAME, or NAME.NAME"));
        }
        let Some(schema) = &self.schema else { return Ok(path) };
        if schema.setting(&path.join(".")).is_some_and(|setting| setting.is_secret) {
            let extension = &self.extension;
            return fault(format!(
                "is a secret, and stands in no file: extline secret set {extension} {key}"
            ));
        }
        if !schema.may_have(&path) {
            let keys: Vec<_> = schema.settings().into_iter().map(|it| it.key).collect();
            return fault(format!("there is no such setting; there is {}", keys.join(", ")));
        }
        Ok(path)
    }

    fn value_of(&self, path: &[String], text: &str) -> Result<Value, ConfigFault> {
        let types = self.schema.as_ref().map_or_else(Vec::new, |schema| schema.types(path));
        let takes_text = types.is_empty() || types.iter().any(|it| it == "string");
        let is_quoted = text.trim_start().starts_with('"');
        if types == ["string"] && !is_quoted {
            return Ok(json!(text));
        }
        let is_meant_as_json = text.trim_start().starts_with(['{', '[', '"']);
        match read_value(text) {
            // What the schema wants in its place is said by the schema.
            Err(_) if takes_text || !is_meant_as_json => Ok(json!(text)),
            value => value,
        }
    }
}

fn pointer_of(path: &[String]) -> String {
    path.iter().fold(String::new(), |at, name| join(&at, name))
}

fn insert(config: &mut Map<String, Value>, path: &[String], value: Value) -> Result<(), String> {
    let Some((last, way)) = path.split_last() else { return Ok(()) };
    let object = way.iter().try_fold(config, |object, name| {
        object.entry(name.clone()).or_insert_with(|| json!({})).as_object_mut()
    });
    let object = object.ok_or_else(|| "what stands above it is no object".to_owned())?;
    object.insert(last.clone(), value);
    Ok(())
}

/// Objects that are empty afterwards go too.
fn remove(config: &mut Map<String, Value>, path: &[String]) -> bool {
    let Some((first, rest)) = path.split_first() else { return false };
    if rest.is_empty() {
        return config.remove(first).is_some();
    }
    let Some(Value::Object(below)) = config.get_mut(first) else { return false };
    let removed = remove(below, rest);
    if below.is_empty() {
        config.remove(first);
    }
    removed
}

#[cfg(test)]
mod tests;
