//! What was changed in a text, and where.

use std::fmt;

/// How many fixes of one text are listed; [`Repaired::unlisted`](super::Repaired::unlisted) counts
/// those after them.
pub const MAX_FIXES: usize = 1_000;

/// How many characters of the text a fix quotes.
const EXCERPT: usize = 40;

/// One thing that was changed in the text, as a sentence: `line 1, column 9: the comma before a
/// closing bracket was removed`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What was changed.
    pub kind: FixKind,
    /// Where in the text, in bytes.
    pub offset: usize,
    /// The line, from 1.
    pub line: usize,
    /// The column, in characters from 1.
    pub column: usize,
    /// What stood there, shortened to 40 characters; empty where something was missing.
    pub found: String,
}

/// What kind of change a [`Fix`] is.
///
/// Those above [`CutString`](Self::CutString) lose nothing of what was written, up to white space
/// and comments; those from it on mean that the text ended too early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FixKind {
    /// Text around the JSON was left out: prose, a code fence, a byte order mark.
    Surroundings,
    /// A control character in a string was escaped.
    ControlCharacter,
    /// A backslash before a character that cannot be escaped was doubled, or `\'` became `'`.
    BadEscape,
    /// A comma before a closing bracket was removed.
    TrailingComma,
    /// A comma with nothing before it was removed.
    ExtraComma,
    /// A comma between two values was put in.
    MissingComma,
    /// A string in other quotes than `"` was given those.
    Quotes,
    /// A name without quotes was given them.
    BareKey,
    /// A value without quotes that is no number and no literal became a string.
    BareString,
    /// A quote inside of a string was escaped.
    UnescapedQuote,
    /// Quotes and white space that were escaped outside of strings were read as such.
    EscapedText,
    /// Strings joined by `+` became one.
    JoinedStrings,
    /// A comment was left out.
    Comment,
    /// `...` in place of further values was left out.
    Ellipsis,
    /// `True`, `None`, `undefined`, `NaN` and the like became `true`, `false` or `null`.
    Literal,
    /// A number was written as JSON has it; digits with a leading zero became a string.
    Number,
    /// White space that JSON does not know was left out.
    WhiteSpace,
    /// `=`, `=>` or `;` became `:` or `,`.
    Separator,
    /// A colon after a name was put in.
    MissingColon,
    /// A name without a value was given `null`.
    MissingValue,
    /// The opening brace was put in.
    MissingOpener,
    /// A closing bracket was put in before one of an outer value.
    MissingCloser,
    /// A closing bracket that closes nothing was removed.
    ExtraCloser,
    /// The text ended in a string, which was closed.
    CutString,
    /// The text ended in a number, a literal, a name or before a value; it was left out.
    CutValue,
    /// The text ended before a closing bracket, which was put in.
    CutCloser,
}

impl FixKind {
    /// Its name in JSON and in the bindings: `trailing_comma`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Surroundings => "surroundings",
            Self::ControlCharacter => "control_character",
            Self::BadEscape => "bad_escape",
            Self::TrailingComma => "trailing_comma",
            Self::ExtraComma => "extra_comma",
            Self::MissingComma => "missing_comma",
            Self::Quotes => "quotes",
            Self::BareKey => "bare_key",
            Self::BareString => "bare_string",
            Self::UnescapedQuote => "unescaped_quote",
            Self::EscapedText => "escaped_text",
            Self::JoinedStrings => "joined_strings",
            Self::Comment => "comment",
            Self::Ellipsis => "ellipsis",
            Self::Literal => "literal",
            Self::Number => "number",
            Self::WhiteSpace => "white_space",
            Self::Separator => "separator",
            Self::MissingColon => "missing_colon",
            Self::MissingValue => "missing_value",
            Self::MissingOpener => "missing_opener",
            Self::MissingCloser => "missing_closer",
            Self::ExtraCloser => "extra_closer",
            Self::CutString => "cut_string",
            Self::CutValue => "cut_value",
            Self::CutCloser => "cut_closer",
        }
    }

    /// Whether it means that the text ended before the value did.
    pub fn is_cut(self) -> bool {
        self >= Self::CutString
    }

    fn sentence(self) -> &'static str {
        match self {
            Self::Surroundings => "text around the JSON was left out",
            Self::ControlCharacter => "a control character in a string was escaped",
            Self::BadEscape => "a backslash that escapes nothing in JSON was mended",
            Self::TrailingComma => "the comma before a closing bracket was removed",
            Self::ExtraComma => "a comma with nothing before it was removed",
            Self::MissingComma => "a comma was put in",
            Self::Quotes => "a string was given double quotes",
            Self::BareKey => "a name was given quotes",
            Self::BareString => "a value without quotes became a string",
            Self::UnescapedQuote => "a quote inside of a string was escaped",
            Self::EscapedText => {
                "what was escaped outside of strings was read without its backslash"
            }
            Self::JoinedStrings => "strings joined by + became one",
            Self::Comment => "a comment was left out",
            Self::Ellipsis => "an ellipsis in place of values was left out",
            Self::Literal => "a literal of another language became one of JSON",
            Self::Number => "a number was written as JSON has it",
            Self::WhiteSpace => "white space that JSON does not know was left out",
            Self::Separator => "another separator became one of JSON",
            Self::MissingColon => "a colon was put in",
            Self::MissingValue => "a name without a value was given null",
            Self::MissingOpener => "the opening brace was put in",
            Self::MissingCloser => "a missing closing bracket was put in",
            Self::ExtraCloser => "a closing bracket that closes nothing was removed",
            Self::CutString => "the text ends in a string, which was closed",
            Self::CutValue => "the text ends in a value, which was left out",
            Self::CutCloser => "the text ends before a closing bracket, which was put in",
        }
    }
}

