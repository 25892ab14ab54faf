//! An extension that blocked something.

use thiserror::Error;

/// An extension blocked something. `Display` gives `blocked by EXTENSION: REASON`.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("blocked by {by}: {reason}")]
#[non_exhaustive]
pub struct Blocked {
    /// The extension.
    pub by: String,
    /// Why, for the model or the user: its own words, or how it failed to answer.
    pub reason: String,
}
