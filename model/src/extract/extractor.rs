//! A text that comes in pieces, and the calls in it.

use std::cell::Cell;

use super::code::{self, Fence};
use super::json_call::{self, FIRST_KEYS, Found};
use super::marked::{CLOSERS, Marked, WRAPPERS, mark};
use super::tokens::{More, Read, View};
use super::{Call, Envelope, Extracted, Offered, Refused, body, python, react};

/// Labels of code fences that may hold a call as JSON.
const JSON_LABELS: [&str; 6] = ["", "json", "jsonc", "json5", "tool_call", "tool_calls"];

/// Up to this size a call that has begun is looked at with each piece that comes.
const EAGER: usize = 64 * 1024;

/// Finds calls in a text that comes in pieces: the same ones, however it is cut.
///
/// ```
/// use extline_model::{Extractor, Part};
///
/// let mut extractor = Extractor::new(vec!["read".into()]);
/// let mut parts = Vec::new();
/// for piece in ["I look.\n<tool", "_call>{\"name\": \"read\", \"argum", "ents\": {}}</tool_call>"] {
///     parts.extend(extractor.push(piece));
/// }
/// let (rest, found) = extractor.finish();
/// parts.extend(rest);
/// assert_eq!(parts[0], Part::Text("I look.\n".to_owned()));
/// assert!(matches!(&parts[1], Part::Call(call) if call.name == "read"));
/// assert_eq!(found.remaining, "I look.");
/// ```
#[derive(Clone, Debug)]
pub struct Extractor {
    offered: Vec<Offered>,
    text: String,
    /// What stands before it is settled.
    at: usize,
    /// How much text there has to be before it is looked at again.
    awaited: usize,
    extracted: Extracted,
}

/// A piece of a text that is settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Text that belongs to no call.
    Text(String),
    /// A call.
    Call(Call),
}

/// What stands at a place.
enum Step {
    Text { end: usize },
    Calls { start: usize, end: usize, envelope: Envelope, found: Vec<Found> },
    Refused { end: usize, envelope: Envelope, reason: String },
}

impl Extractor {
    /// Looks for calls of these tools.
    pub fn new(offered: Vec<Offered>) -> Self {
        Self { offered, text: String::new(), at: 0, awaited: 0, extracted: Extracted::default() }
    }

    /// Takes the next piece of the text, and returns what has been settled by it.
    pub fn push(&mut self, piece: &str) -> Vec<Part> {
        self.text.push_str(piece);
        if self.text.len() < self.awaited {
            return Vec::new();
        }
        let parts = self.settle(false);
        let open = self.text.len() - self.at;
        // A long call is looked at each time it has grown by an eighth, so that the time stays linear.
        self.awaited = if open < EAGER { 0 } else { self.text.len() + open / 8 };
        parts
    }

    /// The text has ended: what is open is cut off. Returns the last parts, and all that was found.
    pub fn finish(mut self) -> (Vec<Part>, Extracted) {
        let parts = self.settle(true);
        let mut extracted = self.extracted;
        extracted.remaining = extracted.remaining.trim().to_owned();
        extracted.envelope = extracted.calls.first().map(|call| call.envelope);
        extracted.repaired = extracted.calls.iter().any(|call| !call.fixes.is_empty());
        extracted.truncated = extracted.calls.iter().any(|call| call.truncated);
        (parts, extracted)
    }

