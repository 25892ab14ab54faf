//! Lines of MCP, as answers of HTTP.

use extline_protocol::Members;
use hyper::StatusCode;
use hyper::body::Bytes;
use serde_json::{Value, json};

use crate::http::{self, Refusal};

/// Whether a line of the server's answers a request, and is no notification.
pub(super) fn is_answer(line: &[u8]) -> bool {
    let members = std::str::from_utf8(line).ok().and_then(Members::of_valid);
    members.is_some_and(|members| members.last("method").is_none())
}

/// An error of MCP, to the request of that id.
pub(super) fn error(
    status: StatusCode,
    id: Option<&str>,
    code: i32,
    text: &str,
    data: Option<&Value>,
) -> Refusal {
    Box::new(http::json(status, error_line(id, code, text, data)))
}

/// The same as a line of the server's.
pub(super) fn error_line(id: Option<&str>, code: i32, text: &str, data: Option<&Value>) -> Bytes {
    let mut error = json!({"code": code, "message": text});
    if let Some(data) = data {
        error["data"] = data.clone();
    }
    // An id is JSON already.
    let id = id.unwrap_or("null");
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}").into()
}
