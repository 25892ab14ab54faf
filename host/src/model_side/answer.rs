//! What a model reads of an answer.

use extline_protocol::frame::{Content, ToolResult};

use super::ModelSide;
use super::frame::frame;
use crate::report::CallError;
use crate::tool::Tool;

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
    /// That of a call of a tool, if there is one of that name.
    pub(crate) fn of(
        name: &str,
        tool: Option<&Tool>,
        answer: &Result<ToolResult, CallError>,
        side: &ModelSide,
    ) -> Self {
        match answer {
            Ok(result) => Self::of_result(name, tool, result, side),
            Err(error) => {
                let advice = side.hints.hint(&error.kind()).filter(|_| !error.advises());
                let mut content = vec![Content::text(error.to_string())];
                content.extend(advice.map(hint));
                Self { content, is_error: true }
            }
        }
    }

    fn of_result(name: &str, tool: Option<&Tool>, result: &ToolResult, side: &ModelSide) -> Self {
        let mut content = result.content.clone();
        // What the host says stands outside of the frame.
        let repeated = hint(side.hints.repeated());
        let mut advice = content.pop_if(|last| *last == repeated);
        if let Some(error) = result.error.as_ref().filter(|_| result.is_error) {
            match &error.hint {
                Some(said) if said != side.hints.repeated() && !says(&content, said) => {
                    content.push(hint(said));
                }
                Some(_) => {}
                None => advice = advice.or_else(|| side.hints.hint(&error.kind).map(hint)),
            }
        }
        if !side.trusts(tool, result) {
            content = frame(content, name, tool);
        }
        content.extend(advice);
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

/// Whether one of the texts has the advice already.
fn says(content: &[Content], advice: &str) -> bool {
    content.iter().filter_map(Content::plain).any(|text| text.contains(advice))
}

fn hint(advice: &str) -> Content {
    Content::text(format!("hint: {advice}"))
}
