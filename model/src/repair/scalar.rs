//! Names, numbers, literals, and values without quotes.

use super::RepairErrorKind;
use super::fix::FixKind;
use super::reader::{Reader, Stop};
use super::string::Role;

/// Whether a value was read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Whole,
    /// The text ended in it, and it cannot be known how it goes on.
    Cut,
}

/// A literal of JavaScript or Python, and JSON's.
const LITERALS: [(&str, &str); 12] = [
    ("true", "true"),
    ("false", "false"),
    ("null", "null"),
    ("True", "true"),
    ("False", "false"),
    ("None", "null"),
    ("TRUE", "true"),
    ("FALSE", "false"),
    ("NULL", "null"),
    ("undefined", "null"),
    ("NaN", "null"),
    ("Infinity", "null"),
];

pub(super) fn literal(word: &str) -> Option<&'static str> {
    LITERALS.iter().find(|(name, _)| *name == word).map(|(_, json)| *json)
}

pub(super) fn is_bare(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$' | '-' | '.' | '@')
}

impl<'t> Reader<'t> {
    /// The name of a member.
    pub(super) fn key(&mut self) -> Result<Ended, Stop> {
        if let Some(quote) = self.quote() {
            return Ok(self.string(quote, Role::Key));
        }
        let start = self.at;
        let name = self.word(is_bare);
        if name.is_empty() {
            return Err(self.stop(RepairErrorKind::NoKey));
        }
        if self.at == self.text.len() {
            return Ok(Ended::Cut);
        }
        self.fixes.note(FixKind::BareKey, start, self.at);
        self.push_quoted(name);
        Ok(Ended::Whole)
    }

    /// A string, number, literal, or text without quotes.
    pub(super) fn scalar(&mut self) -> Result<Ended, Stop> {
        if let Some(quote) = self.quote() {
            let ended = self.string(quote, Role::Value);
            return Ok(if ended == Ended::Whole { self.joined() } else { Ended::Whole });
        }
        let start = self.at;
        let text = self.bare_text();
        if text.is_empty()
            || (!is_plain(text) && matches!(self.peek(), Some(b'"' | b'{' | b'[' | b'`')))
        {
            return Err(self.stop(RepairErrorKind::NoValue));
        }
        let is_last = self.at == self.text.len() && !self.stack.is_empty();
        if let Some(json) = literal(text) {
            if json != text {
                self.fixes.note(FixKind::Literal, start, self.at);
            }
            self.out.push_str(json);
            return Ok(Ended::Whole);
        }
        if is_last {
            return Ok(Ended::Cut);
        }
        if is_number(text) {
            self.out.push_str(text);
        } else if let Some(json) = number(text) {
            let kind = if json == "null" { FixKind::Literal } else { FixKind::Number };
            self.fixes.note(kind, start, self.at);
            self.out.push_str(&json);
        } else {
            let has_leading_zero = text.bytes().all(|byte| byte.is_ascii_digit());
            self.bare_strings += usize::from(!has_leading_zero);
            let kind = if has_leading_zero { FixKind::Number } else { FixKind::BareString };
            self.fixes.note(kind, start, self.at);
            self.push_quoted(text);
        }
        Ok(Ended::Whole)
    }

    /// Strings that are joined to the one before by `+`.
    fn joined(&mut self) -> Ended {
        loop {
            let behind = self.at;
            let fixes = std::mem::take(&mut self.fixes);
            self.skip_space();
            let plus = self.at;
            if self.peek() == Some(b'+') {
                self.at += 1;
                self.skip_space();
                if let Some(quote) = self.quote() {
                    let skipped = std::mem::replace(&mut self.fixes, fixes);
                    self.fixes.append(skipped);
                    self.fixes.note(FixKind::JoinedStrings, plus, plus + 1);
                    // The two quotes that meet.
                    self.out.pop();
                    let written = self.out.len();
                    let ended = self.string(quote, Role::Value);
                    self.out.remove(written);
                    if ended == Ended::Cut {
                        return Ended::Whole;
                    }
                    continue;
                }
            }
            self.fixes = fixes;
            self.at = behind;
            return Ended::Whole;
        }
    }

    /// Text without quotes, up to what ends a value.
    fn bare_text(&mut self) -> &'t str {
        let start = self.at;
        let is_in_array = self.stack.last().is_some_and(|open| !open.is_object);
        while let Some(byte) = self.peek() {
            let ends = match byte {
                b',' | b'}' | b']' | b'\n' | b'\r' | b'"' | b'{' | b'[' | b'`' => true,
                b';' => !is_in_array,
                b'/' => {
                    matches!(self.byte(1), Some(b'/' | b'*'))
                        && !self.text[start..self.at].ends_with(':')
                }
                // White space that was escaped, as between the values elsewhere.
                b'\\' => self.at - start < 64 && is_plain(&self.text[start..self.at]),
                b'#' => self.text[start..self.at].ends_with([' ', '\t']),
                _ => false,
            };
            if ends {
                break;
            }
            self.at += 1;
        }
        let text = &self.text[start..self.at];
        let trimmed = text.trim_end();
        self.at = start + trimmed.len();
        trimmed
    }

    fn word(&mut self, belongs: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|next| !belongs(next)).unwrap_or(rest.len());
        self.steps += length;
        self.at += length;
        &rest[..length]
    }

    fn push_quoted(&mut self, text: &str) {
        let mut quoted = Vec::new();
        extline_json::write_string(text, &mut quoted);
        self.out.push_str(&String::from_utf8_lossy(&quoted));
    }
}

/// Whether it is a literal or a number, of whatever language.
fn is_plain(text: &str) -> bool {
    literal(text).is_some() || number(text).is_some()
}

/// Whether it is a number as JSON has it.
fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, rest) = digits(unsigned);
    let fraction = rest.strip_prefix('.').map(digits);
    let rest = fraction.map_or(rest, |(_, rest)| rest);
    let exponent =
        rest.strip_prefix(['e', 'E']).map(|it| digits(it.strip_prefix(['+', '-']).unwrap_or(it)));
    let rest = exponent.map_or(rest, |(_, rest)| rest);
    let some = |part: Option<(&str, &str)>| part.is_none_or(|(digits, _)| !digits.is_empty());
    rest.is_empty()
        && !whole.is_empty()
        && (whole == "0" || !whole.starts_with('0'))
        && some(fraction)
        && some(exponent)
}

fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

/// The JSON of a number as JavaScript or Python may write it; `None` when it is none, or has a leading
/// zero, which a postal code has and a number has not.
fn number(text: &str) -> Option<String> {
    let (sign, unsigned) = match text.as_bytes().first()? {
        b'-' => ("-", &text[1..]),
        b'+' => ("", &text[1..]),
        _ => ("", text),
    };
    if literal(unsigned) == Some("null") && matches!(unsigned, "Infinity" | "NaN") {
        return Some("null".to_owned());
    }
    for (prefix, radix) in [("0x", 16), ("0X", 16), ("0b", 2), ("0o", 8)] {
        if let Some(value) = unsigned.strip_prefix(prefix) {
            return u128::from_str_radix(value, radix).ok().map(|value| format!("{sign}{value}"));
        }
    }
    let mut plain = if unsigned.starts_with('_') || unsigned.ends_with('_') {
        return None;
    } else {
        unsigned.replace('_', "")
    };
    if plain.starts_with('.') {
        plain.insert(0, '0');
    }
    if plain.ends_with('.') {
        plain.push('0');
    }
    plain.insert_str(0, sign);
    is_number(&plain).then_some(plain)
}
