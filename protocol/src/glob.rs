//! Texts with stars: `tmp/*`.

use std::fmt;
use std::str::FromStr;

/// A text in which `*` stands for any text, also none; `\*` is a star and `\\` a backslash. It takes time in
/// proportion to what it is compared with, whatever is written in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    /// The texts between the stars; one where there is no star.
    pieces: Vec<String>,
}

/// A backslash stands before something else than a star or a backslash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoneBackslash;

impl Glob {
    /// The one that fits this text alone.
    pub fn exactly(text: &str) -> Self {
        Self { pieces: vec![text.to_owned()] }
    }

    /// Whether it has no star.
    pub fn is_exact(&self) -> bool {
        self.pieces.len() == 1
    }

    /// Whether the whole text fits.
    pub fn matches(&self, text: &str) -> bool {
        let [first, between @ .., last] = self.pieces.as_slice() else {
            return self.pieces.first().is_some_and(|only| only == text);
        };
        let Some(rest) = text.strip_prefix(first.as_str()) else { return false };
        let Some(mut rest) = rest.strip_suffix(last.as_str()) else { return false };
        // The first place is the best one for each: what comes behind it has the most room.
        for piece in between {
            let Some(at) = rest.find(piece.as_str()) else { return false };
            rest = &rest[at + piece.len()..];
        }
        true
    }
}

impl FromStr for Glob {
    type Err = LoneBackslash;

    fn from_str(text: &str) -> Result<Self, LoneBackslash> {
        let mut pieces = vec![String::new()];
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            let literal = match character {
                '*' => {
                    pieces.push(String::new());
                    continue;
                }
                '\\' => characters
                    .next()
                    .filter(|next| matches!(next, '*' | '\\'))
                    .ok_or(LoneBackslash)?,
                other => other,
            };
            if let Some(piece) = pieces.last_mut() {
                piece.push(literal);
            }
        }
        Ok(Self { pieces })
    }
}

impl fmt::Display for Glob {
    /// As it is written.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let escaped = self.pieces.iter().map(|it| it.replace('\\', r"\\").replace('*', r"\*"));
        formatter.write_str(&escaped.collect::<Vec<_>>().join("*"))
    }
}
