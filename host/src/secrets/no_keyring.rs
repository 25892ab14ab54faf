//! Where there is no keyring: another system, or a host that was built without it.

#![allow(clippy::trivially_copy_pass_by_ref, reason = "the same functions as with a keyring")]

use std::convert::Infallible;
use std::io;
use std::path::Path;

pub(super) fn entry(_: &Path, _: &str, _: &str) -> io::Result<Infallible> {
    let text = "this program knows no keyring of the system (the feature keyring of extline-host)";
    Err(io::Error::new(io::ErrorKind::Unsupported, text))
}

pub(super) fn get(entry: &Infallible) -> io::Result<Option<String>> {
    match *entry {}
}

pub(super) fn set(entry: &Infallible, _: &str) -> io::Result<()> {
    match *entry {}
}

pub(super) fn remove(entry: &Infallible) -> io::Result<()> {
    match *entry {}
}
