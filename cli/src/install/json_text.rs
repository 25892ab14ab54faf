//! Servers in JSON, with comments or without: how it is read, and how an entry is edited.

use jsonc_parser::ast::{Object, Value as Node};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

use super::entry::Entry;
use super::json_edit::{Items, Style, Tree, add, indent_at, take_out};
use super::problem::{Problem, line_of as line_at};
use crate::agents::{Agent, Syntax};

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
    let written = members(agent, entry);
    let Some(root) = root_of(text)? else {
        let tree = Tree::of(agent.key, Tree::of(&entry.name, written));
        return Some(first_of_file(text, &tree));
    };
    let style = Style::of(text, Some(&root));
    match root.get(agent.key).map(|it| &it.value) {
        Some(Node::Object(servers)) => {
            Some(add(text, &Items::of_object(servers), Some(&entry.name), &written, &style))
        }
        Some(_) => None,
        None => {
            let tree = Tree::of(&entry.name, written);
            Some(add(text, &Items::of_object(&root), Some(agent.key), &tree, &style))
        }
    }
}

pub(super) fn replace(text: &str, agent: &Agent, entry: &Entry) -> Option<String> {
    let root = root_of(text)??;
    let old = root.get_object(agent.key)?.get(&entry.name)?;
    let tree = members(agent, entry);
    let style = Style::of(text, Some(&root));
    let indent = indent_at(text, old.range.start);
    let written = match indent {
        Some(indent) => tree.written(indent, &style),
        None => tree.in_one_line(style.is_dense),
    };
    let range = old.value.range();
    Some(format!("{}{written}{}", &text[..range.start], &text[range.end..]))
}

pub(super) fn remove(text: &str, key: &str, name: &str) -> Option<String> {
    let root = root_of(text)??;
    let edited = without(text, root.get_object(key)?, name)?;
    let root = root_of(&edited)??;
    let table = root.get(key)?;
    if Items::of_object(table.value.as_object()?).is_bare(&edited, table.range.start) {
        return without(&edited, &root, key);
    }
    Some(edited)
}

/// The text without a member of an object.
pub(super) fn without(text: &str, object: &Object<'_>, name: &str) -> Option<String> {
    let index = object.properties.iter().position(|it| it.name.as_str() == name)?;
    take_out(text, &Items::of_object(object), index)
}

/// The object of a text, `Some(None)` where the text has no value at all.
#[allow(clippy::option_option, reason = "what cannot be edited, and what is still to be written")]
pub(super) fn root_of(text: &str) -> Option<Option<Object<'_>>> {
    match parse(text, Syntax::Jsonc).ok()? {
        Some(Node::Object(root)) => Some(Some(root)),
        Some(_) => None,
        None => Some(None),
    }
}

/// A text that had no value yet, with this one.
pub(super) fn first_of_file(text: &str, tree: &Tree) -> String {
    let style = Style::of(text, None);
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { style.end };
    format!("{text}{gap}{}{}", tree.written("", &style), style.end)
}

pub(super) fn line_of(text: &str, key: &str, name: Option<&str>) -> Option<usize> {
    let root = root_of(text)??;
    let table = root.get(key)?;
    let place = match name {
        None => table.range.start,
        Some(name) => table.value.as_object()?.get(name)?.range.start,
    };
    Some(line_at(text, place))
}

pub(super) fn parse(text: &str, syntax: Syntax) -> Result<Option<Node<'_>>, Problem> {
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
pub(super) fn no_twins(
    text: &str,
    object: &Object<'_>,
    counts: impl Fn(&str) -> bool,
) -> Result<(), Problem> {
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

pub(super) fn value_of(node: &Node<'_>) -> Value {
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

fn members(agent: &Agent, entry: &Entry) -> Tree {
    let members = entry.members(agent);
    Tree::Branch(members.map(|(name, value)| (name.to_owned(), Tree::Leaf(value))).collect())
}

/// A value in one line, with blanks as people write them.
pub(super) fn spaced(value: &Value) -> String {
    match value {
        Value::Array(elements) => {
            format!("[{}]", elements.iter().map(spaced).collect::<Vec<_>>().join(", "))
        }
        value => value.to_string(),
    }
}
