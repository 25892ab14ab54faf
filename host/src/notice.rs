//! What is wrong with an extension without stopping it.

use std::fmt;

use extline_protocol::{Notice as ProtocolNotice, Problem};
use serde::Serialize;

/// Something the author of an extension should know of, although it works. `Display` gives one
/// line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Notice {
    /// What was found.
    pub text: String,
    /// What to do about it, where that can be said.
    pub suggestion: Option<String>,
}

impl Notice {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), suggestion: None }
    }

    /// It writes so much to stderr that not all of it is kept.
    pub(crate) fn flooded_log() -> Self {
        Self {
            text: "it floods its stderr: from here on only a part is kept, and read slowly"
                .to_owned(),
            suggestion: Some("log less".to_owned()),
        }
    }

    /// A notice of the session, seen from where the extension is in its life.
    pub(crate) fn of(notice: &ProtocolNotice, before_hello: bool) -> Self {
        match notice {
            ProtocolNotice::Skipped(problem) if is_text(problem) => Self {
                text: format!(
                    "skipped a line on stdout{}: {problem}",
                    if before_hello { " before hello" } else { "" }
                ),
                suggestion: Some("stdout belongs to the protocol: print to stderr".to_owned()),
            },
            ProtocolNotice::NotReady { waited_ms } => Self {
                text: format!(
                    "no ready frame {waited_ms} ms after hello; going on with what is registered"
                ),
                suggestion: Some(
                    "write {\"type\":\"ready\"} after the last registration, which saves the wait"
                        .to_owned(),
                ),
            },
            notice => Self::new(notice.to_string()),
        }
    }
}

/// Whether a line was meant for people rather than for the host.
fn is_text(problem: &Problem) -> bool {
    matches!(problem, Problem::Malformed { .. } | Problem::NotAnObject { .. })
}

impl fmt::Display for Notice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)?;
        match &self.suggestion {
            Some(suggestion) => write!(formatter, " ({suggestion})"),
            None => Ok(()),
        }
    }
}
