//! What std does not ask of a pipe.

use std::fs::File;
use std::io;
use std::mem;
use std::os::windows::io::{AsRawHandle, RawHandle};
use std::ptr;
use std::thread::JoinHandle;

use windows_sys::Wdk::Storage::FileSystem::{
    FILE_PIPE_CLOSING_STATE, FILE_PIPE_LOCAL_INFORMATION, FilePipeLocalInformation,
    NtQueryInformationFile,
};
use windows_sys::Win32::Foundation::{
    ERROR_BROKEN_PIPE, ERROR_NETNAME_DELETED, ERROR_NO_DATA, ERROR_PIPE_NOT_CONNECTED,
};
use windows_sys::Win32::Storage::FileSystem::{FILE_TYPE_PIPE, GetFileType};
use windows_sys::Win32::System::IO::{CancelIoEx, CancelSynchronousIo, IO_STATUS_BLOCK};
use windows_sys::Win32::System::Pipes::PeekNamedPipe;

/// Whether the handle is that of a pipe or a socket.
pub(super) fn is_pipe(handle: RawHandle) -> bool {
    // SAFETY: the call takes any value, and only looks at what it stands for.
    unsafe { GetFileType(handle) == FILE_TYPE_PIPE }
}

/// Whether the error says that the other end is closed.
pub(super) fn is_closed(error: &io::Error) -> bool {
    const CLOSED: [u32; 4] =
        [ERROR_BROKEN_PIPE, ERROR_NO_DATA, ERROR_PIPE_NOT_CONNECTED, ERROR_NETNAME_DELETED];
    let number = error.raw_os_error().and_then(|number| u32::try_from(number).ok());
    number.is_some_and(|number| CLOSED.contains(&number))
}

/// Whether a read that brought nothing was no end: the other end wrote nothing, on purpose. Only while
/// nobody reads, as a look waits for a read of the same handle.
pub(super) fn is_open(pipe: &File) -> bool {
    // SAFETY: the handle is open as long as `pipe` lives, and every pointer may be null.
    unsafe {
        PeekNamedPipe(
            pipe.as_raw_handle(),
            ptr::null_mut(),
            0,
            ptr::null_mut(),
            ptr::null_mut(),
            ptr::null_mut(),
        ) != 0
    }
}

/// Whether the other end is closed, also where bytes of it are still to be read. Only while nobody reads.
pub(super) fn is_closing(pipe: &File) -> bool {
    let mut status = IO_STATUS_BLOCK::default();
    let mut found = FILE_PIPE_LOCAL_INFORMATION::default();
    let size = u32::try_from(mem::size_of_val(&found)).unwrap_or_default();
    // SAFETY: the handle is open as long as `pipe` lives; both structures are the caller's, and `size` is
    // that of the second one, which is plain numbers.
    let outcome = unsafe {
        NtQueryInformationFile(
            pipe.as_raw_handle(),
            &raw mut status,
            (&raw mut found).cast(),
            size,
            FilePipeLocalInformation,
        )
    };
    outcome >= 0 && found.NamedPipeState == FILE_PIPE_CLOSING_STATE
}

/// Ends the read or the write that the thread waits in, if it does.
pub(super) fn cancel(handle: &File, thread: &JoinHandle<()>) {
    // SAFETY: both handles are open as long as the values live. That nothing is found to be ended is no
    // mistake. The first call ends what a handle does that was opened for overlapped work.
    unsafe {
        CancelIoEx(handle.as_raw_handle(), ptr::null());
        CancelSynchronousIo(thread.as_raw_handle());
    }
}
