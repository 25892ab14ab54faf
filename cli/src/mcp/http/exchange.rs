//! One request of the modern era, which stands for itself: a server for it alone, until it is answered or
//! nobody reads its response any more, which cancels it. One whose client is asked something stays until that comes
//! back.

use std::future::pending;
use std::time::Instant;

use extline_mcp::Code;
use extline_protocol::{Members, read_string};
use hyper::StatusCode;
use hyper::body::Bytes;
use serde_json::Value;

use super::line::is_answer;
use super::session::lines;
use super::shared::{Again, Heard, Parked, Shared};
use crate::http::Outlet;
use crate::mcp::client::{Client, changes_offers};

/// What has become of a request.
enum Outcome {
    Open,
    /// It is answered, or nobody reads that.
    Over,
    /// It waits for its client, which was asked something.
    Suspended,
}

/// Runs until the request is answered, or its client is gone.
pub(super) async fn run(mut client: Client, mut news: Heard, shared: &Shared, outlet: Outlet) {
    let mut closing = shared.closing();
    let mut is_closing = false;
    let mut outlet = Some(outlet);
    let mut parking = Parking { shared, state: None, parked: None };
    loop {
        let has_ended = client.settle();
        let outcome = match &outlet {
            Some(outlet) => pass_on(&mut client, outlet, &mut parking),
            None => Outcome::Open,
        };
        match outcome {
            Outcome::Over => return,
            Outcome::Suspended => outlet = None,
            Outcome::Open => {}
        }
        if has_ended || (outlet.is_none() && client.server.is_idle()) {
            return;
        }
        tokio::select! {
            // Dropped, the client cancels what runs for it.
            () = closed(outlet.as_ref()) => return,
            again = parking.come_back() => {
                client.server.handle_message(&again.text, Instant::now());
                outlet = Some(again.outlet);
            }
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

/// Waits until nobody reads any more.
async fn closed(outlet: Option<&Outlet>) {
    match outlet {
        Some(outlet) => outlet.closed().await,
        None => pending().await,
    }
}

/// Where a client finds its request again.
struct Parking<'s> {
    shared: &'s Shared,
    /// With what it comes back.
    state: Option<String>,
    parked: Option<Parked<'s>>,
}

impl Parking<'_> {
    /// Before the client is told. Whether there was room.
    fn park(&mut self, state: Option<String>) -> bool {
        // One that came back with something wrong may do so again.
        self.state = state.or(self.state.take());
        self.parked = self.state.clone().and_then(|state| self.shared.park(state));
        self.parked.is_some()
    }

    /// Waits for the client. May be dropped and called again.
    async fn come_back(&mut self) -> Again {
        if let Some(parked) = &mut self.parked
            && let Some(again) = parked.again().await
        {
            self.parked = None;
            return again;
        }
        pending().await
    }
}

/// Passes on what the server has said since.
fn pass_on(client: &mut Client, outlet: &Outlet, parking: &mut Parking<'_>) -> Outcome {
    let mut out = Vec::new();
    if !client.server.poll_output(&mut out) {
        return Outcome::Open;
    }
    let out = Bytes::from(out);
    for line in lines(&out) {
        if is_answer(&line) {
            let waits = !client.server.is_idle() && parking.park(state_of(&line));
            outlet.answer(line);
            return if waits { Outcome::Suspended } else { Outcome::Over };
        }
        let is_progress = line.starts_with(PROGRESS);
        // Of progress some may be missed; whoever misses that a list has changed has to ask again.
        if !outlet.tell(line) && !is_progress {
            return Outcome::Over;
        }
    }
    Outcome::Open
}

/// The state by which the client comes back, where it is asked something.
fn state_of(answer: &[u8]) -> Option<String> {
    let answer = Members::of_valid(std::str::from_utf8(answer).ok()?)?;
    let result = Members::of_valid(answer.last("result")?.value)?;
    let is_asked = result.last("resultType")?.value == "\"input_required\"";
    is_asked.then(|| Some(read_string(result.last("requestState")?.value)?.into_owned()))?
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
