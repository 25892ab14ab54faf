//! The one value in a text, among prose and code fences.

use super::RepairErrorKind;
use super::fix::{FixKind, Fixes};
use super::look_ahead::{Ahead, is_quote};
use super::reader::{Reader, Stop};
use super::scalar::Ended;
use super::string::Role;

/// What fences are labelled with that hold JSON; those of other languages hold code.
const JSON_LABELS: [&str; 8] =
    ["", "json", "jsonc", "json5", "javascript", "js", "tool_call", "tool_code"];

const FENCE: &str = "```";

/// A value as valid JSON.
pub(super) struct Found {
    pub(super) json: String,
    pub(super) fixes: Fixes,
    pub(super) truncated: bool,
}

/// How sure it is that an object or array is what was meant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// `[a]` and `{...}` in prose.
    Prose,
    /// No name with a colon; or in code of a language.
    Weak,
    Strong,
}

struct Candidate<'t> {
    start: usize,
    rank: Rank,
    reader: Reader<'t>,
}

/// Where the search is.
struct Search<'t> {
    text: &'t str,
    /// The first byte that is no white space.
    first: usize,
    at: usize,
    /// In a code fence: whether its label is one of [`JSON_LABELS`].
    fence: Option<bool>,
    best: Option<Candidate<'t>>,
    /// A second value as good as the best.
    second: Option<usize>,
    steps: usize,
}

/// Finds the value in a text that is no valid JSON; `steps` counts the bytes that were looked at.
pub(super) fn find(text: &str, steps: &mut usize) -> Result<Found, Stop> {
    let is_space = |next: char| next.is_whitespace() || next == '\u{feff}';
    let first = text.len() - text.trim_start_matches(is_space).len();
    if first == text.len() {
        return Err(Stop { kind: RepairErrorKind::Blank, at: 0 });
    }
    if let Some(found) = without_opener(text, first, steps)? {
        return Ok(found);
    }
    let mut search =
        Search { text, first, at: first, fence: None, best: None, second: None, steps: 0 };
    let searched = search.run();
    *steps += search.steps;
    searched?;
    if let Some(at) = search.second {
        return Err(Stop { kind: RepairErrorKind::SeveralValues, at });
    }
    match search.best {
        Some(best) => finish(text, best.start, best.reader),
        None => scalar(text, first, steps),
    }
}

impl<'t> Search<'t> {
    fn run(&mut self) -> Result<(), Stop> {
        while let Some(found) = self.text[self.at..].find(['{', '[', '`']) {
            self.at += found;
            if !self.text[self.at..].starts_with('`') {
                self.candidate()?;
            } else if self.text[self.at..].starts_with(FENCE) {
                self.toggle_fence();
            } else {
                self.at += 1;
            }
        }
        Ok(())
    }

    fn toggle_fence(&mut self) {
        self.at += FENCE.len();
        if self.fence.take().is_none() {
            let rest = &self.text[self.at..];
            let label = &rest[..rest.find(['\n', '{', '[', ' ', '`']).unwrap_or(rest.len())];
            let label = label.trim();
            self.fence = Some(JSON_LABELS.iter().any(|known| label.eq_ignore_ascii_case(known)));
        }
    }

    fn candidate(&mut self) -> Result<(), Stop> {
        let start = self.at;
        let mut reader = Reader::new(self.view(), start);
        let read = reader.container();
        self.steps += reader.steps;
        self.at = reader.at.max(start + 1);
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
        if let Err(stop) = read {
            let is_json = reader.names > 0
                || stop.kind == RepairErrorKind::TooDeep
                || (start == self.first && self.text[start..].starts_with('{'));
            // Of prose one goes on behind; a value inside of one that cannot be read is not taken.
            return if is_json { Err(stop) } else { Ok(()) };
        }
        let rank = self.rank(start, &reader);
        if rank == Rank::Prose {
            return Ok(());
        }
        match &self.best {
            Some(best) if best.rank > rank => {}
            Some(best) if best.rank == rank => self.second = self.second.or(Some(start)),
            _ => {
                self.second = None;
                self.best = Some(Candidate { start, rank, reader });
            }
        }
        Ok(())
    }

