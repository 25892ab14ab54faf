//! What std does not ask of an open file.

use std::fs::File;
use std::io;
use std::os::windows::io::AsRawHandle;

use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_TYPE_CHAR, FILE_TYPE_DISK, FILE_TYPE_PIPE,
    GetFileInformationByHandle, GetFileType, LOCKFILE_EXCLUSIVE_LOCK, LockFileEx,
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
    let mut place = OVERLAPPED::default();
    place.Anonymous.Anonymous.Offset = u32::MAX;
    place.Anonymous.Anonymous.OffsetHigh = u32::MAX >> 1;
    #[expect(unsafe_code, reason = "std has no locks in the oldest Rust that this is for")]
    // SAFETY: the handle is open, and was not opened for overlapped work: so the call is over with its return.
    let is_locked = unsafe {
        LockFileEx(file.as_raw_handle(), LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &raw mut place)
    };
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
