//! `ui.*`: asking the person in front of the agent.
//!
//! A dialog belongs to the call whose handler asks, and closes when that ends. Whoever shows it shows the name of the
//! extension too, which the extension cannot set. What is only shown stays until the extension takes it back or ends.

mod display;
mod form;

use serde::{Deserialize, Serialize};

use crate::method::methods;

pub use self::display::{
    KEY_CHARS, Placement, Shown, Status, Title, WIDGET_LINES, Widget, Working,
};
pub use self::form::{Answers, Ask, Auth, Editor, Question};

#[cfg(feature = "schema")]
use schemars::JsonSchema;

methods! {
dialogs:
    /// Asks for a yes or no.
    "ui.confirm": ConfirmMethod(Confirm) -> Confirmed;
    /// Has one of several options chosen, or some of them.
    "ui.select": SelectMethod(Select) -> Selected;
    /// Asks for a line of text.
    "ui.input": InputMethod(Input) -> Entered;
    /// Has a text of several lines written or changed in an editor.
    "ui.editor": EditorMethod(Editor) -> Entered;
    /// Asks several questions at once.
    "ui.ask": AskMethod(Ask) -> Answers;
    /// Has the person sign in somewhere else, with a code perhaps, and say when that is done.
    "ui.auth": AuthMethod(Auth) -> Confirmed;
displays:
    /// Shows a short text, until it is taken back.
    "ui.status": StatusMethod(Status);
    /// Sets the title of the window.
    "ui.title": TitleMethod(Title);
    /// Says what the agent is doing, while it works.
    "ui.working": WorkingMethod(Working);
    /// Shows some lines beside what the person types, until they are taken back.
    "ui.widget": WidgetMethod(Widget);
}

/// What a dialog is answered with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(untagged)]
pub enum Answer<T> {
    /// The person has answered.
    Given(T),
    /// The dialog was closed without an answer.
    Dismissed {
        /// Why.
        dismissed: Dismissal,
    },
}

/// Why a dialog was closed without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Dismissal {
    /// The person closed it.
    User,
    /// The person took longer than `timeout_ms`.
    Timeout,
    /// What it belonged to was over.
    Cancelled,
    /// There is nobody who could be asked.
    Headless,
}

/// What `ui.confirm` is asked with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Confirm {
    /// The question, in one line.
    pub title: String,
    /// More about it, in several lines perhaps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Milliseconds that the person has, more than 0. Unsaid there is no end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub timeout_ms: Option<u64>,
}

/// The answer to `ui.confirm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Confirmed {
    /// Yes or no.
    pub confirmed: bool,
}

/// What `ui.select` is asked with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Select {
    /// The question, in one line.
    pub title: String,
    /// What can be chosen, one option at least.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub options: Vec<Choice>,
    /// Whether several may be chosen, or none. Then the answer is `values`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub multi: bool,
    /// The value of the option that is offered first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial: Option<String>,
    /// Milliseconds that the person has, more than 0. Unsaid there is no end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub timeout_ms: Option<u64>,
}

impl Confirm {
    fn check(&self) -> Result<(), String> {
        titled("/title", &self.title)
    }
}

impl Input {
    fn check(&self) -> Result<(), String> {
        titled("/title", &self.title)
    }
}

impl Select {
    fn check(&self) -> Result<(), String> {
        titled("/title", &self.title)?;
        if self.options.is_empty() {
            return Err("/options: there is nothing to choose from".to_owned());
        }
        offered("/initial", self.initial.as_ref(), &self.options)
    }
}

/// Whether a text that is shown says anything.
fn titled(pointer: &str, title: &str) -> Result<(), String> {
    if title.trim().is_empty() { Err(format!("{pointer}: it is empty")) } else { Ok(()) }
}

/// Whether the value that is offered first is there.
fn offered(pointer: &str, value: Option<&String>, options: &[Choice]) -> Result<(), String> {
    match value.filter(|value| !options.iter().any(|option| option.value() == *value)) {
        Some(value) => Err(format!("{pointer}: no option has the value {value:?}")),
        None => Ok(()),
    }
}

/// An option of `ui.select`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(untagged)]
pub enum Choice {
    /// It is shown so, and is its own value.
    Text(String),
    /// It is shown with more.
    Labelled {
        /// How it is shown.
        label: String,
        /// More about it, in one line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        /// What the answer has for it; `label` where that is unsaid.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
    },
}

impl Choice {
    /// How it is shown.
    pub fn label(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Labelled { label, .. } => label,
        }
    }

    /// More about it.
    pub fn description(&self) -> Option<&str> {
        match self {
            Self::Text(_) => None,
            Self::Labelled { description, .. } => description.as_deref(),
        }
    }

    /// What the answer has for it.
    pub fn value(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Labelled { label, value, .. } => value.as_deref().unwrap_or(label),
        }
    }
}

/// The answer to `ui.select`: `values` where several could be chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(untagged)]
pub enum Selected {
    /// The value of the option that was chosen.
    One {
        /// Its value.
        value: String,
    },
    /// The values of the options that were chosen, in the order of `options`.
    Several {
        /// Their values.
        values: Vec<String>,
    },
}

/// What `ui.input` is asked with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Input {
    /// The question, in one line.
    pub title: String,
    /// An example of an answer, shown where nothing is typed yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    /// Whether what is typed is not shown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
    /// Milliseconds that the person has, more than 0. Unsaid there is no end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub timeout_ms: Option<u64>,
}

/// The answer to `ui.input`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Entered {
    /// What was typed, without the end of the line. It may be empty.
    pub value: String,
}
