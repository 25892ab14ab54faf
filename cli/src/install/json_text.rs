//! Edits of JSON, with comments or without: pieces are put in and taken out, and the rest of the text
//! is not touched. New lines are indented as their neighbours are.

use jsonc_parser::ast::{Object, ObjectProp, Value as Node};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

use super::agents::{Agent, Syntax};
use super::entry::Entry;
use super::problem::{Problem, line_of as line_at};

pub(super) fn read(text: &str, syntax: Syntax, key: &str) -> Result<Map<String, Value>, Problem> {
    let Some(root) = parse(text, syntax)? else { return Ok(Map::new()) };
    let Node::Object(object) = &root else {
        let line = line_at(text, root.start());
        return Err(Problem::new(line, "it is no object, `{ }`; correct it by hand"));
    };
    no_twins(text, object, |name| name == key)?;
    if let Some(Node::Object(servers)) = object.get(key).map(|it| &it.value) {
        no_twins(text, servers, |_| true)?;
    }
    match value_of(&root) {
        Value::Object(root) => Ok(root),
        _ => Ok(Map::new()),
    }
}

pub(super) fn insert(text: &str, agent: &Agent, entry: &Entry) -> Option<String> {
    let style = Style::of(text);
    let written = members(agent, entry);
    let Some(Node::Object(root)) = parse(text, Syntax::Jsonc).ok()? else {
        let tree = Tree::Branch(vec![(agent.key.to_owned(), Tree::of(&entry.name, written))]);
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { style.end };
        return Some(format!("{text}{gap}{}{}", tree.written("", &style), style.end));
    };
    match root.get(agent.key).map(|it| &it.value) {
        Some(Node::Object(servers)) => Some(add(text, servers, &entry.name, &written, &style)),
        Some(_) => None,
        None => Some(add(text, &root, agent.key, &Tree::of(&entry.name, written), &style)),
    }
}

pub(super) fn replace(text: &str, agent: &Agent, entry: &Entry) -> Option<String> {
    let Some(Node::Object(root)) = parse(text, Syntax::Jsonc).ok()? else { return None };
    let old = root.get_object(agent.key)?.get(&entry.name)?;
    let tree = members(agent, entry);
    let style = Style::of(text);
    let indent = indent_at(text, old.range.start);
    let written = match indent {
        Some(indent) => tree.written(indent, &style),
        None => tree.in_one_line(style.is_dense),
    };
    let range = old.value.range();
    Some(format!("{}{written}{}", &text[..range.start], &text[range.end..]))
}

pub(super) fn remove(text: &str, key: &str, name: &str) -> Option<String> {
    let Some(Node::Object(root)) = parse(text, Syntax::Jsonc).ok()? else { return None };
    let servers = root.get_object(key)?;
    servers.get(name)?;
    let edited = take_out(text, servers, name)?;
    let Some(Node::Object(root)) = parse(&edited, Syntax::Jsonc).ok()? else { return None };
    let table = root.get(key)?;
    // A comment in there is the person's, and keeps its table.
    let is_bare = !edited[table.range.start..table.range.end].contains('/');
    if is_bare && table.value.as_object()?.properties.is_empty() {
        return take_out(&edited, &root, key);
    }
    Some(edited)
}

pub(super) fn line_of(text: &str, key: &str, name: Option<&str>) -> Option<usize> {
    let Some(Node::Object(root)) = parse(text, Syntax::Jsonc).ok()? else { return None };
    let table = root.get(key)?;
    let place = match name {
        None => table.range.start,
        Some(name) => table.value.as_object()?.get(name)?.range.start,
    };
    Some(line_at(text, place))
}

fn parse(text: &str, syntax: Syntax) -> Result<Option<Node<'_>>, Problem> {
    let options = ParseOptions {
        allow_comments: syntax != Syntax::Json,
        allow_trailing_commas: syntax == Syntax::Jsonc,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options);
    parsed.map(|it| it.value).map_err(|error| {
        let kind = error.kind().to_string();
        let what = if syntax == Syntax::Jsonc { "JSON" } else { "JSON as this agent reads it" };
        Problem::new(
            error.line_display(),
            format!("it is not {what}: {}; correct it by hand", kind.to_lowercase()),
        )
    })
}

/// Of two members of one name agents see one, and an edit might be in the other.
fn no_twins(text: &str, object: &Object<'_>, counts: impl Fn(&str) -> bool) -> Result<(), Problem> {
    let mut seen = std::collections::HashSet::new();
    for member in &object.properties {
        let name = member.name.as_str();
        if counts(name) && !seen.insert(name) {
            let line = line_at(text, member.range.start);
            return Err(Problem::new(
                line,
                format!("`{name}` is there twice; take one out by hand"),
            ));
        }
    }
    Ok(())
}

fn value_of(node: &Node<'_>) -> Value {
    match node {
        Node::StringLit(text) => Value::from(text.value.as_ref()),
        // As it is written: an edit must not change that either.
        Node::NumberLit(number) => serde_json::json!({ "number": number.value }),
        Node::BooleanLit(it) => Value::from(it.value),
        Node::NullKeyword(_) => Value::Null,
        Node::Array(array) => array.elements.iter().map(value_of).collect(),
        Node::Object(object) => {
            let members = object.properties.iter();
            let members = members.map(|it| (it.name.as_str().to_owned(), value_of(&it.value)));
            Value::Object(members.collect())
        }
    }
}

/// What is to be written, in its order.
enum Tree {
    Leaf(Value),
    Branch(Vec<(String, Self)>),
}

