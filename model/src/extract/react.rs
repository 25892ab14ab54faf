//! Calls behind words at the beginning of a line: `Action: NAME`, `>>>NAME`.

use super::Envelope;
use super::marked::{Marked, named};
use super::tokens::{Read, View};

/// `Action: NAME`, and `Action Input: {..}` on the next line. `at` is behind `Action:`.
pub(super) fn action(view: View<'_>, at: usize) -> Read<(Envelope, Marked)> {
    let text = (Envelope::ReAct, Marked::Text);
    let Some(line_end) = view.find(at, "\n")? else { return Ok(text) };
    let name = view.text[at..line_end].trim().trim_matches(['`', '*', '"']);
    let Some(input) = view.token(view.space(line_end), "Action Input:")? else { return Ok(text) };
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Ok(text);
    }
    let mut start = view.space(input);
    if let Some(fence) = view.token(start, "```")? {
        start = view.space(view.find(fence, "\n")?.unwrap_or(view.text.len()));
    }
    let mut marked = named(view, name, start, &["Observation:", "```", "Action:"])?;
    if let Marked::Calls { end, .. } = &mut marked {
        *end = view.token(view.space(*end), "```")?.unwrap_or(*end);
    }
    Ok((Envelope::ReAct, marked))
}

/// `NAME` and JSON on the next line. `at` is behind `>>>`.
pub(super) fn functionary(view: View<'_>, at: usize) -> Read<(Envelope, Marked)> {
    let name = view.name(at)?;
    let behind = at + name.len();
    let is_call =
        !name.is_empty() && view.token(behind, "\n")?.is_some() && view.next(behind)? == Some('{');
    let marked = if is_call { named(view, name, behind, &[">>>"])? } else { Marked::Text };
    Ok((Envelope::Functionary, marked))
}
