//! What a process that is started gets of this one's handles: those of its three pipes.
//!
//! std passes on each handle that may be inherited, and makes those of the pipes so for the moment of a
//! start, in which no other thread starts anything by std. What this process was itself given to pass on, or
//! a library in another language has made so, is another matter: a program of its own, as the command line,
//! calls [`withhold_descriptors`] once and has none. Others cannot be marked while a program starts, as on
//! Unix: a handle that another thread has just made for its own start would not reach that.

use windows_sys::Win32::Foundation::{
    GetHandleInformation, HANDLE, HANDLE_FLAG_INHERIT, SetHandleInformation,
};
use windows_sys::Win32::System::Console::{
    GetStdHandle, STD_ERROR_HANDLE, STD_INPUT_HANDLE, STD_OUTPUT_HANDLE,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetProcessHandleCount};

/// Numbers of handles are its multiples.
const STEP: usize = 4;
/// Looked at at most, where some numbers below the last one are free.
const MOST: usize = 16 * 1024;

/// Lets no program that this process starts from now on inherit a handle that is open now. It is for the
/// beginning of a program whose handles are its own: others of the process may want theirs inherited. The
/// standard ones are no exception: where a program is to have them, std passes on copies. Otherwise whoever
/// reads this process's output would wait for the end of what it leaves running.
pub fn withhold_descriptors() {
    // By name, as wine counts no handles.
    for standard in [STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE] {
        #[expect(unsafe_code, reason = "std does not give them away where they are none")]
        // SAFETY: the call only reads what the process was started with, or has set since.
        withhold(unsafe { GetStdHandle(standard) });
    }
    let mut left = count();
    for number in 1..MOST {
        if left == 0 {
            return;
        }
        let handle: HANDLE = std::ptr::without_provenance_mut(number * STEP);
        if withhold(handle) {
            left -= 1;
        }
    }
}

/// Whether it is a handle, which nobody inherits then.
fn withhold(handle: HANDLE) -> bool {
    let Some(flags) = flags(handle) else { return false };
    if flags & HANDLE_FLAG_INHERIT != 0 {
        #[expect(unsafe_code, reason = "the system names handles of others by their numbers")]
        // SAFETY: the handle is open, and only a flag of it is changed.
        unsafe {
            SetHandleInformation(handle, HANDLE_FLAG_INHERIT, 0);
        }
    }
    true
}

/// Starts a program. Nothing is to be done for that here.
pub fn inherit_nothing<T>(start: impl FnOnce() -> T) -> T {
    start()
}

/// How many handles are open; 0 where the system does not say.
fn count() -> u32 {
    let mut count = 0;
    #[expect(unsafe_code, reason = "std does not count handles")]
    // SAFETY: the number is the caller's, and the first handle stands for this process.
    unsafe {
        GetProcessHandleCount(GetCurrentProcess(), &raw mut count);
    }
    count
}

/// `None` for a number that no handle has.
fn flags(handle: HANDLE) -> Option<u32> {
    let mut flags = 0;
    #[expect(unsafe_code, reason = "the system names handles of others by their numbers")]
    // SAFETY: the call takes any value, and fails where it is no handle.
    let is_open = unsafe { GetHandleInformation(handle, &raw mut flags) } != 0;
    is_open.then_some(flags)
}
