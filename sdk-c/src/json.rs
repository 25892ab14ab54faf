//! JSON that is handed out as text.

use extline_protocol::RawJson;

use crate::ffi::{Str, with_nul};

/// A JSON value, to be asked by JSON pointers (RFC 6901): `/city` is the member `city`, `/days/0` the
/// first element of `days`, an empty pointer the value itself. It belongs to the call, event or answer
/// that it came from, and so does every text that it hands out.
pub struct Json {
    /// With a NUL behind it.
    text: String,
}

impl Json {
    pub(crate) fn new(text: String) -> Self {
        Self { text: with_nul(text) }
    }

    pub(crate) fn of(raw: RawJson) -> Self {
        Self::new(raw.into_string())
    }

    pub(crate) fn lend(&self) -> Str {
        Str::lend(self.text.as_bytes())
    }
}
