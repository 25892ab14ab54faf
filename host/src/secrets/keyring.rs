//! The keyring of the operating system: on Linux what serves the Secret Service on the session's D-Bus, as the
//! desktops GNOME and KDE do, on macOS the login keychain.
//!
//! A keyring may ask its user for its password; each function here waits for that.

use std::io;
use std::path::Path;
use std::sync::Arc;

use keyring_core::api::CredentialStoreApi;
use keyring_core::{Entry, Error};

/// Under which every entry stands, in programs that show a keyring.
const SERVICE: &str = "extline";

/// An entry, named for people: a home has entries of its own.
pub(super) fn entry(home: &Path, extension: &str, name: &str) -> io::Result<Entry> {
    let user = format!("{extension}/{name} in {}", home.display());
    open()?.build(SERVICE, &user, None).map_err(|error| told(&error))
}

pub(super) fn get(entry: &Entry) -> io::Result<Option<String>> {
    match entry.get_password() {
        Err(Error::NoEntry) => Ok(None),
        found => found.map(Some).map_err(|error| told(&error)),
    }
}

pub(super) fn set(entry: &Entry, value: &str) -> io::Result<()> {
    entry.set_password(value).map_err(|error| told(&error))
}

/// Removes it, if it is there.
pub(super) fn remove(entry: &Entry) -> io::Result<()> {
    match entry.delete_credential() {
        Err(Error::NoEntry) => Ok(()),
        done => done.map_err(|error| told(&error)),
    }
}

#[cfg(target_os = "linux")]
fn open() -> io::Result<Arc<dyn CredentialStoreApi>> {
    // Without an address D-Bus would start a bus of its own, on which nobody serves secrets.
    if !has_session_bus() {
        return Err(io::Error::other(
            "there is no session bus (DBUS_SESSION_BUS_ADDRESS is not set), so no keyring",
        ));
    }
    Ok(dbus_secret_service_keyring_store::Store::new().map_err(|error| told(&error))?)
}

#[cfg(target_os = "linux")]
fn has_session_bus() -> bool {
    let of_user = std::env::var_os("XDG_RUNTIME_DIR").map(|folder| Path::new(&folder).join("bus"));
    std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some()
        || of_user.is_some_and(|bus| bus.exists())
}

#[cfg(target_os = "macos")]
fn open() -> io::Result<Arc<dyn CredentialStoreApi>> {
    Ok(apple_native_keyring_store::keychain::Store::new().map_err(|error| told(&error))?)
}

/// In words that hold nothing of a value.
fn told(error: &Error) -> io::Error {
    let text = match error {
        Error::BadEncoding(_) | Error::BadDataFormat(..) => "what it has is no text".to_owned(),
        Error::Ambiguous(_) => "it has several entries of that name".to_owned(),
        error => error.to_string(),
    };
    io::Error::other(format!("the keyring of the system: {text}"))
}
