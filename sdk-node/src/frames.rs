//! Frames from JSON text: what the JavaScript half says.

use extline_protocol::frame::{ExtensionFrame, Frame};
use extline_protocol::{Incoming, RawJson, decode_members, decode_text};
use napi::{Error, Result};

/// A frame of the extension's from its text: what the protocol knows of it is read as from the wire.
pub(crate) fn frame_of(text: &str) -> Result<ExtensionFrame> {
    // What cannot be on the wire is repaired before it is read.
    let text = raw(text)?;
    match decode_text::<ExtensionFrame>(text.get()) {
        Incoming::Frame(frame) => Ok(frame),
        Incoming::Unusable(unusable) => Err(Error::from_reason(unusable.problem.to_string())),
    }
}

/// A frame from the text of an object that holds an author's members: the session writes the rest.
pub(crate) fn members_of<F: Frame>(text: &str) -> Result<F> {
    let text = raw(text)?;
    decode_members(text.get()).map_err(|problem| Error::from_reason(problem.to_string()))
}

/// Any JSON value.
pub(crate) fn raw(text: &str) -> Result<RawJson> {
    RawJson::parse(text).map_err(|error| Error::from_reason(error.to_string()))
}
