//! A table: columns as wide as they need, or as there is room for.

use extline_services::view::Style;

use super::row::{Columns, Piece, Row};

/// What stands between two columns.
const GAP: &str = "  ";

/// The heads, a rule and the rows. `is_number` says which columns are set to the right.
pub(super) fn rows(
    heads: &[String],
    cells: Vec<Vec<Piece>>,
    is_number: impl Fn(usize) -> bool,
    width: usize,
) -> Vec<Row> {
    let heads: Vec<_> = heads.iter().map(|head| Piece::of(head, &[Style::Bold])).collect();
    let needs = |at: usize| {
        let column = cells.iter().filter_map(|row| row.get(at));
        column.chain(heads.get(at)).map(Piece::columns).max().unwrap_or(0).max(1)
    };
    let widths = shared(&(0..heads.len()).map(needs).collect::<Vec<_>>(), width);
    let rule = |width: &usize| Piece::of(&"─".repeat(*width), &[Style::Muted]);
    let rule = widths.iter().map(rule).collect();
    let is_right: Vec<_> = (0..heads.len()).map(is_number).collect();
    let rows = [heads, rule].into_iter().chain(cells);
    rows.map(|cells| row(cells, &widths, &is_right)).collect()
}

fn row(cells: Vec<Piece>, widths: &[usize], is_right: &[bool]) -> Row {
    let last = cells.len().saturating_sub(1);
    let mut row = Row::default();
    for (at, (cell, width)) in cells.into_iter().zip(widths).enumerate() {
        let cell = Row { pieces: vec![cell] }.cut(*width);
        let blanks = Piece::of(&" ".repeat(width - cell.columns()), &[]);
        let blanks = (!blanks.text.is_empty()).then_some(blanks);
        let (before, behind) = if is_right[at] { (blanks, None) } else { (None, blanks) };
        let gap = (at > 0).then(|| Piece::of(GAP, &[]));
        // Nothing is to be seen behind the last one.
        let behind = behind.filter(|_| at < last);
        row.pieces.extend(gap.into_iter().chain(before).chain(cell.pieces).chain(behind));
    }
    row.trim();
    row
}

/// The room for columns that need so much: those that need little have it, the others share what is left.
fn shared(needs: &[usize], width: usize) -> Vec<usize> {
    let gaps = GAP.len() * needs.len().saturating_sub(1);
    let room = width.saturating_sub(gaps).max(needs.len());
    let taken = |most: usize| needs.iter().map(|need| (*need).min(most)).sum::<usize>();
    let (mut most, mut too_much) = (1, needs.iter().max().map_or(2, |widest| widest + 1));
    while most + 1 < too_much {
        let middle = usize::midpoint(most, too_much);
        if taken(middle) <= room { most = middle } else { too_much = middle }
    }
    let mut left = room.saturating_sub(taken(most));
    let widths = needs.iter().map(|need| {
        let is_short = *need > most && left > 0;
        left -= usize::from(is_short);
        (*need).min(most) + usize::from(is_short)
    });
    widths.collect()
}
