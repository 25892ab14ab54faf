//! Patterns that say which calls may run, and which may not: `wipe(tmp/*)`.

use std::fmt;
use std::str::FromStr;

use extline_protocol::Glob;
use thiserror::Error;

/// Which calls a rule is about: `TOOL(GLOB)`, where `GLOB` is compared with the whole key of a call
/// and `*` stands for any text, also none; `\*` is a star and `\\` a backslash. `TOOL` alone is every
/// call of the tool. It takes time in proportion to the key, whatever is written in it.
///
/// A key is what the tool declares (`approval.key` of the protocol, §4.2), with inserted texts
/// percent-encoded, and `#` with the digest of the arguments where it declares none.
///
/// ```
/// use extline_host::ApprovalPattern;
///
/// let pattern: ApprovalPattern = "wipe(tmp/*)".parse()?;
/// assert_eq!(pattern.tool(), "wipe");
/// assert!(pattern.matches("tmp/a"));
/// assert!(!pattern.matches("etc/a"));
/// # Ok::<(), extline_host::PatternError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalPattern {
    tool: String,
    keys: Glob,
}

/// A pattern that cannot be read.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternError {
    /// No tool stands before the parenthesis.
    #[error("the name of a tool is missing: write TOOL(GLOB), as wipe(tmp/*)")]
    NoTool,
    /// The parenthesis is not closed, or something stands behind it.
    #[error("a pattern ends with \")\": write TOOL(GLOB), as wipe(tmp/*)")]
    NotClosed,
    /// A backslash stands before something else than a star or a backslash.
    #[error("a backslash stands before * or another backslash")]
    Backslash,
}

impl ApprovalPattern {
    /// The pattern that this key alone fits.
    pub(crate) fn exactly(tool: &str, key: &str) -> Self {
        Self { tool: tool.to_owned(), keys: Glob::exactly(key) }
    }

    /// The tool.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Whether a key fits.
    pub fn matches(&self, key: &str) -> bool {
        self.keys.matches(key)
    }

    /// Whether it lets a call with that key run. What a star stands for is then no way out of a
    /// folder: a key with a step `..` is fit only by a pattern without stars.
    pub(crate) fn allows(&self, key: &str) -> bool {
        self.matches(key) && (self.keys.is_exact() || !has_step_up(key))
    }
}

/// Whether a key has `..` as a step of a path, perhaps between quotes, blanks or backslashes.
fn has_step_up(key: &str) -> bool {
    let text = decoded(key);
    let is_of_name = |byte: Option<&u8>| {
        byte.is_some_and(|byte| {
            byte.is_ascii_alphanumeric() || b"._-~".contains(byte) || *byte > 127
        })
    };
    text.windows(2).enumerate().any(|(at, pair)| {
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        pair == b".." && !is_of_name(before) && !is_of_name(text.get(at + 2))
    })
}

/// A key without its percent-encoding.
fn decoded(key: &str) -> Vec<u8> {
    let mut bytes = key.as_bytes();
    let mut text = Vec::with_capacity(bytes.len());
    while let [first, rest @ ..] = bytes {
        let encoded = match (first, rest) {
            (b'%', [high, low, ..]) => {
                let digits = [*high, *low];
                str::from_utf8(&digits).ok().and_then(|digits| u8::from_str_radix(digits, 16).ok())
            }
            _ => None,
        };
        text.push(encoded.unwrap_or(*first));
        bytes = if encoded.is_some() { &rest[2..] } else { rest };
    }
    text
}

impl FromStr for ApprovalPattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let (tool, glob) = match text.split_once('(') {
            Some((tool, glob)) => (tool, glob.strip_suffix(')').ok_or(PatternError::NotClosed)?),
            None => (text, "*"),
        };
        if tool.trim().is_empty() {
            return Err(PatternError::NoTool);
        }
        let keys = glob.parse().map_err(|_| PatternError::Backslash)?;
        Ok(Self { tool: tool.to_owned(), keys })
    }
}

impl fmt::Display for ApprovalPattern {
    /// As it is written.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}({})", self.tool, self.keys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> ApprovalPattern {
        text.parse().unwrap()
    }

    #[test]
    fn a_star_is_any_text_and_both_ends_hold() {
        let fits = [
            ("t(*)", "", true),
            ("t", "a b", true),
            ("t(a)", "a", true),
            ("t(a)", "ab", false),
            ("t()", "", true),
            ("t()", "a", false),
            ("t(a*)", "a", true),
            ("t(*a)", "ba", true),
            ("t(a*a)", "a", false),
            ("t(a*b*c)", "a-b-b-c", true),
            ("t(a*bc*c)", "abc", false),
            ("t(**)", "x", true),
            ("t(a?c)", "abc", false),
            ("t([a-z])", "b", false),
            (r"t(\*)", "*", true),
            (r"t(\*)", "a", false),
            (r"t(\\*)", r"\a", true),
            ("t(f(x))", "f(x)", true),
        ];
        for (text, key, does) in fits {
            assert_eq!(pattern(text).matches(key), does, "{text} {key}");
        }
    }

    #[test]
    fn what_cannot_be_read_says_how_to_write_it() {
        let wrong = [
            ("", PatternError::NoTool),
            ("(a)", PatternError::NoTool),
            ("t(a", PatternError::NotClosed),
            ("t(a) ", PatternError::NotClosed),
            (r"t(\a)", PatternError::Backslash),
            (r"t(\", PatternError::NotClosed),
        ];
        for (text, error) in wrong {
            assert_eq!(text.parse::<ApprovalPattern>(), Err(error), "{text}");
        }
    }

    #[test]
    fn a_star_allows_no_way_out_of_a_folder() {
        let up =
            ["tmp/../etc", "tmp/..", "tmp/..%5Cetc", "tmp/%20../x", "tmp/%22..%22", "tmp/x/../y"];
        for key in up {
            assert!(pattern("t(tmp/*)").matches(key) && !pattern("t(tmp/*)").allows(key), "{key}");
            assert!(ApprovalPattern::exactly("t", key).allows(key));
        }
        for key in ["tmp/a..b", "tmp/...", "tmp/..a", "tmp/a.", "tmp/%"] {
            assert!(pattern("t(tmp/*)").allows(key), "{key}");
        }
    }

    #[test]
    fn it_is_written_as_it_is_read() {
        for text in [r"t(a\*b*\\)", "t(*)", "t()"] {
            assert_eq!(pattern(text).to_string(), text);
        }
        assert_eq!(ApprovalPattern::exactly("t", r"a*\").to_string(), r"t(a\*\\)");
    }

    /// A backtracking matcher would need longer than anybody waits.
    #[test]
    fn many_stars_take_no_longer() {
        let stars = pattern(&format!("t({}b)", "a*".repeat(2_000)));
        assert!(!stars.matches(&"a".repeat(100_000)));
        assert!(stars.matches(&format!("{}b", "a".repeat(2_000))));
    }
}
