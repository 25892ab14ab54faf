//! Pieces that are put into a text of JSON and taken out of it, with comments or without; the rest of the
//! text is not touched. New lines are indented as their neighbours are.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object};
use serde_json::{Map, Value};

/// What is to be written, in its order.
#[derive(Debug)]
pub(super) enum Tree {
    Leaf(Value),
    Branch(Vec<(String, Self)>),
    List(Vec<Self>),
}

impl Tree {
    pub(super) fn of(name: &str, below: Self) -> Self {
        Self::Branch(vec![(name.to_owned(), below)])
    }

    /// What it says, whatever its order.
    pub(super) fn value(&self) -> Value {
        match self {
            Self::Leaf(value) => value.clone(),
            Self::Branch(members) => {
                let members = members.iter().map(|(name, below)| (name.clone(), below.value()));
                Value::Object(members.collect::<Map<_, _>>())
            }
            Self::List(elements) => elements.iter().map(Self::value).collect(),
        }
    }

    /// Over several lines, of which the first is begun already.
    pub(super) fn written(&self, indent: &str, style: &Style) -> String {
        let deeper = format!("{indent}{}", style.unit);
        let end = style.end;
        let lines = |lines: Vec<String>| lines.join(&format!(",{end}"));
        match self {
            Self::Leaf(value) => leaf(value, ", "),
            Self::Branch(members) => {
                let members = members.iter().map(|(name, below)| {
                    format!("{deeper}{}: {}", quoted(name), below.written(&deeper, style))
                });
                format!("{{{end}{}{end}{indent}}}", lines(members.collect()))
            }
            Self::List(elements) => {
                let elements =
                    elements.iter().map(|it| format!("{deeper}{}", it.written(&deeper, style)));
                format!("[{end}{}{end}{indent}]", lines(elements.collect()))
            }
        }
    }

    pub(super) fn in_one_line(&self, is_dense: bool) -> String {
        let (colon, comma) = if is_dense { (":", ",") } else { (": ", ", ") };
        match self {
            Self::Leaf(value) => leaf(value, comma),
            Self::Branch(members) => {
                let members = members.iter().map(|(name, below)| {
                    format!("{}{colon}{}", quoted(name), below.in_one_line(is_dense))
                });
                let members = members.collect::<Vec<_>>().join(comma);
                if is_dense { format!("{{{members}}}") } else { format!("{{ {members} }}") }
            }
            Self::List(elements) => {
                let elements: Vec<_> = elements.iter().map(|it| it.in_one_line(is_dense)).collect();
                format!("[{}]", elements.join(comma))
            }
        }
    }
}

/// A value in one line; a list with this between its elements.
fn leaf(value: &Value, comma: &str) -> String {
    match value {
        Value::Array(elements) => {
            let elements: Vec<_> = elements.iter().map(Value::to_string).collect();
            format!("[{}]", elements.join(comma))
        }
        value => value.to_string(),
    }
}

fn quoted(name: &str) -> String {
    Value::from(name).to_string()
}

/// How a file is written.
pub(super) struct Style {
    pub(super) end: &'static str,
    /// One step of indentation.
    unit: String,
    /// Without blanks behind commas and colons.
    pub(super) is_dense: bool,
}

impl Style {
    /// That of a text with this object at its root.
    pub(super) fn of(text: &str, root: Option<&Object<'_>>) -> Self {
        let end = match text.find('\n') {
            Some(place) if text[..place].ends_with('\r') => "\r\n",
            _ => "\n",
        };
        let unit = root.and_then(|root| {
            let first = root.properties.first()?;
            let outer = indent_of_line(text, root.range.start);
            indent_at(text, first.range.start)?.strip_prefix(outer)
        });
        let unit = unit.filter(|it| !it.is_empty());
        let is_dense = text.contains("\":") && !text.contains("\": ");
        Self { end, unit: unit.unwrap_or("  ").to_owned(), is_dense }
    }
}

/// The members of an object or the elements of a list, and where its brackets are.
pub(super) struct Items {
    open: usize,
    close: usize,
    bracket: char,
    ranges: Vec<Range<usize>>,
}

impl Items {
    pub(super) fn of_object(object: &Object<'_>) -> Self {
        let items = object.properties.iter().map(|it| it.range.start..it.range.end);
        Self {
            open: object.range.start,
            close: object.range.end - 1,
            bracket: '}',
            ranges: items.collect(),
        }
    }

    pub(super) fn of_array(array: &Array<'_>) -> Self {
        use jsonc_parser::common::Ranged;
        let items = array.elements.iter().map(|it| it.start()..it.end());
        Self {
            open: array.range.start,
            close: array.range.end - 1,
            bracket: ']',
            ranges: items.collect(),
        }
    }

    /// Whether nothing is in there, nor a comment in the text from that place on: that is the person's,
    /// and keeps its place.
    pub(super) fn is_bare(&self, text: &str, from: usize) -> bool {
        self.ranges.is_empty() && !text[from..self.close].contains('/')
    }
}

