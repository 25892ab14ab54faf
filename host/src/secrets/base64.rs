//! Base64 with the alphabet of RFC 4648, section 4, and padding.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let index = (bits >> (18 - 6 * at) & 63) as usize;
            text.push(if at > group.len() { '=' } else { char::from(ALPHABET[index]) });
        }
    }
    text
}

/// `None` where it is not what [`encode`] writes.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let groups = text.as_bytes().chunks(4);
    let last = groups.len().checked_sub(1);
    for (position, group) in groups.enumerate() {
        let padding = group.iter().rev().take_while(|byte| **byte == b'=').count();
        if group.len() != 4 || padding > 2 || (padding > 0 && Some(position) != last) {
            return None;
        }
        let mut bits = 0;
        for byte in &group[..4 - padding] {
            let value = ALPHABET.iter().position(|known| known == byte)?;
            bits = bits << 6 | u32::try_from(value).ok()?;
        }
        bits <<= 6 * padding;
        bytes.extend_from_slice(&bits.to_be_bytes()[1..4 - padding]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_encoded_is_decoded() {
        // RFC 4648, section 10.
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
        ] {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).unwrap(), bytes.as_bytes());
        }
        for wrong in ["Zg", "Zg=", "Z===", "Zg==Zg==", "Zm9*", "Zm\n9"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}
