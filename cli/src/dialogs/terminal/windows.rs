//! A console of Windows.
//!
//! It is read key by key, since a read of a line cannot be taken back. So a line is shown here while it is
//! typed, unless its echo is off.

use std::io;
use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, poll, read};
use crossterm_winapi::{ConsoleMode, Handle};
use unicode_width::UnicodeWidthChar;

use super::{Key, say};

/// How long a key may take to be seen.
const LOOK: Duration = Duration::from_millis(20);
/// What the system calls `ENABLE_LINE_INPUT`.
const LINES: u32 = 0x2;
/// What the system calls `ENABLE_ECHO_INPUT`.
const ECHO: u32 = 0x4;

/// Whether the cursor can be moved. Windows can be told so since version 10.
pub(crate) fn can_draw() -> bool {
    crossterm::ansi_support::supports_ansi()
}

/// The console of this process. What is not read of it stays for whoever reads next.
pub(crate) struct Terminal {
    /// The cursor stands behind a question.
    pub(super) is_asking: bool,
}

impl Terminal {
    pub(crate) fn open() -> io::Result<Self> {
        mode()?;
        Ok(Self { is_asking: false })
    }

    /// Waits for a line, without its end. `None` at Ctrl-D or Ctrl-Z where nothing was typed before. May be
    /// dropped.
    pub(crate) async fn line(&mut self) -> io::Result<Option<String>> {
        let is_shown = mode()? & ECHO != 0;
        let mut line = Line::default();
        loop {
            let key = self.key().await?;
            if key == Key::End && line.text.is_empty() {
                return Ok(None);
            }
            let shown = line.take(key);
            if is_shown {
                say(&shown);
            }
            if key == Key::Enter {
                self.is_asking = false;
                return Ok(Some(line.text));
            }
        }
    }

    /// Waits for a key. Ctrl-C is a signal as ever. May be dropped.
    #[expect(clippy::unused_self, reason = "as on Unix")]
    pub(crate) async fn key(&mut self) -> io::Result<Key> {
        loop {
            while poll(Duration::ZERO)? {
                if let Some(key) = key_of(&read()?) {
                    return Ok(key);
                }
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

/// A line that is typed.
#[derive(Default)]
struct Line {
    text: String,
}

impl Line {
    /// Takes a key in; what shows that on the console.
    fn take(&mut self, key: Key) -> String {
        match key {
            Key::Character(it) => {
                self.text.push(it);
                it.to_string()
            }
            Key::Backspace => {
                let columns = self.text.pop().and_then(UnicodeWidthChar::width).unwrap_or(0);
                "\x08 \x08".repeat(columns)
            }
            Key::Enter => "\n".to_owned(),
            Key::Up | Key::Down | Key::End | Key::Other => String::new(),
        }
    }
}

/// `None` where no key goes down.
fn key_of(event: &Event) -> Option<Key> {
    let KeyEvent { code, modifiers, .. } = match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => key,
        _ => return None,
    };
    Some(match code {
        KeyCode::Char('d' | 'z') if modifiers.contains(KeyModifiers::CONTROL) => Key::End,
        KeyCode::Char(_) if modifiers.contains(KeyModifiers::CONTROL) => Key::Other,
        KeyCode::Char(it) => Key::Character(*it),
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Enter => Key::Enter,
        KeyCode::Backspace => Key::Backspace,
        _ => Key::Other,
    })
}

/// How the console takes what is typed, as long as this lives.
pub(crate) struct Typing(u32);

impl Typing {
    /// What is typed is not shown. What was typed before is forgotten.
    pub(crate) fn hidden() -> io::Result<Self> {
        let typing = Self::without(ECHO)?;
        while poll(Duration::ZERO)? {
            read()?;
        }
        Ok(typing)
    }

    /// Each key comes by itself, and is not shown.
    pub(crate) fn keys() -> io::Result<Self> {
        Self::without(ECHO | LINES)
    }

    /// As it is, for another program that may leave it otherwise.
    pub(crate) fn kept() -> io::Result<Self> {
        Ok(Self(mode()?))
    }

    fn without(modes: u32) -> io::Result<Self> {
        let before = mode()?;
        set_mode(before & !modes)?;
        Ok(Self(before))
    }

    /// Has it as it was.
    pub(crate) fn restore(&self) {
        // There is nothing to do about a console that is gone.
        let _ = set_mode(self.0);
    }
}

impl Drop for Typing {
    fn drop(&mut self) {
        self.restore();
    }
}

fn mode() -> io::Result<u32> {
    ConsoleMode::from(Handle::input_handle()?).mode()
}

fn set_mode(mode: u32) -> io::Result<()> {
    ConsoleMode::from(Handle::input_handle()?).set_mode(mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_mean_what_they_mean_elsewhere() {
        let key = |code, modifiers| key_of(&Event::Key(KeyEvent::new(code, modifiers)));
        let (none, control) = (KeyModifiers::NONE, KeyModifiers::CONTROL);
        assert_eq!(key(KeyCode::Char('ü'), none), Some(Key::Character('ü')));
        assert_eq!(key(KeyCode::Char('d'), control), Some(Key::End));
        assert_eq!(key(KeyCode::Char('z'), control), Some(Key::End));
        assert_eq!(key(KeyCode::Char('x'), control), Some(Key::Other));
        assert_eq!(key(KeyCode::F(1), none), Some(Key::Other));
        assert_eq!(key_of(&Event::Resize(80, 24)), None);
        let mut up = KeyEvent::new(KeyCode::Enter, none);
        up.kind = KeyEventKind::Release;
        assert_eq!(key_of(&Event::Key(up)), None);
    }

    #[test]
    fn a_line_is_shown_as_it_is_typed() {
        let mut line = Line::default();
        assert_eq!(line.take(Key::Backspace), "");
        assert_eq!(line.take(Key::Character('a')), "a");
        assert_eq!(line.take(Key::Character('字')), "字");
        assert_eq!(line.take(Key::Backspace), "\x08 \x08\x08 \x08");
        assert_eq!(line.take(Key::Other), "");
        assert_eq!(line.take(Key::Enter), "\n");
        assert_eq!(line.text, "a");
    }
}
