//! What is passed over, and what a code fence holds.

use super::tokens::{More, Read, View};

/// Tags around what a model thinks, and what closes each.
const REASONING: [(&str, &str); 6] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
];

/// How long inline code may be: a bound, so that the time stays linear.
const LONGEST_INLINE: usize = 1_024;

/// Where reasoning ends that begins here; with the text where it is not closed.
pub(super) fn reasoning(view: View<'_>, at: usize) -> Read<Option<usize>> {
    for (opener, closer) in REASONING {
        if let Some(start) = view.token(at, opener)? {
            let end = view.find(start, closer)?;
            return Ok(Some(end.map_or(view.text.len(), |end| end + closer.len())));
        }
    }
    Ok(None)
}

/// Where inline code ends that begins here. Without another such run of backticks on the line they are
/// text themselves.
pub(super) fn inline(view: View<'_>, at: usize) -> Read<usize> {
    let run = run(view, at, b'`')?;
    let line = view.rest(at).bytes().take(LONGEST_INLINE);
    let line_end = line.clone().position(|byte| byte == b'\n');
    if line_end.is_none() && line.len() < LONGEST_INLINE && !view.is_end {
        return Err(More);
    }
    let line = &view.text.as_bytes()[at..at + line_end.unwrap_or(line.len())];
    let mut from = run;
    while let Some(found) = line.get(from..).and_then(|it| it.iter().position(|it| *it == b'`')) {
        let start = from + found;
        let length = line[start..].iter().take_while(|byte| **byte == b'`').count();
        from = start + length;
        if length == run {
            return Ok(at + from);
        }
    }
    Ok(at + run)
}

/// A fenced block.
pub(super) struct Fence<'t> {
    pub(super) label: &'t str,
    /// Where what it holds begins.
    pub(super) start: usize,
    /// Its marks: three backticks, or more.
    pub(super) marks: &'t str,
}

/// The fence that opens here, at the beginning of a line.
pub(super) fn fence(view: View<'_>, at: usize) -> Read<Option<Fence<'_>>> {
    let mark = view.text.as_bytes()[at];
    let length = run(view, at, mark)?;
    if length < 3 {
        return Ok(None);
    }
    let label = at + length;
    let line_end = view.find(label, "\n")?.unwrap_or(view.text.len());
    let text = &view.text[label..line_end];
    if text.contains('`') {
        return Ok(None);
    }
    let start = (line_end + 1).min(view.text.len());
    Ok(Some(Fence { label: text.trim(), start, marks: &view.text[at..label] }))
}

impl Fence<'_> {
    /// Where it is closed, and where the line of that ends; both the end of the text where it is not.
    pub(super) fn close(&self, view: View<'_>, from: usize) -> Read<(usize, usize)> {
        let mut at = from;
        loop {
            let rest = view.rest(at);
            let line_end = rest.find('\n').map(|end| at + end);
            let line = &view.text[at..line_end.unwrap_or(view.text.len())];
            let is_close = line.trim_start().starts_with(self.marks)
                && line.trim_matches([' ', '\t', '\r', '`', '~']).is_empty();
            match line_end {
                None if !view.is_end => return Err(More),
                end if is_close => return Ok((at, end.unwrap_or(view.text.len()))),
                None => return Ok((view.text.len(), view.text.len())),
                Some(end) => at = end + 1,
            }
        }
    }
}

fn run(view: View<'_>, at: usize, mark: u8) -> Read<usize> {
    let length = view.rest(at).bytes().take_while(|byte| *byte == mark).count();
    if at + length == view.text.len() && !view.is_end { Err(More) } else { Ok(length) }
}
