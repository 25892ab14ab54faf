//! The native half of `extline.model`: what `extline-model` finds, for Python.
//!
//! It is a module of its own so that an extension loads none of it. Values cross as JSON text where
//! the Python half reads them, by `extline._native`.

mod extractor;
mod found;
mod python;
mod repaired;

use extline_model::{Provider, RawJson};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use extractor::{OfferedParts, offers};
use found::{ExtractedParts, RenderedParts, extracted, rendered};
use repaired::Repaired;

/// Texts from this many bytes on are read without the GIL; to give it back and take it again costs more
/// than to read a shorter one.
const LONG: usize = 4 * 1024;

/// Reads one JSON value from what a model wrote, and mends it where it is no valid JSON.
#[pyfunction]
fn repair(py: Python<'_>, text: Bound<'_, PyString>) -> PyResult<Repaired> {
    let read = text.to_str()?;
    match apart(py, read.len(), || extline_model::repair_value(read)) {
        Ok(repaired) => Repaired::of(text, repaired),
        Err(error) => Err(found::unrepaired(py, &error)),
    }
}

/// Finds the calls in a text that is there as a whole.
#[pyfunction]
fn extract(py: Python<'_>, text: &str, offered: Vec<OfferedParts>) -> PyResult<ExtractedParts> {
    let offered = offers(offered)?;
    Ok(extracted(apart(py, text.len(), || extline_model::extract(text, &offered))))
}

/// Renders a schema, as JSON text, for a provider; a name that is given is checked first. The schema as
/// JSON text, and of each change the kind, the pointer and the sentence.
#[pyfunction]
#[pyo3(signature = (provider, schema, name))]
fn schema_for(
    py: Python<'_>,
    provider: &str,
    schema: &str,
    name: Option<&str>,
) -> PyResult<RenderedParts> {
    let Some(provider) = Provider::of_id(provider) else {
        let text = format!("there is no provider {provider:?}: it is one of {}", providers());
        return Err(PyValueError::new_err(text));
    };
    let schema = json(schema)?;
    let checked = name.map_or(Ok(()), |name| extline_model::check_name(provider, name));
    let made = checked.and_then(|()| {
        apart(py, schema.get().len(), || extline_model::schema_for(provider, &schema))
    });
    made.map(rendered).map_err(|error| found::unrenderable(py, &error))
}

/// Takes those members of arguments off that are null and may be left out, both as JSON text.
#[pyfunction]
fn without_nulls(schema: &str, args: &str) -> PyResult<String> {
    Ok(extline_model::without_nulls(&json(schema)?, &json(args)?).into_string())
}

fn providers() -> String {
    Provider::ALL.map(|it| format!("{:?}", it.id())).join(", ")
}

fn json(text: &str) -> PyResult<RawJson> {
    RawJson::parse(text).map_err(|error| PyValueError::new_err(error.to_string()))
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
    #[pymodule_export]
    use crate::repaired::Repaired;
    #[pymodule_export]
    use crate::schema_for;
    #[pymodule_export]
    use crate::without_nulls;
}
