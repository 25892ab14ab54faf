//! The way to the stdin of a process under test: one write at a time, which the system does by itself.
//!
//! No thread stands between: whether a write is over is the system's knowledge, and so it is known before the
//! answer to it can be seen.

use std::io;
use std::mem;
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use windows_sys::Win32::Foundation::{
    ERROR_IO_INCOMPLETE, ERROR_IO_PENDING, ERROR_OPERATION_ABORTED, GetLastError, WAIT_OBJECT_0,
};
use windows_sys::Win32::Storage::FileSystem::WriteFile;
use windows_sys::Win32::System::IO::{CancelIoEx, GetOverlappedResult, OVERLAPPED};
use windows_sys::Win32::System::Threading::WaitForSingleObject;

/// The most that is written at once.
const PIECE: usize = 64 * 1024;
/// A process that reads takes a piece within that time, so nothing else is looked at meanwhile; in milliseconds.
const AT_ONCE: u32 = 2;
/// A write that was called off is over within that time, in milliseconds.
const OVER_WITHIN: u32 = 1000;

/// The way to its stdin. Its handle is one for overlapped work, as std promises of a `ChildStdin`.
#[derive(Debug)]
pub(crate) struct ToStdin {
    pipe: OwnedHandle,
    /// What is under way.
    write: Mutex<Option<Box<Write>>>,
}

/// A write of which nobody was told yet how it ended. The system has pointers to both until then.
struct Write {
    overlapped: OVERLAPPED,
    piece: Vec<u8>,
}

#[expect(unsafe_code, reason = "the structure has room for a handle, which is none of a thread's")]
// SAFETY: it is only looked at with its pipe, behind a lock.
unsafe impl Send for Write {}

impl ToStdin {
    #[expect(clippy::unnecessary_wraps, reason = "on Unix it may fail")]
    pub(crate) fn new(stdin: impl Into<OwnedHandle>) -> io::Result<Self> {
        Ok(Self { pipe: stdin.into(), write: Mutex::new(None) })
    }

    /// Not after it was made.
    #[expect(clippy::unused_self, reason = "on Linux it is the pipe that is set")]
    pub(crate) fn set_size(&self, _bytes: usize) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Writes what the pipe takes now. Where it says that it would have to wait, the system is at work on these
    /// bytes: the next call has to begin with the same.
    pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut write = self.lock();
        if write.is_none() {
            let piece = bytes[..bytes.len().min(PIECE)].to_vec();
            let begun = write.insert(Box::new(Write { overlapped: OVERLAPPED::default(), piece }));
            if let Err(error) = self.begin(begun) {
                *write = None;
                return Err(error);
            }
            self.wait(AT_ONCE);
        }
        let outcome = write.as_ref().map_or(Ok(Some(0)), |write| self.outcome(write)).transpose();
        let Some(outcome) = outcome else { return Err(io::ErrorKind::WouldBlock.into()) };
        *write = None;
        outcome
    }

    /// Whether a write would do something.
    pub(crate) fn has_room(&self) -> bool {
        self.lock().as_ref().is_none_or(|write| self.is_over(write))
    }

    /// Whether the system was at work on bytes, and is over with it: the next write only says so.
    pub(crate) fn has_written(&self) -> bool {
        self.lock().as_ref().is_some_and(|write| self.is_over(write))
    }

    /// The system does not tell.
    #[expect(clippy::unused_self, reason = "on Unix it is told")]
    pub(crate) fn unread(&self) -> Option<u64> {
        None
    }

    fn begin(&self, write: &mut Write) -> io::Result<()> {
        let length = u32::try_from(write.piece.len()).unwrap_or_default();
        #[expect(unsafe_code, reason = "std waits for the end of a write")]
        // SAFETY: the handle is open. The bytes and the structure stay where they are until the write is over:
        // they are in a box that only `Self::write` empties, then, and `drop`.
        let begun = unsafe {
            let handle = self.pipe.as_raw_handle();
            let overlapped = &raw mut write.overlapped;
            WriteFile(handle, write.piece.as_ptr(), length, ptr::null_mut(), overlapped)
        };
        if begun != 0 || last_error() == ERROR_IO_PENDING {
            return Ok(());
        }
        Err(io::Error::last_os_error())
    }

    fn is_over(&self, write: &Write) -> bool {
        !matches!(self.outcome(write), Ok(None))
    }

    /// How many bytes were written; nothing as long as that is not over.
    fn outcome(&self, write: &Write) -> io::Result<Option<usize>> {
        let mut written = 0;
        #[expect(unsafe_code, reason = "std waits for the end of a write")]
        // SAFETY: the structure is that of a write of this handle, and nothing is waited for.
        let is_over = unsafe {
            let handle = self.pipe.as_raw_handle();
            GetOverlappedResult(handle, &raw const write.overlapped, &raw mut written, 0)
        };
        match is_over {
            0 if last_error() == ERROR_IO_INCOMPLETE => Ok(None),
            // The thread that began it has ended: another one writes the rest.
            0 if last_error() == ERROR_OPERATION_ABORTED => Ok(Some(length(written))),
            0 => Err(io::Error::last_os_error()),
            _ => Ok(Some(length(written))),
        }
    }

    /// Waits until the write is over, or so many milliseconds; whether it is.
    fn wait(&self, longest: u32) -> bool {
        #[expect(unsafe_code, reason = "std waits for the end of a write without a limit")]
        // SAFETY: the handle is open; the system sets it when a write is over, of which there is one at a time.
        let waited = unsafe { WaitForSingleObject(self.pipe.as_raw_handle(), longest) };
        waited == WAIT_OBJECT_0
    }

    fn lock(&self) -> MutexGuard<'_, Option<Box<Write>>> {
        // Each change is whole before it can panic.
        self.write.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ToStdin {
    /// Calls off what is under way: only then the pipe is closed.
    fn drop(&mut self) {
        let Some(write) = self.lock().take() else { return };
        if self.is_over(&write) {
            return;
        }
        #[expect(unsafe_code, reason = "std calls off no write")]
        // SAFETY: the handle is open. That nothing is written is no mistake.
        unsafe {
            CancelIoEx(self.pipe.as_raw_handle(), &raw const write.overlapped);
        }
        self.wait(OVER_WITHIN);
        if !self.is_over(&write) {
            // The system may still write there.
            mem::forget(write);
        }
    }
}

impl std::fmt::Debug for Write {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Write").field("bytes", &self.piece.len()).finish_non_exhaustive()
    }
}

fn length(written: u32) -> usize {
    usize::try_from(written).unwrap_or_default()
}

fn last_error() -> u32 {
    #[expect(unsafe_code, reason = "std's errors know no numbers of the system by name")]
    // SAFETY: the call takes nothing.
    unsafe {
        GetLastError()
    }
}
