//! What is to be said of an extension.

use serde::Serialize;

use crate::redact::Redactor;

/// One thing that is to be said of an extension.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// How bad it is.
    pub level: Level,
    /// What it is, in a word that does not change: `verdict.disabled`, `start.failed.no_hello`.
    pub code: String,
    /// What it is, in one line.
    pub what: String,
    /// What mends it: a command for a shell, or what to do.
    pub mend: Option<String>,
}

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Level {
    /// It is as it should be.
    Pass,
    /// It does not run, as somebody wants it.
    Skip,
    /// It is probably not as somebody wants it.
    Warn,
    /// It cannot be used.
    Fail,
}

impl Level {
    /// A word for it: `pass`, `skip`, `warn`, `fail`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Skip => "skip",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

impl Finding {
    pub(crate) fn new(
        level: Level,
        code: impl Into<String>,
        what: impl Into<String>,
        mend: Option<String>,
    ) -> Self {
        Self { level, code: code.into(), what: what.into(), mend }
    }

    /// Takes secrets out of it.
    pub(super) fn redact(&mut self, redactor: &Redactor) {
        for text in [&mut self.what].into_iter().chain(&mut self.mend) {
            *text = redactor.text(text).into_owned();
        }
    }
}
