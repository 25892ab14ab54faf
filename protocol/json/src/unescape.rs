//! Strings with their escapes resolved.

use super::block::{BLOCK, Escapes, bits, places};
use super::run::{NONE, SHORT, push_run, table};
use super::scanner::hex_escape;

/// What the letter of an escape stands for; of an escape by number, nothing.
const CHARACTERS: [u8; 256] = table(&[
    (b'"', b'"'),
    (b'\\', b'\\'),
    (b'/', b'/'),
    (b'b', 0x08),
    (b'f', 0x0C),
    (b'n', b'\n'),
    (b'r', b'\r'),
    (b't', b'\t'),
]);

/// What the inside of a JSON string stands for. It is known to be valid; half a surrogate pair
/// becomes U+FFFD.
pub(super) fn unescape(body: &str) -> String {
    let bytes = body.as_bytes();
    // No escape is shorter than what it stands for.
    let mut text = Vec::with_capacity(body.len() + SHORT);
    let mut escapes = Escapes::default();
    let mut from = 0;
    for at in (0..bytes.len()).step_by(BLOCK) {
        let (begin, _) = escapes.next(bits(bytes, at, |lane| lane.equal(b'\\')));
        for escape in places(begin, at) {
            // The second half of a pair was read with the first.
            if escape < from {
                continue;
            }
            push_run(bytes, from, escape, &mut text);
            let letter = bytes.get(escape + 1).copied().unwrap_or_default();
            from = match CHARACTERS[usize::from(letter)] {
                NONE => escape + push_by_number(&bytes[escape..], &mut text),
                character => {
                    text.push(character);
                    escape + 2
                }
            };
        }
    }
    text.extend_from_slice(&bytes[from.min(bytes.len())..]);
    // Built from spans of valid UTF-8 and from characters.
    String::from_utf8(text)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Appends the character of the escape by number at the start; how long the escape is.
#[cold]
fn push_by_number(escape: &[u8], text: &mut Vec<u8>) -> usize {
    let first = hex_escape(escape, 0).unwrap_or(0xFFFD);
    let pair = [first, hex_escape(escape, 6).unwrap_or(0xFFFD)];
    let (character, length) = match char::decode_utf16(pair).next() {
        Some(Ok(character)) => (character, if character > '\u{FFFF}' { 12 } else { 6 }),
        Some(Err(_)) | None => (char::REPLACEMENT_CHARACTER, 6),
    };
    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    length
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
