//! Longer dialogs: a text in an editor, several questions at once, a sign-in.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Choice, titled};

#[cfg(feature = "schema")]
use schemars::JsonSchema;

/// What `ui.editor` is asked with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Editor {
    /// What the text is for, in one line.
    pub title: String,
    /// The text to begin with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefill: Option<String>,
    /// Milliseconds that the person has, more than 0. Unsaid there is no end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub timeout_ms: Option<u64>,
}

impl Editor {
    pub(super) fn check(&self) -> Result<(), String> {
        titled("/title", &self.title)
    }
}

/// What `ui.ask` is asked with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Ask {
    /// The questions, one at least, in their order.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub questions: Vec<Question>,
    /// Milliseconds that the person has for all of them, more than 0. Unsaid there is no end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub timeout_ms: Option<u64>,
}

/// One question of `ui.ask`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Question {
    /// Names it in the answer; no two have the same.
    pub id: String,
    /// The question, in one line.
    pub question: String,
    /// What can be chosen. Where there is nothing, a line is typed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Choice>,
    /// Whether several may be chosen, or none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub multi: bool,
    /// The value of the option that is offered first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommended: Option<String>,
}

impl Ask {
    pub(super) fn check(&self) -> Result<(), String> {
        if self.questions.is_empty() {
            return Err("/questions: there is nothing to ask".to_owned());
        }
        let mut ids = BTreeSet::new();
        for (position, question) in self.questions.iter().enumerate() {
            let at = |member: &str| format!("/questions/{position}/{member}");
            titled(&at("id"), &question.id)?;
            titled(&at("question"), &question.question)?;
            if !ids.insert(&question.id) {
                return Err(format!("{}: another question is {:?} too", at("id"), question.id));
            }
            super::offered(&at("recommended"), question.recommended.as_ref(), &question.options)?;
        }
        Ok(())
    }
}

/// The answer to `ui.ask`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Answers {
    /// For each question by its `id`: the value that was chosen, those that were, or the line that was typed.
    pub answers: BTreeMap<String, Vec<String>>,
}

/// What `ui.auth` is asked with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Auth {
    /// Where the person signs in: a URL of http or https.
    pub url: String,
    /// What is entered there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// More about it, in several lines perhaps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Milliseconds until the code is of no use, more than 0. Unsaid there is no end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub timeout_ms: Option<u64>,
}

impl Auth {
    pub(super) fn check(&self) -> Result<(), String> {
        let is_web = self.url.starts_with("https://") || self.url.starts_with("http://");
        if !is_web || self.url.contains(|it: char| it.is_whitespace() || it.is_control()) {
            return Err("/url: it is no URL of http or https".to_owned());
        }
        Ok(())
    }
}
