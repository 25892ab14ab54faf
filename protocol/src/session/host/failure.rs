//! Why a call is not sent, and why an extension cannot be used.

use thiserror::Error;

/// A call that cannot be sent.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SendError {
    /// The frame breaks a limit.
    #[error("it is too large: {0}")]
    TooLarge(String),
    /// The extension has not said hello, is ending, or is gone.
    #[error("the extension has not said hello, is ending, or is gone")]
    Closed,
}

/// Why an extension cannot be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum HandshakeError {
    /// Nothing usable came in time.
    #[error("no hello within {waited_ms} ms")]
    NoHello {
        /// How long it was waited for, in milliseconds.
        waited_ms: u64,
    },
    /// The first frame is another.
    #[error("the first frame is {found}, and must be hello")]
    NotHello {
        /// Its type.
        found: String,
    },
    /// A `hello` that cannot be read.
    #[error("the hello cannot be read: {0}")]
    BadHello(String),
    /// A `hello` of another protocol version.
    #[error("{0}")]
    Version(String),
    /// Its output ended first.
    #[error("its output ended before hello")]
    Ended,
}
