//! Text on its way out, and JSON as text for the Python half and its tests.

use std::borrow::Cow;

use extline_protocol::RawJson;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use extline_python_json::load;

use crate::dump;

/// The value of a JSON text, as the arguments of a call are read.
#[pyfunction]
pub(crate) fn loads<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let text = RawJson::parse(text).map_err(|error| PyValueError::new_err(error.to_string()))?;
    load(py, text.get())
}

/// The JSON text of a value, as the result of a call is written.
#[pyfunction]
pub(crate) fn dumps(value: &Bound<'_, PyAny>) -> PyResult<String> {
    dump::dump(value)
}

/// Writes one line to stderr.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "as pyo3 passes it")]
pub(crate) fn report(message: Text) {
    extline_stdio::report(&message.0);
}

/// A text of the author's. Half of a surrogate pair in it, as a file name of the system has it, becomes
/// U+FFFD, as it does in what a tool returns.
pub(crate) struct Text(pub(crate) String);

impl FromPyObject<'_, '_> for Text {
    type Error = PyErr;

    fn extract(text: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        Ok(Self(text_of(&*text.cast::<PyString>()?).into_owned()))
    }
}

/// A string as UTF-8. Half of a surrogate pair, which a string of Python can hold, becomes U+FFFD.
pub(crate) fn text_of<'a>(string: &'a Bound<'_, PyString>) -> Cow<'a, str> {
    match string.to_str() {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(repaired(string).unwrap_or_else(|| string.to_string_lossy().into())),
    }
}

fn repaired(string: &Bound<'_, PyString>) -> Option<String> {
    let units = string.call_method1("encode", ("utf-16-le", "surrogatepass")).ok()?;
    let units = units.cast_into::<PyBytes>().ok()?;
    let units = units.as_bytes().chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
    Some(
        char::decode_utf16(units).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER)).collect(),
    )
}
