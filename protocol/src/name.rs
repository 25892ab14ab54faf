//! What things may be called.

use crate::shown::is_hidden;

/// Longest name of a tool or command.
pub(crate) const NAME: usize = 64;

/// A name of somebody else's as it stands in an error, which must not grow with it.
pub(crate) fn cut_name(name: &str) -> String {
    if name.len() <= NAME { name.to_owned() } else { crate::json::excerpt(name) }
}

/// The most bytes of an extension's name.
const EXTENSION: usize = 100;

/// Whether a tool or a command may be called so (`reg.names`).
pub(crate) fn is_offered(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=NAME).contains(&name.len()) && name.bytes().all(allowed)
}

/// Checks the name of an extension, which becomes part of file names and is shown to people. `Err`
/// says what is wrong, as `it cannot be part of a file name`.
pub fn check_extension_name(name: &str) -> Result<(), &'static str> {
    // Joiners, too: they belong into words, but two names must not look the same.
    let misleads = |character: char| {
        is_hidden(character)
            || matches!(character, '\u{200c}' | '\u{200d}')
            || (character.is_whitespace() && character != ' ')
    };
    if name.is_empty() {
        Err("it is empty")
    } else if name.len() > EXTENSION {
        Err("it is longer than 100 bytes")
    } else if name.starts_with('.') || name.contains(['/', '\\']) {
        Err("it cannot be part of a file name")
    } else if name.contains(misleads) {
        Err("it holds a character that is not seen, or that changes how it is read")
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_seen_as_they_are() {
        for name in ["weather", "größe 2", "日本語", "a.b"] {
            assert_eq!(check_extension_name(name), Ok(()), "{name}");
        }
        let misleading = ["a\u{202e}b", "a\u{2028}b", "a\u{200b}", "a\u{200d}", "a\u{a0}b", "a\nb"];
        let outside = ["", ".", "..", "a/b", "a\\b"];
        for name in misleading.into_iter().chain(outside).chain([&*"x".repeat(101)]) {
            assert!(check_extension_name(name).is_err(), "{name:?}");
            assert!(!is_offered(name), "{name:?}");
        }
    }
}