    fn settle(&mut self, is_end: bool) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut said = self.at;
        let text = std::mem::take(&mut self.text);
        // As often as the text is long by brackets that nothing closes, it is read again.
        let in_vain = Cell::new(8 * text.len());
        let view = View { text: &text, is_end, in_vain: &in_vain };
        while self.at < text.len() {
            let place = text[self.at..].find(MAY_BEGIN).map_or(text.len(), |found| self.at + found);
            self.at = place;
            if place == text.len() {
                break;
            }
            let Ok(step) = self.step(view, place) else {
                if is_end {
                    self.give_up(place, text.len());
                }
                break;
            };
            match step {
                Step::Text { end } => self.at = end,
                Step::Refused { end, envelope, reason } => {
                    self.extracted.refused.push(Refused { envelope, start: place, reason });
                    self.at = end;
                }
                Step::Calls { start, end, envelope, found } => {
                    self.say(&text[said..start], &mut parts);
                    self.at = end;
                    said = end;
                    for found in found {
                        let call = call(found, envelope, start, end);
                        self.extracted.calls.push(call.clone());
                        parts.push(Part::Call(call));
                    }
                }
            }
        }
        self.say(&text[said..self.at], &mut parts);
        self.text = text;
        parts
    }

    /// The rest is text: too much was read for calls that nothing closes.
    fn give_up(&mut self, start: usize, end: usize) {
        let reason = "too many calls begin that are not closed".to_owned();
        self.extracted.refused.push(Refused { envelope: Envelope::Bare, start, reason });
        self.at = end;
    }

    fn say(&mut self, text: &str, parts: &mut Vec<Part>) {
        if !text.is_empty() {
            self.extracted.remaining.push_str(text);
            parts.push(Part::Text(text.to_owned()));
        }
    }

    /// What stands at a place where a call may begin.
    fn step(&self, view: View<'_>, at: usize) -> Read<Step> {
        let first = view.rest(at).chars().next().unwrap_or_default();
        let is_line_start = is_line_start(view.text, at);
        if matches!(first, '`' | '~') {
            if is_line_start && let Some(fence) = code::fence(view, at)? {
                return self.fenced(view, at, &fence);
            }
            let end = if first == '`' { code::inline(view, at)? } else { at + 1 };
            return Ok(Step::Text { end });
        }
        if matches!(first, '<' | '[')
            && let Some(step) = self.mark_or_mask(view, at)?
        {
            return Ok(step);
        }
        if is_line_start && let Some(step) = self.on_a_line(view, at, first)? {
            return Ok(step);
        }
        Ok(Step::Text { end: at + first.len_utf8() })
    }

    /// A mark, one around calls, or reasoning.
    fn mark_or_mask(&self, view: View<'_>, at: usize) -> Read<Option<Step>> {
        if let Some(end) = code::reasoning(view, at)? {
            return Ok(Some(Step::Text { end }));
        }
        let Some(inner) = view.one_of(at, &WRAPPERS)? else { return self.marked(view, at, at) };
        view.next(inner)?;
        self.marked(view, at, view.space(inner))
    }

    /// A call behind a mark at `at`, whose envelope begins at `start`.
    fn marked(&self, view: View<'_>, start: usize, at: usize) -> Read<Option<Step>> {
        let Some((end, reader)) = mark(view, at)? else { return Ok(None) };
        let (envelope, marked) = reader(view, end, &self.offered)?;
        self.judged(view, start, end, envelope, marked).map(Some)
    }

    /// Whether what was read is a call of a tool that was offered; `mark_end` is where the text goes on
    /// if not.
    fn judged(
        &self,
        view: View<'_>,
        start: usize,
        mark_end: usize,
        envelope: Envelope,
        marked: Marked,
    ) -> Read<Step> {
        Ok(match marked {
            Marked::Text => Step::Text { end: mark_end },
            Marked::Refused { reason, end } => Step::Refused { end, envelope, reason },
            Marked::Calls { found, end } => match self.not_offered(&found) {
                Some(name) => {
                    let reason = format!("there is no tool {name}");
                    Step::Refused { end, envelope, reason }
                }
                None => Step::Calls { start, end: behind_closers(view, end)?, envelope, found },
            },
        })
    }

    fn not_offered<'f>(&self, found: &'f [Found]) -> Option<&'f str> {
        let is_offered = |name: &str| self.offered.iter().any(|it| it.name == name);
        found.iter().map(|it| it.name.as_str()).find(|name| !is_offered(name))
    }

    /// What begins a line and needs that.
    fn on_a_line(&self, view: View<'_>, at: usize, first: char) -> Read<Option<Step>> {
        let (mark_end, (envelope, marked)) = match first {
            'A' => match view.token(at, "Action:")? {
                Some(end) => (end, react::action(view, end)?),
                None => return Ok(None),
            },
            '>' => match view.token(at, ">>>")? {
                Some(end) => (end, react::functionary(view, end)?),
                None => return Ok(None),
            },
            '{' | '[' => return self.bare(view, at),
            _ => return Ok(None),
        };
        // Words that others use too: what is no call of a tool is text, and not refused.
        match &marked {
            Marked::Calls { found, .. } if self.not_offered(found).is_none() => {}
            _ => return Ok(Some(Step::Text { end: mark_end })),
        }
        self.judged(view, at, mark_end, envelope, marked).map(Some)
    }

    /// JSON, or a list of calls in Python, that has its lines for itself.
    fn bare(&self, view: View<'_>, at: usize) -> Read<Option<Step>> {
        if is_inside_json(view.text, at) {
            return Ok(None);
        }
        let (found, end, envelope) = if begins_call(view, at)? {
            let end = body::body(view, at, &[])?;
            let Ok(found) = json_call::calls(&view.text[at..end]) else { return Ok(None) };
            (found, end, Envelope::Bare)
        } else if view.text[..at].trim_end().is_empty() && view.rest(at).starts_with('[') {
            match python::calls(view, at)? {
                Marked::Calls { found, end } => (found, end, Envelope::Llama),
                _ => return Ok(None),
            }
        } else {
            return Ok(None);
        };
        if !self.are_calls(&found) {
            return Ok(None);
        }
        let end = behind_closers(view, end)?;
        let rest = view.rest(end);
        let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
        let is_alone = line.trim_matches([' ', '\t', '\r', ';']).is_empty();
        if is_alone && line.len() == rest.len() && !view.is_end {
            return Err(More);
        }
        Ok(is_alone.then_some(Step::Calls { start: at, end, envelope, found }))
    }

    /// JSON without a mark is a call only with an offered name and arguments.
    fn are_calls(&self, found: &[Found]) -> bool {
        self.not_offered(found).is_none() && found.iter().all(|it| it.has_arguments)
    }

    /// A code fence: a call as a whole, or text as a whole.
    fn fenced(&self, view: View<'_>, at: usize, fence: &Fence<'_>) -> Read<Step> {
        let is_labelled = |label: &str| fence.label.eq_ignore_ascii_case(label);
        let start = view.space(fence.start);
        let is_json = JSON_LABELS.iter().any(|it| is_labelled(it));
        if is_json && view.rest(start).starts_with(['{', '[']) && begins_call(view, start)? {
            // A string in the JSON may hold a fence as well.
            let json_end = body::body(view, start, &[fence.marks])?;
            let (_, end) = fence.close(view, line_behind(view, json_end)?)?;
            if let Ok(found) = json_call::calls(&view.text[start..json_end])
                && self.are_calls(&found)
                && is_nothing_else(view, json_end, fence)?
            {
                return Ok(Step::Calls { start: at, end, envelope: Envelope::Fenced, found });
            }
        }
        let (close, end) = fence.close(view, fence.start)?;
        if is_labelled("tool_code") {
            let inner = View { text: &view.text[..close], is_end: true, ..view };
            if let Marked::Calls { found, .. } = python::calls(inner, start.min(close))?
                && self.are_calls(&found)
            {
                return Ok(Step::Calls { start: at, end, envelope: Envelope::Gemma, found });
            }
        }
        Ok(Step::Text { end })
    }
}

