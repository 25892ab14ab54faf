//! Text of others as a person is shown it: nothing in it acts on a terminal, is invisible, or turns
//! the order in which it is read.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character does something where a letter would be shown: control characters (C0, DEL and
/// C1), line and paragraph separators, marks that turn the reading order, and what is not seen at
/// all. The joiners of emoji and of Persian words (U+200C, U+200D) are none: ordinary text has them.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// A text of several lines, with escapes like `\u{1b}` and `\r` for hidden characters ([`is_hidden`]). Line
/// feeds and tabs stay; a carriage return before a line feed goes.
pub fn shown(text: &str) -> Cow<'_, str> {
    escaped(text, |character| is_hidden(character) && !matches!(character, '\n' | '\t'))
}

/// The same for what has to stay one line: `\n` and `\t` stand for line feeds and tabs.
pub fn shown_line(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden)
}

/// JSON with the same meaning and without hidden characters: escapes like `\u202e` inside strings,
/// blanks between the values.
pub fn shown_json(json: &str) -> Cow<'_, str> {
    if !json.contains(is_hidden) {
        return json.into();
    }
    let mut text = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        match character {
            // JSON has these nowhere but between values.
            '\0'..'\u{20}' => text.push(' '),
            hidden if is_hidden(hidden) => {
                for unit in hidden.encode_utf16(&mut [0; 2]) {
                    // A String takes all that is written.
                    let _ = write!(text, "\\u{unit:04x}");
                }
            }
            other => text.push(other),
        }
    }
    text.into()
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' if characters.peek() == Some(&'\n') => {}
            '\n' if is_escaped('\n') => shown.push_str("\\n"),
            '\t' if is_escaped('\t') => shown.push_str("\\t"),
            '\r' => shown.push_str("\\r"),
            hidden if is_escaped(hidden) => shown.extend(hidden.escape_unicode()),
            other => shown.push(other),
        }
    }
    shown.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_or_hides_is_escaped() {
        let raw = "a\u{1b}]0;t\u{7}\u{8}\u{7f}\u{9b}2J\rb\u{202e}\u{2066}\u{2028}\u{feff}\u{e0041}";
        let expected = "a\\u{1b}]0;t\\u{7}\\u{8}\\u{7f}\\u{9b}2J\\rb\\u{202e}\\u{2066}\\u{2028}\
                        \\u{feff}\\u{e0041}";
        assert_eq!(shown(raw), expected);
        assert_eq!(shown_line(raw), expected);
    }

    #[test]
    fn ordinary_text_stays_as_it_is() {
        let text = "größer, 日本語, سلام, می‌خواهم, 👨‍👩‍👧\n\tx";
        assert!(matches!(shown(text), Cow::Borrowed(same) if same == text));
        assert_eq!(shown("a\r\nb\rc"), "a\nb\\rc");
        assert_eq!(shown_line("a\r\n\tb"), "a\\n\\tb");
    }

    #[test]
    fn json_keeps_its_meaning() {
        let json = "{\"a\u{202e}\":\t[\"\u{9b}\u{7f}\u{e0041}\",\r1]}";
        let shown = shown_json(json);
        assert_eq!(shown, "{\"a\\u202e\": [\"\\u009b\\u007f\\udb40\\udc41\", 1]}");
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(&shown), value(json));
    }
}
