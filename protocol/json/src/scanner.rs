//! Walks over JSON text, once: where each value ends, whether it is valid JSON, how deep it is,
//! whether its surrogates are whole.

use super::ends::Ends;
use super::skip::skip_string;

/// Stands somewhere in a text. What returns an `Option` returns `None` where the text is no valid
/// JSON, and is not used any further.
#[derive(Debug)]
pub(super) struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    open: usize,
    /// Its strings were gone over before, and found to be valid.
    is_valid: bool,
    /// For each of the innermost 64 that are open, whether it is an object; the last bit is the
    /// innermost.
    kinds: u64,
    /// The same for the others, 64 in each.
    outer_kinds: Vec<u64>,
    /// Objects and arrays open at once, so far.
    pub(super) deepest: usize,
    /// A string so far holds half of a surrogate pair.
    pub(super) unpaired_surrogate: bool,
}

impl<'a> Scanner<'a> {
    /// Stands at the first token.
    pub(super) fn new(text: &'a str) -> Self {
        Self::at_first(text, false)
    }

    /// The same in a text that is known to be valid; [`Scanner::unpaired_surrogate`] says nothing
    /// then.
    pub(super) fn of_valid(text: &'a str) -> Self {
        Self::at_first(text, true)
    }

    fn at_first(text: &'a str, is_valid: bool) -> Self {
        let mut scanner = Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            open: 0,
            is_valid,
            kinds: 0,
            outer_kinds: Vec::new(),
            deepest: 0,
            unpaired_surrogate: false,
        };
        scanner.skip_white_space();
        scanner
    }

    /// Goes into an object (`{`) or an array (`[`); whether one starts here.
    pub(super) fn enters(&mut self, bracket: u8) -> bool {
        let starts = self.peek() == Some(bracket);
        if starts {
            self.open(bracket == b'{');
        }
        starts
    }

    /// Goes behind a token and the white space on both sides; whether it is there.
    pub(super) fn takes(&mut self, token: u8) -> bool {
        self.skip_white_space();
        let found = self.peek() == Some(token);
        if found {
            self.at += 1;
            self.skip_white_space();
        }
        found
    }

    /// Whether only white space follows.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.skip_white_space();
        self.at == self.bytes.len()
    }

    /// Goes behind a key and its colon; the key's text, and whether that holds escapes.
    #[inline]
    pub(super) fn key(&mut self) -> Option<(&'a str, bool)> {
        let start = self.at + 1;
        let escaped = self.string()?;
        let key = self.text.get(start..self.at - 1)?;
        self.takes(b':').then_some((key, escaped))
    }

    /// Goes behind the value that starts here; its text.
    pub(super) fn value(&mut self) -> Option<&'a str> {
        let start = self.at;
        let outside = self.open;
        loop {
            match self.peek()? {
                b'"' => drop(self.string()?),
                b'{' => {
                    self.open(true);
                    if !self.closes() {
                        self.key()?;
                        continue;
                    }
                }
                b'[' => {
                    self.open(false);
                    if !self.closes() {
                        continue;
                    }
                }
                b't' => self.word("true")?,
                b'f' => self.word("false")?,
                b'n' => self.word("null")?,
                _ => self.number()?,
            }
            while self.open > outside && self.closes() {}
            if self.open == outside {
                return self.text.get(start..self.at);
            }
            if !self.takes(b',') {
                return None;
            }
            if self.is_in_object() {
                self.key()?;
            }
        }
    }

    /// The same, and where the values in it end, when it is an object.
    pub(super) fn value_with_ends(&mut self) -> Option<(&'a str, Ends)> {
        let (start, mut ends) = (self.at, Ends::default());
        if !self.enters(b'{') {
            return Some((self.value()?, ends));
        }
        let mut place = 0;
        while !self.closes() {
            if place > 0 && !self.takes(b',') {
                return None;
            }
            self.key()?;
            self.value()?;
            ends.set(place, self.at - start);
            place += 1;
        }
        Some((self.text.get(start..self.at)?, ends))
    }

    /// Goes behind the value that starts here and is known to end at `end`; its text.
    pub(super) fn value_until(&mut self, end: usize) -> Option<&'a str> {
        let start = std::mem::replace(&mut self.at, end);
        self.text.get(start..end)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_white_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn open(&mut self, is_object: bool) {
        if self.open > 0 && self.open.is_multiple_of(64) {
            self.outer_kinds.push(self.kinds);
        }
        self.kinds = self.kinds << 1 | u64::from(is_object);
        self.open += 1;
        self.deepest = self.deepest.max(self.open);
        self.at += 1;
        self.skip_white_space();
    }

    /// Goes out of the innermost object or array; whether it ends here.
    fn closes(&mut self) -> bool {
        self.skip_white_space();
        let ends = self.peek() == Some(if self.is_in_object() { b'}' } else { b']' });
        if ends {
            self.at += 1;
            self.open -= 1;
            self.kinds >>= 1;
            if self.open > 0 && self.open.is_multiple_of(64) {
                self.kinds = self.outer_kinds.pop().unwrap_or_default();
            }
        }
        ends
    }

    fn is_in_object(&self) -> bool {
        self.kinds & 1 == 1
    }

    fn word(&mut self, word: &str) -> Option<()> {
        let found = self.bytes[self.at..].starts_with(word.as_bytes());
        self.at += word.len();
        found.then_some(())
    }

    fn number(&mut self) -> Option<()> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Some(())
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    /// Goes behind a string; whether it holds escapes.
    #[inline]
    fn string(&mut self) -> Option<bool> {
        if self.peek() != Some(b'"') {
            return None;
        }
        let skipped = skip_string(self.bytes, self.at + 1, self.is_valid)?;
        self.at = skipped.end;
        self.unpaired_surrogate |= skipped.unpaired_surrogate;
        Some(skipped.escaped)
    }
}

/// What a `\u` escape is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Surrogate {
    None,
    Pair,
    Unpaired,
}

/// Classifies the `\uXXXX` that starts at `at`; `None` where there is none.
pub(super) fn surrogate_at(bytes: &[u8], at: usize) -> Option<Surrogate> {
    Some(match hex_escape(bytes, at)? {
        0xD800..=0xDBFF => match hex_escape(bytes, at + 6) {
            Some(0xDC00..=0xDFFF) => Surrogate::Pair,
            _ => Surrogate::Unpaired,
        },
        0xDC00..=0xDFFF => Surrogate::Unpaired,
        _ => Surrogate::None,
    })
}

/// The number in the `\uXXXX` that starts at `at`; `None` where there is none.
pub(super) fn hex_escape(bytes: &[u8], at: usize) -> Option<u16> {
    let escape = bytes.get(at..at + 6)?;
    if escape[0] != b'\\' || escape[1] != b'u' {
        return None;
    }
    escape[2..].iter().try_fold(0_u16, |code, digit| {
        let digit = char::from(*digit).to_digit(16)?;
        Some(code << 4 | u16::try_from(digit).ok()?)
    })
}
