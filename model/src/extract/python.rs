//! Calls as Python writes them: `[read(path="a"), ls()]`.

use super::arguments::Untyped;
use super::json_call::Found;
use super::marked::Marked;
use super::tokens::{More, Read, View};
use crate::repair::repair;

/// A list of calls, or one.
pub(super) fn calls(view: View<'_>, at: usize) -> Read<Marked> {
    let mut at = view.space(at);
    let is_list = view.next(at)? == Some('[');
    at += usize::from(is_list);
    let mut found = Vec::new();
    loop {
        let Some(call) = call(view, view.space(at))? else { return Ok(Marked::Text) };
        at = call.end;
        let is_cut = call.found.arguments.truncated;
        found.push(call.found);
        if is_cut || !is_list {
            return Ok(Marked::Calls { found, end: at });
        }
        match view.next(at)? {
            Some(',') => at = view.space(at) + 1,
            Some(']') => return Ok(Marked::Calls { found, end: view.space(at) + 1 }),
            // The list is cut, its calls are whole.
            None => return Ok(Marked::Calls { found, end: view.text.len() }),
            Some(_) => return Ok(Marked::Text),
        }
    }
}

struct Call {
    found: Found,
    end: usize,
}

fn call(view: View<'_>, at: usize) -> Read<Option<Call>> {
    let name = view.name(at)?;
    if name.is_empty() || view.next(at + name.len())? != Some('(') {
        return Ok(None);
    }
    let mut at = view.space(at + name.len()) + 1;
    let mut arguments = Untyped::of(&[], name);
    let truncated = loop {
        match view.next(at)? {
            None => break true,
            Some(')') => {
                at = view.space(at) + 1;
                break false;
            }
            Some(',') => at = view.space(at) + 1,
            Some(_) => {
                let start = view.space(at);
                let key = view.name(start)?;
                if view.next(start + key.len())?.is_none() {
                    at = view.text.len();
                    break true;
                }
                if key.is_empty() || view.next(start + key.len())? != Some('=') {
                    return Ok(None);
                }
                let start = view.space(view.space(start + key.len()) + 1);
                let (end, is_closed) = value_end(view, start)?;
                at = end;
                match repair(&view.text[start..end]) {
                    // Of a cut number it is not known how it goes on.
                    Ok(value) if is_closed || value.value.get().starts_with(['"', '[', '{']) => {
                        arguments.push_json(key, value.value.get());
                    }
                    Err(_) if is_closed => return Ok(None),
                    _ => {}
                }
                if !is_closed {
                    break true;
                }
            }
        }
    };
    let arguments = arguments.finish(truncated);
    let found = Found { name: name.to_owned(), id: None, arguments, has_arguments: true };
    Ok(Some(Call { found, end: at }))
}

/// Where a value ends, at the comma or parenthesis behind it, and whether it does.
fn value_end(view: View<'_>, start: usize) -> Read<(usize, bool)> {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut is_escaped = false;
    for (place, byte) in view.rest(start).bytes().enumerate() {
        match (quote, byte) {
            _ if is_escaped => is_escaped = false,
            (Some(_), b'\\') => is_escaped = true,
            (Some(open), _) if byte == open => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b',' | b')') if depth == 0 => return Ok((start + place, true)),
            (None, b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    if view.is_end { Ok((view.text.len(), false)) } else { Err(More) }
}
