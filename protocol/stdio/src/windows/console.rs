//! Ctrl-C, Ctrl-Break and the end of the console: each says that the process is to end, as SIGTERM does
//! elsewhere.
//!
//! A host that starts an extension in a process group of its own ends it by Ctrl-Break. One session of the
//! process listens at a time; while none does, the event does what it did before.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use windows_sys::Win32::Foundation::{FALSE, TRUE};
use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, CTRL_C_EVENT, SetConsoleCtrlHandler};
use windows_sys::core::BOOL;

use super::cannot;
use super::shared::Shared;
use crate::Error;

static LISTENER: Mutex<Listening> = Mutex::new(Listening { session: None, is_installed: false });

#[derive(Debug)]
struct Listening {
    session: Option<Weak<Shared>>,
    is_installed: bool,
}

/// The system ends the process once this is over, or five seconds after the console was closed.
const LONGER_THAN_THE_SYSTEM_WAITS: Duration = Duration::from_secs(60);

/// A session that listens; dropping it ends that.
#[derive(Debug)]
pub(super) struct Listener(());

impl Listener {
    /// Has the session told from now on.
    pub(super) fn new(shared: &Arc<Shared>) -> Result<Self, Error> {
        let mut listening = lock();
        if listening.session.is_some() {
            return Err(Error::AlreadyListening);
        }
        if !listening.is_installed {
            // SAFETY: the handler is a function, which is there as long as the process is.
            if unsafe { SetConsoleCtrlHandler(Some(on_event), TRUE) } == 0 {
                return Err(cannot("listen for Ctrl-C and Ctrl-Break")(io::Error::last_os_error()));
            }
            listening.is_installed = true;
        }
        listening.session = Some(Arc::downgrade(shared));
        Ok(Self(()))
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        lock().session = None;
    }
}

fn lock() -> MutexGuard<'static, Listening> {
    // Each change is whole before it can panic.
    LISTENER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The system calls it in a thread of its own, so it may lock and wait.
unsafe extern "system" fn on_event(event: u32) -> BOOL {
    let session = lock().session.as_ref().and_then(Weak::upgrade);
    let Some(session) = session else { return FALSE };
    session.change(|state| state.is_told_to_end = true);
    if !matches!(event, CTRL_C_EVENT | CTRL_BREAK_EVENT) {
        // The console is closed, or the person logs off. The process has to end meanwhile by itself.
        thread::sleep(LONGER_THAN_THE_SYSTEM_WAITS);
    }
    TRUE
}