/// What a call, its mark, or what is passed over may begin with.
const MAY_BEGIN: [char; 7] = ['<', '[', '{', '`', '~', '>', 'A'];

fn call(found: Found, envelope: Envelope, start: usize, end: usize) -> Call {
    let Found { name, id, arguments, .. } = found;
    Call {
        name,
        arguments: arguments.json,
        id,
        envelope,
        start,
        end,
        fixes: arguments.fixes,
        truncated: arguments.truncated,
    }
}

fn is_line_start(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches([' ', '\t']);
    before.is_empty() || before.ends_with('\n')
}

/// Whether what stands before says that a place is within other JSON or code, as `[`, a comma, or the
/// colon behind a name in quotes do.
fn is_inside_json(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end();
    before.ends_with(['[', '{', '(', ',', '=']) || before.ends_with("\":") || before.ends_with("':")
}

/// Whether an object or array begins as a call does: with one of its names.
fn begins_call(view: View<'_>, at: usize) -> Read<bool> {
    let mut at = at;
    for _ in 0..3 {
        match view.next(at)? {
            Some('{' | '[') => at = view.space(at) + 1,
            _ => break,
        }
    }
    let Some(quote) = view.next(at)? else { return Ok(false) };
    let is_quoted = matches!(quote, '"' | '\'');
    let start = view.space(at) + usize::from(is_quoted);
    if !is_quoted && !quote.is_alphabetic() {
        return Ok(false);
    }
    let name = view.name(start)?;
    let name = name.split(':').next().unwrap_or(name);
    Ok(FIRST_KEYS.contains(&name))
}

/// Where the closing marks end that stand behind a call.
fn behind_closers(view: View<'_>, mut end: usize) -> Read<usize> {
    loop {
        let behind = view.space(end);
        if view.next(end)?.is_none() {
            return Ok(end);
        }
        // A bracket too many.
        if view.rest(end).starts_with(['}', ']']) {
            end += 1;
            continue;
        }
        match view.one_of(behind, &CLOSERS)? {
            Some(closed) => end = closed,
            // Half a mark, at the end of the text.
            None if view.is_end && is_half_closer(view.rest(behind)) => return Ok(view.text.len()),
            None => return Ok(end),
        }
    }
}

/// Where the line begins that is behind, or on, a place.
fn line_behind(view: View<'_>, at: usize) -> Read<usize> {
    let behind = view.space(at);
    view.next(at)?;
    Ok(view.text[..behind].rfind('\n').map_or(behind, |end| (end + 1).max(at)))
}

/// Whether between the JSON and the end of its fence there is nothing.
fn is_nothing_else(view: View<'_>, end: usize, fence: &Fence<'_>) -> Read<bool> {
    let next = view.next(end)?;
    Ok(next.is_none() || view.rest(view.space(end)).starts_with(fence.marks))
}

fn is_half_closer(rest: &str) -> bool {
    rest.chars().nth(1).is_some() && CLOSERS.iter().any(|closer| closer.starts_with(rest))
}
