//! From what is set in several places to what an extension gets, and where each value comes from.

use std::path::PathBuf;

use extline_protocol::RawJson;
use serde_json::{Map, Value};

use super::Configuration;
use super::secret::is_secret_set;
use super::text::check_size;
use crate::config_fault::{ConfigError, ConfigFault, source_of};
use crate::config_schema::Setting;

/// What a violation says of a member that is required and not there.
pub(super) const MISSING: &str = "required, and missing";

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// The `default` of the schema.
    Default,
    /// The user's file.
    User(PathBuf),
    /// The project's file.
    Project(PathBuf),
    /// What the agent gave, or `--config`.
    Given(String),
    /// The place of secrets; the value is not shown.
    Secret,
    /// Nobody set it.
    Unset,
}

/// One member of a configuration, as it stands.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ConfigValue {
    /// Its key, `auth.token`.
    pub key: String,
    /// Its value; `None` where it has none, and for a secret.
    pub value: Option<Value>,
    /// Where it comes from.
    pub origin: Origin,
    /// What the schema says of it; `None` where it says nothing.
    pub setting: Option<Setting>,
}

impl Configuration {
    /// What the extension gets: filled, checked, secrets replaced by references. `None` where its manifest has no
    /// `config_schema` and nothing is set. An error has all that is wrong at once.
    pub fn config(&self) -> Result<Option<RawJson>, ConfigError> {
        let mut config = self.merged();
        let Some(schema) = &self.schema else {
            if config.is_empty() && self.given.is_none() {
                return Ok(None);
            }
            let text = check_size(&config).map_err(ConfigError::one)?;
            return Ok(RawJson::parse(&text).ok());
        };
        let mut faults = self.written_secrets();
        schema.fill(&mut config);
        check_size(&config).map_err(ConfigError::one)?;
        let open = RawJson::from(Value::Object(without(&config, &faults)));
        for violation in schema.violations(&open) {
            faults.push(self.fault_of(violation.pointer, violation.message));
        }
        let is_set = |key: &str| is_secret_set(&self.home, &self.extension, key);
        for (pointer, key) in schema.refer(&mut config, is_set) {
            let key = Some(key);
            let message = "a secret that is required, and not set";
            faults.push(ConfigFault { key, is_secret: true, ..ConfigFault::new(pointer, message) });
        }
        if faults.is_empty() {
            Ok(Some(Value::Object(config).into()))
        } else {
            Err(ConfigError { faults })
        }
    }

    /// Every member that the schema has, and those that are set beside, in the order of their keys.
    pub fn values(&self) -> Vec<ConfigValue> {
        let mut filled = self.merged();
        let settings = self.schema.as_ref().map(|schema| {
            schema.fill(&mut filled);
            schema.settings()
        });
        let mut values: Vec<ConfigValue> = Vec::new();
        for setting in settings.into_iter().flatten() {
            let path: Vec<String> = setting.key.split('.').map(str::to_owned).collect();
            let (value, origin) = if setting.is_secret {
                let is_set = is_secret_set(&self.home, &self.extension, &setting.key);
                (None, if is_set { Origin::Secret } else { Origin::Unset })
            } else {
                (at(&filled, &path).cloned(), self.origin(&path))
            };
            let key = setting.key.clone();
            values.push(ConfigValue { key, value, origin, setting: Some(setting) });
        }
        let known = |key: &String| {
            values.iter().any(|it| *key == it.key || it.key.starts_with(&format!("{key}.")))
        };
        let unknown: Vec<_> = filled.keys().filter(|key| !known(key)).cloned().collect();
        for key in unknown {
            let path = [key.clone()];
            let (value, origin) = (filled.get(&key).cloned(), self.origin(&path));
            values.push(ConfigValue { key, value, origin, setting: None });
        }
        values.sort_by(|one, other| one.key.cmp(&other.key));
        values
    }

    /// What is set, without defaults.
    fn merged(&self) -> Map<String, Value> {
        let mut config = self.user.config.clone();
        merge(&mut config, &self.project.config);
        if let Some((_, given)) = &self.given {
            merge(&mut config, given);
        }
        config
    }

