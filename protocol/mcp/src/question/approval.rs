//! Whether a call may run, as a question to the person.

use extline_protocol::frame::RpcError;
use extline_protocol::{RawJson, shown_line};

use super::form::{Choice, Field, Kind};
use super::read::form;
use super::{Question, Shape};

/// Characters that are shown of the arguments.
const ARGS: usize = 600;

/// Characters that are shown of a reason, or of a key.
const TEXT: usize = 400;

/// A call that needs an approval.
#[derive(Clone, Copy, Debug)]
pub struct ApprovalQuestion<'a> {
    /// The extension that has the tool.
    pub extension: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// The extension that calls, if it is not the agent.
    pub caller: Option<&'a str>,
    /// The arguments that will run.
    pub args: &'a RawJson,
    /// How much the tool can do.
    pub tier: Option<&'a str>,
    /// Why it is asked.
    pub reason: Option<&'a str>,
    /// What this very call would do, a line each.
    pub details: &'a [String],
    /// Why less is known of the call than its tool promises.
    pub doubt: Option<&'a str>,
    /// Which calls an "always" covers; `None` for those with the same arguments.
    pub key: Option<&'a str>,
}

/// What the person said about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It runs, this time.
    Once,
    /// It runs, and so do those that the same key covers.
    Always,
    /// It does not run.
    No,
    /// The person closed the question.
    Closed,
    /// Nobody decided, as the text says.
    Undecided(String),
}

impl Question {
    /// Asks whether a call may run; [`Verdict::of`] reads the answer.
    pub fn approval(about: &ApprovalQuestion<'_>) -> Self {
        let ApprovalQuestion { extension, tool, caller, args, tier, reason, details, doubt, key } =
            *about;
        let caller = caller.map(|caller| format!(", called by {}", shown_line(caller)));
        let (extension, tool) = (shown_line(extension), shown_line(tool));
        let mut message =
            format!("{extension} wants to run {tool}{}\n", caller.unwrap_or_default());
        let mut line = |label: &str, text: &str, most: usize| {
            message.extend(["\n", label, ": ", &shortened(text, most)]);
        };
        line("with", args.get(), ARGS);
        if let Some(tier) = tier {
            line("tier", tier, TEXT);
        }
        if let Some(reason) = reason {
            line("because", reason, TEXT);
        }
        for detail in details {
            line("detail", detail, TEXT);
        }
        if let Some(doubt) = doubt {
            line("doubt", doubt, TEXT);
        }
        if let Some(key) = key {
            line("key", key, TEXT);
        }
        let covered = match key {
            Some(key) => format!("{tool}({})", shortened(key, TEXT)),
            None => format!("{tool} with these arguments"),
        };
        let choices = [
            ("once", "Run it this time".to_owned()),
            ("always", format!("Always run {covered}, until the server ends")),
            ("no", "Do not run it".to_owned()),
        ];
        let choices = choices.map(|(value, label)| Choice { value: value.to_owned(), label });
        let field = Field::new("approval", "Run it?", Kind::One(choices.into()));
        form(message, vec![field], Shape::Value, "approve=yes")
    }
}

impl Verdict {
    /// What the answer to [`Question::approval`] means.
    pub fn of(answer: &Result<RawJson, RpcError>) -> Self {
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return Self::Undecided(error.message.clone()),
        };
        match answer.string("/value").as_deref() {
            Some("once") => Self::Once,
            Some("always") => Self::Always,
            Some(_) => Self::No,
            None if answer.string("/dismissed").as_deref() == Some("user") => Self::Closed,
            None => Self::Undecided("the question was closed without an answer".to_owned()),
        }
    }
}

/// A text in one line, nothing in it hidden, cut where it is long.
fn shortened(text: &str, most: usize) -> String {
    let text = shown_line(text);
    match text.char_indices().nth(most) {
        Some((end, _)) => {
            format!("{}... ({} more characters)", &text[..end], text[end..].chars().count())
        }
        None => text.into_owned(),
    }
}
