//! Errors of JSON-RPC and of MCP, by code.

use extline_protocol::{shown, write_string};

use crate::revision::Revision;

/// The codes that this server answers with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Code {
    /// The line is no JSON.
    Parse = -32700,
    /// The message is no request: no object, no method, a batch, an id that is none or in flight.
    InvalidRequest = -32600,
    /// This server has no such method.
    MethodNotFound = -32601,
    /// Parameters that cannot be used: an unknown tool, prompt or cursor among them.
    InvalidParams = -32602,
    /// It failed, and nobody outside is to blame.
    Internal = -32603,
    /// What an HTTP header says of a request is missing, or is something else than the request says.
    HeaderMismatch = -32020,
    /// The request names a revision that is not spoken here.
    UnsupportedVersion = -32022,
}

/// Why a request has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) code: Code,
    pub(crate) message: String,
    /// `data`, as JSON text.
    pub(crate) data: Option<String>,
}

impl Failure {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    pub(crate) fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidRequest, message)
    }

    pub(crate) fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidParams, message)
    }

    pub(crate) fn no_method(method: &str) -> Self {
        Self::new(Code::MethodNotFound, format!("there is no method {}", cut(method)))
    }

    /// A revision that is not spoken; it names those that are.
    pub(crate) fn unsupported_version(requested: &str) -> Self {
        let mut data = b"{\"supported\":".to_vec();
        write_revisions(&mut data);
        data.extend_from_slice(b",\"requested\":");
        write_string(&cut(requested), &mut data);
        data.push(b'}');
        let message = format!("protocol version {} is not supported", cut(requested));
        Self {
            code: Code::UnsupportedVersion,
            message,
            data: Some(String::from_utf8_lossy(&data).into_owned()),
        }
    }

    /// Appends the value of `error`.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"code\":");
        out.extend_from_slice((self.code as i32).to_string().as_bytes());
        out.extend_from_slice(b",\"message\":");
        write_string(&self.message, out);
        if let Some(data) = &self.data {
            out.extend_from_slice(b",\"data\":");
            out.extend_from_slice(data.as_bytes());
        }
        out.push(b'}');
    }
}

/// The revisions that are spoken, newest first, as a JSON array.
pub(crate) fn write_revisions(out: &mut Vec<u8>) {
    for (position, revision) in Revision::ALL.iter().rev().enumerate() {
        out.push(if position == 0 { b'[' } else { b',' });
        write_string(revision.as_str(), out);
    }
    out.push(b']');
}

/// What a client sent, short enough for an error message.
pub(crate) fn cut(text: &str) -> String {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", shown(&text[..end])),
        None => shown(text).into_owned(),
    }
}
