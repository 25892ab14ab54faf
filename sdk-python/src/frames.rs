//! Frames of the host as dicts.

use extline_protocol::frame::Frame;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::load::load_object;

/// What stands in the frame, with its `type`.
pub(crate) fn to_dict<'py, F: Frame>(py: Python<'py>, frame: &F) -> PyResult<Bound<'py, PyDict>> {
    let mut line = Vec::new();
    frame.write_line(&mut line);
    let line = String::from_utf8_lossy(&line);
    Ok(load_object(py, &line)?.0)
}
