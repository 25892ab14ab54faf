//! Why a text cannot be repaired.

use thiserror::Error;

/// Why a text cannot be repaired, and where: a sentence that can go back to the model.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("line {line}, column {column}: {kind}")]
pub struct RepairError {
    /// What is wrong.
    pub kind: RepairErrorKind,
    /// Where in the text, in bytes.
    pub offset: usize,
    /// The line, from 1.
    pub line: usize,
    /// The column, in characters from 1.
    pub column: usize,
}

/// What is wrong with a text that cannot be repaired.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum RepairErrorKind {
    /// Nothing but white space.
    #[error("the text is empty; write one JSON value")]
    Blank,
    /// No object or array, nor a single value.
    #[error("there is no JSON in the text; write one JSON object")]
    NoJson,
    /// More than one object or array: which one is meant cannot be known.
    #[error("a second JSON value begins here; write exactly one")]
    SeveralValues,
    /// Text goes on after the value as if it were not closed.
    #[error("the value is closed before this; remove the closing bracket, or what follows")]
    GoesOn,
    /// Values in more than [`MAX_DEPTH`](super::MAX_DEPTH) others.
    #[error("values are nested more than {} deep", super::MAX_DEPTH)]
    TooDeep,
    /// A name of a member should stand here.
    #[error("a name in double quotes should stand here")]
    NoKey,
    /// A colon should stand here.
    #[error("a colon should stand here, after the name")]
    NoColon,
    /// A value should stand here.
    #[error("a JSON value should stand here; put strings in double quotes")]
    NoValue,
}

impl RepairErrorKind {
    /// Its name in JSON and in the bindings: `several_values`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Blank => "blank",
            Self::NoJson => "no_json",
            Self::SeveralValues => "several_values",
            Self::GoesOn => "goes_on",
            Self::TooDeep => "too_deep",
            Self::NoKey => "no_key",
            Self::NoColon => "no_colon",
            Self::NoValue => "no_value",
        }
    }
}
