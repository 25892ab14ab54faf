//! Keys of objects come again and again, so their Python strings are kept.

use std::cell::RefCell;

use pyo3::prelude::*;
use pyo3::types::PyString;

/// Slots of the cache, one string each.
const SLOTS: usize = 512;
/// Longer keys are mostly data.
const LONGEST: usize = 64;

type Known = (Box<str>, Py<PyString>);

thread_local! {
    /// One for each thread, so that nobody waits for it, also where there is no GIL.
    static KEYS: RefCell<Vec<Option<Known>>> = const { RefCell::new(Vec::new()) };
}

/// The Python string of a key.
pub(crate) fn key<'py>(py: Python<'py>, text: &str) -> Bound<'py, PyString> {
    if text.len() > LONGEST {
        return PyString::new(py, text);
    }
    KEYS.with_borrow_mut(|keys| {
        if keys.is_empty() {
            keys.resize_with(SLOTS, || None);
        }
        let slot = &mut keys[slot_of(text.as_bytes())];
        // Compared whole: two keys may share a slot.
        if let Some((known, string)) = slot
            && **known == *text
        {
            return string.bind(py).clone();
        }
        let string = PyString::intern(py, text);
        // The one that is dropped is a plain string, whose end runs no code of anybody's.
        *slot = Some((text.into(), string.clone().unbind()));
        string
    })
}

/// FNV-1a.
fn slot_of(bytes: &[u8]) -> usize {
    let mix = |hash: u32, byte: &u8| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    let hash = bytes.iter().fold(0x811C_9DC5, mix);
    ((hash >> 16) ^ hash) as usize % SLOTS
}
