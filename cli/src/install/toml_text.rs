//! Edits of TOML, by whole sections: what stands elsewhere is not written anew, so its bytes stay.

use std::ops::Range;

use serde_json::{Map, Value};
use toml::Table;

use super::entry::Entry;
use super::problem::{Problem, line_of as line_at};
use crate::agents::Agent;

pub(super) fn read(text: &str) -> Result<Map<String, Value>, Problem> {
    let table: Table = toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| line_at(text, span.start));
        // Its message may have lines of its own.
        let message = error.message().replace('\n', ", ");
        Problem::new(line, format!("it is not TOML: {message}; correct it by hand"))
    })?;
    match serde_json::to_value(table) {
        Ok(Value::Object(root)) => Ok(root),
        _ => Err(Problem::new(None, "it holds what cannot be compared; edit it by hand")),
    }
}

/// A section of its own at the end of the text.
pub(super) fn insert(text: &str, agent: &Agent, entry: &Entry) -> String {
    let end = line_end(text);
    let section = section(agent, entry, end);
    if text.trim().is_empty() {
        return format!("{text}{section}{end}");
    }
    // A file without a line end at its end keeps to that.
    match text.strip_suffix('\n') {
        Some(_) => format!("{text}{end}{section}{end}"),
        None => format!("{text}{end}{end}{section}"),
    }
}

/// The first section of the entry is written anew, and those below it go.
pub(super) fn replace(text: &str, agent: &Agent, entry: &Entry) -> Option<String> {
    let sections = sections(text, agent.key, &entry.name);
    let (first, below) = sections.split_first()?;
    let section = section(agent, entry, line_end(text));
    let without = without(text, below);
    let old = &text[first.clone()];
    let end = &old[old.trim_end_matches(['\r', '\n']).len()..];
    Some(format!("{}{section}{end}{}", &without[..first.start], &without[first.end..]))
}

/// The sections of an entry, each with the empty line before it.
pub(super) fn remove(text: &str, key: &str, name: &str) -> Option<String> {
    let edited = without(text, &sections(text, key, name));
    (edited != text).then_some(edited)
}

fn without(text: &str, sections: &[Range<usize>]) -> String {
    let mut edited = text.to_owned();
    for section in sections.iter().rev() {
        let before = &edited[..section.start];
        let mut start = section.start;
        for end in ["\r\n", "\n"] {
            // Two line ends: the first is that of the line before.
            if before.ends_with(&end.repeat(2)) || before == end {
                start -= end.len();
                break;
            }
        }
        // At the end of a file that has no line end, ours is the one before.
        if section.end == text.len() && !text.ends_with('\n') {
            start = edited[..start].trim_end_matches(['\r', '\n']).len();
        }
        // At the beginning of a file the empty line is the one behind.
        let rest = &edited[section.end..];
        let behind = ["\r\n", "\n"].into_iter().find(|it| start == 0 && rest.starts_with(it));
        edited.replace_range(start..section.end + behind.map_or(0, str::len), "");
    }
    edited
}

pub(super) fn line_of(text: &str, key: &str, name: Option<&str>) -> Option<usize> {
    let wanted: Vec<_> = std::iter::once(key).chain(name).collect();
    let found = lines(text).find(|(_, line)| {
        let path = header(line).or_else(|| path_of(line));
        path.is_some_and(|path| {
            path.iter().zip(&wanted).filter(|(a, b)| a == b).count() == wanted.len()
        })
    });
    found.map(|(place, _)| line_at(text, place.start))
}

fn section(agent: &Agent, entry: &Entry, end: &str) -> String {
    let mut lines = vec![format!("[{}.{}]", agent.key, entry.name)];
    for (name, value) in entry.members(agent) {
        // Each value is text or a list of texts, which TOML has too.
        if let Ok(value) = toml::Value::try_from(value) {
            lines.push(format!("{name} = {value}"));
        }
    }
    lines.join(end)
}

/// What an entry's headers begin, without the comments and empty lines before the next header.
fn sections(text: &str, key: &str, name: &str) -> Vec<Range<usize>> {
    let mut sections: Vec<Range<usize>> = Vec::new();
    let mut is_in = false;
    for (place, line) in lines(text) {
        let path = header(line).filter(|path| {
            // Within a text of several lines something may look like a header.
            let counts = is_in || path.starts_with(&[key.to_owned(), name.to_owned()]);
            counts && toml::from_str::<Table>(&text[..place.start]).is_ok()
        });
        if let Some(path) = path {
            is_in = path.starts_with(&[key.to_owned(), name.to_owned()]);
            if is_in {
                sections.push(place);
                continue;
            }
        }
        let is_content = !line.trim().is_empty() && !line.trim_start().starts_with('#');
        if is_in
            && is_content
            && let Some(section) = sections.last_mut()
        {
            section.end = place.end;
        }
    }
    sections
}

/// The lines with their ends, and where each is.
fn lines(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut place = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = place;
        place += line.len();
        (start..place, line)
    })
}

/// The path of what looks like a header.
fn header(line: &str) -> Option<Vec<String>> {
    line.trim_start().starts_with('[').then(|| path_of(line)).flatten()
}

/// The names before `=`, or in a header.
fn path_of(line: &str) -> Option<Vec<String>> {
    let mut table: Table = toml::from_str(line).ok()?;
    let mut path = Vec::new();
    loop {
        let (name, value) = std::mem::take(&mut table).into_iter().next()?;
        path.push(name);
        match value {
            toml::Value::Table(below) if !below.is_empty() => table = below,
            _ => return Some(path),
        }
    }
}

fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(place) if text[..place].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}
