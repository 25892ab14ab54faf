//! The level of a note or of a line in the log, by its name.

use extline_protocol::frame::Level;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Of a note to the user. Another name is a `ValueError`.
pub(crate) fn note_level(name: &str) -> PyResult<Level> {
    one_of(name, [Level::Info, Level::Success, Level::Warn, Level::Error])
}

/// Of a line in the log. Another name is a `ValueError`.
pub(crate) fn log_level(name: &str) -> PyResult<Level> {
    one_of(name, [Level::Debug, Level::Info, Level::Warn, Level::Error])
}

fn one_of(name: &str, levels: [Level; 4]) -> PyResult<Level> {
    let level = Level::from(name);
    if levels.contains(&level) {
        return Ok(level);
    }
    let [first, second, third, last] = levels.map(|level| format!("{:?}", level.as_str()));
    let near = if name == "warning" { ", so level=\"warn\"" } else { "" };
    Err(PyValueError::new_err(format!(
        "the level is {first}, {second}, {third} or {last}, and not {name:?}{near}"
    )))
}
