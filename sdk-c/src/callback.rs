//! A function of the author's with what belongs to it.

use std::ffi::c_void;
use std::fmt;

use crate::ask::Answer;
use crate::call::Call;
use crate::code::ResultCode;
use crate::events::Event;
use crate::extension::Extension;
use crate::ffi::Str;

/// Gives `user` back: called exactly once, when the registration it was given with goes, at the latest
/// in `extline_free` or when the last handler that uses it has returned. From any thread.
pub type DropCallback = Option<unsafe extern "C" fn(user: *mut c_void)>;

/// Handles one call: a tool, a command, an interceptor, a guard or a method. `text` is the arguments
/// of a tool or the parameters of a method as JSON, what stands behind a command, or the frame of an
/// intercept as JSON; it lives as long as `call`. The call must be answered, here or later: see
/// `extline_call_retain`. No C++ exception and no `longjmp` may leave it.
pub type CallCallback = Option<unsafe extern "C" fn(user: *mut c_void, call: *mut Call, text: Str)>;

/// The beginning (setup) or the end (teardown). Anything but `EXTLINE_OK` says that it failed. No C++
/// exception and no `longjmp` may leave it.
pub type StageCallback =
    Option<unsafe extern "C" fn(user: *mut c_void, ext: *mut Extension) -> ResultCode>;

/// Handles an event, which is the library's and goes when it returns. No C++ exception and no `longjmp` may
/// leave it.
pub type EventCallback =
    Option<unsafe extern "C" fn(user: *mut c_void, ext: *mut Extension, event: *const Event)>;

/// A key pressed in a panel: `key` is `up`, `down`, `left`, `right`, `enter`, `tab`, `backspace`, `delete`,
/// `home`, `end`, `pageup`, `pagedown`, `esc`, `rune` with the character in `text`, or another by the host's
/// name for it. Both go when it returns.
pub type PanelKeyCallback =
    Option<unsafe extern "C" fn(user: *mut c_void, ext: *mut Extension, key: Str, text: Str)>;

/// A panel has a new size, in columns and lines.
pub type PanelResizeCallback =
    Option<unsafe extern "C" fn(user: *mut c_void, ext: *mut Extension, width: u64, height: u64)>;

/// A panel was closed by the user.
pub type PanelCloseCallback = Option<unsafe extern "C" fn(user: *mut c_void, ext: *mut Extension)>;

/// A call was cancelled. It should do no more than say so to whoever works on the call.
pub type CancelCallback = Option<unsafe extern "C" fn(user: *mut c_void, call: *mut Call)>;

/// Gets the answer to a question, which is the library's and goes when it returns.
pub type AnswerCallback =
    Option<unsafe extern "C" fn(user: *mut c_void, ext: *mut Extension, answer: *mut Answer)>;

/// Gets a part of an answer as JSON text, which goes when it returns. No C++ exception and no `longjmp` may
/// leave it.
pub type PartCallback = Option<unsafe extern "C" fn(user: *mut c_void, part: Str)>;

/// Wakes a loop of the program's.
pub type WakeCallback = Option<unsafe extern "C" fn(user: *mut c_void)>;

/// A function `F` of the author's, its `user`, and how that is given back.
pub(crate) struct Callback<F> {
    pub(crate) run: F,
    pub(crate) user: *mut c_void,
    drop: DropCallback,
}

// SAFETY: the pointer is only handed back to functions of the author's.
unsafe impl<F: Send> Send for Callback<F> {}
// SAFETY: as above.
unsafe impl<F: Sync> Sync for Callback<F> {}

impl<F> Callback<F> {
    /// From now on `user` is the library's to give back.
    pub(crate) fn new(run: F, user: *mut c_void, drop: DropCallback) -> Self {
        Self { run, user, drop }
    }
}

impl<F> Drop for Callback<F> {
    fn drop(&mut self) {
        if let Some(drop) = self.drop.take() {
            // SAFETY: the author's function, with what it was registered with.
            unsafe {
                drop(self.user);
            }
        }
    }
}

impl<F> fmt::Debug for Callback<F> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Callback").finish_non_exhaustive()
    }
}
