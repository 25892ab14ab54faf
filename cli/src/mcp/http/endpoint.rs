//! The endpoint of MCP: which request begins or ends what.

use std::sync::Arc;
use std::time::Instant;

use extline_mcp::{Code, Revision};
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, StatusCode};
use serde_json::json;
use tokio::sync::mpsc::unbounded_channel;

use super::access::Access;
use super::exchange;
use super::line::{self, is_answer};
use super::message::{Message, is_answer_of_client, plain, version_of};
use super::session::{Asked, Input, Session, lines};
use super::sessions::{Sessions, Way};
use super::shared::{Again, Shared};
use crate::http::{self, Answer, Inlet, Reading, Refusal, empty, outlet, refuse};

/// Where it is.
pub(super) const PATH: &str = "/mcp";

/// The code by which clients know a session that has ended from an address where nothing is: that of the
/// official servers for TypeScript.
const NO_SESSION: i32 = -32001;

const SESSION_ID: &str = "mcp-session-id";

/// The endpoint.
pub(super) struct Endpoint {
    pub(super) shared: Shared,
    access: Access,
    reading: Reading,
    sessions: Sessions,
}

impl Endpoint {
    pub(super) fn new(shared: Shared, access: Access) -> Self {
        Self { shared, access, reading: Reading::default(), sessions: Sessions::default() }
    }

    /// Answers a request. Dropped, the request's client is gone.
    pub(super) async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Answer {
        let (head, body) = request.into_parts();
        let answered = Arc::clone(&self).act(&head, body).await;
        let mut answer = answered.unwrap_or_else(|refused| *refused);
        self.access.share(&head.headers, &mut answer);
        answer
    }

    async fn act(self: Arc<Self>, head: &Parts, body: Incoming) -> Result<Answer, Refusal> {
        self.access.check_source(head)?;
        if head.uri.path() != PATH {
            return Err(refuse(StatusCode::NOT_FOUND, "MCP is at /mcp"));
        }
        // A browser's question whether it may ask carries no token.
        if head.method == Method::OPTIONS {
            return Ok(empty(StatusCode::NO_CONTENT));
        }
        self.access.check_token(&head.headers)?;
        match head.method {
            Method::POST => self.post(&head.headers, body).await,
            Method::GET => self.get(&head.headers),
            Method::DELETE => self.delete(&head.headers),
            _ => {
                let mut answer = refuse(StatusCode::METHOD_NOT_ALLOWED, "POST, GET or DELETE");
                let methods = HeaderValue::from_static("POST, GET, DELETE");
                answer.headers_mut().insert(header::ALLOW, methods);
                Err(answer)
            }
        }
    }

    async fn post(self: Arc<Self>, headers: &HeaderMap, body: Incoming) -> Result<Answer, Refusal> {
        check_content_type(headers)?;
        check_accept(headers, &["application/json", "text/event-stream"])?;
        let body = self.reading.body(body).await?;
        let Ok(text) = String::from_utf8(body) else {
            let why = "the message is not UTF-8";
            return Err(line::error(StatusCode::BAD_REQUEST, None, Code::Parse as i32, why, None));
        };
        let Some(message) = Message::of(&text) else { return self.post_other(headers, &text) };
        if message.version.is_some() {
            let Some(inlet) = self.post_modern(headers, &text, &message)? else {
                return Ok(empty(StatusCode::ACCEPTED));
            };
            // It may be long, and so may the call.
            drop(text);
            return Ok(inlet
                .response(|line| is_answer(line).then(|| exchange::status_of(line)))
                .await);
        }
        if message.method == "initialize" && !headers.contains_key(SESSION_ID) {
            return self.initialize(&text);
        }
        let revision = revision_of(headers, message.id)?;
        if revision.is_some_and(Revision::is_modern) {
            let why = "MCP-Protocol-Version is not what _meta says";
            // A response that is dropped says as much as a cancellation; there are no other notifications.
            return message
                .id
                .map_or(Ok(empty(StatusCode::ACCEPTED)), |_| Err(mismatch(&message, why)));
        }
        let way = self.way(headers)?;
        let Some(id) = message.id else {
            let cancelled = message.cancels.map(|id| Input::Cancelled { id: id.to_owned() });
            send(&way, Input::Message { text, asked: None })?;
            cancelled.map_or(Ok(()), |input| send(&way, input))?;
            return Ok(empty(StatusCode::ACCEPTED));
        };
        let (id, token) = (id.to_owned(), message.progress_token.map(str::to_owned));
        let (outlet, inlet) = outlet(Some(Arc::clone(&way.kept)));
        send(&way, Input::Message { text, asked: Some(Asked { id, token, outlet }) })?;
        Ok(inlet.response(|line| is_answer(line).then_some(StatusCode::OK)).await)
    }