impl fmt::Display for Fix {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, line, column, found, .. } = self;
        write!(formatter, "line {line}, column {column}: {}", kind.sentence())?;
        if found.is_empty() { Ok(()) } else { write!(formatter, ": {found}") }
    }
}

/// The fixes of one text, not listed yet.
#[derive(Clone, Debug, Default)]
pub struct Fixes {
    listed: Vec<(FixKind, usize, usize)>,
    unlisted: usize,
}

impl Fixes {
    /// Notes that the bytes from `start` to `end` were changed.
    pub(super) fn note(&mut self, kind: FixKind, start: usize, end: usize) {
        // What is cut is always told: callers decide by it, and it is bounded by the depth.
        if self.listed.len() < MAX_FIXES || kind.is_cut() {
            self.listed.push((kind, start, end));
        } else {
            self.unlisted += 1;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.listed.is_empty() && self.unlisted == 0
    }

    /// How many there were beyond the [`MAX_FIXES`] that can be listed.
    pub fn unlisted(&self) -> usize {
        self.unlisted
    }

    pub(super) fn has(&self, kind: FixKind) -> bool {
        self.listed.iter().any(|(it, ..)| *it == kind)
    }

    pub(super) fn append(&mut self, other: Self) {
        for (kind, start, end) in other.listed {
            self.note(kind, start, end);
        }
        self.unlisted += other.unlisted;
    }

    /// The fixes in the order of the text, which is the one that was repaired; of another one places and
    /// excerpts mean nothing.
    pub fn list(&self, text: &str) -> Vec<Fix> {
        let mut listed = self.listed.clone();
        listed.sort_by_key(|(_, start, _)| *start);
        let mut place = Place::new(text);
        let fix = |(kind, start, end): (FixKind, usize, usize)| {
            let (line, column) = place.of(start);
            Fix {
                kind,
                offset: start,
                line,
                column,
                found: excerpt(text.get(start..end).unwrap_or_default()),
            }
        };
        listed.into_iter().map(fix).collect()
    }
}

/// Lines and columns of rising offsets.
pub(super) struct Place<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    column: usize,
}

impl<'t> Place<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0, line: 1, column: 1 }
    }

    pub(super) fn of(&mut self, offset: usize) -> (usize, usize) {
        for character in self.text.get(self.at..offset).unwrap_or_default().chars() {
            if character == '\n' {
                (self.line, self.column) = (self.line + 1, 1);
            } else {
                self.column += 1;
            }
        }
        self.at = offset;
        (self.line, self.column)
    }
}

fn excerpt(found: &str) -> String {
    let found = found.trim();
    let mut short = String::new();
    for character in found.chars().take(EXCERPT) {
        if character.is_control() {
            short.extend(character.escape_default());
        } else {
            short.push(character);
        }
    }
    if found.chars().nth(EXCERPT).is_some() {
        short.push_str("...");
    }
    short
}