fn members(agent: &Agent, entry: &Entry) -> Tree {
    let members = entry.members(agent);
    Tree::Branch(members.map(|(name, value)| (name.to_owned(), Tree::Leaf(value))).collect())
}

impl Tree {
    fn of(name: &str, below: Self) -> Self {
        Self::Branch(vec![(name.to_owned(), below)])
    }

    /// Over several lines, of which the first is begun already.
    fn written(&self, indent: &str, style: &Style) -> String {
        match self {
            Self::Leaf(value) => leaf(value, ", "),
            Self::Branch(members) => {
                let deeper = format!("{indent}{}", style.unit);
                let lines = members.iter().map(|(name, below)| {
                    format!("{deeper}{}: {}", quoted(name), below.written(&deeper, style))
                });
                let lines: Vec<_> = lines.collect();
                let end = style.end;
                format!("{{{end}{}{end}{indent}}}", lines.join(&format!(",{end}")))
            }
        }
    }

    fn in_one_line(&self, is_dense: bool) -> String {
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
struct Style {
    end: &'static str,
    /// One step of indentation.
    unit: String,
    /// Without blanks behind commas and colons.
    is_dense: bool,
}

impl Style {
    fn of(text: &str) -> Self {
        let end = match text.find('\n') {
            Some(place) if text[..place].ends_with('\r') => "\r\n",
            _ => "\n",
        };
        let root = parse(text, Syntax::Jsonc).ok().flatten();
        let unit = match &root {
            Some(Node::Object(root)) => root.properties.first().and_then(|first| {
                let outer = indent_of_line(text, root.range.start);
                indent_at(text, first.range.start)?.strip_prefix(outer)
            }),
            _ => None,
        };
        let unit = unit.filter(|it| !it.is_empty());
        let is_dense = text.contains("\":") && !text.contains("\": ");
        Self { end, unit: unit.unwrap_or("  ").to_owned(), is_dense }
    }
}

/// What stands between the braces.
fn interior<'t>(text: &'t str, object: &Object<'_>) -> &'t str {
    &text[object.range.start + 1..object.range.end - 1]
}

/// The blanks before a place, where nothing else stands before it in its line.
fn indent_at(text: &str, place: usize) -> Option<&str> {
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

/// Adds a member behind the last one.
fn add(text: &str, object: &Object<'_>, name: &str, tree: &Tree, style: &Style) -> String {
    let (open, close) = (object.range.start, object.range.end - 1);
    let inside = interior(text, object);
    let outer = indent_of_line(text, open);
    let last = object.properties.last();
    let is_file_in_lines = text.trim().contains('\n') || text.trim() == "{}";
    if last.is_none() && inside.trim().is_empty() && is_file_in_lines {
        let deeper = format!("{outer}{}", style.unit);
        let member = format!("{}: {}", quoted(name), tree.written(&deeper, style));
        let end = style.end;
        return format!("{}{end}{deeper}{member}{end}{outer}{}", &text[..=open], &text[close..]);
    }
    let comma = last.and_then(|last| comma_after(text, last.range.end, close));
    let mut pieces = Vec::new();
    if let (Some(last), None) = (last, comma) {
        pieces.push((last.range.end, ",".to_owned()));
    }
    let own_comma = if comma.is_some() { "," } else { "" };
    if inside.contains('\n') {
        let indent = last.and_then(|last| indent_at(text, last.range.start));
        let indent = indent.map_or_else(|| format!("{outer}{}", style.unit), str::to_owned);
        let member = format!("{}: {}{own_comma}", quoted(name), tree.written(&indent, style));
        pieces.push((open + 1 + inside.trim_end().len(), format!("{}{indent}{member}", style.end)));
    } else {
        let gap = if style.is_dense || last.is_none() { "" } else { " " };
        let colon = if style.is_dense { ":" } else { ": " };
        let member = format!("{}{colon}{}", quoted(name), tree.in_one_line(style.is_dense));
        let place = match (comma, last) {
            (Some(comma), _) => comma + 1,
            (None, Some(last)) => last.range.end,
            (None, None) => open + 1 + inside.trim_end().len(),
        };
        pieces.push((place, format!("{gap}{member}{own_comma}")));
    }
    let mut edited = text.to_owned();
    for (place, piece) in pieces.into_iter().rev() {
        edited.insert_str(place, &piece);
    }
    edited
}

/// The text without a member, its comma, and its lines where they have nothing else.
fn take_out(text: &str, object: &Object<'_>, name: &str) -> Option<String> {
    let members = &object.properties;
    let index = members.iter().position(|it| it.name.as_str() == name)?;
    let member: &ObjectProp<'_> = &members[index];
    let (open, close) = (object.range.start, object.range.end - 1);
    let own_comma = comma_after(text, member.range.end, close);
    let previous = index.checked_sub(1).map(|it| &members[it]);
    let mut cut = member.range.start..own_comma.map_or(member.range.end, |comma| comma + 1);
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
    if let Some(comma) = left.and_then(|it| comma_after(text, it.range.end, cut.start)) {
        edited.remove(comma);
    }
    if members.len() == 1 {
        let close = open + 1 + interior_of(&edited, open)?;
        if edited[open + 1..close].trim().is_empty() {
            edited.replace_range(open + 1..close, "");
        }
    }
    Some(edited)
}

/// Where the first brace behind an opening one is that has no members, from behind that.
fn interior_of(text: &str, open: usize) -> Option<usize> {
    text[open + 1..].find('}')
}

/// The comma behind a member, comments passed over.
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
