//! One request of the modern era, which stands for itself: a server for it alone, until it is answered or
//! nobody reads its response any more, which cancels it.

use std::time::Instant;

use extline_mcp::Code;
use hyper::StatusCode;
use hyper::body::Bytes;
use serde_json::Value;

use super::answer::{Outlet, is_answer};
use super::session::lines;
use super::shared::{Heard, Shared};
use crate::mcp::client::{Client, changes_offers};

/// Runs until the request is answered, or its client is gone.
pub(super) async fn run(mut client: Client, mut news: Heard, shared: &Shared, outlet: Outlet) {
    let mut closing = shared.closing();
    let mut is_closing = false;
    loop {
        let has_ended = client.settle();
        if pass_on(&mut client, &outlet) || has_ended {
            return;
        }
        tokio::select! {
            // Dropped, the client cancels what runs for it.
            () = outlet.closed() => return,
            // What extensions say to a person belongs to no request.
            news = news.next() => if changes_offers(&news) { drop(client.hear(&news)) },
            () = client.advance() => {}
            () = closing.wait(), if !is_closing => {
                is_closing = true;
                client.server.handle_eof(Instant::now());
            }
        }
    }
}

/// Passes on what the server has said since. Whether the answer was among it, or the client does not read.
fn pass_on(client: &mut Client, outlet: &Outlet) -> bool {
    let mut out = Vec::new();
    if !client.server.poll_output(&mut out) {
        return false;
    }
    let out = Bytes::from(out);
    for line in lines(&out) {
        if is_answer(&line) {
            outlet.answer(line);
            return true;
        }
        let is_progress = line.starts_with(PROGRESS);
        // Of progress some may be missed; whoever misses that a list has changed has to ask again.
        if !outlet.tell(line) && !is_progress {
            return true;
        }
    }
    false
}

const PROGRESS: &[u8] = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"";

/// The status of an answer: some errors have one that the specification names.
pub(super) fn status_of(answer: &[u8]) -> StatusCode {
    // An error is short, and only a result may be long.
    const LONGEST_ERROR: usize = 16 * 1024;
    let code = (answer.len() <= LONGEST_ERROR)
        .then(|| serde_json::from_slice::<Value>(answer).ok()?["error"]["code"].as_i64())
        .flatten();
    let is = |known: Code| code == Some(known as i64);
    if is(Code::MethodNotFound) {
        StatusCode::NOT_FOUND
    } else if [
        Code::Parse,
        Code::InvalidRequest,
        Code::InvalidParams,
        Code::HeaderMismatch,
        Code::UnsupportedVersion,
    ]
    .into_iter()
    .any(is)
    {
        StatusCode::BAD_REQUEST
    } else {
        StatusCode::OK
    }
}
