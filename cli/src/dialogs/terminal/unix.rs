//! A terminal of Unix.

use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags, open};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr, ttyname};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::Key;

/// Whether the cursor can be moved.
pub(crate) fn can_draw() -> bool {
    std::env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb")
}

/// The terminal that stdin is, opened once more: so it does not block, and nobody else's descriptor
/// changes. What is not read of it stays for whoever reads next.
pub(crate) struct Terminal {
    end: AsyncFd<OwnedFd>,
    /// The cursor stands behind a question.
    pub(super) is_asking: bool,
    /// Keys that came with others.
    typed: Vec<u8>,
}

impl Terminal {
    #[expect(unsafe_code, reason = "the event loop cannot tell that a descriptor stays the same")]
    pub(crate) fn open() -> io::Result<Self> {
        let name = ttyname(io::stdin(), Vec::new())?;
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let end = open(name, flags, Mode::empty())?;
        // SAFETY: an owned descriptor stays open, and the same, until it is dropped, and with it the watch.
        let end = unsafe { AsyncFd::register_with_interest(end, Interest::READABLE) };
        Ok(Self { end: end?, is_asking: false, typed: Vec::new() })
    }

    /// Waits for a line, without its end. `None` at Ctrl-D. May be dropped.
    pub(crate) async fn line(&mut self) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        loop {
            let read = self.read().await?;
            if read.is_empty() {
                return Ok(None);
            }
            line.extend_from_slice(&read);
            if let Some(end) = line.iter().position(|byte| *byte == b'\n') {
                let text = String::from_utf8_lossy(&line[..end]);
                self.is_asking = false;
                return Ok(Some(text.trim_end_matches('\r').to_owned()));
            }
        }
    }

    /// Waits for a key; only while [`Typing::keys`] lives does each come by itself. May be dropped.
    pub(crate) async fn key(&mut self) -> io::Result<Key> {
        loop {
            if let Some((key, length)) = key_of(&self.typed) {
                self.typed.drain(..length);
                return Ok(key);
            }
            let read = self.read().await?;
            if read.is_empty() {
                return Ok(Key::End);
            }
            self.typed.extend(read);
        }
    }

    /// What is there, or comes next; nothing at the end.
    async fn read(&mut self) -> io::Result<Vec<u8>> {
        loop {
            let mut guard = self.end.readable().await?;
            let mut bytes = [0; 4096];
            match guard.try_io(|end| Ok(rustix::io::read(end, &mut bytes)?)) {
                Ok(Ok(count)) => return Ok(bytes[..count].to_vec()),
                Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(Err(error)) => return Err(error),
                Err(_would_block) => {}
            }
        }
    }
}

/// The first key of what was typed, and how many bytes it has; `None` while it is not whole.
fn key_of(typed: &[u8]) -> Option<(Key, usize)> {
    Some(match typed {
        [] | [0x1b] => return None,
        [0x1b, b'[' | b'O', rest @ ..] => {
            // Numbers, then a letter or a tilde.
            let length = rest.iter().position(|byte| (0x40..=0x7e).contains(byte))?;
            let key = match &rest[..=length] {
                b"A" => Key::Up,
                b"B" => Key::Down,
                _ => Key::Other,
            };
            (key, length + 3)
        }
        [0x1b, ..] => (Key::Other, 1),
        [b'\r' | b'\n', ..] => (Key::Enter, 1),
        [0x7f | 0x08, ..] => (Key::Backspace, 1),
        [0x04, ..] => (Key::End, 1),
        [first, ..] if *first < 0x20 => (Key::Other, 1),
        [first, ..] => {
            let length = match first {
                0xc2..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf4 => 4,
                _ => 1,
            };
            let text = String::from_utf8_lossy(typed.get(..length)?);
            (text.chars().next().map_or(Key::Other, Key::Character), length)
        }
    })
}

/// How the terminal takes what is typed, as long as this lives.
pub(crate) struct Typing(Termios);

impl Typing {
    /// What is typed is not shown. What was typed before is forgotten.
    pub(crate) fn hidden() -> io::Result<Self> {
        Self::without(LocalModes::ECHO, OptionalActions::Flush)
    }

    /// Each key comes by itself, and is not shown; Ctrl-C is a signal as ever.
    pub(crate) fn keys() -> io::Result<Self> {
        Self::without(LocalModes::ECHO | LocalModes::ICANON, OptionalActions::Now)
    }

    /// As it is, for another program that may leave it otherwise.
    pub(crate) fn kept() -> io::Result<Self> {
        Ok(Self(tcgetattr(io::stdin())?))
    }

    fn without(modes: LocalModes, when: OptionalActions) -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut other = before.clone();
        other.local_modes.remove(modes);
        tcsetattr(io::stdin(), when, &other)?;
        Ok(Self(before))
    }

    /// Has it as it was.
    pub(crate) fn restore(&self) {
        // There is nothing to do about a terminal that is gone.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}

impl Drop for Typing {
    fn drop(&mut self) {
        self.restore();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_in_what_is_typed() {
        for (typed, key) in [
            (&b"\x1b[A"[..], Some((Key::Up, 3))),
            (b"\x1bOBx", Some((Key::Down, 3))),
            (b"\x1b[1;5A", Some((Key::Other, 6))),
            (b"\x1b[1", None),
            (b"\x1b", None),
            (b"\n", Some((Key::Enter, 1))),
            (b"\x7f", Some((Key::Backspace, 1))),
            (b"\x04", Some((Key::End, 1))),
            ("ü".as_bytes(), Some((Key::Character('ü'), 2))),
            (&"ü".as_bytes()[..1], None),
            (b"\xff", Some((Key::Character('\u{fffd}'), 1))),
        ] {
            assert_eq!(key_of(typed), key, "{typed:?}");
        }
    }
}
