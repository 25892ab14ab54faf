//! Correlation ids.

use std::fmt;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::json::{Field, FieldError, read_string, write_string};

/// An id as its sender wrote it: opaque, never empty, echoed byte for byte (`id.opaque`).
/// A clone is cheap.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(Arc<str>);

impl Id {
    /// The text of the id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An empty one, until the frame gets that of its call: without an allocation.
impl Default for Id {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl From<u64> for Id {
    fn from(number: u64) -> Self {
        Self(number.to_string().into())
    }
}

impl From<&str> for Id {
    /// For tests and hand-made frames; a wire id is never empty.
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Id {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, formatter)
    }
}

impl Field for Id {
    fn read(text: &str) -> Result<Self, FieldError> {
        match read_string(text) {
            Some(id) if !id.is_empty() => Ok(Self(id.into())),
            _ => Err(FieldError::unexpected("a non-empty string", text)),
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        write_string(&self.0, out);
    }

    fn schema() -> Value {
        json!({"type": "string", "minLength": 1})
    }
}
