//! Text as it stands in a file of cases.

use std::fmt::Write;

/// A string of TOML on one line; without escapes where it can be.
pub(super) fn quoted(text: &str) -> String {
    if !text.contains(|letter: char| letter == '\'' || is_escaped(letter)) {
        return format!("'{text}'");
    }
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        // Writing to a string cannot fail.
        let _ = match letter {
            '"' => write!(quoted, "\\\""),
            '\\' => write!(quoted, "\\\\"),
            '\n' => write!(quoted, "\\n"),
            '\r' => write!(quoted, "\\r"),
            letter if is_escaped(letter) => write!(quoted, "\\U{:08X}", u32::from(letter)),
            letter => write!(quoted, "{letter}"),
        };
    }
    quoted + "\""
}

/// What nobody would see in a file.
fn is_escaped(letter: char) -> bool {
    letter.is_control() || "\u{feff}\u{2028}\u{2029}\u{fffe}\u{ffff}".contains(letter)
}

/// Bytes in hexadecimal digits, as a `hex` step has them.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    let pairs: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    pairs.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_back_as_it_was() {
        let texts = ["", "plain", "it's", "a\"b\\c", "\u{0}\r\n\t\u{7f}\u{85}\u{2028}\u{feff}é😀"];
        for text in texts {
            let document = format!("text = {}", quoted(text));
            let table: toml::Table = toml::from_str(&document).unwrap();
            assert_eq!(table["text"].as_str(), Some(text), "{document}");
            assert_eq!(document.lines().count(), 1);
        }
    }
}
