//! Processes that left the group of their extension: here none can, as nothing leaves a job.

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};

use windows_sys::Win32::Foundation::{FALSE, WAIT_OBJECT_0};
use windows_sys::Win32::System::Threading::{
    OpenProcess, PROCESS_SYNCHRONIZE, PROCESS_TERMINATE, TerminateProcess, WaitForSingleObject,
};

use crate::process::mark::Mark;

/// Finds none.
#[derive(Debug, Default)]
pub(crate) struct Strays(());

impl Strays {
    #[expect(clippy::unused_async, reason = "on Unix it takes a look at all processes")]
    pub(crate) async fn of(&self, _mark: &Mark) -> Vec<Stray> {
        Vec::new()
    }
}

/// A process of a group.
#[derive(Debug)]
pub struct Stray {
    id: u32,
    process: OwnedHandle,
}

impl Stray {
    /// The process of that number.
    pub(super) fn of(id: u32) -> io::Result<Self> {
        #[expect(unsafe_code, reason = "std opens no processes")]
        // SAFETY: the call takes any number; the handle is owned here, once it is known to be one.
        let process = unsafe {
            let handle = OpenProcess(PROCESS_SYNCHRONIZE | PROCESS_TERMINATE, FALSE, id);
            if handle.is_null() {
                return Err(io::Error::last_os_error());
            }
            OwnedHandle::from_raw_handle(handle)
        };
        Ok(Self { id, process })
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Whether it has ended.
    pub fn has_ended(&self) -> bool {
        #[expect(unsafe_code, reason = "std does not wait for a process that is no child")]
        // SAFETY: the handle is open, and nothing is waited for.
        unsafe {
            WaitForSingleObject(self.process.as_raw_handle(), 0) == WAIT_OBJECT_0
        }
    }

    /// Kills it.
    pub fn kill(&self) {
        #[expect(unsafe_code, reason = "std does not kill a process that is no child")]
        // SAFETY: the handle is open. It fails where the process has ended just now.
        unsafe {
            TerminateProcess(self.process.as_raw_handle(), 1);
        }
    }
}
