//! What a tool's handler returned, as the frame that answers the call.

use extline_protocol::frame::{Content, ToolResult};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use crate::dump::dump_raw;
use crate::failure::type_error;
use crate::imports;
use crate::text::text_of;
use crate::tool::members_of;

/// The result of a call; its id is set where it is sent.
pub(crate) fn answer(value: &Bound<'_, PyAny>) -> PyResult<ToolResult> {
    if let Ok(text) = value.cast_exact::<PyString>() {
        return Ok(of_blocks(vec![Content::Text(text_of(text).into_owned())]));
    }
    if value.is_none() {
        return Ok(of_blocks(Vec::new()));
    }
    // Which of these it is, its type says alone: a list is a value, whatever is in it.
    if value.cast_exact::<PyDict>().is_ok() || value.cast_exact::<PyList>().is_ok() {
        return of_value(value);
    }
    if is_image(value)? {
        return Ok(of_blocks(vec![image(value)?]));
    }
    let py = value.py();
    if value.is_instance(imports::tool_result(py)?)? {
        return whole(value);
    }
    if value.is_instance_of::<PyBytes>() {
        let advice = "bytes are no result: image(data, mime_type) makes an image of them";
        return Err(type_error(advice.to_owned()));
    }
    of_value(value)
}

fn of_blocks(content: Vec<Content>) -> ToolResult {
    ToolResult::new("".into(), content)
}

fn of_value(value: &Bound<'_, PyAny>) -> PyResult<ToolResult> {
    let mut result = of_blocks(Vec::new());
    result.push_value(dump_raw(value)?);
    Ok(result)
}

fn is_image(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value.is_instance(imports::image(value.py())?)
}

fn image(image: &Bound<'_, PyAny>) -> PyResult<Content> {
    Ok(Content::Image {
        mime_type: image.getattr("mime_type")?.extract()?,
        data: image.getattr("base64")?.extract()?,
    })
}

/// A result with more than content.
fn whole(result: &Bound<'_, PyAny>) -> PyResult<ToolResult> {
    let frame = result.call_method0("_frame")?.cast_into::<PyDict>()?;
    members_of(&frame)
}
