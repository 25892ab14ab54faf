//! What stands between the values: white space and comments.

use super::fix::FixKind;
use super::reader::Reader;

impl Reader<'_> {
    pub(super) fn skip_space(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                b'/' if self.rest().starts_with("//") => self.skip_comment("\n"),
                b'/' if self.rest().starts_with("/*") => self.skip_comment("*/"),
                b'#' => self.skip_comment("\n"),
                // The end of a code fence is that of the text.
                b'`' if self.rest().starts_with("```") => self.text = &self.text[..self.at],
                // White space as a string would have it: the whole text was escaped once too often.
                b'\\' if matches!(self.byte(1), Some(b'n' | b'r' | b't')) => {
                    self.replaced(FixKind::EscapedText, 2);
                }
                _ => match self.odd_space() {
                    0 => return,
                    length => self.replaced(FixKind::WhiteSpace, length),
                },
            }
        }
    }

    /// How long the white space is here that JSON does not know.
    fn odd_space(&self) -> usize {
        match self.rest().chars().next() {
            Some(next) if next.is_whitespace() || matches!(next, '\u{feff}' | '\u{200b}') => {
                next.len_utf8()
            }
            _ => 0,
        }
    }

    fn skip_comment(&mut self, end: &str) {
        let start = self.at;
        // The end of a line may be that of the text as well.
        self.at = match self.rest()[1..].find(end) {
            Some(found) => start + 1 + found + end.len(),
            None => self.text.len(),
        };
        self.steps += self.at - start;
        self.fixes.note(FixKind::Comment, start, self.at);
    }

    /// The byte that many after the next.
    pub(super) fn byte(&self, further: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + further).copied()
    }
}
