//! What is wrong with an extension without stopping it.

use std::fmt;
use std::io;
use std::path::Path;

use extline_protocol::frame::SdkInfo;
use extline_protocol::{Notice as ProtocolNotice, Problem};
use serde::Serialize;

use crate::redact::Redactor;

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

    /// What was found, and what to do about it.
    pub fn with_suggestion(text: impl Into<String>, suggestion: impl Into<String>) -> Self {
        Self { text: text.into(), suggestion: Some(suggestion.into()) }
    }

    pub(crate) fn redact(&mut self, redactor: &Redactor) {
        self.text = redactor.text(&self.text).into_owned();
    }

    /// It writes so much to stderr that not all of it is kept.
    pub(crate) fn flooded_log() -> Self {
        Self {
            text: "it floods its stderr: from here on only a part is kept, and read slowly"
                .to_owned(),
            suggestion: Some("log less".to_owned()),
        }
    }

    /// What it writes to stderr is no longer kept.
    pub(crate) fn lost_log(path: &Path, error: &io::Error) -> Self {
        Self::new(format!("its log {} cannot be written: {error}", path.display()))
    }

    /// A notice of the session, in the words of whoever wrote the extension.
    pub(crate) fn of(notice: &ProtocolNotice, author: Author) -> Self {
        match notice {
            ProtocolNotice::Skipped(problem) if is_text(problem) => Self {
                text: format!(
                    "skipped a line on stdout{}: {problem}",
                    if author == Author::Unknown { " before hello" } else { "" }
                ),
                suggestion: Some("stdout belongs to the protocol: print to stderr".to_owned()),
            },
            ProtocolNotice::NotReady { waited_ms } if matches!(author, Author::OfSdk(_)) => Self {
                text: format!(
                    "its setup is not over after {waited_ms} ms; going on with what is registered"
                ),
                suggestion: Some(
                    "start what lasts in a thread or a task of its own, so that setup returns, and \
                     let the tool that needs it wait for it"
                        .to_owned(),
                ),
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

/// Who wrote an extension, as far as its `hello` tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Author {
    /// No `hello` has come.
    #[default]
    Unknown,
    /// Someone who writes frames.
    OfFrames,
    /// Someone who writes handlers, for an SDK that writes the frames.
    OfSdk(Language),
}

/// What handlers are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Python,
    /// TypeScript or JavaScript.
    Node,
    Rust,
    C,
    /// That of an SDK which this host does not know.
    Other,
}

impl Author {
    /// Who says that `hello`.
    pub(crate) fn of(sdk: Option<&SdkInfo>) -> Self {
        let Some(sdk) = sdk else { return Self::OfFrames };
        Self::OfSdk(match (&*sdk.name, &*sdk.language) {
            ("extline", "python") => Language::Python,
            ("extline", "node") => Language::Node,
            ("extline", "rust") => Language::Rust,
            ("extline", "c") => Language::C,
            _ => Language::Other,
        })
    }

    /// What to do about a handler that does not answer in time.
    pub(crate) fn advice_on_no_answer(self) -> String {
        let longer = match self {
            Self::OfSdk(Language::Python) => "@ext.tool(timeout=SECONDS)",
            Self::OfSdk(Language::Node) => "timeoutMs in the options of ext.tool(...)",
            Self::OfSdk(Language::Rust) => "Tool::timeout",
            Self::OfSdk(Language::C) => ".timeout_ms in its extline_tool_options",
            Self::Unknown | Self::OfFrames | Self::OfSdk(Language::Other) => "\"timeout_ms\"",
        };
        let place = match self {
            Self::OfSdk(Language::Python) => {
                "the log: a second after the call was given up it names the line that the handler is at"
            }
            _ => "the lines above and the log for what it waits for",
        };
        format!(
            "see {place}; a tool that needs longer says so with {longer}, or whoever calls waits longer"
        )
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
