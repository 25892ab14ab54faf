//! Marks in a text whose end may not have come yet.

use std::cell::Cell;

/// The text from some place on, and whether more may follow.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'t> {
    pub(super) text: &'t str,
    /// No more will come.
    pub(super) is_end: bool,
    /// How many bytes may yet be read in vain, for brackets that nothing closes.
    pub(super) in_vain: &'t Cell<usize>,
}

/// What was read at a place, or that more of the text has to come first.
pub(super) type Read<T> = Result<T, More>;

/// More of the text has to come first.
#[derive(Clone, Copy, Debug)]
pub(super) struct More;

impl<'t> View<'t> {
    /// Counts bytes that were read in vain; it says to wait for more where those were too many.
    pub(super) fn spend(self, bytes: usize) -> Read<()> {
        self.in_vain.set(self.in_vain.get().checked_sub(bytes).ok_or(More)?);
        Ok(())
    }

    /// The text from a place on.
    pub(super) fn rest(self, at: usize) -> &'t str {
        &self.text[at..]
    }

    /// Where the token ends that stands here; `None` where another text does.
    pub(super) fn token(self, at: usize, token: &str) -> Read<Option<usize>> {
        let rest = self.rest(at);
        if rest.starts_with(token) {
            Ok(Some(at + token.len()))
        } else if !self.is_end && token.starts_with(rest) {
            Err(More)
        } else {
            Ok(None)
        }
    }

    /// Where the first of the tokens ends that stands here.
    pub(super) fn one_of(self, at: usize, tokens: &[&str]) -> Read<Option<usize>> {
        let mut longest = None;
        for token in tokens {
            longest = longest.max(self.token(at, token)?);
        }
        Ok(longest)
    }

    /// Where white space ends.
    pub(super) fn space(self, at: usize) -> usize {
        self.text.len() - self.rest(at).trim_start().len()
    }

    /// The first character behind white space; `None` at the end.
    pub(super) fn next(self, at: usize) -> Read<Option<char>> {
        match self.rest(self.space(at)).chars().next() {
            None if !self.is_end => Err(More),
            next => Ok(next),
        }
    }

    /// The name that begins here, up to a character that belongs to none.
    pub(super) fn name(self, at: usize) -> Read<&'t str> {
        let rest = self.rest(at);
        let is_name = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-' | '.' | ':' | '/');
        match rest.find(|it| !is_name(it)) {
            Some(end) => Ok(&rest[..end]),
            None if self.is_end => Ok(rest),
            None => Err(More),
        }
    }

    /// Where the token begins that comes next.
    pub(super) fn find(self, at: usize, token: &str) -> Read<Option<usize>> {
        match self.rest(at).find(token) {
            Some(found) => Ok(Some(at + found)),
            None if self.is_end => Ok(None),
            None => Err(More),
        }
    }
}

/// A text without what may be the first half of a token at its end.
pub(super) fn without_half<'t>(text: &'t str, token: &str) -> &'t str {
    let halves = (1..token.len()).rev().filter(|end| token.is_char_boundary(*end));
    for end in halves {
        if let Some(text) = text.strip_suffix(&token[..end]) {
            return text;
        }
    }
    text
}
