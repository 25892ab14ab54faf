//! Closes a standard stream of this process: what one side has closed, the other sees closed too.

use std::fs::{File, OpenOptions};

use extline_protocol::trace::Stream;

/// In its place is what is always at its end, and takes whatever is written.
#[cfg(unix)]
pub(crate) fn close(stream: Stream) {
    let Some(null) = open("/dev/null") else { return };
    let _ = match stream {
        Stream::Stdin => rustix::stdio::dup2_stdin(null),
        Stream::Stdout => rustix::stdio::dup2_stdout(null),
    };
}

/// The same. A handle that is stderr too stays open.
#[cfg(windows)]
pub(crate) fn close(stream: Stream) {
    use std::os::windows::io::IntoRawHandle;

    use windows_sys::Win32::Foundation::CloseHandle;
    use windows_sys::Win32::System::Console::{
        GetStdHandle, STD_ERROR_HANDLE, STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, SetStdHandle,
    };
    let Some(null) = open("NUL") else { return };
    let id = match stream {
        Stream::Stdin => STD_INPUT_HANDLE,
        Stream::Stdout => STD_OUTPUT_HANDLE,
    };
    #[expect(unsafe_code, reason = "std closes no standard stream")]
    // SAFETY: the calls take any handle. Whoever used the one that is closed has ended, and std looks for the
    // standard one each time.
    unsafe {
        let before = GetStdHandle(id);
        let is_shared = before == GetStdHandle(STD_ERROR_HANDLE);
        if SetStdHandle(id, null.into_raw_handle()) != 0 && !is_shared {
            CloseHandle(before);
        }
    }
}

fn open(null: &str) -> Option<File> {
    OpenOptions::new().read(true).write(true).open(null).ok()
}
