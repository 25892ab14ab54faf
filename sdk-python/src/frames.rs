//! Frames of the host as dicts.

use extline_protocol::frame::Frame;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use extline_python_json::load_object;

/// What stands in the frame, with its `type`.
pub(crate) fn to_dict<'py, F: Frame>(py: Python<'py>, frame: &F) -> PyResult<Bound<'py, PyDict>> {
    Ok(load_object(py, &frame.frame_text())?.0)
}
