//! What a handler raised, as an answer.

use extline_protocol::ErrorKind;
use extline_protocol::frame::{Content, ErrorInfo, ToolResult};
use pyo3::exceptions::{PyKeyboardInterrupt, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;

use crate::imports;
use crate::text::Text;
use crate::tool::Tool;

/// The answer to a tool call whose handler raised: what a `ToolError` says, and for everything else a
/// short text; its traceback is for the author.
pub(crate) fn of_tool(py: Python<'_>, error: &PyErr, name: &str) -> ToolResult {
    let info = match info(py, error) {
        Ok(Some(info)) => info,
        Ok(None) => unforeseen(py, error, &format!("tool {name}")),
        Err(wrong) => unforeseen(py, &wrong, &format!("the error of tool {name}")),
    };
    let text = info.to_string();
    ToolResult { content: vec![Content::Text(text)], ..ToolResult::error("".into(), info) }
}

/// The answer of a tool that returned what is no result.
pub(crate) fn of_unsent(py: Python<'_>, error: &PyErr, tool: &Tool) -> ToolResult {
    let value = error.value(py);
    let _ = value.setattr(intern!(py, "__traceback__"), error.traceback(py));
    let told = imports::unsent(py)
        .and_then(|unsent| unsent.call1((value, tool.name(), &tool.function)))
        .and_then(|text| text.extract::<Text>());
    let message =
        told.map_or_else(|_| format!("{} returned what cannot be sent", tool.label), |text| text.0);
    let info = ErrorInfo::new(ErrorKind::Internal, message);
    ToolResult {
        content: vec![Content::Text(info.to_string())],
        ..ToolResult::error("".into(), info)
    }
}

/// The kind and text of any other handler's failure.
pub(crate) fn unforeseen(py: Python<'_>, error: &PyErr, what: &str) -> ErrorInfo {
    if error.is_instance_of::<PyKeyboardInterrupt>(py) {
        return ErrorInfo::new(ErrorKind::Cancelled, "interrupted");
    }
    let value = error.value(py);
    // Kept beside the exception until Python 3.11.
    let _ = value.setattr(intern!(py, "__traceback__"), error.traceback(py));
    let explained = imports::explain(py).and_then(|explain| explain.call1((value, what)));
    let text = explained.and_then(|text| text.extract::<Text>());
    let message = text.map_or_else(|_| format!("{what} failed"), |text| text.0);
    let told = imports::causes_of(py).and_then(|causes_of| causes_of.call1((value,)));
    let causes = told.and_then(|causes| causes.extract::<Vec<Text>>()).unwrap_or_default();
    ErrorInfo { causes: causes_in(causes), ..ErrorInfo::new(ErrorKind::Internal, message) }
}

fn causes_in(causes: Vec<Text>) -> Option<Vec<String>> {
    let causes: Vec<String> = causes.into_iter().map(|cause| cause.0).collect();
    Some(causes).filter(|causes| !causes.is_empty())
}

/// What a `ToolError` says; `None` for any other exception.
fn info(py: Python<'_>, error: &PyErr) -> PyResult<Option<ErrorInfo>> {
    let value = error.value(py);
    if !value.is_instance(imports::tool_error(py)?)? {
        return Ok(None);
    }
    let text = |member: &str| value.getattr(member)?.extract::<Option<Text>>();
    let text = |member: &str| text(member).map(|text| text.map(|text| text.0));
    let kind = text("kind")?.unwrap_or_default();
    let message = value.getattr("message")?.str()?.as_any().extract::<Text>()?.0;
    Ok(Some(ErrorInfo {
        field: text("field")?,
        hint: text("hint")?,
        causes: causes_in(value.getattr("causes")?.extract()?),
        retry_after_ms: value.getattr("retry_after_ms")?.extract()?,
        ..ErrorInfo::new(ErrorKind::from(kind.as_str()), message)
    }))
}

/// Arguments that the decoder refused; any other exception is the author's.
pub(crate) fn of_arguments(py: Python<'_>, error: PyErr) -> PyResult<ErrorInfo> {
    let value = error.value(py);
    if !value.is_instance(imports::argument_error(py)?)? {
        return Err(error);
    }
    let pointer: String = value.getattr("pointer")?.extract()?;
    let message: Text = value.getattr("message")?.extract()?;
    Ok(ErrorInfo::invalid_args(&pointer, &message.0))
}

pub(crate) fn type_error(message: String) -> PyErr {
    PyTypeError::new_err(message)
}
