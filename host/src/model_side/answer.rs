//! What a model reads of an answer.

use extline_protocol::frame::{Content, ToolResult};

use super::ErrorHints;
use crate::report::CallError;

/// What a model reads of an answer, see [`Host::for_model`](crate::Host::for_model).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModelAnswer {
    /// The blocks, in order.
    pub content: Vec<Content>,
    /// The call failed.
    pub is_error: bool,
}

impl ModelAnswer {
    pub(crate) fn of(answer: &Result<ToolResult, CallError>, hints: &ErrorHints) -> Self {
        match answer {
            Ok(result) => Self::of_result(result, hints),
            Err(error) => {
                let advice = hints.hint(&error.kind()).filter(|_| !error.advises());
                let mut content = vec![Content::text(error.to_string())];
                content.extend(advice.map(hint));
                Self { content, is_error: true }
            }
        }
    }

    fn of_result(result: &ToolResult, hints: &ErrorHints) -> Self {
        let mut content = result.content.clone();
        let error = result.error.as_ref().filter(|_| result.is_error);
        if let Some(error) = error {
            let by_author = error.hint.as_deref();
            let advice = by_author.or_else(|| hints.hint(&error.kind));
            content.extend(advice.filter(|advice| !says(result, advice)).map(hint));
        }
        Self { content, is_error: result.is_error }
    }
}

/// Adds advice to a failure, behind what it says.
pub(crate) fn advise(result: &mut ToolResult, advice: &str) {
    result.content.push(hint(advice));
    if let Some(error) = &mut result.error {
        error.hint.get_or_insert_with(|| advice.to_owned());
    }
}

/// Whether a text of the result has the advice already.
fn says(result: &ToolResult, advice: &str) -> bool {
    result.content.iter().any(|block| match block {
        Content::Text(text) => text.contains(advice),
        _ => false,
    })
}

fn hint(advice: &str) -> Content {
    Content::text(format!("hint: {advice}"))
}
