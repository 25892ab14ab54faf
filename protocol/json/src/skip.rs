//! Where a string ends, and whether it is valid.

use super::block::{BLOCK, Escapes, bits, places};
use super::find::next_quote_or_backslash;
use super::lane::Lane;
use super::scanner::{Surrogate, surrogate_at};

/// A string that was gone over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Skipped {
    /// Behind its closing quote.
    pub(super) end: usize,
    /// It holds escapes.
    pub(super) escaped: bool,
    /// It holds half of a surrogate pair.
    pub(super) unpaired_surrogate: bool,
}

/// Goes over the string whose text starts at `start`, behind the opening quote; `None` when it has no
/// end, or is no valid JSON. One that `is_valid`, as was found out before, is only gone over to its
/// end, and its surrogates are not looked at.
#[inline]
pub(super) fn skip_string(bytes: &[u8], start: usize, is_valid: bool) -> Option<Skipped> {
    let at = next_quote_or_backslash(bytes, start)?;
    if bytes[at] == b'"' {
        return Some(Skipped { end: at + 1, escaped: false, unpaired_surrogate: false });
    }
    skip_escaped(bytes, at, is_valid)
}

/// Goes on from the first escape of a string. Most strings have none, and pay nothing for this.
#[inline(never)]
fn skip_escaped(bytes: &[u8], mut at: usize, is_valid: bool) -> Option<Skipped> {
    let mut escapes = Escapes::default();
    let mut numbers = Numbers::default();
    while at < bytes.len() {
        let quotes = bits(bytes, at, |lane| lane.equal(b'"'));
        let (_, behind) = escapes.next(bits(bytes, at, |lane| lane.equal(b'\\')));
        let ends = quotes & !behind;
        // All bits below the first that ends it; all bits where none does.
        let inside = ends.wrapping_sub(1) & !ends;
        if !is_valid && suspects(bytes, at, behind) & inside != 0 {
            check(bytes, at, behind & inside, inside, &mut numbers)?;
        }
        if ends != 0 {
            let end = at + ends.trailing_zeros() as usize + 1;
            return Some(Skipped { end, escaped: true, unpaired_surrogate: numbers.unpaired });
        }
        at += BLOCK;
    }
    None
}

/// What in the block at `at` needs a closer look: control characters, and what stands behind a backslash
/// and is none of the usual escapes.
#[inline]
fn suspects(bytes: &[u8], at: usize, behind: u64) -> u64 {
    let is_usual = |lane: Lane| {
        let white = lane.equal(b'n') | lane.equal(b't') | lane.equal(b'r');
        white | lane.equal(b'"') | lane.equal(b'\\')
    };
    bits(bytes, at, Lane::controls) | behind & !bits(bytes, at, is_usual)
}

/// Checks a block: no control character inside of the string, and every escape is one.
#[inline(never)]
fn check(bytes: &[u8], at: usize, escaped: u64, inside: u64, numbers: &mut Numbers) -> Option<()> {
    if bits(bytes, at, Lane::controls) & inside != 0 {
        return None;
    }
    for letter in places(escaped, at) {
        match bytes.get(letter)? {
            b'u' => numbers.check(bytes, letter - 1)?,
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
            _ => return None,
        }
    }
    Some(())
}

/// The escapes by number of one string.
#[derive(Default)]
struct Numbers {
    unpaired: bool,
    /// Where the last pair ends; its second half is no escape of its own.
    paired_until: usize,
}

impl Numbers {
    fn check(&mut self, bytes: &[u8], escape: usize) -> Option<()> {
        if escape < self.paired_until {
            return Some(());
        }
        match surrogate_at(bytes, escape)? {
            Surrogate::None => {}
            Surrogate::Pair => self.paired_until = escape + 12,
            Surrogate::Unpaired => self.unpaired = true,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::value::RawValue;

    use super::*;

    /// What `serde_json` says of the same string, as far as it says anything.
    fn is_valid(string: &str) -> bool {
        serde_json::from_str::<&RawValue>(string).is_ok()
    }

    fn skipped(string: &str) -> Option<Skipped> {
        let found = skip_string(string.as_bytes(), 1, false);
        if let Some(found) = found {
            let again = skip_string(string.as_bytes(), 1, true).unwrap();
            assert_eq!((again.end, again.escaped), (found.end, found.escaped), "{string}");
        }
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn what_is_valid_is_what_serde_takes(
            body in r#"([a-z é\x00-\x7F]{0,40}(\\["\\/bfnrtuxU0 ]|\\u[0-9a-fA-F]{4}|\\u[dD][89a-fA-F][0-9]{2}){0,4}){0,6}"#,
            behind in r#"[a"\\ ]{0,70}"#,
        ) {
            let whole = format!("\"{body}\"{behind}");
            let found = skipped(&whole);
            if let Some(Skipped { end, escaped, .. }) = found {
                let string = &whole[..end];
                prop_assert!(is_valid(string), "{}", string);
                prop_assert_eq!(escaped, string.contains('\\'));
            } else {
                // No beginning of it is a string.
                let ends = whole.char_indices().skip(1).filter(|(_, one)| *one == '"');
                for (at, _) in ends {
                    prop_assert!(!is_valid(&whole[..=at]), "{}", &whole[..=at]);
                }
            }
        }
    }

    #[test]
    fn a_string_ends_at_its_own_quote_wherever_that_stands() {
        for before in 0..140 {
            for escape in ["", "\\\"", "\\\\", "\\n", "\\u0041", "\\ud83d\\ude00"] {
                for after in [0, 1, 15, 16, 17, 63, 64, 65] {
                    let body = format!("{}{escape}{}", "x".repeat(before), "y".repeat(after));
                    let whole = format!("\"{body}\",\"more\"");
                    let expected = Skipped {
                        end: body.len() + 2,
                        escaped: !escape.is_empty(),
                        unpaired_surrogate: false,
                    };
                    assert_eq!(skipped(&whole), Some(expected), "{whole}");
                    assert_eq!(skipped(&whole[..=body.len()]), None, "{whole}");
                }
            }
        }
    }

    #[test]
    fn what_no_string_may_hold_is_found_wherever_it_stands() {
        for before in 0..140 {
            for wrong in ["\n", "\u{1f}", "\\x", "\\u12", "\\u12g4", "\\uD83D\\u12", "\\\"\u{0}"] {
                let start = "\\t".repeat(before % 2) + &"x".repeat(before);
                assert_eq!(skipped(&format!("\"{start}{wrong}\"")), None, "{before} {wrong:?}");
            }
        }
    }

    #[test]
    fn half_a_pair_is_seen_wherever_it_stands() {
        for before in 0..140 {
            let start = "x".repeat(before);
            for (escapes, unpaired) in [
                (r"\ud83d\ude00", false),
                (r"\\ud83d", false),
                (r"\ud83d", true),
                (r"\ude00", true),
                (r"\ude00\ud83d", true),
                (r"\ud83d\ud83d\ude00", true),
                (r"\ud83d\ude00\ude00", true),
                (r"\ud83d\u0041", true),
                (r"\ud83d\\ude00", true),
            ] {
                let string = format!("\"{start}{escapes}{start}\"");
                let found = skipped(&string).unwrap();
                assert_eq!(found.unpaired_surrogate, unpaired, "{string}");
            }
        }
    }
}
