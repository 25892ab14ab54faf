//! The keyring of the operating system: the keychain of macOS, and elsewhere none yet.

use std::io;

/// Each entry is for an extension and a name.
#[cfg(target_os = "macos")]
fn entry(extension: &str, name: &str) -> io::Result<keyring::Entry> {
    keyring::Entry::new(&format!("extline {extension}"), name).map_err(io::Error::other)
}

/// The value, where the keyring has it.
#[cfg(target_os = "macos")]
pub(super) fn get(extension: &str, name: &str) -> io::Result<Option<String>> {
    match entry(extension, name)?.get_password() {
        Ok(value) => Ok(Some(value)),
        Err(keyring::Error::NoEntry) => Ok(None),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// Removes it; whether it was there.
#[cfg(target_os = "macos")]
pub(super) fn remove(extension: &str, name: &str) -> io::Result<bool> {
    match entry(extension, name)?.delete_credential() {
        Ok(()) => Ok(true),
        Err(keyring::Error::NoEntry) => Ok(false),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// The value, where the keyring has it.
#[cfg(not(target_os = "macos"))]
#[expect(clippy::unnecessary_wraps, reason = "where there is a keyring it may fail")]
pub(super) fn get(_: &str, _: &str) -> io::Result<Option<String>> {
    Ok(None)
}

/// Removes it; whether it was there.
#[cfg(not(target_os = "macos"))]
#[expect(clippy::unnecessary_wraps, reason = "where there is a keyring it may fail")]
pub(super) fn remove(_: &str, _: &str) -> io::Result<bool> {
    Ok(false)
}
