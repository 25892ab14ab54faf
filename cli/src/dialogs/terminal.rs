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

pub(super) fn say(text: &str) {
    let mut stderr = anstream::stderr().lock();
    // Nobody can be told where stderr is gone.
    let _ = stderr.write_all(text.as_bytes());
    let _ = stderr.flush();
}

fn ask(text: &str) {
    say(&format!("{BOLD}{text}{BOLD:#}"));
}

/// Takes back the line of the cursor, and so many above it; also where colours are not wanted.
pub(super) fn clear(above: usize) {
    let up = if above > 0 { format!("\x1b[{above}A") } else { String::new() };
    let mut stderr = AutoStream::always_ansi(anstream::stderr().into_inner());
    let _ = write!(stderr, "\r{up}\x1b[J");
    let _ = stderr.flush();
}
