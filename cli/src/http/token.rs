//! Whether a token is the one that is wanted.

/// Compares in a time that depends on the lengths alone.
pub(crate) fn is_same(said: &[u8], token: &[u8]) -> bool {
    let difference = said.iter().zip(token).fold(0, |sum, (a, b)| sum | (a ^ b));
    said.len() == token.len() && std::hint::black_box(difference) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_the_same_as_itself_alone() {
        assert!(is_same(b"0123456789abcdef", b"0123456789abcdef"));
        for other in [&b"0123456789abcdeF"[..], b"0123456789abcde", b"0123456789abcdef0", b""] {
            assert!(!is_same(other, b"0123456789abcdef"));
        }
    }
}
