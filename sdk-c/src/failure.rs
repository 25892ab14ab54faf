//! What an entry answers: a code, and for a person a text that stays with the thread.

use std::any::Any;
use std::cell::UnsafeCell;
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use extline_protocol::ErrorKind;
use extline_protocol::frame::ErrorInfo;

use crate::code::{
    EXTLINE_AGAIN, EXTLINE_ANSWERED, EXTLINE_ARGUMENT, EXTLINE_CLOSED, EXTLINE_JSON, EXTLINE_OK,
    EXTLINE_PANIC, EXTLINE_STATE, EXTLINE_TOO_LARGE, EXTLINE_UNSUPPORTED, ResultCode,
};

/// Longest text of a failure, with its NUL.
const LONGEST: usize = 1024;

thread_local! {
    /// Of the last call of this thread that failed, with a NUL behind it. It stays where it is, so that
    /// `printf("%d: %s", extline_run(ext), extline_last_error())` works in either order.
    static LAST: UnsafeCell<[u8; LONGEST]> = const { UnsafeCell::new([0; LONGEST]) };
}

/// Why a call of this library failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) code: ResultCode,
    /// What, where, what to do.
    pub(crate) text: String,
}

impl Failure {
    #[cold]
    #[inline(never)]
    pub(crate) fn new(code: ResultCode, text: impl Into<String>) -> Self {
        Self { code, text: text.into() }
    }

    /// What the session refuses to send.
    pub(crate) fn refused(error: &ErrorInfo) -> Self {
        let code = match error.kind {
            ErrorKind::Unsupported => EXTLINE_UNSUPPORTED,
            ErrorKind::Validation => EXTLINE_JSON,
            ErrorKind::Stale => EXTLINE_ANSWERED,
            ErrorKind::TooLarge => EXTLINE_TOO_LARGE,
            ErrorKind::Cancelled => EXTLINE_CLOSED,
            // So many parts wait to be written.
            ErrorKind::Internal => EXTLINE_AGAIN,
            _ => EXTLINE_STATE,
        };
        Self::new(code, &*error.message)
    }
}

/// What an entry does; a panic ends here.
pub(crate) fn enter(work: impl FnOnce() -> Result<(), Failure>) -> ResultCode {
    match caught(work) {
        Ok(()) => EXTLINE_OK,
        Err(failure) => tell(failure),
    }
}

/// The same for an entry that answers with a value; `otherwise` when it fails.
pub(crate) fn enter_or<T>(otherwise: T, work: impl FnOnce() -> Result<T, Failure>) -> T {
    caught(work).unwrap_or_else(|failure| {
        tell(failure);
        otherwise
    })
}

fn caught<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    // A handle whose lock was held is refused from then on; nothing else is left half done.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(defect(&*panic)))
}

// Once for all entries, of which there are many.
#[cold]
#[inline(never)]
fn defect(panic: &(dyn Any + Send)) -> Failure {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("(no message)");
    Failure::new(EXTLINE_PANIC, format!("a defect of libextline: {text}"))
}

#[cold]
#[inline(never)]
fn tell(Failure { code, text }: Failure) -> ResultCode {
    let text = text.replace('\0', "\\0");
    let fits = (0..LONGEST.min(text.len() + 1)).rev().find(|end| text.is_char_boundary(*end));
    let text = &text[..fits.unwrap_or_default()];
    LAST.with(|last| {
        // SAFETY: this thread's alone, and no reference to it lives on.
        let last = unsafe { &mut *last.get() };
        last[..text.len()].copy_from_slice(text.as_bytes());
        last[text.len()] = 0;
    });
    code
}

/// The text of the last call of this thread that failed, if one did.
pub(crate) fn last() -> Option<String> {
    // SAFETY: it has a NUL behind it, lives as long as the thread, and is changed by this thread alone.
    let text = unsafe { CStr::from_ptr(extline_last_error()) }.to_string_lossy().into_owned();
    (!text.is_empty()).then_some(text)
}

/// What was wrong with the last call of this thread that failed: what, where, what to do about it, in at
/// most 1023 bytes. Empty when none failed, never NULL. It is the library's and valid until the thread
/// ends, but its text changes with the next call that fails in this thread; each thread has its own.
#[unsafe(no_mangle)]
pub extern "C" fn extline_last_error() -> *const c_char {
    LAST.with(|last| last.get().cast_const().cast())
}

/// Says that a text could not be made as printf does: what the functions that take a format answer then,
/// which stand in the header. `EXTLINE_ARGUMENT`. From any thread.
#[unsafe(no_mangle)]
pub extern "C" fn extline_format_refused() -> ResultCode {
    enter(|| {
        let text = "the text cannot be made: printf refuses the format or one of its values, as a wide \
                    character that the locale does not have, or there is no memory left";
        Err(Failure::new(EXTLINE_ARGUMENT, text))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_leaves_its_code_and_its_text() {
        let code = enter(|| Err(Failure::new(3, "a\0b")));
        assert_eq!(code, 3);
        assert_eq!(last().as_deref(), Some("a\\0b"));
        assert_eq!(enter(|| Ok(())), EXTLINE_OK);
    }

    #[test]
    fn a_panic_ends_at_the_entry() {
        assert_eq!(enter(|| panic!("oh")), EXTLINE_PANIC);
        assert_eq!(last().as_deref(), Some("a defect of libextline: oh"));
        assert_eq!(enter_or(7, || panic!("{}", 1)), 7);
    }

    #[test]
    fn a_long_text_is_cut_between_two_characters() {
        enter(|| Err(Failure::new(3, "é".repeat(1000))));
        assert_eq!(last(), Some("é".repeat(511)));
    }
}
