//! What is wrong with a configuration, and where.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

/// One thing that is wrong with the configuration of an extension.
///
/// `Display` gives `/timeout_ms: must be an integer, and is "soon"`, with the file behind it where the value
/// stands in one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ConfigFault {
    /// JSON pointer to the member; empty for the configuration as a whole.
    pub pointer: String,
    /// What is wrong with it.
    pub message: String,
    /// Where its value comes from: a file, `--config` or what an agent gave. `None` for what stands nowhere.
    pub source: Option<String>,
    /// The member as it is written in commands, `auth.token`, where there is one that can be set.
    pub key: Option<String>,
    /// A secret that has no value, and so is set by `extline secret set`.
    pub is_secret: bool,
}

impl ConfigFault {
    pub(crate) fn new(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        let (pointer, message) = (pointer.into(), message.into());
        Self { pointer, message, source: None, key: None, is_secret: false }
    }

    pub(crate) fn of(self, source: &str) -> Self {
        Self { source: Some(source.to_owned()), ..self }
    }
}

impl fmt::Display for ConfigFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.pointer.is_empty() {
            write!(formatter, "{}: ", self.pointer)?;
        }
        formatter.write_str(&self.message)?;
        match &self.source {
            Some(source) => write!(formatter, " ({source})"),
            None => Ok(()),
        }
    }
}

/// A configuration that cannot be used: all that is wrong with it at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{}", .faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
#[non_exhaustive]
pub struct ConfigError {
    /// In the order of the text.
    pub faults: Vec<ConfigFault>,
}

impl ConfigError {
    pub(crate) fn one(fault: ConfigFault) -> Self {
        Self { faults: vec![fault] }
    }

    /// What to do about it: the commands that set what is missing or wrong. `folder` is the extension's, as
    /// a person would write it.
    pub fn remedy(&self, extension: &str, folder: &str) -> String {
        let mut commands: Vec<String> = Vec::new();
        for fault in &self.faults {
            let Some(key) = &fault.key else { continue };
            let command = if fault.is_secret {
                format!("extline secret set {} {}", word(extension), word(key))
            } else {
                format!("extline config {} {} VALUE", word(folder), word(key))
            };
            if !commands.contains(&command) {
                commands.push(command);
            }
        }
        if !commands.is_empty() {
            return commands.join(" and ");
        }
        let source = self.faults.iter().find_map(|fault| fault.source.as_ref());
        match source {
            Some(source) => format!("correct {source}"),
            None => format!("extline config {} shows what it wants", word(folder)),
        }
    }
}

/// A word of a command line, in quotes where a shell would read more into it.
fn word(text: &str) -> String {
    let is_plain = |it: char| it.is_alphanumeric() || "-_./~:@%+,=".contains(it);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// A file as a source is named.
pub(crate) fn source_of(file: &std::path::Path) -> String {
    PathBuf::from(file).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remedy_names_each_command_once() {
        let fault = |key: &str, is_secret| ConfigFault {
            key: Some(key.to_owned()),
            is_secret,
            ..ConfigFault::new(format!("/{key}"), "required, and missing")
        };
        let faults = vec![fault("url", false), fault("key", true), fault("url", false)];
        let remedy = ConfigError { faults }.remedy("weather", "./my weather");
        assert_eq!(
            remedy,
            "extline config './my weather' url VALUE and extline secret set weather key"
        );
        let file = ConfigFault::new("", "it is not JSON").of("/h/config/w.json");
        assert_eq!(ConfigError::one(file).remedy("w", "."), "correct /h/config/w.json");
    }
}
