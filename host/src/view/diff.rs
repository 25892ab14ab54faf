//! A diff: a line number, a sign, and the line, cut where it is too wide.

use extline_services::view::Style;

use super::row::{Piece, Row};

/// Below this width there are no line numbers.
const NARROW: usize = 30;

pub(super) fn rows(text: &str, width: usize) -> Vec<Row> {
    let digits = if width < NARROW { 0 } else { digits(text) };
    let mut hunk = Hunk::default();
    text.lines().map(|line| hunk.row(line, digits)).collect()
}

/// How wide the numbers are.
fn digits(text: &str) -> usize {
    let hunks = text.lines().filter_map(Hunk::of);
    let last = hunks.map(|hunk| (hunk.old + hunk.old_left).max(hunk.new + hunk.new_left)).max();
    last.map_or(0, |last| last.to_string().len())
}

/// Where the next line stands, and how many lines are left of each side.
#[derive(Default)]
struct Hunk {
    old: usize,
    old_left: usize,
    new: usize,
    new_left: usize,
}

impl Hunk {
    /// The hunk that `@@ -1,4 +1,5 @@` begins.
    fn of(line: &str) -> Option<Self> {
        let mut ranges = line.strip_prefix("@@ -")?.split(' ');
        let (old, old_left) = range(ranges.next()?)?;
        let (new, new_left) = range(ranges.next()?.strip_prefix('+')?)?;
        Some(Self { old, old_left, new, new_left })
    }

    fn row(&mut self, line: &str, digits: usize) -> Row {
        if let Some(hunk) = Self::of(line) {
            *self = hunk;
            return Row::of(line, &[Style::Accent]);
        }
        let is_within = self.old_left > 0 || self.new_left > 0;
        let (number, style) = match line.as_bytes().first() {
            Some(b'+') if self.new_left > 0 => (Some(self.added()), Some(Style::Success)),
            Some(b'-') if self.old_left > 0 => (Some(self.removed()), Some(Style::Error)),
            Some(b' ') | None if is_within => {
                self.removed();
                (Some(self.added()), None)
            }
            // A diff without hunks, as people write them.
            Some(b'+') if !line.starts_with("+++ ") => (None, Some(Style::Success)),
            Some(b'-') if !line.starts_with("--- ") => (None, Some(Style::Error)),
            Some(b' ') => (None, None),
            _ => return Row::of(line, &[Style::Muted]),
        };
        let style: Vec<_> = style.into_iter().collect();
        let number = number.map(|it| format!("{it:>digits$} ")).filter(|_| digits > 0);
        let number = number.map(|number| Piece::of(&number, &[Style::Muted]));
        Row { pieces: number.into_iter().chain([Piece::of(line, &style)]).collect() }
    }

    fn added(&mut self) -> usize {
        self.new_left = self.new_left.saturating_sub(1);
        self.new = self.new.saturating_add(1);
        self.new - 1
    }

    fn removed(&mut self) -> usize {
        self.old_left = self.old_left.saturating_sub(1);
        self.old = self.old.saturating_add(1);
        self.old - 1
    }
}

/// `3,7` are seven lines from the third on, `3` is one.
fn range(text: &str) -> Option<(usize, usize)> {
    /// More lines than a view has.
    const MOST: usize = 1_000_000_000;
    let (from, lines) = text.split_once(',').unwrap_or((text, "1"));
    let number = |text: &str| text.parse().ok().filter(|number| *number < MOST);
    Some((number(from)?, number(lines)?))
}
