//! Strings with their escapes resolved.

use super::find::next_to_escape;
use super::scanner::hex_escape;

/// What the inside of a JSON string stands for. It is known to be valid; half a surrogate pair
/// becomes U+FFFD.
pub(super) fn unescape(body: &str) -> String {
    // No escape is shorter than what it stands for.
    let mut text = String::with_capacity(body.len());
    let mut from = 0;
    // Quotes and control characters stand in no valid string, so what is found is a backslash.
    while let Some(at) = next_to_escape(body.as_bytes(), from) {
        text.push_str(&body[from..at]);
        let (character, length) = escaped(&body.as_bytes()[at..]);
        text.push(character);
        from = (at + length).min(body.len());
    }
    text.push_str(&body[from..]);
    text
}

/// The character that the escape at the start stands for, and how long the escape is.
#[inline]
fn escaped(escape: &[u8]) -> (char, usize) {
    let character = match escape.get(1) {
        Some(b'u') => return escaped_by_number(escape),
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(itself) => char::from(*itself),
        None => char::REPLACEMENT_CHARACTER,
    };
    (character, 2)
}

#[cold]
fn escaped_by_number(escape: &[u8]) -> (char, usize) {
    let first = hex_escape(escape, 0).unwrap_or(0xFFFD);
    let pair = [first, hex_escape(escape, 6).unwrap_or(0xFFFD)];
    match char::decode_utf16(pair).next() {
        Some(Ok(character)) => (character, if character > '\u{FFFF}' { 12 } else { 6 }),
        Some(Err(_)) | None => (char::REPLACEMENT_CHARACTER, 6),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_escape_stands_for_its_character() {
        let body = r#"a\"\\\/\b\f\n\r\t\u0041\u00e9\uFFFF\ud83d\ude00z"#;
        assert_eq!(unescape(body), "a\"\\/\u{8}\u{c}\n\r\tA\u{e9}\u{FFFF}\u{1F600}z");
        assert_eq!(unescape("plain"), "plain");
    }

    #[test]
    fn half_a_pair_is_replaced_and_what_follows_stays() {
        assert_eq!(unescape(r"\ud83dx"), "\u{FFFD}x");
        assert_eq!(unescape(r"\ude00\n"), "\u{FFFD}\n");
        assert_eq!(unescape(r"\ud83d\u0041"), "\u{FFFD}A");
        assert_eq!(unescape(r"\ud83d\ud83d\ude00"), "\u{FFFD}\u{1F600}");
    }

    proptest! {
        #[test]
        fn what_serde_writes_is_read(text in any::<String>()) {
            let written = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(unescape(&written[1..written.len() - 1]), text.clone());
            let numbers = |unit| format!("\\u{unit:04x}");
            let by_number: String = text.encode_utf16().map(numbers).collect();
            prop_assert_eq!(unescape(&by_number), text);
        }
    }
}
