//! What a person is asked, as a client of MCP shows it: a form, or a page to open (`elicitation/create`).

mod answer;
mod approval;
mod form;
mod read;

use std::time::Duration;

use extline_protocol::frame::RpcError;
use extline_protocol::{ErrorKind, RawJson, shown_line, write_string};

pub use self::approval::{ApprovalQuestion, Verdict};
use self::form::Field;
use crate::elicits::Elicits;
use crate::entry::push_key;
use crate::revision::Revision;

/// The dialogs that clients can be asked to show. What of these a client can show is known only when it is
/// asked.
pub const DIALOGS: [&str; 6] =
    ["ui.confirm", "ui.select", "ui.input", "ui.editor", "ui.ask", "ui.auth"];

/// What is only shown: it is taken, and a client may be told of it.
pub const DISPLAYS: [&str; 4] = ["ui.status", "ui.title", "ui.working", "ui.widget"];

/// One question to a person.
///
/// ```
/// use extline_mcp::Question;
/// use extline_protocol::RawJson;
///
/// let params = RawJson::parse(r#"{"title":"Ship it?"}"#)?;
/// assert!(Question::dialog("ship", "ui.confirm", Some(&params)).is_ok());
/// # Ok::<(), extline_protocol::RawJsonError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Question {
    message: String,
    asks: Asks,
    /// What the answer is called by `--answer`, for who reads that a client cannot ask.
    given: &'static str,
    /// How long the person has.
    pub(crate) patience: Option<Duration>,
    /// When whoever asks no longer waits.
    pub(crate) deadline: Option<Duration>,
}

/// What is shown.
#[derive(Clone, Debug)]
enum Asks {
    Form {
        fields: Vec<Field>,
        shape: Shape,
    },
    /// `done` asks whether what is to be done there is done.
    Page {
        url: String,
        done: Box<Question>,
    },
}

/// What the answer looks like on the extension's wire.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// `{"confirmed": true}`
    Confirmed,
    /// `{"value": "a"}`
    Value,
    /// `{"values": ["a"]}`
    Values,
    /// `{"answers": {"id": ["a"]}}`
    Answers,
}

impl Question {
    /// A dialog of an extension's, by its method and parameters.
    ///
    /// # Errors
    ///
    /// It is no dialog, or its parameters are wrong, or no client may be asked for such a thing.
    pub fn dialog(
        extension: &str,
        method: &str,
        params: Option<&RawJson>,
    ) -> Result<Self, RpcError> {
        read::dialog(extension, method, params)
    }

    /// The same with an end: then the question fails as `timeout`.
    #[must_use]
    pub fn deadline(mut self, deadline: Option<Duration>) -> Self {
        self.deadline = deadline;
        self
    }

    /// Why a client that can do so much cannot be asked this.
    pub(crate) fn refused(&self, elicits: Elicits) -> Option<RpcError> {
        let missing = match self.asks {
            Asks::Form { .. } if !elicits.form => "it does not declare the capability elicitation",
            Asks::Page { .. } if !elicits.url => {
                "it does not declare the capability elicitation with url, to open a page"
            }
            _ => return None,
        };
        let given = self.given;
        let text = format!(
            "this MCP client cannot ask its user: {missing}. Use a client that can, or give the answer \
             before: extline mcp --answer {given}"
        );
        Some(RpcError::new(ErrorKind::Unsupported, text))
    }

    /// Appends the parameters of `elicitation/create`.
    pub(crate) fn write(&self, id: u64, revision: Revision, out: &mut Vec<u8>) {
        let has_modes = revision >= Revision::V2025_11_25;
        out.extend_from_slice(b"{\"message\":");
        write_string(&self.message, out);
        match &self.asks {
            Asks::Form { fields, .. } => {
                if has_modes {
                    push_key(out, "mode");
                    out.extend_from_slice(b"\"form\"");
                }
                push_key(out, "requestedSchema");
                form::write(fields, revision, out);
            }
            Asks::Page { url, .. } => {
                push_key(out, "mode");
                out.extend_from_slice(b"\"url\"");
                push_key(out, "url");
                write_string(url, out);
                if !revision.is_modern() {
                    push_key(out, "elicitationId");
                    write_string(&format!("q{id}"), out);
                }
            }
        }
        out.push(b'}');
    }

    /// What to ask a person who has agreed to this: whether what was to be done elsewhere is done. `None` where the
    /// answer is one already, and for a client that shows no forms.
    pub(crate) fn next(&self, answer: &RawJson, elicits: Elicits) -> Option<Self> {
        let Asks::Page { done, .. } = &self.asks else { return None };
        let has_agreed = answer.at("/confirmed") == Some("true");
        (has_agreed && elicits.form).then(|| (**done).clone())
    }

    /// What the client answered, its `result`, as the extension reads it.
    pub(crate) fn answer(&self, result: &str, revision: Revision) -> Result<RawJson, RpcError> {
        answer::of(self, result, revision).map_err(|why| {
            RpcError::new(
                ErrorKind::Protocol,
                format!("the answer of the MCP client is wrong: {why}"),
            )
        })
    }
}

/// The answer of a dialog that was closed without one.
pub(crate) fn dismissed(why: &str) -> RawJson {
    RawJson::of_part(&format!("{{\"dismissed\":\"{why}\"}}"))
}

/// Who asks, what, and more about it.
fn message(extension: &str, asks: &str, what: &str, more: Option<&str>) -> String {
    let mut message = format!("{} {asks}: {}", shown_line(extension), shown_line(what));
    if let Some(more) = more.filter(|more| !more.trim().is_empty()) {
        message.push_str("\n\n");
        message.push_str(&extline_protocol::shown(more));
    }
    message
}
