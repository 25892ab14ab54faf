//! Views laid out: what an author says in data ([`services::view`](crate::services::view)) becomes rows of styled text
//! that fit a screen. Nothing here writes anywhere: what a style is in colours is the agent's.
//!
//! No row is wider than asked for, whatever the view and the width are. Control characters and escape sequences of the
//! author's are taken out, so nothing in a row acts on a terminal.
//!
//! ```
//! use extline_host::services::view::read;
//! use extline_host::view::{Fold, lay_out};
//!
//! let view = read(r#"{"kind":"table","columns":["file","lines"],"rows":[["a.rs",12],["main.rs",340]]}"#).unwrap();
//! let layout = lay_out(&view, 40, Fold::Unfolded);
//! let text: Vec<String> = layout.rows.iter().map(|row| row.to_string()).collect();
//! assert_eq!(text, ["file     lines", "───────  ─────", "a.rs        12", "main.rs    340"]);
//! ```

mod diff;
mod markdown;
mod row;
mod table;

use extline_protocol::RawJson;
use extline_protocol::frame::RegisterTool;
use extline_services::view::{Cell, Line, Pair, Span, Style, View, call_view, read};

use self::row::Columns;
pub use self::row::{Piece, Row};

/// The view that a frame has: of a result, an update or a panel. `None` where it cannot be shown, which a host has told
/// its author.
pub fn of(view: &RawJson) -> Option<View> {
    read(view.get()).ok()
}

/// How a call of the tool is shown, with these arguments, where its author says it. It shows what the author chose to:
/// who approves a call has to see the arguments themselves.
pub fn of_call(tool: &RegisterTool, args: &RawJson) -> Option<View> {
    call_view(tool.call_view.as_ref()?.get(), args.get()).ok()
}

/// Rows that a folded view has at most, beside the one that counts the others.
pub const FOLDED: usize = 10;

/// Rows that any view has at most: narrow ones have more than the view has lines.
const ROWS: usize = 1000;

/// How much of a view is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fold {
    /// Its beginning.
    #[default]
    Folded,
    /// All of it.
    Unfolded,
}

/// A view as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Layout {
    /// The rows, one below the other.
    pub rows: Vec<Row>,
    /// How many more there are. Where there are some, the last row says so.
    pub hidden: usize,
}

/// Lays a view out for so many columns; 0 are taken for 1.
pub fn lay_out(view: &View, width: usize, fold: Fold) -> Layout {
    let width = width.max(1);
    let mut rows = Vec::new();
    if let Some(title) = title(view) {
        rows.push(Row::of(title, &[Style::Title]));
    }
    match view {
        View::Table { columns, rows: cells, .. } => {
            let cells = cells.iter().map(|row| row.iter().map(piece).collect()).collect();
            let is_number = |at: usize| are_numbers(view, at);
            rows.extend(table::rows(columns, cells, is_number, width));
        }
        View::Diff { text, .. } => rows.extend(diff::rows(text, width)),
        View::Markdown { text, .. } => rows.extend(markdown::rows(text, width)),
        View::Lines { lines, .. } => rows.extend(lines.iter().map(line)),
        View::KeyValue { pairs, .. } => rows.extend(pair_rows(pairs, width)),
        View::Meter { value, max, unit, .. } => {
            rows.push(meter(*value, *max, unit.as_deref(), width));
        }
        // A kind that this version does not know is not read.
        _ => {}
    }
    let most = if fold == Fold::Folded { FOLDED } else { ROWS };
    // One line more costs no more than the row that would count it.
    let hidden = if rows.len() > most + 1 { rows.len() - most } else { 0 };
    rows.truncate(rows.len() - hidden);
    if hidden > 0 {
        rows.push(Row::of(&format!("… {hidden} more lines"), &[Style::Muted]));
    }
    Layout { rows: rows.into_iter().map(|row| row.cut(width)).collect(), hidden }
}

fn title(view: &View) -> Option<&str> {
    match view {
        View::Table { title, .. }
        | View::Diff { title, .. }
        | View::Markdown { title, .. }
        | View::Lines { title, .. }
        | View::KeyValue { title, .. }
        | View::Meter { title, .. } => title.as_deref(),
        _ => None,
    }
}

/// Whether a column has numbers only, one at least.
fn are_numbers(view: &View, column: usize) -> bool {
    let View::Table { rows, .. } = view else { return false };
    let mut cells = rows.iter().filter_map(|row| row.get(column));
    let mut has_number = false;
    let only = cells.all(|cell| {
        has_number |= matches!(cell, Cell::Number(_));
        matches!(cell, Cell::Number(_) | Cell::Empty(()))
    });
    only && has_number
}

fn piece(cell: &Cell) -> Piece {
    match cell {
        Cell::Text(text) => Piece::of(text, &[]),
        Cell::Number(number) => Piece::of(&number.to_string(), &[]),
        Cell::Truth(truth) => Piece::of(if *truth { "true" } else { "false" }, &[]),
        Cell::Styled { text, style } => Piece::of(text, style),
        Cell::Empty(()) => Piece::of("", &[]),
    }
}

fn line(line: &Line) -> Row {
    let spans = match line {
        Line::One(span) => std::slice::from_ref(span),
        Line::Several(spans) => spans,
    };
    let pieces = spans.iter().map(|span| match span {
        Span::Text(text) => Piece::of(text, &[]),
        Span::Styled { text, style } => Piece::of(text, style),
    });
    Row { pieces: pieces.collect() }
}

/// Names have at most a third of the width, so that something is seen of the values.
fn pair_rows(pairs: &[Pair], width: usize) -> Vec<Row> {
    let keys: Vec<_> = pairs.iter().map(|pair| Piece::of(&pair.key, &[Style::Muted])).collect();
    let widest = keys.iter().map(Piece::columns).max().unwrap_or(0).min((width / 3).max(1));
    let rows = keys.into_iter().zip(pairs).map(|(key, pair)| {
        let key = Row { pieces: vec![key] }.cut(widest).padded(widest);
        let gap = Piece::of("  ", &[]);
        Row { pieces: key.pieces.into_iter().chain([gap, piece(&pair.value)]).collect() }
    });
    rows.collect()
}

/// A bar, where there is room for one, and what it says in numbers.
fn meter(value: f64, max: f64, unit: Option<&str>, width: usize) -> Row {
    const WIDEST: usize = 40;
    const SHORTEST: usize = 4;
    let part = (value / max).clamp(0.0, 1.0);
    let unit = unit.map(|unit| format!(" {unit}")).unwrap_or_default();
    let said = Piece::of(&format!("{:.0}%  {value}/{max}{unit}", part * 100.0), &[]);
    let bar = width.saturating_sub(said.columns() + 2).min(WIDEST);
    if bar < SHORTEST {
        return Row { pieces: vec![said] };
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    let filled = ((part * bar as f64).round() as usize).min(bar);
    let pieces = vec![
        Piece::of(&"█".repeat(filled), &[Style::Accent]),
        Piece::of(&"░".repeat(bar - filled), &[Style::Muted]),
        Piece::of("  ", &[]),
        said,
    ];
    Row { pieces }
}
