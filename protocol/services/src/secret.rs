//! `secret.get`, `secret.exists`: keys and tokens that the extension's manifest declares.
//!
//! There is no list, and no way to set one: an extension names what it needs, and a person gives the value to the host.

use serde::{Deserialize, Serialize};

#[cfg(feature = "schema")]
use schemars::JsonSchema;

use crate::method::answered;

/// Bytes that the name of a secret or of a variable may have: 256.
pub const NAME_BYTES: usize = 256;

answered! {
    /// Gives the value of a secret.
    "secret.get": GetMethod(Get) => Secret;
    /// Says whether a secret is set, and where it comes from.
    "secret.exists": ExistsMethod(Exists) => Existence;
}

/// What `secret.get` is asked with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Get {
    /// The secret, as the manifest declares it in `permissions.secrets`.
    pub name: String,
    /// What it is for, in a few words, for the person who looks at the audit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
}

/// The answer to `secret.get`.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Secret {
    /// The value.
    pub value: String,
}

/// What `secret.exists` is asked with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Exists {
    /// The secret, as the manifest declares it in `permissions.secrets`.
    pub name: String,
}

/// The answer to `secret.exists`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Existence {
    /// Whether it is set.
    pub exists: bool,
    /// Where the value comes from, where it is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
}

/// Where a host has the value of a secret from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Source {
    /// The agent itself.
    Agent,
    /// A variable of the host's environment.
    Environment,
    /// The keyring of the operating system.
    Keyring,
    /// A file that only its owner may read.
    File,
}

impl Source {
    /// As on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Environment => "environment",
            Self::Keyring => "keyring",
            Self::File => "file",
        }
    }
}

/// No value is shown.
impl std::fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Secret(***)")
    }
}

impl Get {
    fn check(&self) -> Result<(), String> {
        check_name(&self.name)
    }
}

impl Exists {
    fn check(&self) -> Result<(), String> {
        check_name(&self.name)
    }
}

/// Says what is wrong with the name of a secret or of a variable.
pub fn check_name(name: &str) -> Result<(), String> {
    match name {
        "" => Err("/name: it is empty".to_owned()),
        _ if name.len() > NAME_BYTES => Err(format!("/name: it has more than {NAME_BYTES} bytes")),
        _ if name.contains(['=', '\0']) => Err("/name: a name has no = and no NUL".to_owned()),
        _ => Ok(()),
    }
}
