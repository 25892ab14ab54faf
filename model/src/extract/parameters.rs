//! Arguments between tags, one by one.

use super::arguments::Untyped;
use super::json_call::Found;
use super::marked::Marked;
use super::tokens::{Read, View, without_half};
use super::{Envelope, Offered};

/// How many closing tags a value may hold: a bound, so that the time stays linear.
const MOST_INNER: usize = 256;

/// The tags of a family.
pub(super) struct Style {
    pub(super) envelope: Envelope,
    /// Up to the name of the tool.
    pub(super) opener: &'static str,
    /// Up to the name of a parameter.
    pub(super) parameter: &'static str,
    pub(super) value_end: &'static str,
    pub(super) end: &'static str,
}

/// Reads the parameters that stand from `at` on.
pub(super) fn parameters(
    view: View<'_>,
    tool: &str,
    mut at: usize,
    style: &Style,
    offered: &[Offered],
) -> Read<Marked> {
    let mut arguments = Untyped::of(offered, tool);
    let (end, truncated) = loop {
        at = view.space(at);
        if let Some(end) = view.token(at, style.end)? {
            break (end, false);
        }
        if let Some(start) = view.token(at, style.parameter)? {
            let Some(parameter) = parameter(view, start, style)? else {
                break (view.text.len(), true);
            };
            let Parameter { name, value, is_text, end, is_cut } = parameter;
            if is_text {
                arguments.push_string(name, value);
            } else {
                arguments.push(name, value);
            }
            if is_cut {
                break (view.text.len(), true);
            }
            at = end;
        } else if view.next(at)?.is_none() || style.half_tag(view.rest(at)) {
            break (view.text.len(), true);
        } else {
            let reason = format!("the parameters of {tool} are not closed");
            return Ok(Marked::Refused { reason, end: at });
        }
    };
    let arguments = arguments.finish(truncated);
    let found = Found { name: tool.to_owned(), id: None, arguments, has_arguments: true };
    Ok(Marked::Calls { found: vec![found], end })
}

struct Parameter<'t> {
    name: &'t str,
    value: &'t str,
    /// A tag says that it is no JSON.
    is_text: bool,
    end: usize,
    is_cut: bool,
}

/// The parameter whose name begins at `start`; `None` where the text ends before its value.
fn parameter<'t>(view: View<'t>, start: usize, style: &Style) -> Read<Option<Parameter<'t>>> {
    let name_end = match style.parameter.as_bytes().last() {
        Some(b'=') => ">",
        Some(b'"') => "\"",
        _ => "</arg_key>",
    };
    let Some(end) = view.find(start, name_end)? else { return Ok(None) };
    let name = view.text[start..end].trim();
    let mut at = end + name_end.len();
    let mut is_text = false;
    if name_end == "\"" {
        let Some(tag_end) = view.find(at, ">")? else { return Ok(None) };
        is_text = view.text[at..tag_end].contains("string=\"true\"");
        at = tag_end + 1;
    } else if name_end != ">" {
        match view.token(view.space(at), "<arg_value>")? {
            Some(value) => at = value,
            None => return Ok(None),
        }
    }
    let end = value_end(view, at, style)?;
    let value = match end {
        Some(end) => &view.text[at..end],
        None => without_half(view.rest(at), style.value_end),
    };
    let value = value.strip_prefix('\n').map_or(value, |it| it.strip_suffix('\n').unwrap_or(it));
    let end_of_tag = end.map_or(view.text.len(), |end| end + style.value_end.len());
    Ok(Some(Parameter { name, value, is_text, end: end_of_tag, is_cut: end.is_none() }))
}

/// Where a value ends: at a closing tag with another parameter or the end of the call behind it, since
/// the tag may stand in the value too; where there is none, at the first.
fn value_end(view: View<'_>, at: usize, style: &Style) -> Read<Option<usize>> {
    let mut first = None;
    let mut from = at;
    for _ in 0..MOST_INNER {
        let Some(place) = view.find(from, style.value_end)? else { return Ok(first) };
        from = place + style.value_end.len();
        let behind = view.space(from);
        if view.one_of(behind, &[style.parameter, style.end])?.is_some()
            || view.next(behind)?.is_none()
            || (view.is_end && style.half_tag(view.rest(behind)))
        {
            return Ok(Some(place));
        }
        first = first.or(Some(place));
    }
    Ok(first)
}

impl Style {
    /// Whether the text ends in the midst of one of the tags.
    fn half_tag(&self, rest: &str) -> bool {
        self.parameter.starts_with(rest) || self.end.starts_with(rest)
    }
}