/// The blanks before a place, where nothing else stands before it in its line.
pub(super) fn indent_at(text: &str, place: usize) -> Option<&str> {
    let line = text[..place].rfind('\n').map_or(0, |end| end + 1);
    let before = &text[line..place];
    before.chars().all(|it| it == ' ' || it == '\t').then_some(before)
}

/// The blanks at the beginning of the line of a place.
fn indent_of_line(text: &str, place: usize) -> &str {
    let line = text[..place].rfind('\n').map_or(0, |end| end + 1);
    let rest = &text[line..place];
    &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()]
}

/// Adds a member, or an element without a name, behind the last one.
pub(super) fn add(
    text: &str,
    items: &Items,
    name: Option<&str>,
    tree: &Tree,
    style: &Style,
) -> String {
    let (open, close) = (items.open, items.close);
    let inside = &text[open + 1..close];
    let outer = indent_of_line(text, open);
    let last = items.ranges.last();
    let named = |colon: &str, written: String| match name {
        Some(name) => format!("{}{colon}{written}", quoted(name)),
        None => written,
    };
    let is_file_in_lines = text.trim().contains('\n') || text.trim() == "{}";
    if last.is_none() && inside.trim().is_empty() && is_file_in_lines {
        let deeper = format!("{outer}{}", style.unit);
        let item = named(": ", tree.written(&deeper, style));
        let end = style.end;
        return format!("{}{end}{deeper}{item}{end}{outer}{}", &text[..=open], &text[close..]);
    }
    let comma = last.and_then(|last| comma_after(text, last.end, close));
    let mut pieces = Vec::new();
    if let (Some(last), None) = (last, comma) {
        pieces.push((last.end, ",".to_owned()));
    }
    let own_comma = if comma.is_some() { "," } else { "" };
    if inside.contains('\n') {
        let indent = last.and_then(|last| indent_at(text, last.start));
        let indent = indent.map_or_else(|| format!("{outer}{}", style.unit), str::to_owned);
        let item = format!("{}{own_comma}", named(": ", tree.written(&indent, style)));
        pieces.push((open + 1 + inside.trim_end().len(), format!("{}{indent}{item}", style.end)));
    } else {
        let gap = if style.is_dense || last.is_none() { "" } else { " " };
        let colon = if style.is_dense { ":" } else { ": " };
        let item = named(colon, tree.in_one_line(style.is_dense));
        let place = match (comma, last) {
            (Some(comma), _) => comma + 1,
            (None, Some(last)) => last.end,
            (None, None) => open + 1 + inside.trim_end().len(),
        };
        pieces.push((place, format!("{gap}{item}{own_comma}")));
    }
    let mut edited = text.to_owned();
    for (place, piece) in pieces.into_iter().rev() {
        edited.insert_str(place, &piece);
    }
    edited
}

/// The text without an item, its comma, and its lines where they have nothing else.
pub(super) fn take_out(text: &str, items: &Items, index: usize) -> Option<String> {
    let item = items.ranges.get(index)?;
    let (open, close) = (items.open, items.close);
    let own_comma = comma_after(text, item.end, close);
    let previous = index.checked_sub(1).map(|it| &items.ranges[it]);
    let mut cut = item.start..own_comma.map_or(item.end, |comma| comma + 1);
    let rest = &text[cut.end..];
    let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let line_end = ["\r\n", "\n"].into_iter().find(|it| rest[blanks..].starts_with(it));
    match (indent_at(text, cut.start), line_end) {
        (Some(indent), Some(end)) => {
            cut = cut.start - indent.len()..cut.end + blanks + end.len();
        }
        // In one line: up to the next one, or from the one before.
        _ if own_comma.is_some() => cut.end += blanks,
        _ => {
            let before = &text[open + 1..cut.start];
            cut.start -= before.len() - before.trim_end_matches([' ', '\t']).len();
        }
    }
    let mut edited = text.to_owned();
    edited.replace_range(cut.clone(), "");
    let left = previous.filter(|_| own_comma.is_none());
    if let Some(comma) = left.and_then(|it| comma_after(text, it.end, cut.start)) {
        edited.remove(comma);
    }
    if items.ranges.len() == 1 {
        let inside = edited[open + 1..].find(items.bracket)?;
        let close = open + 1 + inside;
        if edited[open + 1..close].trim().is_empty() {
            edited.replace_range(open + 1..close, "");
        }
    }
    Some(edited)
}

/// The comma behind an item, comments passed over.
fn comma_after(text: &str, from: usize, to: usize) -> Option<usize> {
    let mut place = from;
    while place < to {
        let rest = &text[place..to];
        if rest.starts_with(',') {
            return Some(place);
        }
        place += skipped(rest)?;
    }
    None
}

/// The length of the comment or the character of blank that a text begins with.
fn skipped(text: &str) -> Option<usize> {
    let length = if text.starts_with("//") {
        text.find('\n').unwrap_or(text.len())
    } else if let Some(inside) = text.strip_prefix("/*") {
        inside.find("*/").map_or(text.len(), |end| end + 4)
    } else {
        let first = text.chars().next()?;
        if !first.is_whitespace() {
            return None;
        }
        first.len_utf8()
    };
    Some(length)
}
