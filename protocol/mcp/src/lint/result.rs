//! What clients make of a result.

use extline_protocol::frame::{Content, ToolResult};

use super::schema_facts::{Spots, cut};
use super::{Check, Client, Finding, Offer, Place, Report};
use crate::result::{Structure, is_mirror, structured};
use crate::schema;

/// Looks at what a tool answered. `violation` is where its value does not match its output schema, as whoever
/// has a validator says.
pub fn lint_result(
    offer: Offer<'_>,
    result: &ToolResult,
    violation: Option<&str>,
    clients: &[&'static Client],
) -> Vec<Finding> {
    let mut report = Report::default();
    let is_promised = offer.tool.output_schema.as_ref().and_then(schema::output).is_some();
    let value = structured(result, Structure { is_promised, is_any: false });
    let place = Some(Place::Output);
    if is_promised && !result.is_error {
        let why = match value {
            None => Some("it has no value, and the tool has an output schema".to_owned()),
            Some(_) => violation
                .map(|why| format!("its value does not match the output schema: {}", cut(why))),
        };
        if let Some(why) = why {
            let spots = Spots { count: 1, detail: Some(why), ..Spots::default() };
            report.add(offer, Check::ResultSchema, place, &spots, 0, clients);
        }
    }
    let mirrors =
        result.structured_content.as_ref().is_some_and(|it| is_mirror(&result.content, it));
    if value.is_some() && !mirrors && !result.content.is_empty() {
        let spots = Spots { count: 1, detail: Some(beside(&result.content)), ..Spots::default() };
        report.add(offer, Check::ResultBeside, place, &spots, 0, clients);
    }
    let texts = result.content.iter().map(characters).sum();
    let size = value.map_or(texts, |value| value.chars().count());
    report.measure(offer, Check::ResultSize, place, size, clients);
    report.findings
}

/// What stands beside a value; an image is the greater loss.
fn beside(content: &[Content]) -> String {
    let is_image = |block: &Content| matches!(block, Content::Image { .. });
    if content.iter().any(is_image) { "an image".to_owned() } else { "another text".to_owned() }
}

/// Images are not counted: what they cost is for the model to say.
fn characters(block: &Content) -> usize {
    match block {
        Content::Text(text) => text.chars().count(),
        Content::TextJson(text) => text.get().chars().count(),
        Content::Image { .. } => 0,
        Content::Other(raw) => raw.get().chars().count(),
    }
}
