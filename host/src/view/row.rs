//! Rows of styled text, and how wide they are on a screen.

use std::fmt;

use extline_protocol::is_hidden;
use extline_services::view::Style;
use unicode_width::UnicodeWidthChar;

/// Columns that a tab becomes.
const TAB: &str = "    ";

/// Text in one style.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    /// The text: no control characters.
    pub text: String,
    /// Its styles; none is plain.
    pub style: Vec<Style>,
}

/// A row: pieces beside each other. `Display` gives the text alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The pieces, none where it is blank.
    pub pieces: Vec<Piece>,
}

/// How many columns something takes on a screen.
pub(super) trait Columns {
    fn columns(&self) -> usize;
}

impl Columns for char {
    fn columns(&self) -> usize {
        // It makes the sign before it an emoji, which takes one more.
        if *self == '\u{fe0f}' { 1 } else { self.width().unwrap_or(0) }
    }
}

impl Columns for str {
    fn columns(&self) -> usize {
        self.chars().map(|character| character.columns()).sum()
    }
}

impl Columns for Piece {
    fn columns(&self) -> usize {
        self.text.columns()
    }
}

impl Columns for Row {
    fn columns(&self) -> usize {
        self.pieces.iter().map(Piece::columns).sum()
    }
}

impl Piece {
    /// The text of others, cleaned.
    pub(super) fn of(text: &str, style: &[Style]) -> Self {
        Self { text: clean(text), style: style.to_vec() }
    }
}

impl Row {
    pub(super) fn of(text: &str, style: &[Style]) -> Self {
        Self { pieces: vec![Piece::of(text, style)] }
    }

    /// The row, of one that is too wide its beginning and a sign that it is cut.
    pub(super) fn cut(mut self, width: usize) -> Self {
        if self.columns() <= width {
            return self;
        }
        let mut room = width.saturating_sub(1);
        for at in 0..self.pieces.len() {
            let piece = &mut self.pieces[at];
            let columns = piece.columns();
            if columns <= room {
                room -= columns;
                continue;
            }
            let fits = |character: &char| {
                let columns = character.columns();
                room.checked_sub(columns).map(|rest| room = rest).is_some()
            };
            piece.text = piece.text.chars().take_while(fits).collect();
            if width > 0 {
                piece.text.push('…');
            }
            self.pieces.truncate(at + 1);
            break;
        }
        self
    }

    /// Takes blanks from its end.
    pub(super) fn trim(&mut self) {
        while let Some(last) = self.pieces.last_mut() {
            last.text.truncate(last.text.trim_end().len());
            if !last.text.is_empty() {
                break;
            }
            self.pieces.pop();
        }
    }

    /// The row with blanks behind it.
    pub(super) fn padded(mut self, width: usize) -> Self {
        let blanks = width.saturating_sub(self.columns());
        if blanks > 0 {
            self.pieces.push(Piece { text: " ".repeat(blanks), style: Vec::new() });
        }
        self
    }
}

impl fmt::Display for Row {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces.iter().try_for_each(|piece| formatter.write_str(&piece.text))
    }
}

/// A text in one line, without anything that acts on a terminal. A line feed becomes a blank.
pub(super) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' => match characters.next() {
                Some('[') => end_of_sequence(&mut characters),
                Some(']' | 'P' | 'X' | '^' | '_') => end_of_string(&mut characters),
                _ => {}
            },
            '\u{9b}' => end_of_sequence(&mut characters),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => end_of_string(&mut characters),
            '\t' => cleaned.push_str(TAB),
            '\n' => cleaned.push(' '),
            hidden if is_hidden(hidden) => {}
            other => cleaned.push(other),
        }
    }
    cleaned
}

/// `31m` of `ESC [ 31m`.
fn end_of_sequence(characters: &mut impl Iterator<Item = char>) {
    characters.find(|character| matches!(character, '\u{40}'..='\u{7e}'));
}

/// A title or a link, up to BEL or `ESC \`.
fn end_of_string(characters: &mut std::iter::Peekable<impl Iterator<Item = char>>) {
    while let Some(character) = characters.next() {
        match character {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                characters.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

/// Rows of these pieces that are at most so wide, broken between words where that is possible. The first row begins
/// with `first`, the others with `other`.
pub(super) fn wrap(pieces: &[Piece], width: usize, first: &Row, other: &Row) -> Vec<Row> {
    let row = first.clone();
    let mut wrapped = Wrapped { rows: Vec::new(), row, other, width, is_begun: false };
    let styled = pieces
        .iter()
        .flat_map(|piece| piece.text.chars().map(|character| (character, piece.style.as_slice())));
    let characters: Vec<_> = styled.collect();
    // A word may have several styles.
    for word in characters.split_inclusive(|(character, _)| matches!(character, ' ' | '\n')) {
        wrapped.add(word);
    }
    if wrapped.is_begun || wrapped.rows.is_empty() {
        wrapped.next_row();
    }
    wrapped.rows
}

struct Wrapped<'a> {
    rows: Vec<Row>,
    row: Row,
    other: &'a Row,
    width: usize,
    /// Something stands in the row beside its beginning.
    is_begun: bool,
}

impl Wrapped<'_> {
    /// Adds a word, with the blank or the line feed behind it.
    fn add(&mut self, word: &[(char, &[Style])]) {
        let letters = word.iter().filter(|(character, _)| !matches!(character, ' ' | '\n'));
        let columns: usize = letters.map(|(character, _)| character.columns()).sum();
        if self.is_begun && columns > self.room() {
            self.next_row();
        }
        for (character, style) in word {
            match character {
                '\n' => self.next_row(),
                ' ' if !self.is_begun || self.room() == 0 => {}
                letter => {
                    // A word that is wider than a row is broken.
                    if self.is_begun && letter.columns() > self.room() {
                        self.next_row();
                    }
                    self.push(*letter, style);
                }
            }
        }
    }

    fn room(&self) -> usize {
        self.width.saturating_sub(self.row.columns())
    }

    fn push(&mut self, character: char, style: &[Style]) {
        match self.row.pieces.last_mut() {
            Some(piece) if piece.style == style && self.is_begun => piece.text.push(character),
            _ => self.row.pieces.push(Piece { text: character.into(), style: style.to_vec() }),
        }
        self.is_begun = true;
    }

    fn next_row(&mut self) {
        let mut row = std::mem::replace(&mut self.row, self.other.clone());
        row.trim();
        self.rows.push(row);
        self.is_begun = false;
    }
}
