//! What C hands over.

use std::ffi::{CStr, c_char};

use extline_json::write_string;

/// Why there is no answer.
pub(crate) enum Mistake {
    /// Said as JSON by the model.
    Json(String),
    /// Given wrongly: the kind and a sentence.
    Given(&'static str, String),
}

impl Mistake {
    pub(crate) fn argument(text: impl Into<String>) -> Self {
        Self::of_kind("argument", text)
    }

    pub(crate) fn of_kind(kind: &'static str, text: impl Into<String>) -> Self {
        Self::Given(kind, text.into())
    }

    pub(crate) fn json(self) -> String {
        let (kind, text) = match self {
            Self::Json(json) => return json,
            Self::Given(kind, text) => (kind, text),
        };
        let mut json = format!("{{\"kind\":\"{kind}\",\"text\":").into_bytes();
        write_string(&text, &mut json);
        json.push(b'}');
        String::from_utf8_lossy(&json).into_owned()
    }
}

/// Bytes that C has, and the name of the parameter.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a>(&'a [u8], &'static str);

impl<'a> Given<'a> {
    pub(crate) fn utf8(self) -> Result<&'a str, Mistake> {
        std::str::from_utf8(self.0).map_err(|error| {
            let at = error.valid_up_to();
            Mistake::argument(format!("{} is not UTF-8: byte {at} begins no character", self.1))
        })
    }
}

/// So many bytes.
///
/// # Safety
///
/// They stand there, and live for as long as what is returned is used.
pub(crate) unsafe fn bytes<'a>(
    pointer: *const c_char,
    length: usize,
    what: &'static str,
) -> Result<Given<'a>, Mistake> {
    match (pointer.is_null(), length) {
        (_, 0) => Ok(Given(&[], what)),
        (true, _) => Err(Mistake::argument(format!("{what} is NULL"))),
        _ if isize::try_from(length).is_err() => {
            Err(Mistake::argument(format!("{what} cannot have {length} bytes")))
        }
        // SAFETY: the caller's.
        _ => Ok(Given(unsafe { std::slice::from_raw_parts(pointer.cast(), length) }, what)),
    }
}

/// A text that ends with a NUL, or none.
///
/// # Safety
///
/// As for [`bytes`].
pub(crate) unsafe fn text<'a>(pointer: *const c_char, what: &'static str) -> Option<Given<'a>> {
    // SAFETY: the caller's.
    (!pointer.is_null()).then(|| Given(unsafe { CStr::from_ptr(pointer) }.to_bytes(), what))
}