    fn rank(&self, start: usize, reader: &Reader<'_>) -> Rank {
        match self.fence {
            Some(false) => Rank::Weak,
            _ if reader.names > 0 => Rank::Strong,
            Some(true) => Rank::Weak,
            None if start == self.first => Rank::Weak,
            // `[1]` is a note in prose, as `{}` is an empty block.
            None if reader.fixes.is_empty() && reader.out.contains([',', '"', '{']) => Rank::Weak,
            None => Rank::Prose,
        }
    }

    /// The text, without the fence that closes it: a string that is cut does not go on into that.
    fn view(&self) -> &'t str {
        let fenced = self.fence.and_then(|_| self.text.trim_end().strip_suffix(FENCE));
        fenced.map(str::trim_end).filter(|view| view.len() > self.at).unwrap_or(self.text)
    }
}

/// `"a": 1}`: members whose brace was forgotten, or is on the other side of a prompt.
fn without_opener(text: &str, first: usize, steps: &mut usize) -> Result<Option<Found>, Stop> {
    let name = text[first..].strip_prefix('"').and_then(|rest| rest.split_once('"'));
    if !name.is_some_and(|(_, behind)| behind.trim_start().starts_with(':')) {
        return Ok(None);
    }
    let mut reader = Reader::new(text, first);
    let read = reader.members_without_opener();
    *steps += reader.steps;
    read?;
    finish(text, first, reader).map(Some)
}

/// A text without an object or array may still be a string, a number or a literal.
fn scalar(text: &str, first: usize, steps: &mut usize) -> Result<Found, Stop> {
    let no_json = Stop { kind: RepairErrorKind::NoJson, at: first };
    let mut reader = Reader::new(text, first);
    if let Some(quote) = reader.quote() {
        let is_cut = reader.string(quote, Role::Value) == Ended::Cut;
        if is_cut && reader.fixes.has(FixKind::UnescapedQuote) {
            return Err(no_json);
        }
    } else {
        reader.scalar().map_err(|_| no_json)?;
        if reader.bare_strings > 0 {
            return Err(no_json);
        }
    }
    *steps += reader.steps;
    let found = finish(text, first, reader)?;
    if found.fixes.has(FixKind::Surroundings) { Err(no_json) } else { Ok(found) }
}

/// Looks at what stands around the value that was read.
fn finish(text: &str, start: usize, reader: Reader<'_>) -> Result<Found, Stop> {
    let Reader { mut at, out: json, mut fixes, truncated, .. } = reader;
    let before = text[..start].trim_start();
    if !before.is_empty() {
        fixes.note(FixKind::Surroundings, start - before.len(), start);
    }
    loop {
        let rest = text[at..].trim_start();
        at = text.len() - rest.len();
        if !rest.starts_with(['}', ']']) {
            break;
        }
        fixes.note(FixKind::ExtraCloser, at, at + 1);
        at += 1;
    }
    let rest = &text[at..];
    let ends_in_bracket = rest.trim_end().ends_with(['}', ']']);
    if is_member(rest.strip_prefix(',').unwrap_or(rest)) || (ends_in_bracket && rest.contains('"'))
    {
        return Err(Stop { kind: RepairErrorKind::GoesOn, at });
    }
    if !rest.is_empty() {
        fixes.note(FixKind::Surroundings, at, text.len());
    }
    Ok(Found { json, fixes, truncated })
}

/// Whether a text begins as `"name":` does.
fn is_member(text: &str) -> bool {
    let name = text.trim_start().trim_start_matches(is_quote);
    name.len() < text.trim_start().len()
        && name.starts_with(|first: char| first.is_alphanumeric() || first == '_')
        && Ahead::new(text).is_name()
}
