//! What C hands over, and what it gets.

use std::ffi::{CStr, c_char, c_void};
use std::mem::{ManuallyDrop, MaybeUninit, size_of};
use std::sync::Arc;

use crate::code::{EXTLINE_ARGUMENT, EXTLINE_NULL_POINTER, EXTLINE_UTF8};
use crate::failure::Failure;

/// A text that the library lends: `len` bytes of UTF-8 at `ptr`, and a NUL behind them that `len`
/// does not count (a text may hold NULs of its own). `ptr` is never NULL. How long it lives is said
/// where it is handed out.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Str {
    /// The first byte.
    pub ptr: *const c_char,
    /// How many bytes, without the NUL.
    pub len: usize,
}

impl Str {
    /// An empty one, which lives for ever.
    pub(crate) const EMPTY: Self = Self { ptr: c"".as_ptr(), len: 0 };

    /// Lends a text whose last byte is a NUL.
    pub(crate) fn lend(with_nul: &[u8]) -> Self {
        debug_assert_eq!(with_nul.last(), Some(&0));
        Self { ptr: with_nul.as_ptr().cast(), len: with_nul.len() - 1 }
    }
}

/// A text with the NUL that [`Str::lend`] wants, without a copy where there is room for it.
pub(crate) fn with_nul(mut text: String) -> String {
    text.reserve_exact(1);
    text.push('\0');
    text
}

fn is_null(what: &str) -> Failure {
    Failure::new(EXTLINE_NULL_POINTER, format!("{what} is NULL"))
}

/// What a pointer leads to; `what` is the name of the parameter.
pub(crate) unsafe fn given<'a, T>(pointer: *const T, what: &str) -> Result<&'a T, Failure> {
    // SAFETY: the caller's: NULL, or a value that lives for the call.
    unsafe { pointer.as_ref() }.ok_or_else(|| is_null(what))
}

/// The same for a handle that is counted.
pub(crate) unsafe fn shared<T>(
    pointer: *const T,
    what: &str,
) -> Result<ManuallyDrop<Arc<T>>, Failure> {
    if pointer.is_null() {
        return Err(is_null(what));
    }
    // SAFETY: the caller's: a handle of this library, made by `Arc::into_raw`; its count is left alone.
    Ok(ManuallyDrop::new(unsafe { Arc::from_raw(pointer) }))
}

/// A text that ends with a NUL.
pub(crate) unsafe fn text<'a>(pointer: *const c_char, what: &str) -> Result<&'a str, Failure> {
    if pointer.is_null() {
        return Err(is_null(what));
    }
    // SAFETY: the caller's: a text that ends with a NUL and lives for the call.
    utf8(unsafe { CStr::from_ptr(pointer) }.to_bytes(), what)
}

/// A text that may be left out.
pub(crate) unsafe fn maybe_text<'a>(
    pointer: *const c_char,
    what: &str,
) -> Result<Option<&'a str>, Failure> {
    // SAFETY: as for `text`.
    if pointer.is_null() { Ok(None) } else { unsafe { text(pointer, what) }.map(Some) }
}

/// A text of so many bytes.
pub(crate) unsafe fn text_n<'a>(
    pointer: *const c_char,
    len: usize,
    what: &str,
) -> Result<&'a str, Failure> {
    // SAFETY: as for `bytes`.
    utf8(unsafe { bytes(pointer.cast(), len, what) }?, what)
}

/// So many bytes; none may be at NULL.
pub(crate) unsafe fn bytes<'a>(
    pointer: *const c_void,
    len: usize,
    what: &str,
) -> Result<&'a [u8], Failure> {
    match (pointer.is_null(), len) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(is_null(what)),
        _ if isize::try_from(len).is_err() => {
            Err(Failure::new(EXTLINE_ARGUMENT, format!("{what} cannot have {len} bytes")))
        }
        // SAFETY: the caller's: so many bytes stand there, and live for the call.
        _ => Ok(unsafe { std::slice::from_raw_parts(pointer.cast(), len) }),
    }
}

fn utf8<'a>(bytes: &'a [u8], what: &str) -> Result<&'a str, Failure> {
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        Failure::new(EXTLINE_UTF8, format!("{what} is not UTF-8: byte {at} begins no character"))
    })
}

/// Room of the caller's for a result; asked for before anything is done.
pub(crate) struct Room<T>(*mut T);

impl<T> Room<T> {
    pub(crate) unsafe fn new(out: *mut T, what: &str) -> Result<Self, Failure> {
        if out.is_null() { Err(is_null(what)) } else { Ok(Self(out)) }
    }

    pub(crate) fn fill(self, value: T) {
        // SAFETY: the promise of the one who made it: room for one value.
        unsafe { self.0.write(value) };
    }
}

/// Options that all-zero bytes are valid values of.
pub(crate) unsafe trait Options: Copy {}

/// A copy of options whose first member, `struct_size`, says how much of them the caller knows. What
/// the caller does not know yet is zero; what only a newer caller knows must be.
pub(crate) unsafe fn options<T: Options>(pointer: *const T, what: &str) -> Result<T, Failure> {
    if pointer.is_null() {
        return Err(is_null(what));
    }
    // SAFETY: the caller's: every version of the options begins with their size.
    let size = unsafe { pointer.cast::<usize>().read() };
    let refused = |why: &str| {
        let text = format!("{what}->struct_size is {size}: {why}");
        Err(Failure::new(EXTLINE_ARGUMENT, text))
    };
    if size < 2 * size_of::<usize>() || size > 64 * 1024 {
        return refused("begin the options with their EXTLINE_..._INIT");
    }
    let mut known = MaybeUninit::<T>::zeroed();
    // SAFETY: the caller's: so many bytes stand there.
    let all = unsafe { std::slice::from_raw_parts(pointer.cast::<MaybeUninit<u8>>(), size) };
    let (copied, newer) = all.split_at(size.min(size_of::<T>()));
    // SAFETY: what lies behind the known members was set by a caller who knows it.
    if newer.iter().any(|byte| unsafe { byte.assume_init() } != 0) {
        return refused(
            "this libextline is older than the header, and does not know all that is set",
        );
    }
    // SAFETY: at most `size_of::<T>` bytes; the rest stays zero, which `Options` allows.
    unsafe {
        std::ptr::copy_nonoverlapping(copied.as_ptr(), known.as_mut_ptr().cast(), copied.len());
        Ok(known.assume_init())
    }
}

/// A counted handle that the caller gives back.
pub(crate) unsafe fn taken<T>(pointer: *const T) -> Arc<T> {
    // SAFETY: the caller's: a handle of this library, made by `Arc::into_raw`, and not used any more.
    unsafe { Arc::from_raw(pointer) }
}

/// A list of texts; `None` for none at NULL.
pub(crate) unsafe fn texts(
    pointer: *const *const c_char,
    count: usize,
    what: &str,
) -> Result<Option<Vec<String>>, Failure> {
    if pointer.is_null() {
        return if count == 0 { Ok(None) } else { Err(is_null(what)) };
    }
    let text_at = |at| {
        // SAFETY: the caller's: so many texts stand there.
        unsafe { text(*pointer.add(at), &format!("{what}[{at}]")) }.map(str::to_owned)
    };
    (0..count).map(text_at).collect::<Result<_, _>>().map(Some)
}
