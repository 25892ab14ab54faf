//! Views as an author of Rust makes them; the other languages have functions of the same names.

use super::{Cell, Line, Pair, Span, Style, View};

/// Rows and columns: `table(["file", "lines"], [[Cell::from("a.rs"), 12.into()]])`.
pub fn table<C: Into<String>, R: IntoIterator<Item = Cell>>(
    columns: impl IntoIterator<Item = C>,
    rows: impl IntoIterator<Item = R>,
) -> View {
    View::Table {
        title: None,
        columns: columns.into_iter().map(C::into).collect(),
        rows: rows.into_iter().map(|row| row.into_iter().collect()).collect(),
    }
}

/// How a text has changed, as `diff -u` writes it.
pub fn diff(text: impl Into<String>) -> View {
    View::Diff { title: None, text: text.into() }
}

/// A text in Markdown.
pub fn markdown(text: impl Into<String>) -> View {
    View::Markdown { title: None, text: text.into() }
}

/// Lines, each a text, a piece in a style ([`styled`]), or several pieces.
pub fn lines<L: Into<Line>>(lines: impl IntoIterator<Item = L>) -> View {
    View::Lines { title: None, lines: lines.into_iter().map(L::into).collect() }
}

/// Names with their values, in this order.
pub fn keyvalue<K: Into<String>, V: Into<Cell>>(pairs: impl IntoIterator<Item = (K, V)>) -> View {
    let pairs = pairs.into_iter().map(|(key, value)| Pair { key: key.into(), value: value.into() });
    View::KeyValue { title: None, pairs: pairs.collect() }
}

/// How much of `max` is used, or done.
pub fn meter(value: f64, max: f64, unit: Option<&str>) -> View {
    View::Meter { title: None, value, max, unit: unit.map(str::to_owned) }
}

/// A piece of text in one style or several, for a line.
pub fn styled(text: impl Into<String>, style: &[Style]) -> Span {
    Span::Styled { text: text.into(), style: style.to_vec() }
}

impl View {
    /// The same view with a line above it.
    #[must_use]
    pub fn titled(mut self, text: impl Into<String>) -> Self {
        match &mut self {
            Self::Table { title, .. }
            | Self::Diff { title, .. }
            | Self::Markdown { title, .. }
            | Self::Lines { title, .. }
            | Self::KeyValue { title, .. }
            | Self::Meter { title, .. } => *title = Some(text.into()),
        }
        self
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Cell {
    fn from(number: i64) -> Self {
        Self::Number(number.into())
    }
}

/// One that JSON does not have, as infinity, is nothing.
impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        serde_json::Number::from_f64(number).map_or(Self::Empty(()), Self::Number)
    }
}

impl From<bool> for Cell {
    fn from(truth: bool) -> Self {
        Self::Truth(truth)
    }
}

impl From<Span> for Cell {
    fn from(span: Span) -> Self {
        match span {
            Span::Text(text) => Self::Text(text),
            Span::Styled { text, style } => Self::Styled { text, style },
        }
    }
}

impl From<&str> for Span {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Span {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Line {
    fn from(text: &str) -> Self {
        Self::One(text.into())
    }
}

impl From<String> for Line {
    fn from(text: String) -> Self {
        Self::One(text.into())
    }
}

impl From<Span> for Line {
    fn from(span: Span) -> Self {
        Self::One(span)
    }
}

impl From<Vec<Span>> for Line {
    fn from(spans: Vec<Span>) -> Self {
        Self::Several(spans)
    }
}
