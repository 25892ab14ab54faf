//! Why a server could not be begun with, in words for a person.

use rmcp::service::ClientInitializeError;
use rmcp::transport::streamable_http_client::StreamableHttpError;

use super::content::cut;
use crate::report::Problem;

/// What the failure says; none where the end of the server's process says more.
pub(super) fn problem_of(error: &ClientInitializeError, is_remote: bool) -> Option<Problem> {
    match error {
        // The handshake was the last that was tried.
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => {
            problem_of(fallback, is_remote)
        }
        ClientInitializeError::ConnectionClosed(why) => {
            is_remote.then(|| Problem::Unreachable { reason: cut(why) })
        }
        ClientInitializeError::TransportError { error, .. } => {
            is_remote.then(|| Problem::Unreachable { reason: cut(&unreached(&*error.error)) })
        }
        error => Some(Problem::McpServer {
            message: format!("it does not speak MCP as we do: {}", cut(&words_of(error))),
            remedy: if is_remote {
                "see whether it is the URL of a server of MCP (streamable HTTP)".to_owned()
            } else {
                "see what it writes to stderr, and which versions of MCP it speaks".to_owned()
            },
        }),
    }
}

/// What a server answered in place of what begins a conversation.
fn words_of(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::JsonRpcError(error) => {
            format!("it answered with the error {}: {}", error.code.0, error.message)
        }
        ClientInitializeError::ExpectedInitResponse(_)
        | ClientInitializeError::ExpectedInitResult(_) => {
            "it answered the handshake with something else".to_owned()
        }
        error => error.to_string(),
    }
}

/// Why a server at a URL cannot be reached, with what that comes from, in a line.
fn unreached(error: &(dyn std::error::Error + Send + Sync + 'static)) -> String {
    let of_client = match error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        Some(StreamableHttpError::Client(error)) => Some(error as &dyn std::error::Error),
        _ => None,
    };
    let error = of_client.unwrap_or(error);
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    // An answer without a body.
    text.trim_end_matches([':', ' ']).to_owned()
}
