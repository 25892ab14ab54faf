//! The terminal of a dialog: texts on stderr, lines and keys that are typed.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::io::Write;

use anstream::AutoStream;

#[cfg(unix)]
pub(crate) use self::unix::{Terminal, Typing, can_draw};
#[cfg(windows)]
pub(crate) use self::windows::{Terminal, Typing, can_draw};
use crate::styled::BOLD;

/// A key that means something to a dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Up,
    Down,
    Enter,
    Backspace,
    /// Ctrl-D.
    End,
    Character(char),
    Other,
}

impl Terminal {
    pub(super) fn prompt(&mut self, text: &str) {
        say(&format!("{BOLD}{text}{BOLD:#}"));
        self.is_asking = true;
    }

    /// What was asked has its answer, and the cursor stands in a new line.
    pub(super) fn is_answered(&mut self) {
        self.is_asking = false;
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if self.is_asking {
            say("\n");
        }
    }
}

pub(super) fn say(text: &str) {
    let mut stderr = anstream::stderr().lock();
    // Nobody can be told where stderr is gone.
    let _ = stderr.write_all(text.as_bytes());
    let _ = stderr.flush();
}

/// Takes back the line of the cursor, and so many above it; also where colours are not wanted.
pub(super) fn clear(above: usize) {
    let up = if above > 0 { format!("\x1b[{above}A") } else { String::new() };
    let mut stderr = AutoStream::always_ansi(anstream::stderr().into_inner());
    let _ = write!(stderr, "\r{up}\x1b[J");
    let _ = stderr.flush();
}