    /// A message that asks nothing: an answer, which nobody waits for, or nonsense.
    fn post_other(&self, headers: &HeaderMap, text: &str) -> Result<Answer, Refusal> {
        if headers.contains_key(SESSION_ID) && is_answer_of_client(text) {
            let way = self.way(headers)?;
            send(&way, Input::Message { text: text.to_owned(), asked: None })?;
            return Ok(empty(StatusCode::ACCEPTED));
        }
        let (mut client, _) = self.shared.client();
        client.server.handle_message(text, Instant::now());
        let mut out = Vec::new();
        if client.server.poll_output(&mut out) {
            return Err(Box::new(http::json(StatusCode::BAD_REQUEST, out)));
        }
        Ok(empty(StatusCode::ACCEPTED))
    }

    /// Begins to answer a request of the modern era; `None` for a notification, as there are none.
    fn post_modern(
        self: Arc<Self>,
        headers: &HeaderMap,
        text: &str,
        message: &Message<'_>,
    ) -> Result<Option<Inlet>, Refusal> {
        let (mut client, news) = self.shared.client();
        if let Some(why) = message.mismatch(headers).or_else(|| {
            let schema = client.schema_of(message.tool()?)?;
            message.mismatch_of_arguments(schema.get(), headers)
        }) {
            return Err(mismatch(message, &why));
        }
        if message.id.is_none() {
            return Ok(None);
        }
        let (mut outlet, inlet) = outlet(None);
        if let Some(state) = &message.state {
            match self.shared.unpark(state, Again { text: text.to_owned(), outlet }) {
                Ok(()) => return Ok(Some(inlet)),
                // The server says why nobody waits.
                Err(again) => outlet = again.outlet,
            }
        }
        client.server.handle_message(text, Instant::now());
        let running = self.shared.running().ok_or_else(closing)?;
        tokio::spawn(async move {
            exchange::run(client, news, &self.shared, outlet).await;
            drop(running);
        });
        Ok(Some(inlet))
    }

    /// Begins a session, unless the server refuses that.
    fn initialize(self: Arc<Self>, text: &str) -> Result<Answer, Refusal> {
        let (mut client, news) = self.shared.client();
        client.server.handle_message(text, Instant::now());
        let mut out = Vec::new();
        client.server.poll_output(&mut out);
        let out = out.into();
        let line = lines(&out).next().unwrap_or_default();
        if client.server.session().is_none() {
            return Err(Box::new(http::json(StatusCode::BAD_REQUEST, line)));
        }
        let running = self.shared.running().ok_or_else(closing)?;
        let (sender, inputs) = unbounded_channel();
        let many = || refuse(StatusCode::SERVICE_UNAVAILABLE, "there are too many sessions");
        let id = self.sessions.add(sender).ok_or_else(many)?;
        let mut answer = http::json(StatusCode::OK, line);
        if let Ok(id) = HeaderValue::from_str(&id) {
            answer.headers_mut().insert(SESSION_ID, id);
        }
        tokio::spawn(async move {
            Session::new(client, news).run(&self.shared, inputs).await;
            self.sessions.remove(&id);
            drop(running);
        });
        Ok(answer)
    }

