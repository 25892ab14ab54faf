//! Secrets of extensions: which are declared, where their values are kept, who is given one.
//!
//! A value comes from the first of these that has it: the agent's own function
//! ([`HostBuilder::secrets`](crate::HostBuilder::secrets)), the host's environment, the keyring of the operating system,
//! a file in the home.

#[cfg(all(feature = "keyring", any(target_os = "linux", target_os = "macos")))]
mod keyring;
#[cfg(not(all(feature = "keyring", any(target_os = "linux", target_os = "macos"))))]
#[path = "no_keyring.rs"]
mod keyring;
mod serve;
mod store;

pub(crate) use self::serve::{Provider, SecretServer};
pub use self::store::SecretStore;
use crate::config_schema::ConfigSchema;
use crate::source::Manifest;

/// The names of the secrets that a manifest declares, each once: those of `permissions.secrets`, and the members of
/// `config_schema` that are secret.
pub fn declared(manifest: &Manifest) -> Vec<String> {
    // A schema that is none was refused with the manifest.
    let schema = manifest.config_schema.as_ref().and_then(|it| ConfigSchema::compile(it).ok());
    let of_config = schema.iter().flat_map(ConfigSchema::secrets);
    let mut names: Vec<String> = Vec::new();
    for name in manifest.permissions.secrets.iter().cloned().chain(of_config) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
