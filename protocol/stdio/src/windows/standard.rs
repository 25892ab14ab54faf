//! The standard handles of the process, and the descriptors that the C runtime has made of them.
//!
//! Rust and the system know stdin, stdout and stderr as three handles that can be set. A C library prints
//! through descriptor 1, which holds the handle that stdout was at the start. So both are replaced. A C
//! runtime other than the one this crate is linked to has the number of that handle too, and goes on using
//! it: so the handle that is new gets the same number, where the system gives it.

use std::ffi::c_int;
use std::fs::File;
use std::io;
use std::os::windows::io::{AsRawHandle, BorrowedHandle, IntoRawHandle, OwnedHandle, RawHandle};

use windows_sys::Win32::Foundation::{
    HANDLE_FLAG_INHERIT, INVALID_HANDLE_VALUE, SetHandleInformation,
};
use windows_sys::Win32::System::Console::{
    GetStdHandle, STD_ERROR_HANDLE, STD_HANDLE, STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, SetStdHandle,
};

/// What the C runtime does to the line ends of a descriptor, unless it is told otherwise.
const TEXT: c_int = 0x4000;

unsafe extern "C" {
    fn _open_osfhandle(handle: isize, flags: c_int) -> c_int;
    fn _dup2(from: c_int, to: c_int) -> c_int;
    fn _close(descriptor: c_int) -> c_int;
}

/// One of the three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standard {
    Input,
    Output,
    Error,
}

impl Standard {
    fn id(self) -> STD_HANDLE {
        match self {
            Self::Input => STD_INPUT_HANDLE,
            Self::Output => STD_OUTPUT_HANDLE,
            Self::Error => STD_ERROR_HANDLE,
        }
    }

    fn descriptor(self) -> c_int {
        match self {
            Self::Input => 0,
            Self::Output => 1,
            Self::Error => 2,
        }
    }

    /// `None` where it is closed, or was never there.
    fn raw(self) -> Option<RawHandle> {
        // SAFETY: the call only reads what the process was started with, or has set since.
        let handle = unsafe { GetStdHandle(self.id()) };
        (!handle.is_null() && handle != INVALID_HANDLE_VALUE).then_some(handle)
    }

    /// What it is now.
    pub(super) fn handle(self) -> Option<RawHandle> {
        self.raw()
    }

    /// A copy that no other process inherits.
    pub(super) fn copy(self) -> io::Result<OwnedHandle> {
        let handle = self.raw().ok_or(io::ErrorKind::NotFound)?;
        // SAFETY: it is only copied at once. Where somebody has closed it, the copy fails.
        unsafe { BorrowedHandle::borrow_raw(handle) }.try_clone_to_owned()
    }

    /// Has no program that is started from now on inherit what it is now.
    pub(super) fn keep_from_children(self) {
        if let Some(handle) = self.raw() {
            // SAFETY: the call changes a flag of the handle, and fails where there is none.
            unsafe { SetHandleInformation(handle, HANDLE_FLAG_INHERIT, 0) };
        }
    }

    /// Puts a copy of `file` in its place, which programs that are started inherit. What was there is
    /// closed if the C runtime has it, unless `keeps_descriptor`.
    pub(super) fn replace(self, file: &File, keeps_descriptor: bool) -> io::Result<()> {
        let before = self.raw();
        if !keeps_descriptor {
            self.replace_descriptor(inheritable(file)?);
        }
        let copy = inheritable_as(file, before)?;
        // Behind the C runtime, which may have set it too.
        // SAFETY: the copy stays open, as whoever prints may have asked for it.
        if unsafe { SetStdHandle(self.id(), copy.as_raw_handle()) } == 0 {
            return Err(io::Error::last_os_error());
        }
        let _stays_open = copy.into_raw_handle();
        Ok(())
    }

    /// It fails only where the C runtime has no descriptor left; then the C runtime keeps what it has.
    fn replace_descriptor(self, handle: OwnedHandle) {
        let handle = handle.into_raw_handle();
        // SAFETY: the handle is the descriptor's from here on. The third call closes it with the
        // descriptor, once the second has copied both.
        unsafe {
            let descriptor = _open_osfhandle(handle as isize, TEXT);
            if descriptor >= 0 {
                _dup2(descriptor, self.descriptor());
                _close(descriptor);
            }
        }
    }
}

/// A copy with that number, if it is free and among the next that the system gives.
fn inheritable_as(file: &File, number: Option<RawHandle>) -> io::Result<OwnedHandle> {
    // A handle that was inherited has its parent's number, below which hundreds may be free; wine gives
    // those first. A try takes some microseconds.
    const TRIES: usize = 1024;
    let mut copies = Vec::new();
    while copies.len() < TRIES {
        let copy = inheritable(file)?;
        if Some(copy.as_raw_handle()) == number {
            return Ok(copy);
        }
        // Kept until then, so that the next one has another number.
        copies.push(copy);
    }
    Ok(copies.swap_remove(0))
}

fn inheritable(file: &File) -> io::Result<OwnedHandle> {
    let copy = OwnedHandle::from(file.try_clone()?);
    // SAFETY: the handle is open.
    let is_set = unsafe {
        SetHandleInformation(copy.as_raw_handle(), HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT)
    };
    if is_set == 0 { Err(io::Error::last_os_error()) } else { Ok(copy) }
}