    /// What is wrong with what the user set, defaults filled in, whatever lies over it.
    pub(super) fn violations_of_user(&self) -> Vec<ConfigFault> {
        let Some(schema) = &self.schema else { return Vec::new() };
        let mut config = self.user.config.clone();
        schema.fill(&mut config);
        let violations = schema.violations(&Value::Object(config).into());
        violations.into_iter().map(|it| ConfigFault::new(it.pointer, it.message)).collect()
    }

    fn fault_of(&self, pointer: String, message: String) -> ConfigFault {
        let path: Vec<String> = pointer
            .split('/')
            .skip(1)
            .map(|name| name.replace("~1", "/").replace("~0", "~"))
            .collect();
        let source = match self.origin(&path) {
            Origin::User(file) | Origin::Project(file) => Some(source_of(&file)),
            Origin::Given(source) => Some(source),
            _ => None,
        };
        // A command sets a member in the user's file: what lies over that is mended where it stands.
        let is_the_user_s = !matches!(self.origin(&path), Origin::Project(_) | Origin::Given(_));
        let schema = self.schema.as_ref().filter(|_| is_the_user_s);
        let key = schema.and_then(|schema| {
            (1..=path.len()).rev().find_map(|end| {
                let key = path.get(..end)?.join(".");
                schema.setting(&key).map(|_| key)
            })
        });
        ConfigFault { source, key, ..ConfigFault::new(pointer, message) }
    }

    fn origin(&self, path: &[String]) -> Origin {
        if let Some((source, given)) = &self.given
            && at(given, path).is_some()
        {
            return Origin::Given(source.clone());
        }
        if at(&self.project.config, path).is_some() {
            return Origin::Project(self.project_file.clone());
        }
        if at(&self.user.config, path).is_some() {
            return Origin::User(self.user_file.clone());
        }
        let mut filled = Map::new();
        if let Some(schema) = &self.schema {
            filled = self.merged();
            schema.fill(&mut filled);
        }
        if at(&filled, path).is_some() { Origin::Default } else { Origin::Unset }
    }

    /// The secrets that stand in a file or were given.
    fn written_secrets(&self) -> Vec<ConfigFault> {
        let Some(schema) = &self.schema else { return Vec::new() };
        let mut faults = Vec::new();
        let mut look = |config: &Map<String, Value>, source: &str| {
            for (pointer, key) in schema.written_secrets(config) {
                let extension = &self.extension;
                let message = format!(
                    "is a secret, and stands in no configuration: take it out, and extline secret \
                     set {extension} {key}"
                );
                faults.push(ConfigFault::new(pointer, message).of(source));
            }
        };
        look(&self.user.config, &source_of(&self.user_file));
        look(&self.project.config, &source_of(&self.project_file));
        if let Some((source, given)) = &self.given {
            look(given, source);
        }
        faults
    }
}

/// Lays an object over another one, member by member; whatever is no object replaces what was there.
fn merge(below: &mut Map<String, Value>, over: &Map<String, Value>) {
    for (name, value) in over {
        match (below.get_mut(name), value) {
            (Some(Value::Object(below)), Value::Object(over)) => merge(below, over),
            _ => {
                below.insert(name.clone(), value.clone());
            }
        }
    }
}

fn at<'a>(config: &'a Map<String, Value>, path: &[String]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(config.get(first)?, |value, name| match value {
        Value::Array(list) => list.get(name.parse::<usize>().ok()?),
        value => value.get(name),
    })
}

/// The configuration without the members of those faults, of which enough is said.
fn without(config: &Map<String, Value>, faults: &[ConfigFault]) -> Map<String, Value> {
    let mut config = config.clone();
    for fault in faults {
        let path: Vec<String> = fault
            .pointer
            .split('/')
            .skip(1)
            .map(|name| name.replace("~1", "/").replace("~0", "~"))
            .collect();
        super::remove(&mut config, &path);
    }
    config
}
