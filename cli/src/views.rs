//! Views as text for a terminal: rows in the colours of this command.

use std::io;

use extline_host::services::view::View;
use extline_host::view::{Fold, lay_out};

use crate::args::When;
use crate::styled::{Style, Text, text};

/// Columns of a view where there is no terminal.
const ELSEWHERE: usize = 80;

impl When {
    /// Whether views are shown on stdout.
    pub(crate) fn is_now(self) -> bool {
        match self {
            Self::Auto => anstream::stdout().is_terminal(),
            Self::Always => true,
            Self::Never => false,
        }
    }
}

/// How wide a view on stdout may be.
#[expect(clippy::disallowed_methods, reason = "it is asked for its width, and written elsewhere")]
pub(crate) fn columns() -> usize {
    let size = terminal_size::terminal_size_of(io::stdout());
    size.map_or(ELSEWHERE, |(width, _)| usize::from(width.0))
}

/// The rows of a view, and how many more there are than are shown.
pub(crate) fn rows(view: &View, columns: usize, fold: Fold) -> (Vec<Text>, usize) {
    let layout = lay_out(view, columns, fold);
    let rows = layout.rows.iter().map(|row| {
        let pieces = row.pieces.iter().map(|piece| {
            let style = Style::of(&piece.style);
            text!("{style}{}{style:#}", piece.text)
        });
        Text::beside(&pieces.collect::<Vec<_>>())
    });
    (rows.collect(), layout.hidden)
}
