//! Python objects to JSON text, without a value in between.

use std::fmt::Write;

use extline_protocol::RawJson;
use extline_protocol::limits::DEPTH;
use extline_protocol::pointer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::imports;
use crate::raw;
use crate::text::text_of;

/// Steps of a place that are told; what contains itself has as many as may be nested.
const PLACE: usize = 16;

/// The JSON text of a value. What JSON cannot hold is refused with its place.
pub(crate) fn dump(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut out = Vec::with_capacity(256);
    write(value, &mut out, 1).map_err(|refusal| refusal.into_error(value.py()))?;
    String::from_utf8(out).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The same, ready for a frame.
pub(crate) fn dump_raw(value: &Bound<'_, PyAny>) -> PyResult<RawJson> {
    let text = dump(value)?;
    RawJson::parse(&text).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Why a value cannot be written, and where it stands: innermost step first.
struct Refusal {
    error: PyErr,
    steps: Vec<String>,
}

impl Refusal {
    fn new(error: PyErr) -> Self {
        Self { error, steps: Vec::new() }
    }

    fn inside(mut self, step: &dyn ToString) -> Self {
        self.steps.push(step.to_string());
        self
    }

    /// The place stands in front of the message.
    fn into_error(self, py: Python<'_>) -> PyErr {
        if self.steps.is_empty() {
            return self.error;
        }
        let steps = self.steps.iter().rev().take(PLACE);
        let place = steps.fold(String::new(), |place, step| pointer::join(&place, step));
        let value = self.error.value(py).to_string();
        let message = format!("{place}: {value}");
        if self.error.is_instance_of::<PyTypeError>(py) {
            PyTypeError::new_err(message)
        } else if self.error.is_instance_of::<PyValueError>(py) {
            PyValueError::new_err(message)
        } else {
            self.error
        }
    }
}

impl From<PyErr> for Refusal {
    fn from(error: PyErr) -> Self {
        Self::new(error)
    }
}

/// `depth` is that of an object or array which `value` may be.
fn write(value: &Bound<'_, PyAny>, out: &mut Vec<u8>, depth: usize) -> Result<(), Refusal> {
    if let Ok(string) = value.cast_exact::<PyString>() {
        write_string(string, out);
    } else if let Ok(dict) = value.cast_exact::<PyDict>() {
        write_dict(dict, out, depth)?;
    } else if let Ok(list) = value.cast_exact::<PyList>() {
        write_array(list.iter(), out, depth)?;
    } else if value.is_none() {
        out.extend_from_slice(b"null");
    } else if let Ok(bool) = value.cast_exact::<PyBool>() {
        out.extend_from_slice(if bool.is_true() { b"true" } else { b"false" });
    } else if let Ok(int) = value.cast_exact::<PyInt>() {
        write_int(int, out)?;
    } else if let Ok(float) = value.cast_exact::<PyFloat>() {
        write_float(float.value(), out)?;
    } else if let Ok(tuple) = value.cast_exact::<PyTuple>() {
        write_array(tuple.iter(), out, depth)?;
    } else if let Ok(raw) = value.cast_exact::<raw::RawJson>() {
        out.extend_from_slice(raw.get().0.get().as_bytes());
    } else {
        write_other(value, out, depth)?;
    }
    Ok(())
}

fn write_dict(dict: &Bound<'_, PyDict>, out: &mut Vec<u8>, depth: usize) -> Result<(), Refusal> {
    check_depth(depth)?;
    out.push(b'{');
    for (at, (key, value)) in dict.iter().enumerate() {
        let key = match key.cast_into::<PyString>() {
            Ok(key) => key,
            Err(other) => plain_key(&other.into_inner())?,
        };
        if at > 0 {
            out.push(b',');
        }
        write_string(&key, out);
        out.push(b':');
        write(&value, out, depth + 1).map_err(|refusal| refusal.inside(&key))?;
    }
    out.push(b'}');
    Ok(())
}

fn plain_key<'py>(key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    let text = imports::plain_key(key.py())?.call1((key,))?;
    Ok(text.cast_into()?)
}

fn write_array<'py>(
    items: impl Iterator<Item = Bound<'py, PyAny>>,
    out: &mut Vec<u8>,
    depth: usize,
) -> Result<(), Refusal> {
    check_depth(depth)?;
    out.push(b'[');
    for (at, item) in items.enumerate() {
        if at > 0 {
            out.push(b',');
        }
        write(&item, out, depth + 1).map_err(|refusal| refusal.inside(&at))?;
    }
    out.push(b']');
    Ok(())
}

/// Also what contains itself ends here.
fn check_depth(depth: usize) -> Result<(), Refusal> {
    if depth <= DEPTH {
        return Ok(());
    }
    let message = format!("nested more than {DEPTH} levels deep");
    Err(Refusal::new(PyValueError::new_err(message)))
}

fn write_string(string: &Bound<'_, PyString>, out: &mut Vec<u8>) {
    let text = text_of(string);
    // Writing to memory does not fail.
    let _ = serde_json::to_writer(out, &*text);
}

fn write_int(int: &Bound<'_, PyInt>, out: &mut Vec<u8>) -> Result<(), Refusal> {
    if let Ok(int) = int.extract::<i64>() {
        out.extend_from_slice(int.to_string().as_bytes());
    } else {
        out.extend_from_slice(int.str()?.to_string_lossy().as_bytes());
    }
    Ok(())
}

fn write_float(float: f64, out: &mut Vec<u8>) -> Result<(), Refusal> {
    if !float.is_finite() {
        let name = if float.is_nan() {
            "NaN"
        } else if float > 0.0 {
            "infinity"
        } else {
            "-infinity"
        };
        return Err(Refusal::new(PyValueError::new_err(format!("JSON has no {name}"))));
    }
    let mut text = String::new();
    // Writing to memory does not fail. The short form that reads back as the same number.
    let _ = write!(text, "{float:?}");
    out.extend_from_slice(text.as_bytes());
    Ok(())
}

/// Dataclasses, enums and the like become plain values in Python; what is none of them is refused
/// there.
fn write_other(value: &Bound<'_, PyAny>, out: &mut Vec<u8>, depth: usize) -> Result<(), Refusal> {
    check_depth(depth)?;
    let plain = imports::plain(value.py())?.call1((value,))?;
    write(&plain, out, depth)
}
