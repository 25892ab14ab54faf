//! The native half of `extline.model`: what `extline-model` finds, for Python.
//!
//! It is a module of its own so that an extension loads none of it. Values cross as JSON text, which the
//! module `extline._native` reads: one place knows Python's types.

mod extractor;
mod found;

use pyo3::prelude::*;

use extractor::{OfferedParts, offers};
use found::{ExtractedParts, RepairedParts, extracted, repaired};

/// Texts from this many bytes on are read without the GIL; to give it back and take it again costs more
/// than to read a shorter one.
const LONG: usize = 4 * 1024;

/// Mends a text: the value as JSON text, the fixes, how many are not listed, and whether it was cut off.
#[pyfunction]
fn repair(py: Python<'_>, text: &str) -> PyResult<RepairedParts> {
    let found = apart(py, text.len(), || extline_model::repair(text));
    found.map(repaired).map_err(|error| found::raised(py, &error))
}

/// Finds the calls in a text that is there as a whole.
#[pyfunction]
fn extract(py: Python<'_>, text: &str, offered: Vec<OfferedParts>) -> PyResult<ExtractedParts> {
    let offered = offers(offered)?;
    Ok(extracted(apart(py, text.len(), || extline_model::extract(text, &offered))))
}

/// Does the work, without the GIL where the text has that many bytes.
fn apart<T: Send>(py: Python<'_>, len: usize, work: impl FnOnce() -> T + Send) -> T {
    if len < LONG { work() } else { py.detach(work) }
}

/// Private to the package `extline`.
#[pymodule(name = "_native")]
mod native {
    #[pymodule_export]
    use crate::extract;
    #[pymodule_export]
    use crate::extractor::Extractor;
    #[pymodule_export]
    use crate::repair;
}
