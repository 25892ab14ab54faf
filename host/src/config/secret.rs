//! Whether a secret is set: the only thing that a configuration has to know of it.

use std::env;
use std::path::Path;

use serde_json::Value;

use crate::file::{WRITTEN_BYTES, read_text};
use crate::home::file_name;

/// Whether a value is there for a secret of an extension: in the environment of this process, or in the
/// file of the extension's secrets in that home. The value itself is not kept.
pub(super) fn is_secret_set(home: &Path, extension: &str, name: &str) -> bool {
    let in_environment = !name.contains(['=', '\0']) && !name.is_empty();
    if in_environment && env::var(name).is_ok_and(|value| !value.is_empty()) {
        return true;
    }
    let file = home.join("secrets").join(format!("{}.json", file_name(extension)));
    let text = read_text(file, WRITTEN_BYTES).unwrap_or_default();
    let stored: Value = serde_json::from_str(&text).unwrap_or_default();
    stored.get("secrets").and_then(|secrets| secrets.get(name)).is_some()
}
