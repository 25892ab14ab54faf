//! Strings, in whatever quotes.

use std::fmt::Write as _;

use super::fix::FixKind;
use super::reader::Reader;
use super::scalar::Ended;

/// What stands around a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quote {
    Double,
    Single,
    Backtick,
    /// `“` and `”`.
    CurlyDouble,
    /// `‘` and `’`.
    CurlySingle,
    /// `"""`.
    Triple,
    /// `\"`, where the whole text was escaped once too often.
    Escaped,
}

/// What a string is in an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Key,
    Value,
}

impl Quote {
    fn opener(self) -> &'static str {
        match self {
            Self::Double => "\"",
            Self::Single => "'",
            Self::Backtick => "`",
            Self::CurlyDouble => "\u{201c}",
            Self::CurlySingle => "\u{2018}",
            Self::Triple => "\"\"\"",
            Self::Escaped => "\\\"",
        }
    }

    /// How long the closing quote is that the text begins with.
    fn closer(self, rest: &str) -> Option<usize> {
        let closers: &[&str] = match self {
            Self::CurlyDouble => &["\u{201d}", "\"", "\u{201c}"],
            Self::CurlySingle => &["\u{2019}", "'", "\u{2018}"],
            _ => &[self.opener()],
        };
        closers.iter().find(|closer| rest.starts_with(**closer)).map(|closer| closer.len())
    }
}

impl Reader<'_> {
    /// The quote that stands here. A `u` or `b` before it, as Python writes, is skipped.
    pub(super) fn quote(&mut self) -> Option<Quote> {
        if matches!(self.peek(), Some(b'u' | b'b')) && matches!(self.byte(1), Some(b'"' | b'\'')) {
            self.at += 1;
        }
        let rest = self.rest();
        // An empty string before a quote is the one thing that begins alike.
        if rest.starts_with("\"\"\"") {
            return Some(Quote::Triple);
        }
        [
            Quote::Double,
            Quote::Single,
            Quote::Backtick,
            Quote::CurlyDouble,
            Quote::CurlySingle,
            Quote::Escaped,
        ]
        .into_iter()
        .find(|quote| rest.starts_with(quote.opener()))
    }

    /// The string that begins here with that quote; it is written to its end, cut or not.
    pub(super) fn string(&mut self, quote: Quote, role: Role) -> Ended {
        let start = self.at;
        self.at += quote.opener().len();
        match quote {
            Quote::Double => {}
            Quote::Escaped => self.fixes.note(FixKind::EscapedText, start, self.at),
            _ => self.fixes.note(FixKind::Quotes, start, self.at),
        }
        self.out.push('"');
        let mut copied = self.at;
        let mut inner_quotes = 0;
        while let Some(byte) = self.peek() {
            if !is_special(byte) {
                self.at += 1;
                continue;
            }
            let closer = quote.closer(self.rest());
            if byte >= 0x80 && closer.is_none() {
                self.at += 1;
                while !self.text.is_char_boundary(self.at) {
                    self.at += 1;
                }
                continue;
            }
            self.out.push_str(&self.text[copied..self.at]);
            match (closer, byte) {
                (Some(length), _) if self.closes(quote, length, role, inner_quotes) => {
                    self.at += length;
                    self.out.push('"');
                    return Ended::Whole;
                }
                (Some(length), _) => self.inner_quote(quote, length, &mut inner_quotes),
                (None, b'"') => {
                    self.out.push_str("\\\"");
                    self.at += 1;
                }
                (None, b'\\') => self.escape(quote),
                (None, control) if control < 0x20 => self.control(control),
                (None, _) => {
                    self.out.push(char::from(byte));
                    self.at += 1;
                }
            }
            copied = self.at;
        }
        self.out.push_str(&self.text[copied..]);
        self.out.push('"');
        if role == Role::Value {
            self.truncated = true;
            self.fixes.note(FixKind::CutString, start, self.at);
        }
        Ended::Cut
    }

    /// A quote that stands in the string, as in `"say "hi" to her"`.
    fn inner_quote(&mut self, quote: Quote, length: usize, inner_quotes: &mut usize) {
        *inner_quotes += 1;
        let found = &self.text[self.at..self.at + length];
        self.out.push_str(match quote {
            Quote::Double | Quote::Triple | Quote::Escaped => "\\\"",
            _ if found == "\"" => "\\\"",
            _ => found,
        });
        if quote == Quote::Triple {
            // One of three; the others are looked at by themselves.
            self.at += 1;
            return;
        }
        self.replaced(FixKind::UnescapedQuote, length);
    }

    fn control(&mut self, control: u8) {
        match control {
            b'\n' => self.out.push_str("\\n"),
            b'\r' => self.out.push_str("\\r"),
            b'\t' => self.out.push_str("\\t"),
            _ => {
                // A string takes whatever is written.
                let _ = write!(self.out, "\\u{control:04x}");
            }
        }
        self.replaced(FixKind::ControlCharacter, 1);
    }

    /// A backslash and what it escapes.
    fn escape(&mut self, quote: Quote) {
        if quote == Quote::Escaped && self.byte(1) == Some(b'\\') {
            // The backslash of the text that was escaped as a whole.
            self.at += 1;
            if self.rest().starts_with("\\\\") {
                self.at += 1;
            }
        }
        let start = self.at;
        self.at += 1;
        match self.peek() {
            // What it escapes is cut off.
            None => {}
            Some(b'u') => self.code_point(start),
            Some(next @ (b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')) => {
                self.out.push('\\');
                self.out.push(char::from(next));
                self.at += 1;
            }
            Some(b'\'' | b'`') => {
                self.out.push(char::from(self.text.as_bytes()[self.at]));
                self.at += 1;
                if quote == Quote::Double {
                    self.fixes.note(FixKind::BadEscape, start, self.at);
                }
            }
            // The line end is kept, as a control character.
            Some(b'\n' | b'\r') => self.fixes.note(FixKind::BadEscape, start, self.at),
            Some(_) => {
                self.out.push_str("\\\\");
                self.fixes.note(FixKind::BadEscape, start, self.at);
            }
        }
    }

    /// The `u` of a `\u0041`.
    fn code_point(&mut self, start: usize) {
        let digits = self.rest()[1..].bytes().take(4).take_while(u8::is_ascii_hexdigit).count();
        let end = self.at + 1 + digits;
        let behind = &self.text[end..];
        let is_first_half = digits == 4
            && matches!(self.byte(1), Some(b'd' | b'D'))
            && matches!(self.byte(2), Some(b'8' | b'9' | b'a' | b'b' | b'A' | b'B'));
        if is_first_half
            && behind.len() < 6
            && (behind.is_empty() || behind.starts_with('\\'))
            && !behind.contains('"')
        {
            // The other half is cut off.
            self.at = self.text.len();
        } else if digits == 4 {
            self.out.push_str(&self.text[start..end]);
            self.at = end;
        } else if end == self.text.len() {
            // Cut off: half of a character is none.
            self.at = end;
        } else {
            self.out.push_str("\\\\");
            self.fixes.note(FixKind::BadEscape, start, self.at);
        }
    }
}

/// Whether a byte in a string may need a look: quotes, backslashes, control characters, and what curly
/// quotes begin with.
fn is_special(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`' | b'\\' | 0..0x20 | 0xe2)
}
