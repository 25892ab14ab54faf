//! A thread that writes to the stdin of a process under test, one piece at a time.

use std::fs::File;
use std::io::{self, Write};
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::ptr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use windows_sys::Win32::System::IO::CancelIoEx;

/// The most that is written at once.
const PIECE: usize = 64 * 1024;
/// A process that reads takes a piece within that time, so nothing else is looked at meanwhile.
const AT_ONCE: Duration = Duration::from_millis(2);

/// The way to its stdin.
#[derive(Debug)]
pub(crate) struct ToStdin {
    pipe: Arc<File>,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// For the thread.
    piece: Option<Vec<u8>>,
    /// What the thread was given and nobody was told of yet.
    under_way: usize,
    /// What became of it.
    outcome: Option<io::Result<()>>,
    /// Nobody writes any more.
    is_over: bool,
}

impl ToStdin {
    pub(crate) fn new(stdin: impl Into<OwnedHandle>) -> io::Result<Self> {
        let pipe = Arc::new(File::from(stdin.into()));
        let shared = Arc::<Shared>::default();
        let (own, orders) = (Arc::clone(&pipe), Arc::clone(&shared));
        thread::Builder::new().name("stdin".to_owned()).spawn(move || run(&own, &orders))?;
        Ok(Self { pipe, shared })
    }

    /// Not after it was made.
    #[expect(clippy::unused_self, reason = "on Linux it is the pipe that is set")]
    pub(crate) fn set_size(&self, _bytes: usize) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Writes what the pipe takes now. Where it says that it would have to wait, it may be at work on these
    /// bytes: the next call has to begin with the same.
    pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.shared.lock();
        if state.under_way == 0 {
            let piece = &bytes[..bytes.len().min(PIECE)];
            state.under_way = piece.len();
            state.piece = Some(piece.to_vec());
            self.shared.changed.notify_all();
            let until = Instant::now() + AT_ONCE;
            while state.outcome.is_none() && Instant::now() < until {
                let left = until.saturating_duration_since(Instant::now());
                let waited = self.shared.changed.wait_timeout(state, left);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        }
        match state.outcome.take() {
            None => Err(io::ErrorKind::WouldBlock.into()),
            Some(outcome) => outcome.map(|()| std::mem::take(&mut state.under_way)),
        }
    }

    /// Whether a write would do something.
    pub(crate) fn has_room(&self) -> bool {
        let state = self.shared.lock();
        state.under_way == 0 || state.outcome.is_some()
    }

    /// The system does not tell.
    #[expect(clippy::unused_self, reason = "on Unix it is told")]
    pub(crate) fn unread(&self) -> Option<u64> {
        None
    }
}

impl Drop for ToStdin {
    /// The pipe is closed when the thread has ended too, which may be in the middle of a write.
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.changed.notify_all();
        #[expect(unsafe_code, reason = "std ends no write of another thread")]
        // SAFETY: the handle is open as long as the file lives. That nothing is written is no mistake.
        unsafe {
            CancelIoEx(self.pipe.as_raw_handle(), ptr::null());
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Each change is whole before it can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn run(mut pipe: &File, shared: &Shared) {
    loop {
        let mut state = shared.lock();
        let piece = loop {
            if state.is_over {
                return;
            }
            if let Some(piece) = state.piece.take() {
                break piece;
            }
            state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        };
        drop(state);
        let outcome = pipe.write_all(&piece);
        shared.lock().outcome = Some(outcome);
        shared.changed.notify_all();
    }
}
