//! Frames of the host as dicts.

use extline_protocol::frame::{Frame, HostFrame, Object};
use extline_protocol::{Incoming, RawJson, decode_text};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::dump::dump;
use crate::load::load_object;

/// What stands in the frame, with its `type`.
pub(crate) fn to_dict<'py, F: Frame>(py: Python<'py>, frame: &F) -> PyResult<Bound<'py, PyDict>> {
    let mut line = Vec::new();
    frame.write_line(&mut line);
    let line = String::from_utf8_lossy(&line);
    Ok(load_object(py, &line)?.0)
}

/// The members of an object that is no frame.
pub(crate) fn members<'py, O: Object>(py: Python<'py>, object: &O) -> PyResult<Bound<'py, PyDict>> {
    let mut text = vec![b'{'];
    object.write_members(&mut text);
    text.push(b'}');
    Ok(load_object(py, &String::from_utf8_lossy(&text))?.0)
}

/// A frame of the host's from a dict with its `type`, read as from the wire.
pub(crate) fn host_frame(frame: &Bound<'_, PyDict>) -> PyResult<HostFrame> {
    let text = RawJson::parse(&dump(frame)?);
    let text = text.map_err(|error| PyValueError::new_err(error.to_string()))?;
    match decode_text::<HostFrame>(text.get()) {
        Incoming::Frame(frame) => Ok(frame),
        Incoming::Unusable(unusable) => Err(PyValueError::new_err(unusable.problem.to_string())),
    }
}
