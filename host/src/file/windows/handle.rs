//! What std does not ask of an open file.

use std::fs::File;
use std::io;
use std::os::windows::io::AsRawHandle;

use windows_sys::Win32::Foundation::{ERROR_IO_PENDING, ERROR_LOCK_VIOLATION};
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_TYPE_CHAR, FILE_TYPE_DISK, FILE_TYPE_PIPE,
    GetFileInformationByHandle, GetFileType, LOCK_FILE_FLAGS, LOCKFILE_EXCLUSIVE_LOCK,
    LOCKFILE_FAIL_IMMEDIATELY, LockFileEx,
};
use windows_sys::Win32::System::IO::OVERLAPPED;

/// What it is that is no file and no folder.
pub(super) fn word_for(file: &File) -> Option<&'static str> {
    #[expect(unsafe_code, reason = "std does not tell devices from files")]
    // SAFETY: the handle is open.
    let kind = unsafe { GetFileType(file.as_raw_handle()) };
    match kind {
        FILE_TYPE_DISK => None,
        FILE_TYPE_PIPE => Some("a pipe"),
        FILE_TYPE_CHAR => Some("a device"),
        _ => Some("no file"),
    }
}

/// Waits until nobody else has the file locked, and locks it until it is closed. Nobody is kept from reading
/// and writing: what is locked is a byte that no file has.
pub(crate) fn lock(file: &File) -> io::Result<()> {
    lock_with(file, LOCKFILE_EXCLUSIVE_LOCK)
}

/// The same, unless somebody else has it locked; whether it is.
pub(crate) fn try_lock(file: &File) -> io::Result<bool> {
    match lock_with(file, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY) {
        Ok(()) => Ok(true),
        Err(error) if is_of_lock(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

fn is_of_lock(error: &io::Error) -> bool {
    let number = error.raw_os_error().map(i32::cast_unsigned);
    matches!(number, Some(ERROR_LOCK_VIOLATION | ERROR_IO_PENDING))
}

fn lock_with(file: &File, how: LOCK_FILE_FLAGS) -> io::Result<()> {
    let mut place = OVERLAPPED::default();
    place.Anonymous.Anonymous.Offset = u32::MAX;
    place.Anonymous.Anonymous.OffsetHigh = u32::MAX >> 1;
    #[expect(unsafe_code, reason = "std has no locks in the oldest Rust that this is for")]
    // SAFETY: the handle is open, and was not opened for overlapped work: so the call is over with its return.
    let is_locked = unsafe { LockFileEx(file.as_raw_handle(), how, 0, 1, 0, &raw mut place) };
    if is_locked == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// What no other file of this machine has.
pub(super) fn identity(file: &File) -> io::Result<[u32; 3]> {
    let mut found = BY_HANDLE_FILE_INFORMATION::default();
    #[expect(unsafe_code, reason = "std does not tell it yet")]
    // SAFETY: the handle is open, and the structure is the caller's.
    let is_told = unsafe { GetFileInformationByHandle(file.as_raw_handle(), &raw mut found) };
    if is_told == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok([found.dwVolumeSerialNumber, found.nFileIndexHigh, found.nFileIndexLow])
}
