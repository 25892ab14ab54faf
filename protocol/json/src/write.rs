//! Canonical JSON text: no spaces, non-ASCII as UTF-8, as few escapes as JSON allows
//! (`canon.escapes`).

use super::block::{BLOCK, bits, places};
use super::run::{NONE, SHORT, push_run, table};

/// The letter of the escape for each character that has a short one.
const LETTERS: [u8; 256] = table(&[
    (b'"', b'"'),
    (b'\\', b'\\'),
    (0x08, b'b'),
    (0x09, b't'),
    (0x0A, b'n'),
    (0x0C, b'f'),
    (0x0D, b'r'),
]);

/// Writes a string with its quotes. Escapes only `"`, `\` and U+0000 to U+001F, with JSON's short
/// forms where it has them.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    out.reserve(bytes.len() + SHORT);
    out.push(b'"');
    let mut from = 0;
    for at in (0..bytes.len()).step_by(BLOCK) {
        let to_escape =
            bits(bytes, at, |lane| lane.controls() | lane.equal(b'"') | lane.equal(b'\\'));
        for special in places(to_escape, at) {
            push_run(bytes, from, special, out);
            match LETTERS[usize::from(bytes[special])] {
                NONE => push_number(bytes[special], out),
                letter => out.extend_from_slice(&[b'\\', letter]),
            }
            from = special + 1;
        }
    }
    out.extend_from_slice(&bytes[from..]);
    out.push(b'"');
}

/// Writes a number: a whole one up to 2^53 without a fraction. What JSON cannot hold (NaN, infinities)
/// becomes `null`.
pub fn write_number(number: f64, out: &mut Vec<u8>) {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() <= EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
        let whole = number as i64;
        out.extend_from_slice(whole.to_string().as_bytes());
    } else if number.is_finite() {
        // By what serde_json brings along anyway: the standard library's own writer has 16 KB.
        let _ = serde_json::to_writer(&mut *out, &number);
    } else {
        out.extend_from_slice(b"null");
    }
}

/// Writes an array; `write` writes each element.
pub fn write_array<T>(
    elements: impl IntoIterator<Item = T>,
    out: &mut Vec<u8>,
    write: impl Fn(T, &mut Vec<u8>),
) {
    out.push(b'[');
    for (position, element) in elements.into_iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        write(element, out);
    }
    out.push(b']');
}

/// Writes an object; `write` writes the value of each member.
pub fn write_object<N: AsRef<str>, T>(
    members: impl IntoIterator<Item = (N, T)>,
    out: &mut Vec<u8>,
    write: impl Fn(T, &mut Vec<u8>),
) {
    out.push(b'{');
    for (position, (name, value)) in members.into_iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        write_string(name.as_ref(), out);
        out.push(b':');
        write(value, out);
    }
    out.push(b'}');
}

#[cold]
fn push_number(byte: u8, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let [high, low] = [byte >> 4, byte & 0xF].map(|digit| HEX[usize::from(digit)]);
    out.extend_from_slice(&[b'\\', b'u', b'0', b'0', high, low]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let mut out = Vec::new();
        write_string(text, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn escapes_are_the_canonical_ones() {
        assert_eq!(
            written("a\"b\\c/\u{8}\t\n\u{c}\r\u{1}\u{1f}\u{7f}é\u{2028}😀"),
            "\"a\\\"b\\\\c/\\b\\t\\n\\f\\r\\u0001\\u001f\u{7f}é\u{2028}😀\""
        );
    }

    #[test]
    fn arrays_and_objects_have_commas_between() {
        let written = |count: usize| {
            let mut out = Vec::new();
            let names = ["a", "b\"", "c"];
            write_object(names.into_iter().take(count).map(|it| (it, it)), &mut out, write_string);
            write_array(names.into_iter().take(count), &mut out, write_string);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(written(0), "{}[]");
        assert_eq!(written(1), r#"{"a":"a"}["a"]"#);
        assert_eq!(written(3), r#"{"a":"a","b\"":"b\"","c":"c"}["a","b\"","c"]"#);
    }

    #[test]
    fn numbers_are_short_and_exact() {
        let number = |number| {
            let mut out = Vec::new();
            write_number(number, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!([60.0, -0.5, 1e300, f64::NAN].map(number), ["60", "-0.5", "1e+300", "null"]);
        for exact in [0.1, 1e-7, 2_f64.powi(60), f64::MIN_POSITIVE, f64::MAX] {
            assert_eq!(number(exact).parse(), Ok(exact));
        }
    }

    #[test]
    fn every_byte_at_every_offset_is_escaped_like_serde_json() {
        for code in 0..0x180_u32 {
            let char = char::from_u32(code).unwrap();
            for offset in 0..18 {
                let text = format!("{}{char}{}", "x".repeat(offset), "é\"".repeat(3));
                assert_eq!(written(&text), serde_json::to_string(&text).unwrap());
            }
        }
    }

    #[test]
    fn numbers_are_written_short() {
        let number = |n: f64| {
            let mut out = Vec::new();
            write_number(n, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(number(0.0), "0");
        assert_eq!(number(-3.0), "-3");
        assert_eq!(number(0.5), "0.5");
        assert_eq!(number(f64::NAN), "null");
    }
}
