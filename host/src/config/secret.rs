//! Whether a secret is set: the only thing that a configuration has to know of it.

use std::path::Path;

use crate::secrets::SecretStore;

/// Whether a value is there for a secret of an extension: in the environment of this process, or in the
/// file of the extension's secrets in that home. One that cannot be read counts as not set: asking for it
/// says why.
pub(super) fn is_secret_set(home: &Path, extension: &str, name: &str) -> bool {
    SecretStore::new(home).is_secret_set(extension, name).is_ok_and(|source| source.is_some())
}
