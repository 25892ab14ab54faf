//! Where a run of plain characters in a string ends, looked for eight bytes at a time.

use crate::bytes::find_either;

/// Strings up to this long are looked through here: the call to a search would cost more.
const SHORT: usize = 32;

/// The next `"` or `\` from `at` on; `None` where none is left, and where a control character
/// comes first, which no JSON string holds.
pub(super) fn next_quote_or_backslash(bytes: &[u8], at: usize) -> Option<usize> {
    let mut rest = bytes.get(at..)?;
    let mut at = at;
    for _ in 0..SHORT / 8 {
        let Some((word, behind)) = rest.split_first_chunk() else { break };
        if let Some(offset) = first_to_escape(u64::from_le_bytes(*word)) {
            return (rest[offset] >= 0x20).then_some(at + offset);
        }
        rest = behind;
        at += 8;
    }
    let found = find_either(b'"', b'\\', rest)?;
    // The least of all bytes is found many at a time, unlike the first that is small.
    let least = rest[..found].iter().fold(u8::MAX, |least, byte| least.min(*byte));
    (least >= 0x20).then_some(at + found)
}

/// The first of eight bytes that is `"`, `\` or a control character.
fn first_to_escape(word: u64) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // The high bit of the lowest byte that is 0 is set, and no lower high bit. (High bits above it
    // may be wrong, as borrows run upwards.)
    let zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    let quote = zero(word ^ (ONES * u64::from(b'"')));
    let backslash = zero(word ^ (ONES * u64::from(b'\\')));
    let found = (control | quote | backslash) & HIGH;
    (found != 0).then(|| found.trailing_zeros() as usize / 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every byte at every place, with every other byte of interest before and behind it.
    #[test]
    fn each_byte_is_found_where_it_stands() {
        for byte in 0..=u8::MAX {
            for length in 1..70 {
                for filler in [b'a', b'!', b'#', b'[', b']', 0x7F, 0x80, 0xFF] {
                    let mut bytes = vec![filler; length];
                    for at in [0, length / 2, length - 1] {
                        bytes[at] = byte;
                        let quote = matches!(byte, b'"' | b'\\').then_some(at);
                        assert_eq!(next_quote_or_backslash(&bytes, 0), quote, "{byte} at {at}");
                        let control = (byte < 0x20).then_some(at);
                        let behind = [&bytes[..], b"\""].concat();
                        let end = if control.is_some() { None } else { quote.or(Some(length)) };
                        assert_eq!(next_quote_or_backslash(&behind, 0), end, "{byte} at {at}");
                        bytes[at] = filler;
                    }
                }
            }
        }
    }

    #[test]
    fn the_search_starts_where_it_is_told_to() {
        let bytes = b"\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\\aaaaaaaaaa";
        assert_eq!(next_quote_or_backslash(bytes, 0), Some(0));
        assert_eq!(next_quote_or_backslash(bytes, 1), Some(41));
        assert_eq!(next_quote_or_backslash(bytes, 42), None);
        assert_eq!(next_quote_or_backslash(bytes, bytes.len()), None);
        assert_eq!(next_quote_or_backslash(bytes, bytes.len() + 1), None);
    }
}
