//! Where the JSON of a call ends.

use super::tokens::{More, Read, View};

/// Finds the end of the object or array that begins at `start`. Marks in strings are part of it; out of
/// strings one of `stops` ends it too. It says to wait for more where too much was read in vain.
pub(super) fn body(view: View<'_>, start: usize, stops: &[&str]) -> Read<usize> {
    let bytes = view.text.as_bytes();
    let mut depth = 0_usize;
    let mut quote = None;
    let mut opener = None;
    let mut at = start;
    while let Some(byte) = bytes.get(at).copied() {
        match (quote, byte) {
            (Some(_), b'\\') => at += 1,
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"') => (quote, opener) = (Some(b'"'), opener.or(Some(b'"'))),
            // Of an object as Python prints it; an apostrophe elsewhere is no quote.
            (None, b'\'') if opener != Some(b'"') => {
                (quote, opener) = (Some(b'\''), Some(b'\''));
            }
            (None, b'{' | b'[') => depth += 1,
            (None, b'}' | b']') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Ok(at + 1);
                }
            }
            (None, _) if byte != b'<' && !byte.is_ascii_graphic() => {}
            (None, _) => {
                for stop in stops {
                    if view.text.is_char_boundary(at) && view.token(at, stop)?.is_some() {
                        return Ok(at);
                    }
                }
            }
        }
        at += 1;
    }
    if !view.is_end {
        return Err(More);
    }
    view.spend(view.text.len() - start)?;
    Ok(by_first_stop(view.text, start, stops))
}

/// Where the JSON ends that a stop closes; `Err` with that place where something stands between them, as
/// when a quote in a string was not escaped and the brackets are not those that were meant.
pub(super) fn closed_body(
    view: View<'_>,
    start: usize,
    stops: &[&str],
) -> Read<Result<usize, usize>> {
    let end = body(view, start, stops)?;
    let mut behind = end;
    while view.next(behind)?.is_some_and(|next| matches!(next, '}' | ']')) {
        behind = view.space(behind) + 1;
    }
    let behind = view.space(behind);
    if behind == view.text.len() || view.one_of(behind, stops)?.is_some() {
        return Ok(Ok(end));
    }
    let mut first = None;
    for stop in stops {
        first = [first, view.find(behind, stop)?].into_iter().flatten().min();
    }
    let Some(stop) = first else {
        view.spend(view.text.len() - behind)?;
        return Ok(Ok(end));
    };
    let is_cut_short = view.text[behind..stop].trim_end().ends_with(['}', ']']);
    Ok(if is_cut_short { Err(stop) } else { Ok(end) })
}

/// A string in it is not closed, so what stands in strings is not known: it ends at a stop behind a
/// bracket, or at the first, or with the text.
fn by_first_stop(text: &str, start: usize, stops: &[&str]) -> usize {
    let rest = &text[start..];
    let mut first = rest.len();
    for stop in stops {
        let mut places = rest.match_indices(stop).map(|(place, _)| place);
        let Some(any) = places.next() else { continue };
        let behind_bracket = std::iter::once(any)
            .chain(places)
            .find(|place| rest[..*place].trim_end().ends_with(['}', ']']));
        first = first.min(behind_bracket.unwrap_or(any));
    }
    start + first
}
