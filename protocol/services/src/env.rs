//! `env.get`: a variable of the host's environment that the extension's manifest declares.

use serde::{Deserialize, Serialize};

#[cfg(feature = "schema")]
use schemars::JsonSchema;

use crate::method::answered;
use crate::secret::check_name;

answered! {
    /// Gives the value of an environment variable.
    "env.get": GetMethod(Get) => Variable;
}

/// What `env.get` is asked with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Get {
    /// The variable, as the manifest declares it in `permissions.env`.
    pub name: String,
}

/// The answer to `env.get`.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Variable {
    /// Its value. Bytes that are no UTF-8 are U+FFFD.
    pub value: String,
}

/// No value is shown: many a variable is a secret.
impl std::fmt::Debug for Variable {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Variable(***)")
    }
}

impl Get {
    fn check(&self) -> Result<(), String> {
        check_name(&self.name)
    }
}