    /// A stream of what the server says by itself.
    fn get(&self, headers: &HeaderMap) -> Result<Answer, Refusal> {
        check_accept(headers, &["text/event-stream"])?;
        revision_of(headers, None)?;
        let way = self.way(headers)?;
        let (outlet, inlet) = outlet(Some(Arc::clone(&way.kept)));
        send(&way, Input::Stream(outlet))?;
        Ok(inlet.events(None))
    }

    fn delete(&self, headers: &HeaderMap) -> Result<Answer, Refusal> {
        self.way(headers)?;
        if let Some(way) = session_id(headers)?.and_then(|id| self.sessions.remove(id)) {
            send(&way, Input::End)?;
        }
        Ok(empty(StatusCode::NO_CONTENT))
    }

    /// The way into the session that the headers name.
    fn way(&self, headers: &HeaderMap) -> Result<Way, Refusal> {
        if self.shared.is_closing() {
            return Err(closing());
        }
        let missing =
            "Mcp-Session-Id is missing: begin with initialize, or say your version in _meta";
        let id = session_id(headers)?.ok_or_else(|| refuse(StatusCode::BAD_REQUEST, missing))?;
        self.sessions.find(id).ok_or_else(ended)
    }
}

fn session_id(headers: &HeaderMap) -> Result<Option<&str>, Refusal> {
    let unreadable = |()| refuse(StatusCode::BAD_REQUEST, "Mcp-Session-Id cannot be read");
    plain(headers, SESSION_ID).map_err(unreadable)
}

fn send(way: &Way, input: Input) -> Result<(), Refusal> {
    way.inputs.send(input).map_err(|_| ended())
}

fn ended() -> Refusal {
    let why = "Session not found: begin anew with initialize";
    line::error(StatusCode::NOT_FOUND, None, NO_SESSION, why, None)
}

fn closing() -> Refusal {
    refuse(StatusCode::SERVICE_UNAVAILABLE, "the server ends")
}

fn mismatch(message: &Message<'_>, why: &str) -> Refusal {
    line::error(StatusCode::BAD_REQUEST, message.id, Code::HeaderMismatch as i32, why, None)
}

/// The revision that the headers name, which has to be spoken.
fn revision_of(headers: &HeaderMap, id: Option<&str>) -> Result<Option<Revision>, Refusal> {
    let unreadable = |()| refuse(StatusCode::BAD_REQUEST, "MCP-Protocol-Version cannot be read");
    let Some(named) = version_of(headers).map_err(unreadable)? else { return Ok(None) };
    let revision = Revision::named(named);
    if revision.is_none() {
        let supported: Vec<_> = Revision::ALL.iter().rev().map(|it| it.as_str()).collect();
        let data = json!({"supported": supported, "requested": named});
        let (status, code) = (StatusCode::BAD_REQUEST, Code::UnsupportedVersion as i32);
        let why = "this version of MCP is not spoken";
        return Err(line::error(status, id, code, why, Some(&data)));
    }
    Ok(revision)
}

fn check_content_type(headers: &HeaderMap) -> Result<(), Refusal> {
    let kind = plain(headers, "content-type").ok().flatten().unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if kind.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "Content-Type has to be application/json"))
}

/// Whether all of these are accepted. Who says nothing takes anything.
fn check_accept(headers: &HeaderMap, kinds: &[&str]) -> Result<(), Refusal> {
    let said = headers.get_all(header::ACCEPT).iter().filter_map(|it| it.to_str().ok());
    let said: Vec<&str> = said
        .flat_map(|it| it.split(','))
        .map(|it| it.split(';').next().unwrap_or_default().trim())
        .collect();
    let is_accepted = |kind: &&str| {
        let all = kind.split_once('/').map_or("", |(kind, _)| kind);
        said.iter().any(|said| {
            *said == "*/*"
                || said.eq_ignore_ascii_case(kind)
                || said.strip_suffix("/*").is_some_and(|said| said.eq_ignore_ascii_case(all))
        })
    };
    if !headers.contains_key(header::ACCEPT) || kinds.iter().all(is_accepted) {
        return Ok(());
    }
    let why = format!("Accept has to list {}", kinds.join(" and "));
    Err(refuse(StatusCode::NOT_ACCEPTABLE, &why))
}
