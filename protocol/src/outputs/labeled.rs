//! A JSON value as a text to read: about half as long as the JSON, and nothing in it is escaped.

use std::borrow::Cow;

use super::argument::{Named, members_of};
use crate::json::{Elements, RawJson, read_string};

/// How many columns a table has at most.
const COLUMNS: usize = 12;
/// Deeper than this a value is written as JSON.
const DEPTH: usize = 4;
/// Two for each level.
const INDENT: &str = "        ";
/// Between two cells of a row.
const BETWEEN: &str = " | ";

/// A JSON value as a text to read.
///
/// | value | text |
/// |---|---|
/// | a string | itself |
/// | a number, `true`, `null` | as in JSON |
/// | an object | a line for each member, `name: value`; what has more lines stands below its name, indented |
/// | a list | a line for each item |
/// | a list of objects of plain values, with up to 12 names in all | the names, then a line for each, with ` | ` between two values |
/// | a list of other objects or lists | `item 1:`, and below it, indented, what is in it |
/// | an empty list, an empty object | `none` |
///
/// In a line of a list a string that has a line end or `|`, that is empty or begins or ends with white space, is
/// written as in JSON. So is what is nested more than four deep.
///
/// ```
/// use extline_protocol::{RawJson, labeled};
///
/// let value = RawJson::parse(r#"{"hits":[{"path":"a.rs","line":3},{"path":"b.rs","line":14}],"more":false}"#)?;
/// assert_eq!(labeled(&value), "hits:\n  path | line\n  a.rs | 3\n  b.rs | 14\nmore: false");
/// # Ok::<(), extline_protocol::RawJsonError>(())
/// ```
pub fn labeled(value: &RawJson) -> String {
    let mut lines = Lines { text: String::new(), depth: 0 };
    lines.value(value.get());
    lines.text.truncate(lines.text.trim_end_matches('\n').len());
    lines.text
}

struct Lines {
    text: String,
    /// How far the lines are indented.
    depth: usize,
}

