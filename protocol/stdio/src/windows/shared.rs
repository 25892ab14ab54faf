//! What the two ends of a session know of each other: what has come, what is on its way out, and who
//! waits.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task;
use std::time::{Duration, Instant};

/// The state, and those who wait for it to change.
#[derive(Debug, Default)]
pub(super) struct Shared {
    state: Mutex<State>,
    /// Something has come, or the host has taken something.
    news: Condvar,
    /// What has come was taken, for the thread that reads.
    space: Condvar,
    /// There is something to write, for the thread that writes.
    order: Condvar,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) incoming: Incoming,
    pub(super) outgoing: Outgoing,
    /// The console said that the process is to end, and that is not reported yet.
    pub(super) is_told_to_end: bool,
    /// A [`Waker`] was used, and that is not reported yet.
    pub(super) is_pressed: bool,
    /// A task that waits for any of it.
    pub(super) task: Option<task::Waker>,
}

/// What has come and is not taken yet.
#[derive(Debug, Default)]
pub(super) struct Incoming {
    bytes: Vec<u8>,
    taken: usize,
    /// Why nothing comes behind these bytes.
    pub(super) end: Option<Failure>,
    /// The host has closed its end, and bytes may still be in the pipe.
    pub(super) has_hung_up: bool,
    /// Nobody takes any more.
    pub(super) is_over: bool,
}

/// What is on its way to the host, one piece at a time.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    /// For the thread that writes.
    pub(super) piece: Option<Vec<u8>>,
    /// The memory of the last piece, for the next one.
    pub(super) spare: Vec<u8>,
    /// Bytes that the thread was given and that nobody was told of yet.
    pub(super) under_way: usize,
    /// The host has them.
    pub(super) is_written: bool,
    pub(super) failure: Option<Failure>,
    /// Nobody writes any more.
    pub(super) is_over: bool,
}

/// Why a pipe is of no use any more. It may be told more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The other end is closed.
    Closed,
    /// The system's number.
    System(i32),
    /// Anything else.
    Other(io::ErrorKind),
}

impl Failure {
    /// For an error of a read or a write.
    pub(super) fn of(error: &io::Error) -> Self {
        if super::pipe::is_closed(error) {
            return Self::Closed;
        }
        error.raw_os_error().map_or(Self::Other(error.kind()), Self::System)
    }

    pub(super) fn to_error(self) -> io::Error {
        match self {
            Self::Closed => io::ErrorKind::BrokenPipe.into(),
            Self::System(number) => io::Error::from_raw_os_error(number),
            Self::Other(kind) => kind.into(),
        }
    }
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        // Each change is whole before it can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and tells all who wait for it.
    pub(super) fn change<R>(&self, change: impl FnOnce(&mut State) -> R) -> R {
        let mut state = self.lock();
        let changed = change(&mut state);
        let task = state.task.take();
        drop(state);
        self.news.notify_all();
        if let Some(task) = task {
            task.wake();
        }
        changed
    }

    /// Waits for a change, or until then (`None`: for ever). Changes may be none for whom it waits.
    pub(super) fn wait<'a>(
        &'a self,
        state: MutexGuard<'a, State>,
        until: Option<Instant>,
    ) -> MutexGuard<'a, State> {
        wait(&self.news, state, until)
    }

    /// The same for the thread that reads.
    pub(super) fn wait_for_space<'a>(
        &'a self,
        state: MutexGuard<'a, State>,
        until: Option<Instant>,
    ) -> MutexGuard<'a, State> {
        wait(&self.space, state, until)
    }

    /// The same for the thread that writes.
    pub(super) fn wait_for_order<'a>(
        &'a self,
        state: MutexGuard<'a, State>,
    ) -> MutexGuard<'a, State> {
        wait(&self.order, state, None)
    }

    /// Has those who wait look again.
    pub(super) fn tell_waiting(&self) {
        self.news.notify_all();
    }

    pub(super) fn tell_reader(&self) {
        self.space.notify_one();
    }

    pub(super) fn tell_writer(&self) {
        self.order.notify_one();
    }

    /// Has a task woken at the next change.
    pub(super) fn wake_at_change(&self, waker: &task::Waker) {
        let mut state = self.lock();
        match &mut state.task {
            Some(task) => task.clone_from(waker),
            none => *none = Some(waker.clone()),
        }
    }
}

fn wait<'a>(
    condition: &Condvar,
    state: MutexGuard<'a, State>,
    until: Option<Instant>,
) -> MutexGuard<'a, State> {
    let Some(until) = until else {
        return condition.wait(state).unwrap_or_else(PoisonError::into_inner);
    };
    let left = until.saturating_duration_since(Instant::now());
    if left == Duration::ZERO {
        return state;
    }
    condition.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
}

impl Incoming {
    /// Bytes that nobody has taken.
    pub(super) fn waiting(&self) -> usize {
        self.bytes.len() - self.taken
    }

    /// Whether a read would bring something: bytes, or their end.
    pub(super) fn is_readable(&self) -> bool {
        self.waiting() > 0 || self.end.is_some()
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        // At most once for each time that everything is taken, as little is kept.
        self.bytes.drain(..self.taken);
        self.taken = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// Takes as much as there is room for.
    pub(super) fn take(&mut self, room: &mut [u8]) -> usize {
        let count = self.waiting().min(room.len());
        room[..count].copy_from_slice(&self.bytes[self.taken..][..count]);
        self.taken += count;
        if self.taken == self.bytes.len() {
            self.bytes.clear();
            self.taken = 0;
        }
        count
    }
}

impl Outgoing {
    /// Whether the next write would take something, or say that the host is gone.
    pub(super) fn has_room(&self) -> bool {
        self.under_way == 0 || self.is_written || self.failure.is_some()
    }

    /// Gives the thread that writes a piece.
    pub(super) fn begin(&mut self, bytes: &[u8]) {
        let mut piece = std::mem::take(&mut self.spare);
        piece.clear();
        piece.extend_from_slice(bytes);
        self.piece = Some(piece);
        self.under_way = bytes.len();
        self.is_written = false;
    }
}

/// Wakes the thread that waits on an [`Input`](super::Input).
///
/// Cheap to clone, usable from any thread, and it may outlive the session.
#[derive(Clone, Debug)]
pub struct Waker(Arc<Shared>);

impl Waker {
    pub(super) fn of(shared: &Arc<Shared>) -> Self {
        Self(Arc::clone(shared))
    }

    /// Ends the current wait, or the next one, with [`Ready::woken`](crate::Ready).
    pub fn wake(&self) {
        self.0.change(|state| state.is_pressed = true);
    }

    /// Whether that has not been reported yet.
    pub(crate) fn is_pressed(&self) -> bool {
        self.0.lock().is_pressed
    }
}
