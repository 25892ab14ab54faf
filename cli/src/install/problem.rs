//! Why a file is left as it is.

use std::fmt;
use std::path::Path;

/// What is wrong, and where.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) line: Option<usize>,
    /// What is wrong, and what to do.
    pub(super) what: String,
}

impl Problem {
    pub(super) fn new(line: impl Into<Option<usize>>, what: impl Into<String>) -> Self {
        Self { line: line.into(), what: what.into() }
    }

    /// With the file that it is in.
    pub(super) fn of(self, file: &Path) -> Refusal {
        Refusal(match self.line {
            Some(line) => format!("{}, line {line}: {}", file.display(), self.what),
            None => format!("{}: {}", file.display(), self.what),
        })
    }
}

/// The whole sentence.
#[derive(Debug)]
pub(super) struct Refusal(pub(super) String);

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The line of a place in a text, from 1.
pub(super) fn line_of(text: &str, place: usize) -> usize {
    1 + text.get(..place).unwrap_or(text).matches('\n').count()
}
