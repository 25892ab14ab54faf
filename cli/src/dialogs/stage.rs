//! Who has the terminal: the line that is edited, a panel, or a dialog. A process has one terminal, so there is one
//! of these.

use std::io::Write;
use std::sync::{Mutex, PoisonError, mpsc};

use tokio::sync::MutexGuard;

static TERMINAL: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
static TOLD: Mutex<Told> = Mutex::new(Told::Written);

/// What becomes of a line that is told meanwhile.
enum Told {
    /// It is written to stderr.
    Written,
    /// It is printed above the line that is edited.
    Above(mpsc::Sender<String>),
    /// It is kept until the terminal is free.
    Kept(Vec<String>),
}

/// The terminal is this one's, until it is dropped.
pub(crate) struct Turn(#[expect(dead_code, reason = "it is held")] MutexGuard<'static, ()>);

impl Turn {
    fn of(guard: MutexGuard<'static, ()>, told: Told) -> Self {
        *TOLD.lock().unwrap_or_else(PoisonError::into_inner) = told;
        Self(guard)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let told = {
            let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *told, Told::Written)
        };
        if let Told::Kept(lines) = told {
            for line in lines {
                write(&line);
            }
        }
    }
}

/// Waits for the terminal, to edit a line on it; `above` prints above that.
pub(crate) async fn to_edit(above: Option<mpsc::Sender<String>>) -> Turn {
    let told = above.map_or(Told::Written, Told::Above);
    Turn::of(TERMINAL.lock().await, told)
}

/// Waits for the terminal, to have all of it. Those who wait get it in their order.
pub(crate) async fn to_have() -> Turn {
    Turn::of(TERMINAL.lock().await, Told::Kept(Vec::new()))
}

/// The terminal, if nobody has it.
pub(crate) fn if_free() -> Option<Turn> {
    Some(Turn::of(TERMINAL.try_lock().ok()?, Told::Kept(Vec::new())))
}

/// Tells a line, or several, where that does not disturb who has the terminal.
pub(crate) fn tell(text: String) {
    match &mut *TOLD.lock().unwrap_or_else(PoisonError::into_inner) {
        Told::Written => write(&text),
        Told::Above(above) => {
            let text = match anstream::AutoStream::choice(&std::io::stderr()) {
                anstream::ColorChoice::Never => anstream::adapter::strip_str(&text).to_string(),
                _ => text,
            };
            // Nobody reads it when the terminal is gone.
            let _ = above.send(text + "\n");
        }
        Told::Kept(lines) => lines.push(text),
    }
}

fn write(text: &str) {
    // Nobody can be told where stderr is gone.
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}
