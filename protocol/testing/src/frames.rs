//! Frames as JSON text.

use extline_protocol::frame::{Frame, HostFrame, Object};
use extline_protocol::{Incoming, RawJson, decode_text};

use crate::host::Mistake;

/// The frame with its `type`, as it goes over the wire.
pub(crate) fn frame<F: Frame>(frame: &F) -> String {
    let mut line = Vec::new();
    frame.write_line(&mut line);
    String::from_utf8_lossy(&line).into_owned()
}

/// An object that is no frame.
pub(crate) fn object<O: Object>(object: &O) -> String {
    let mut text = vec![b'{'];
    object.write_members(&mut text);
    text.push(b'}');
    String::from_utf8_lossy(&text).into_owned()
}

/// A frame of the host's with its `type`, read as from the wire.
pub(crate) fn host_frame(text: &str) -> Result<HostFrame, Mistake> {
    match decode_text::<HostFrame>(raw(text)?.get()) {
        Incoming::Frame(frame) => Ok(frame),
        Incoming::Unusable(unusable) => Err(Mistake::of(unusable.problem)),
    }
}

/// A value that is passed on.
pub(crate) fn raw(text: &str) -> Result<RawJson, Mistake> {
    RawJson::parse(text).map_err(Mistake::of)
}
