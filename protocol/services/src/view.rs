//! Views: how a result, an update, a panel, a widget or a call is shown to a person, said in data. The host lays it
//! out for its screen; where it shows no views, the text stands in its place.

mod build;
mod read;

use serde::{Deserialize, Serialize};

#[cfg(feature = "schema")]
use schemars::JsonSchema;

pub use self::build::{diff, keyvalue, lines, markdown, meter, styled, table};
pub(crate) use self::read::checked;
pub use self::read::{call_view, check_call_view, read};

/// Lines that a view may have: rows of a table, lines of a text, pairs.
pub const LINES: usize = 200;
/// Bytes that a view may have as JSON text.
pub const BYTES: usize = 16 * 1024;

/// What is shown, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(tag = "kind", rename_all = "lowercase")]
#[non_exhaustive]
pub enum View {
    /// Rows and columns.
    Table {
        /// What stands above it, in one line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        /// What stands above each column, one column at least.
        #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
        columns: Vec<String>,
        /// The rows, each with at most one cell for each column. A column of numbers is set to the right.
        rows: Vec<Vec<Cell>>,
    },
    /// How a text has changed.
    Diff {
        /// What stands above it, in one line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        /// The changes as `diff -u` writes them.
        text: String,
    },
    /// A text with headings, lists, emphasis and code.
    Markdown {
        /// What stands above it, in one line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        /// The text in `CommonMark`, with tables and struck text.
        text: String,
    },
    /// Lines with styles.
    Lines {
        /// What stands above them, in one line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        /// The lines.
        lines: Vec<Line>,
    },
    /// Names with their values, one below the other.
    KeyValue {
        /// What stands above them, in one line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        /// The pairs.
        pairs: Vec<Pair>,
    },
    /// How much of something is used, or done.
    Meter {
        /// What stands above it, in one line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        /// How much it is, 0 at least.
        value: f64,
        /// How much it can be, more than 0.
        max: f64,
        /// What is counted, as `GB`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unit: Option<String>,
    },
}

/// A value in a table, or behind a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(untagged)]
pub enum Cell {
    /// A text.
    Text(String),
    /// A number.
    Number(serde_json::Number),
    /// Yes or no.
    Truth(bool),
    /// A text in a style.
    Styled {
        /// The text.
        text: String,
        /// Its styles.
        #[serde(default)]
        style: Vec<Style>,
    },
    /// Nothing.
    Empty(()),
}

/// A line: a piece of text, or several beside each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(untagged)]
pub enum Line {
    /// One piece.
    One(Span),
    /// Several.
    Several(Vec<Span>),
}

/// A piece of text in one style.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(untagged)]
pub enum Span {
    /// A text.
    Text(String),
    /// A text in a style.
    Styled {
        /// The text.
        text: String,
        /// Its styles.
        #[serde(default)]
        style: Vec<Style>,
    },
}

/// A name with its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Pair {
    /// The name.
    pub key: String,
    /// Its value.
    pub value: Cell,
}

/// How text looks. What it is in colours is the host's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Style {
    /// It stands out.
    Accent,
    /// It went well.
    Success,
    /// It failed.
    Error,
    /// It may go wrong.
    Warning,
    /// It matters less.
    Muted,
    /// It is faint.
    Dim,
    /// A heading.
    Title,
    /// Bold.
    Bold,
    /// Italic.
    Italic,
    /// Struck through.
    Strike,
}

impl View {
    /// How many lines it has, its heading not counted.
    pub fn lines(&self) -> usize {
        match self {
            Self::Table { rows, .. } => rows.len(),
            Self::Diff { text, .. } | Self::Markdown { text, .. } => text.lines().count(),
            Self::Lines { lines, .. } => lines.len(),
            Self::KeyValue { pairs, .. } => pairs.len(),
            Self::Meter { .. } => 1,
        }
    }

    fn check(&self) -> Result<(), String> {
        if self.lines() > LINES {
            return Err(format!("it has {} lines, at most {LINES} are shown", self.lines()));
        }
        match self {
            Self::Table { columns, .. } if columns.is_empty() => {
                Err("/columns: a table has one column at least".to_owned())
            }
            Self::Table { columns, rows, .. } => {
                let long = rows.iter().enumerate().find(|(_, row)| row.len() > columns.len());
                long.map_or(Ok(()), |(at, row)| {
                    let (cells, columns) = (row.len(), columns.len());
                    Err(format!(
                        "/rows/{at}: it has {cells} cells, and the table {columns} columns"
                    ))
                })
            }
            // Not a comparison that is the other way round: NaN is neither.
            Self::Meter { max, .. } if !(max.is_finite() && *max > 0.0) => {
                Err("/max: it is more than 0".to_owned())
            }
            Self::Meter { value, .. } if !(value.is_finite() && *value >= 0.0) => {
                Err("/value: it is 0 at least".to_owned())
            }
            _ => Ok(()),
        }
    }
}
