//! Text for a terminal: nothing in it acts there but styles of the command's own.
//!
//! What extensions, traces and files say may hold escape sequences, and characters that are not
//! seen. So whatever is written becomes a [`Text`] on its way out, which escapes all of it; only a
//! [`Style`], and a `Text` in another one, pass as they are. A `String` that was made of a style is
//! text like any other: the mistake is seen at once, and harmless.

use std::cell::Cell;
use std::fmt::{self, Display, Write};

use extline_host::services::view;
use extline_protocol::{shown, shown_line};

pub(crate) const BOLD: Style = Style(anstyle::Style::new().bold());
pub(crate) const DIM: Style = Style(anstyle::Style::new().dimmed());
pub(crate) const RED: Style = Style(anstyle::AnsiColor::Red.on_default().bold());
pub(crate) const YELLOW: Style = Style(anstyle::AnsiColor::Yellow.on_default());
pub(crate) const GREEN: Style = Style(anstyle::AnsiColor::Green.on_default());

/// Characters of a line that are shown where it is not data; a terminal has two thousand.
const LINE_CHARS: usize = 4000;

thread_local! {
    /// What is written right now is the command's own.
    static IS_OWN: Cell<bool> = const { Cell::new(false) };
}

/// A style: `{BOLD}` begins it and `{BOLD:#}` ends it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style(anstyle::Style);

impl Style {
    /// What the words of a view look like.
    pub(crate) fn of(words: &[view::Style]) -> Self {
        use anstyle::{AnsiColor, Effects};
        let style = words.iter().fold(anstyle::Style::new(), |style, word| match word {
            view::Style::Accent => style.fg_color(Some(AnsiColor::Cyan.into())),
            view::Style::Success => style.fg_color(Some(AnsiColor::Green.into())),
            view::Style::Error => style.fg_color(Some(AnsiColor::Red.into())),
            view::Style::Warning => style.fg_color(Some(AnsiColor::Yellow.into())),
            view::Style::Muted => style.fg_color(Some(AnsiColor::BrightBlack.into())),
            view::Style::Dim => style | Effects::DIMMED,
            view::Style::Title => style | Effects::BOLD | Effects::UNDERLINE,
            view::Style::Bold => style | Effects::BOLD,
            view::Style::Italic => style | Effects::ITALIC,
            view::Style::Strike => style | Effects::STRIKETHROUGH,
            // A word that is not known is not read.
            _ => style,
        });
        Self(style)
    }
}

impl Display for Style {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        own(|| self.0.fmt(formatter))
    }
}

/// Text that a terminal shows as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text(String);

impl Text {
    /// All of it; line feeds and tabs stay.
    pub(crate) fn of(text: impl Display) -> Self {
        Self::written(text, usize::MAX)
    }

    /// The same, with the beginnings of lines that nobody would read to their end.
    pub(crate) fn in_short_lines(text: impl Display) -> Self {
        Self::written(text, LINE_CHARS)
    }

    /// One line of at most so many characters; of a longer one the beginning, and its length.
    pub(crate) fn line(text: &str, at_most: usize) -> Self {
        let shown = shown_line(text);
        let count = shown.chars().count();
        if count <= at_most {
            return Self(shown.into_owned());
        }
        let end = format!("... {} bytes", text.len());
        let beginning = shown.chars().take(at_most.saturating_sub(end.len()));
        Self(beginning.chain(end.chars()).collect())
    }

    /// One below the other.
    pub(crate) fn of_lines(lines: &[Self]) -> Self {
        Self(lines.iter().map(Self::as_str).collect::<Vec<_>>().join("\n"))
    }

    /// One beside the other.
    pub(crate) fn beside(pieces: &[Self]) -> Self {
        Self(pieces.iter().map(Self::as_str).collect())
    }

    /// What was made for a terminal already, by somebody who escapes what others wrote.
    pub(crate) fn made(text: String) -> Self {
        Self(text)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    fn written(text: impl Display, line_chars: usize) -> Self {
        let mut escaping = Escaping { text: String::new(), line_chars, line: 0 };
        // A String takes all that is written; a `Display` that fails has written what it could.
        let _ = write!(escaping, "{text}");
        escaping.end_line();
        Self(escaping.text)
    }
}

impl Display for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        own(|| formatter.write_str(&self.0))
    }
}

/// A [`Text`] from what `format!` takes.
macro_rules! text {
    ($($words:tt)*) => { $crate::styled::Text::of(format_args!($($words)*)) };
}
pub(crate) use text;

fn own<T>(write: impl FnOnce() -> T) -> T {
    let was_own = IS_OWN.replace(true);
    let written = write();
    IS_OWN.set(was_own);
    written
}

/// Takes what is formatted, and escapes what is not the command's own.
struct Escaping {
    text: String,
    line_chars: usize,
    /// Characters of the line so far, the further ones included.
    line: usize,
}

impl Escaping {
    fn end_line(&mut self) {
        let further = self.line.saturating_sub(self.line_chars);
        if further > 0 {
            // A String takes all that is written.
            let _ = write!(self.text, "... and {further} characters more");
        }
        self.line = 0;
    }
}

impl Write for Escaping {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        if IS_OWN.get() {
            self.text.push_str(piece);
            return Ok(());
        }
        for character in shown(piece).chars() {
            if character == '\n' {
                self.end_line();
            } else {
                self.line += 1;
            }
            if character == '\n' || self.line <= self.line_chars {
                self.text.push(character);
            }
        }
        Ok(())
    }
}

/// A number with what it counts: `1 tool`, `3 tools`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "\u{1b}[2J\u{9b}1m\u{202e}\r";

    #[test]
    fn only_styles_of_our_own_reach_the_terminal() {
        let text = text!("{BOLD}{HOSTILE}{BOLD:#} {}", text!("{RED}x{RED:#}"));
        let shown = "\u{1b}[1m\\u{1b}[2J\\u{9b}1m\\u{202e}\\r\u{1b}[0m \
                     \u{1b}[1m\u{1b}[31mx\u{1b}[0m";
        assert_eq!(text.as_str(), shown);
        // Forgotten to be a `Text` in between.
        let lost = format!("{BOLD}x{BOLD:#}");
        assert_eq!(Text::of(lost).as_str(), "\\u{1b}[1mx\\u{1b}[0m");
    }

    #[test]
    fn endless_lines_are_cut() {
        let text = Text::in_short_lines(format_args!("{DIM}{}{DIM:#}\nb", "x".repeat(5000)));
        let (first, second) = text.as_str().split_once('\n').unwrap();
        assert!(first.ends_with("x\u{1b}[0m... and 1000 characters more"), "{first}");
        assert_eq!(
            (first.len(), second),
            ("\u{1b}[2m\u{1b}[0m... and 1000 characters more".len() + 4000, "b")
        );
        assert_eq!(Text::line("a\nb", 9).as_str(), "a\\nb");
        assert_eq!(Text::line(&"x".repeat(70_000), 20).as_str(), "xxxxx... 70000 bytes");
    }
}
