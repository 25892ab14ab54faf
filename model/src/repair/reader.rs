//! Reads one value that need not be valid JSON, and writes it as such.

use super::fix::{FixKind, Fixes};
use super::scalar::Ended;
use super::{MAX_DEPTH, RepairErrorKind};

/// Where reading could not go on, and why.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    pub(super) kind: RepairErrorKind,
    pub(super) at: usize,
}

/// A bracket that is open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub(super) is_object: bool,
    /// Members or elements in it so far.
    count: usize,
    /// Where the comma stands after the last of them.
    comma: Option<usize>,
    /// How much was written before the member or element that is being read.
    written: usize,
}

/// Reads from `at`; each method leaves `at` behind what it read.
pub(super) struct Reader<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    /// Valid JSON, once all brackets are closed.
    pub(super) out: String,
    pub(super) fixes: Fixes,
    pub(super) stack: Vec<Open>,
    /// Names with their colon that were read: text with one is JSON and no prose.
    pub(super) names: usize,
    /// Values without quotes that became strings.
    pub(super) bare_strings: usize,
    pub(super) truncated: bool,
    /// Bytes looked at, for the test that counts them.
    pub(super) steps: usize,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str, at: usize) -> Self {
        Self {
            text,
            at,
            // Most are short; those in prose are many.
            out: String::with_capacity((text.len() - at + 16).min(256)),
            fixes: Fixes::default(),
            stack: Vec::new(),
            names: 0,
            bare_strings: 0,
            truncated: false,
            steps: 0,
        }
    }

    /// Reads the object or array that begins here.
    pub(super) fn container(&mut self) -> Result<(), Stop> {
        self.open()?;
        self.inside()
    }

    /// Reads members whose opening brace is missing.
    pub(super) fn members_without_opener(&mut self) -> Result<(), Stop> {
        self.fixes.note(FixKind::MissingOpener, self.at, self.at);
        self.out.push('{');
        self.push(true);
        self.inside()
    }

    fn inside(&mut self) -> Result<(), Stop> {
        while let Some(open) = self.stack.last().copied() {
            self.skip_space();
            match self.peek() {
                None => self.cut(),
                Some(b'}' | b']') => self.close(),
                Some(b',' | b';') => self.comma(),
                Some(b'.') if self.rest().starts_with("...") => self.ellipsis(),
                Some(_) if open.is_object => self.member(open)?,
                Some(_) => self.element(open)?,
            }
        }
        Ok(())
    }

    fn open(&mut self) -> Result<(), Stop> {
        if self.stack.len() == MAX_DEPTH {
            return Err(self.stop(RepairErrorKind::TooDeep));
        }
        let is_object = self.peek() == Some(b'{');
        self.out.push(if is_object { '{' } else { '[' });
        self.at += 1;
        self.push(is_object);
        Ok(())
    }

    fn push(&mut self, is_object: bool) {
        let written = self.out.len();
        self.stack.push(Open { is_object, count: 0, comma: None, written });
    }

    /// A closing bracket: of the innermost value, of one further out, or of none.
    fn close(&mut self) {
        let is_object = self.peek() == Some(b'}');
        let Some(depth) = self.stack.iter().rposition(|open| open.is_object == is_object) else {
            return self.replaced(FixKind::ExtraCloser, 1);
        };
        while self.stack.len() > depth + 1 {
            self.fixes.note(FixKind::MissingCloser, self.at, self.at);
            self.pop();
        }
        self.pop();
        self.at += 1;
    }

    fn pop(&mut self) {
        let Some(open) = self.stack.pop() else { return };
        if let Some(comma) = open.comma {
            self.fixes.note(FixKind::TrailingComma, comma, comma + 1);
        }
        self.out.push(if open.is_object { '}' } else { ']' });
    }

    /// The text ends here: what is open is closed.
    fn cut(&mut self) {
        self.truncated = true;
        while !self.stack.is_empty() {
            self.fixes.note(FixKind::CutCloser, self.at, self.at);
            self.pop();
        }
    }

    fn comma(&mut self) {
        let at = self.at;
        if self.peek() == Some(b';') {
            self.fixes.note(FixKind::Separator, at, at + 1);
        }
        self.at += 1;
        let Some(open) = self.stack.last_mut() else { return };
        if open.count > 0 && open.comma.is_none() {
            open.comma = Some(at);
        } else {
            self.fixes.note(FixKind::ExtraComma, at, at + 1);
        }
    }

    fn ellipsis(&mut self) {
        self.replaced(FixKind::Ellipsis, 3);
    }

    /// Takes the next bytes for something else, or for nothing.
    pub(super) fn replaced(&mut self, kind: FixKind, length: usize) {
        self.fixes.note(kind, self.at, self.at + length);
        self.at += length;
    }

    /// Begins a member or element: with a comma before it, but for the first.
    fn begin(&mut self, open: Open) {
        if open.count > 0 && open.comma.is_none() {
            self.fixes.note(FixKind::MissingComma, self.at, self.at);
        }
        let written = self.out.len();
        if open.count > 0 {
            self.out.push(',');
        }
        if let Some(open) = self.stack.last_mut() {
            *open = Open { count: open.count + 1, comma: None, written, ..*open };
        }
    }

    /// Takes back the member or element whose value the text ends in; `start` is where it begins.
    fn drop_cut(&mut self, start: usize) {
        self.truncated = true;
        self.fixes.note(FixKind::CutValue, start, self.at);
        if let Some(open) = self.stack.last_mut() {
            open.count -= 1;
            self.out.truncate(open.written);
        }
    }

    fn member(&mut self, open: Open) -> Result<(), Stop> {
        let start = self.at;
        self.begin(open);
        let is_bare = self.peek().is_some_and(|first| first.is_ascii_alphanumeric());
        if self.key()? == Ended::Cut {
            self.drop_cut(start);
            return Ok(());
        }
        self.skip_space();
        match self.peek() {
            None => {
                self.drop_cut(start);
                return Ok(());
            }
            Some(b':') => self.at += 1,
            Some(b'=') => {
                let length = if self.rest().starts_with("=>") { 2 } else { 1 };
                self.replaced(FixKind::Separator, length);
            }
            Some(b'"' | b'{' | b'[' | b'0'..=b'9') if !is_bare => {
                self.fixes.note(FixKind::MissingColon, self.at, self.at);
            }
            Some(_) => return Err(self.stop(RepairErrorKind::NoColon)),
        }
        self.names += 1;
        self.out.push(':');
        self.skip_space();
        match self.peek() {
            None => self.drop_cut(start),
            Some(b',' | b'}') => {
                self.fixes.note(FixKind::MissingValue, self.at, self.at);
                self.out.push_str("null");
            }
            Some(_) => self.value(start)?,
        }
        Ok(())
    }

    fn element(&mut self, open: Open) -> Result<(), Stop> {
        self.begin(open);
        self.value(self.at)
    }

    /// A value of a member or element that begins at `start`.
    fn value(&mut self, start: usize) -> Result<(), Stop> {
        if matches!(self.peek(), Some(b'{' | b'[')) {
            return self.open();
        }
        if self.scalar()? == Ended::Cut {
            self.drop_cut(start);
        }
        Ok(())
    }

    pub(super) fn stop(&self, kind: RepairErrorKind) -> Stop {
        Stop { kind, at: self.at }
    }

    /// The next byte; `None` at the end of the text.
    pub(super) fn peek(&mut self) -> Option<u8> {
        self.steps += 1;
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }
}