impl Lines {
    fn line(&mut self, line: &str) {
        if !line.is_empty() {
            self.text.push_str(&INDENT[..2 * self.depth]);
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn value(&mut self, value: &str) {
        if self.depth >= DEPTH {
            self.line(value);
        } else if value.starts_with('{') {
            self.members(&members_of(value));
        } else if let Some(items) = Elements::of(value) {
            self.items(&items.collect::<Vec<_>>());
        } else {
            let text = scalar(value);
            // Not `lines`, which would lose a line end at the end.
            text.split('\n').for_each(|line| self.line(line));
        }
    }

    fn members(&mut self, members: &[Named<'_>]) {
        for (name, value) in members {
            self.labeled(name, value);
        }
        if members.is_empty() {
            self.line("none");
        }
    }

    /// `name: value`, or the value below the name.
    fn labeled(&mut self, name: &str, value: &str) {
        let fits = match kind(value) {
            Kind::Scalar => !scalar(value).contains('\n'),
            Kind::Empty => true,
            Kind::Nested => false,
        };
        if fits {
            let text = if kind(value) == Kind::Empty { "none".into() } else { scalar(value) };
            self.line([name, ": ", &text].concat().trim_ascii_end());
            return;
        }
        self.line(&[name, ":"].concat());
        self.depth += 1;
        self.value(value);
        self.depth -= 1;
    }

    fn items(&mut self, items: &[&str]) {
        if items.is_empty() {
            self.line("none");
        } else if let Some(columns) = columns(items) {
            self.table(&columns, items);
        } else if items.iter().all(|item| kind(item) == Kind::Scalar) {
            for item in items {
                self.line(&cell(item));
            }
        } else {
            for (position, item) in items.iter().enumerate() {
                self.labeled(&["item ", &(position + 1).to_string()].concat(), item);
            }
        }
    }

    fn table(&mut self, columns: &[Cow<'_, str>], rows: &[&str]) {
        self.row(columns);
        for row in rows {
            let mut cells = vec![Cow::Borrowed(""); columns.len()];
            let members = members_of(row);
            for (name, value) in &members {
                if let Some(column) = columns.iter().position(|column| column == name) {
                    cells[column] = cell(value);
                }
            }
            self.row(&cells);
        }
    }

    fn row(&mut self, cells: &[Cow<'_, str>]) {
        let mut line = String::new();
        for (position, cell) in cells.iter().enumerate() {
            if position > 0 {
                line.push_str(BETWEEN);
            }
            line.push_str(cell);
        }
        self.line(line.trim_ascii_end());
    }
}

#[derive(PartialEq, Eq)]
enum Kind {
    Scalar,
    /// A list or an object with nothing in it.
    Empty,
    Nested,
}

fn kind(value: &str) -> Kind {
    let Some(inner) = value.strip_prefix(['[', '{']) else { return Kind::Scalar };
    if inner.trim_ascii_start().len() == 1 { Kind::Empty } else { Kind::Nested }
}

/// The names of all, in the order in which they come; `None` where the items make no table.
fn columns<'a>(items: &[&'a str]) -> Option<Vec<Cow<'a, str>>> {
    let mut columns = Vec::new();
    for item in items {
        if !item.starts_with('{') {
            return None;
        }
        for (name, value) in members_of(item) {
            if kind(&value) != Kind::Scalar || has_any(&name, b"|\n") {
                return None;
            }
            // Twelve at most: they are looked through.
            if !columns.contains(&name) {
                columns.push(name);
            }
            if columns.len() > COLUMNS {
                return None;
            }
        }
    }
    (!columns.is_empty()).then_some(columns)
}

fn has_any(text: &str, bytes: &[u8]) -> bool {
    text.bytes().any(|byte| bytes.contains(&byte))
}

/// A string without its quotes and escapes; any other value as it is written.
fn scalar(value: &str) -> Cow<'_, str> {
    read_string(value).unwrap_or(Cow::Borrowed(value))
}

/// The same on one line, and so that it can be told from its neighbours.
fn cell(value: &str) -> Cow<'_, str> {
    let text = scalar(value);
    let is_plain = !text.is_empty() && text.trim_ascii() == text && !has_any(&text, b"\n\r|");
    if is_plain { text } else { Cow::Borrowed(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str) -> String {
        labeled(&RawJson::parse(value).unwrap())
    }

    #[test]
    fn plain_values_stand_as_they_are() {
        assert_eq!(text(r#""a\nb""#), "a\nb");
        assert_eq!(text("1.50"), "1.50");
        assert_eq!(text("[]"), "none");
        assert_eq!(text("{ }"), "none");
    }

    #[test]
    fn members_have_a_line_each_and_longer_ones_stand_below() {
        assert_eq!(
            text(
                r#"{"a":"x","b":null,"c":[],"code":"fn a() {\n\n  1\n}","d":{"e":[1,"two"]},"f":""}"#
            ),
            "a: x\nb: null\nc: none\ncode:\n  fn a() {\n\n    1\n  }\nd:\n  e:\n    1\n    two\nf:"
        );
    }

    #[test]
    fn objects_of_plain_values_make_a_table() {
        assert_eq!(
            text(r#"[{"path":"a b.rs","line":3},{"line":4,"path":"x|y","text":"a\nb"},{}]"#),
            "path | line | text\na b.rs | 3 |\n\"x|y\" | 4 | \"a\\nb\"\n |  |"
        );
        assert_eq!(text(r#"["a"," b",""]"#), "a\n\" b\"\n\"\"");
    }

    #[test]
    fn other_items_are_numbered() {
        assert_eq!(
            text(r#"[{"name":"a","tags":["x","y"]},5,[[1]]]"#),
            "item 1:\n  name: a\n  tags:\n    x\n    y\nitem 2: 5\nitem 3:\n  item 1:\n    1"
        );
        let deep = format!("{}1{}", "[".repeat(60), "]".repeat(60));
        assert!(text(&deep).ends_with(&format!("{}1{}", "[".repeat(56), "]".repeat(56))));
    }

    #[test]
    fn many_names_make_no_table() {
        let items: Vec<_> = (0..2_000).map(|it| format!("{{\"n{it}\":{it}}}")).collect();
        let value = format!("[{}]", items.join(","));
        assert!(text(&value).len() < 3 * value.len());
    }
}
