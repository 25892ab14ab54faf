//! Values that are known to be secrets, in the forms in which they are written.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use base64::prelude::{BASE64_STANDARD, Engine as _};

/// A value is known from so many characters on. A shorter one is in every other text.
pub(super) const LEAST: usize = 6;
/// A longer line is known in pieces of so many bytes.
const PIECE: usize = 4096;
/// Values that are known at once; of more the oldest is forgotten.
const MOST: usize = 1024;

#[derive(Default)]
pub(super) struct Known {
    /// The values as they were learned, oldest first.
    values: VecDeque<String>,
    automaton: Option<AhoCorasick>,
    longest: usize,
}

impl Known {
    pub(super) fn knows(&self, value: &str) -> bool {
        self.values.iter().any(|known| known == value)
    }

    pub(super) fn learn(&mut self, value: &str) {
        if value.chars().count() < LEAST {
            return;
        }
        self.values.push_back(value.to_owned());
        if self.values.len() > MOST {
            self.values.pop_front();
        }
        let mut forms: Vec<String> = self.values.iter().flat_map(|value| forms(value)).collect();
        forms.sort_unstable();
        forms.dedup();
        self.longest = forms.iter().map(String::len).max().unwrap_or_default();
        let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&forms);
        // It fails only where all forms together have gigabytes.
        self.automaton = automaton.ok();
    }

    pub(super) fn find(&self, bytes: &[u8]) -> Vec<Range<usize>> {
        let found = self.automaton.iter().flat_map(|automaton| automaton.find_iter(bytes));
        found.map(|found| found.range()).collect()
    }

    pub(super) fn longest(&self) -> usize {
        self.longest
    }
}

/// How a value may be written.
fn forms(value: &str) -> Vec<String> {
    let mut forms = Vec::new();
    for piece in pieces(value) {
        forms.push(piece.to_owned());
        let json = escaped(piece);
        // JSON in a text of JSON, as the arguments of a call in a log.
        forms.push(escaped(&json));
        forms.push(json);
        let ascii = ascii(piece);
        forms.push(escaped(&ascii));
        forms.push(ascii);
        let url = in_url(piece);
        forms.push(url.replace("%20", "+"));
        forms.push(lower_escapes(&url));
        forms.push(url);
        forms.extend(in_base64(piece.as_bytes()));
    }
    forms.retain(|form| form.len() >= LEAST);
    forms
}

/// The value, each of its lines, and no piece that is too long.
fn pieces(value: &str) -> Vec<&str> {
    let lines = value.lines().map(str::trim).filter(|_| value.contains('\n'));
    let whole = std::iter::once(value).chain(lines);
    let mut pieces = Vec::new();
    for mut text in whole {
        while text.len() > PIECE {
            let end = text.floor_char_boundary_at(PIECE);
            pieces.push(&text[..end]);
            text = &text[end..];
        }
        pieces.push(text);
    }
    pieces.retain(|piece| piece.chars().count() >= LEAST);
    pieces
}

trait Boundary {
    fn floor_char_boundary_at(&self, at: usize) -> usize;
}

impl Boundary for str {
    fn floor_char_boundary_at(&self, at: usize) -> usize {
        (0..=at).rev().find(|at| self.is_char_boundary(*at)).unwrap_or(0)
    }
}

/// As it stands in a text of JSON.
fn escaped(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    json[1..json.len() - 1].to_owned()
}

/// The same in ASCII alone, as Python writes it.
fn ascii(text: &str) -> String {
    let mut ascii = String::with_capacity(text.len());
    for character in escaped(text).chars() {
        if character.is_ascii() {
            ascii.push(character);
        } else {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                // A String takes all that is written.
                let _ = write!(ascii, "\\u{unit:04x}");
            }
        }
    }
    ascii
}

fn in_url(text: &str) -> String {
    let mut url = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            url.push(char::from(byte));
        } else {
            // A String takes all that is written.
            let _ = write!(url, "%{byte:02X}");
        }
    }
    url
}

fn lower_escapes(url: &str) -> String {
    let mut lower = String::with_capacity(url.len());
    let mut digits = 0;
    for character in url.chars() {
        lower.push(if digits > 0 { character.to_ascii_lowercase() } else { character });
        digits = if character == '%' { 2 } else { digits - i32::from(digits > 0) };
    }
    lower
}

/// In base64, wherever in the encoded text it begins: three bytes become four characters, so there are three ways.
/// What also hangs on its neighbours is left out.
fn in_base64(value: &[u8]) -> Vec<String> {
    let mut forms = Vec::new();
    for before in 0..3 {
        let mut bytes = vec![0; before];
        bytes.extend_from_slice(value);
        let encoded = BASE64_STANDARD.encode(&bytes);
        let begin = [0, 2, 3][before];
        // Whole bits of the value: of the last group only those characters that no further byte changes.
        let end = bytes.len() * 8 / 6;
        // A short one would be found in every other text.
        if end < begin + 8 {
            continue;
        }
        let form = &encoded[begin..end];
        forms.push(form.to_owned());
        if form.contains(['+', '/']) {
            forms.push(form.replace('+', "-").replace('/', "_"));
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_found_at_each_place() {
        let value = "hunter2-hunter2";
        for before in ["", "u", "us", "user:", "anybody"] {
            for after in ["", "!", "!!", "!!!"] {
                let encoded = BASE64_STANDARD.encode(format!("{before}{value}{after}"));
                let forms = in_base64(value.as_bytes());
                assert!(forms.iter().any(|form| encoded.contains(form)), "{before}{after}");
            }
        }
    }

    #[test]
    fn a_value_is_known_in_its_forms() {
        let forms = forms("p\"ä/ s€cret");
        for form in [
            "p\"ä/ s€cret",
            "p\\\"ä/ s€cret",
            "p\\\"\\u00e4/ s\\u20accret",
            "p%22%C3%A4%2F%20s%E2%82%ACcret",
            "p%22%c3%a4%2f%20s%e2%82%accret",
            "p%22%C3%A4%2F+s%E2%82%ACcret",
        ] {
            assert!(forms.iter().any(|known| known == form), "{form}: {forms:?}");
        }
    }
}
