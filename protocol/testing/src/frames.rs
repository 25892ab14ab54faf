//! Frames and values as JSON text.

use extline_protocol::frame::{Frame, Object};
use extline_protocol::{Members, RawJson};

use crate::host::Mistake;

/// The frame with its `type`, as it goes over the wire.
pub(crate) fn frame<F: Frame>(frame: &F) -> RawJson {
    RawJson::of_part(&frame.frame_text())
}

/// An object that is no frame.
pub(crate) fn object<O: Object>(object: &O) -> RawJson {
    RawJson::of_part(&object.object_text())
}

/// The members of a text that must be an object.
pub(crate) fn members(text: &str) -> Result<Members<'_>, Mistake> {
    Members::of(text).ok_or_else(|| Mistake::of("an object is expected"))
}

/// A value that is passed on.
pub(crate) fn raw(text: &str) -> Result<RawJson, Mistake> {
    RawJson::parse(text).map_err(Mistake::of)
}

/// A value of the host's own as JSON text.
pub(crate) fn json<T: serde::Serialize + ?Sized>(value: &T) -> String {
    RawJson::of(value).map_or_else(|_| "null".to_owned(), RawJson::into_string)
}
