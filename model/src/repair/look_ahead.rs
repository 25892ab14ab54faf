//! Whether a quote ends its string or stands in it.

use super::reader::Reader;
use super::scalar::{is_bare, literal};
use super::string::{Quote, Role};

/// How far is looked ahead, in bytes: a bound, so that the time stays linear.
const REACH: usize = 256;

impl Reader<'_> {
    /// Whether the quote here, of that length, closes the string.
    ///
    /// It does where valid JSON could go on behind it. Where a quote before was found to stand in the
    /// string, this one may be its other half, and what follows must look like a member or an element.
    pub(super) fn closes(
        &mut self,
        quote: Quote,
        length: usize,
        role: Role,
        inner_quotes: usize,
    ) -> bool {
        let mut ahead = Ahead::new(&self.text[self.at + length..]);
        let closes = match role {
            // The last three of more.
            _ if quote == Quote::Triple => !ahead.text.starts_with('"'),
            Role::Key => ahead.closes_key(),
            Role::Value if self.stack.is_empty() => ahead.next().is_none_or(|next| next == '+'),
            Role::Value => {
                let is_in_object = self.stack.last().is_some_and(|open| open.is_object);
                ahead.closes_value(is_in_object, inner_quotes % 2 == 1)
            }
        };
        self.steps += ahead.at;
        closes
    }
}

/// The text behind a quote.
pub(super) struct Ahead<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Ahead<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut end = text.len().min(REACH);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        Self { text: &text[..end], at: 0 }
    }

    /// The next character that is no white space.
    pub(super) fn next(&mut self) -> Option<char> {
        let rest = self.rest().trim_start();
        let rest = ["\\n", "\\r", "\\t"]
            .iter()
            .find_map(|escaped| rest.strip_prefix(escaped))
            .map_or(rest, str::trim_start);
        self.at = self.text.len() - rest.len();
        rest.chars().next()
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn closes_key(&mut self) -> bool {
        // A letter right behind it belongs to the name; all else is not for the string to judge.
        !self.text.starts_with(|next: char| next.is_alphanumeric()) || self.is_name()
    }

    fn closes_value(&mut self, is_in_object: bool, is_in_inner_quotes: bool) -> bool {
        let Some(next) = self.next() else { return true };
        let is_apart = self.at > 0;
        match next {
            '}' | ']' => true,
            ',' | ';' => {
                self.at += 1;
                !is_in_inner_quotes || self.is_item(is_in_object)
            }
            '+' => {
                self.at += 1;
                self.next().is_none_or(is_quote)
            }
            '/' => self.rest().starts_with("//") || self.rest().starts_with("/*"),
            '#' => is_apart,
            '`' => self.rest().starts_with("```"),
            _ if is_in_object => is_apart && !is_in_inner_quotes && self.is_name(),
            '{' | '[' => is_apart,
            next => is_apart && !is_in_inner_quotes && is_quote(next),
        }
    }

    /// Whether what follows looks like a member, an element, or their end.
    fn is_item(&mut self, is_in_object: bool) -> bool {
        let Some(next) = self.next() else { return true };
        match next {
            '}' | ']' | '/' | '#' | '.' => true,
            _ if is_in_object => self.is_name(),
            '{' | '[' | '-' | '0'..='9' => true,
            next if is_quote(next) => true,
            _ => {
                let rest = self.rest();
                let end = rest.find(|next| !is_bare(next)).unwrap_or(rest.len());
                literal(&rest[..end]).is_some()
            }
        }
    }

    /// Whether a name with a colon follows, in quotes or not; so far as it can be seen.
    pub(super) fn is_name(&mut self) -> bool {
        let Some(next) = self.next() else { return true };
        let rest = if is_quote(next) || next == '\\' {
            let inner = self.rest().trim_start_matches(['\\', next, '"']);
            match inner.find(|it| it == next || it == '"' || is_quote(it) || it == '\n') {
                // The name reaches further than is looked.
                None => return true,
                Some(end) => inner[end..].trim_start_matches(|it| it == '\\' || is_quote(it)),
            }
        } else {
            let rest = self.rest();
            match rest.find(|next| !is_bare(next)) {
                None | Some(0) => return false,
                Some(end) => &rest[end..],
            }
        };
        rest.trim_start().starts_with([':', '='])
    }
}

pub(super) fn is_quote(character: char) -> bool {
    matches!(character, '"' | '\'' | '`' | '\u{201c}' | '\u{201d}' | '\u{2018}' | '\u{2019}')
}
