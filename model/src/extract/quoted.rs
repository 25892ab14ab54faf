//! Calls of Gemma, with quotes that are tokens: `call:read{path:<|"|>a<|"|>}`.

use extline_json::write_string;

use super::Envelope;
use super::arguments::Arguments;
use super::json_call::Found;
use super::marked::Marked;
use super::tokens::{More, Read, View};
use crate::repair::FixKind;

/// The tokens of a family.
pub(super) struct Tokens {
    quote: &'static str,
    end: &'static str,
}

pub(super) const GEMMA: Tokens = Tokens { quote: "<|\"|>", end: "<tool_call|>" };
pub(super) const FUNCTION_GEMMA: Tokens = Tokens { quote: "<escape>", end: "<end_function_call>" };

pub(super) fn calls(view: View<'_>, at: usize, tokens: &Tokens) -> Read<(Envelope, Marked)> {
    let Some(start) = view.token(view.space(at), "call:")? else {
        return Ok((Envelope::Gemma, Marked::Text));
    };
    let name = view.name(start)?;
    let behind = start + name.len();
    if view.next(behind)? != Some('{') {
        return Ok((Envelope::Gemma, Marked::Text));
    }
    let (json, end) = json(view, view.space(behind), tokens)?;
    let marked = match Arguments::of_text(&json) {
        Ok(mut arguments) => {
            // That is how they are written, and no damage.
            arguments.fixes.retain(|fix| fix.kind != FixKind::BareKey);
            let found = Found { name: name.to_owned(), id: None, arguments, has_arguments: true };
            Marked::Calls { found: vec![found], end }
        }
        Err(reason) => Marked::Refused { reason, end },
    };
    Ok((Envelope::Gemma, marked))
}

/// The object that begins here, with its strings as JSON has them, and where it ends.
fn json(view: View<'_>, start: usize, tokens: &Tokens) -> Read<(String, usize)> {
    let mut json = Vec::new();
    let mut depth = 0_usize;
    let mut is_in_string = false;
    let mut at = start;
    while let Some(next) = view.rest(at).chars().next() {
        if let Some(quote) = view.token(at, tokens.quote)? {
            let close = match view.find(quote, tokens.quote)? {
                Some(close) => close,
                // Cut in a string: so is the JSON.
                None => view.text.len(),
            };
            write_string(&view.text[quote..close], &mut json);
            if close == view.text.len() {
                json.pop();
                return Ok((String::from_utf8_lossy(&json).into_owned(), close));
            }
            at = close + tokens.quote.len();
            continue;
        }
        if !is_in_string && view.token(at, tokens.end)?.is_some() {
            return Ok((String::from_utf8_lossy(&json).into_owned(), at));
        }
        at += next.len_utf8();
        json.extend_from_slice(next.encode_utf8(&mut [0; 4]).as_bytes());
        match next {
            '\\' if is_in_string => {
                if let Some(escaped) = view.rest(at).chars().next() {
                    at += escaped.len_utf8();
                    json.extend_from_slice(escaped.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
            '"' => is_in_string = !is_in_string,
            '{' | '[' if !is_in_string => depth += 1,
            '}' | ']' if !is_in_string => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Ok((String::from_utf8_lossy(&json).into_owned(), at));
                }
            }
            _ => {}
        }
    }
    if view.is_end { Ok((String::from_utf8_lossy(&json).into_owned(), at)) } else { Err(More) }
}
