//! What the page asks for: itself, how things stand, what happens, and what is to be done.

use std::sync::Arc;
use std::time::Instant;

use anstream::adapter::strip_str;
use extline_host::{CallError, CallOptions, Host, Panel};
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, StatusCode};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::hub::Hub;
use super::questions::Questions;
use crate::command;
use crate::console::KEYS;
use crate::content::json_of_result;
use crate::failure::Failure;
use crate::http::{self, Answer, Reading, Refusal, content, is_same, refuse};
use crate::inspect;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Where pages ask.
pub(super) struct Endpoint {
    pub(super) host: Arc<Host>,
    pub(super) hub: Hub,
    pub(super) questions: Questions,
    /// `127.0.0.1:PORT`, which is what `Host` has to be: a page that has a name of its own resolved to this
    /// machine has that name there.
    pub(super) authority: String,
    pub(super) token: String,
    pub(super) reading: Reading,
}

impl Endpoint {
    /// Answers a request. Dropped, the page waits no more, and a call is cancelled.
    pub(super) async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Answer {
        let (head, body) = request.into_parts();
        let mut answer = self.act(&head, body).await.unwrap_or_else(|refused| *refused);
        let mut tell = |name: HeaderName, value| {
            answer.headers_mut().insert(name, HeaderValue::from_static(value));
        };
        tell(header::CACHE_CONTROL, "no-store");
        tell(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
        tell(header::REFERRER_POLICY, "no-referrer");
        tell(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
        tell(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
        answer
    }

    async fn act(&self, head: &Parts, body: Incoming) -> Result<Answer, Refusal> {
        self.check_source(head)?;
        let path = head.uri.path();
        if (&head.method, path) == (&Method::GET, "/") {
            return page();
        }
        self.check_token(&head.headers)?;
        match (&head.method, path) {
            (&Method::GET, "/state") => Ok(self.state()),
            (&Method::GET, "/events") => Ok(self.hub.listen()),
            (&Method::POST, "/call") => Ok(self.call(&self.read(body).await?).await),
            (&Method::POST, "/command") => Ok(self.command(&self.read(body).await?).await),
            (&Method::POST, "/key") => self.key(&self.read(body).await?),
            (&Method::POST, "/resize") => self.resize(&self.read(body).await?),
            (&Method::POST, "/answer") => {
                let Answered { number, answer } = self.read(body).await?;
                let answered = self.questions.answer(number, answer.get());
                answered.map_err(|why| refuse(StatusCode::BAD_REQUEST, &why))?;
                Ok(json_answer(&json!({})))
            }
            _ => Err(refuse(StatusCode::NOT_FOUND, "there is nothing here")),
        }
    }

    fn check_source(&self, head: &Parts) -> Result<(), Refusal> {
        let mut hosts = head.headers.get_all(header::HOST).iter();
        let is_own = hosts.next().is_some_and(|it| it.as_bytes() == self.authority.as_bytes());
        if !is_own || hosts.next().is_some() {
            let why = format!("Host has to be {}", self.authority);
            return Err(refuse(StatusCode::FORBIDDEN, &why));
        }
        let own = format!("http://{}", self.authority);
        if head.headers.get_all(header::ORIGIN).iter().any(|it| it.as_bytes() != own.as_bytes()) {
            return Err(refuse(StatusCode::FORBIDDEN, "only its own page may ask here"));
        }
        Ok(())
    }

    fn check_token(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let said = headers.get(header::AUTHORIZATION).map(HeaderValue::as_bytes);
        let said = said.and_then(|it| it.strip_prefix(b"Bearer "));
        if said.is_some_and(|said| is_same(said, self.token.as_bytes())) {
            return Ok(());
        }
        let why = "the token is missing, or is another one: open the URL that extline printed";
        Err(refuse(StatusCode::UNAUTHORIZED, why))
    }

    async fn read<T: DeserializeOwned>(&self, body: Incoming) -> Result<T, Refusal> {
        let body = self.reading.body(body).await?;
        serde_json::from_slice(&body)
            .map_err(|error| refuse(StatusCode::BAD_REQUEST, &error.to_string()))
    }

    /// All that the page shows of how things stand.
    fn state(&self) -> Answer {
        let extensions = self.host.extensions();
        let (tools, commands) = (self.host.tools(), self.host.commands());
        let extension = extensions.first();
        json_answer(&Standing {
            extension: extension.map(|it| inspect::Json::of(it, &tools, &commands)),
            state: extension.map(|it| it.state.as_str()),
            panels: self.host.panels().iter().map(panel).collect(),
            questions: self.questions.shown(),
        })
    }

    async fn call(&self, call: &Call) -> Answer {
        let began = Instant::now();
        let outcome = async {
            let options = CallOptions::default();
            self.host.start_call(&call.tool, call.args.get(), options).await?.outcome().await
        };
        let told = match outcome.await {
            Ok(result) => Told { result: Some(json_of_result(&result)), ..Told::since(began) },
            Err(error) => self.failure(&error, began),
        };
        json_answer(&told)
    }

    async fn command(&self, command: &Command) -> Answer {
        let began = Instant::now();
        let told = match self.host.command(&command.name, &command.args).await {
            Ok(outcome) => {
                Told { outcome: to_raw_value(&command::json(&outcome)).ok(), ..Told::since(began) }
            }
            Err(error) => self.failure(&error, began),
        };
        json_answer(&told)
    }

    fn failure(&self, error: &CallError, began: Instant) -> Told {
        let failure = Failure::of_call(error, &self.host);
        Told { failure: to_raw_value(failure.json()).ok(), ..Told::since(began) }
    }

    /// Passes a key on to a panel; one character is typed.
    fn key(&self, press: &Press) -> Result<Answer, Refusal> {
        self.tell_panel(&press.panel, |panel| match press.key.as_str() {
            "close" => panel.close(),
            key if KEYS.contains(&key) => panel.key(key),
            key if key.chars().count() == 1 => panel.text(key),
            _ => panel.key("unknown"),
        })
    }

    fn resize(&self, size: &Size) -> Result<Answer, Refusal> {
        self.tell_panel(&size.panel, |panel| panel.resize(size.columns, size.lines))
    }

    /// Passes something on to the panel of that id that was opened last.
    fn tell_panel(&self, id: &str, tell: impl Fn(&Panel) -> bool) -> Result<Answer, Refusal> {
        if !self.host.panels().iter().rfind(|it| it.id() == id).is_some_and(tell) {
            return Err(refuse(StatusCode::NOT_FOUND, "this panel is closed"));
        }
        Ok(json_answer(&json!({})))
    }
}

#[derive(Deserialize)]
struct Call {
    tool: String,
    args: Box<RawValue>,
}

#[derive(Deserialize)]
struct Command {
    name: String,
    args: String,
}

#[derive(Deserialize)]
struct Press {
    panel: String,
    key: String,
}

/// How many characters fit into a panel.
#[derive(Deserialize)]
struct Size {
    panel: String,
    columns: u32,
    lines: u32,
}

#[derive(Deserialize)]
struct Answered {
    number: u64,
    answer: Box<RawValue>,
}

/// How things stand.
#[derive(Serialize)]
struct Standing<'a> {
    extension: Option<inspect::Json<'a>>,
    state: Option<&'static str>,
    panels: Vec<Value>,
    questions: Vec<Value>,
}

/// What came of a call or a command: one of the three, as the extension wrote it.
#[derive(Default, Serialize)]
struct Told {
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<Box<RawValue>>,
    took_ms: f64,
}

impl Told {
    fn since(began: Instant) -> Self {
        Self { took_ms: began.elapsed().as_secs_f64() * 1000.0, ..Self::default() }
    }
}

/// The page. Nothing in it is another's, and it loads nothing.
fn page() -> Result<Answer, Refusal> {
    let failed = |_| refuse(StatusCode::INTERNAL_SERVER_ERROR, "no random numbers can be had");
    let nonce = format!("{:016x}", getrandom::u64().map_err(failed)?);
    let text = PAGE.replace("NONCE", &nonce).replace("/*STYLE*/", STYLE);
    let text = text.replace("/*SCRIPT*/", SCRIPT);
    let mut page = content(StatusCode::OK, "text/html; charset=utf-8", text.into());
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; \
         img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    if let Ok(policy) = HeaderValue::try_from(policy) {
        page.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    Ok(page)
}

/// A panel, without its colours.
fn panel(panel: &Panel) -> Value {
    let view = panel.view();
    let plain = |text: &str| strip_str(text).to_string();
    json!({
        "id": panel.id(),
        "extension": panel.extension(),
        "title": plain(&view.title),
        "lines": view.lines.iter().map(|line| plain(line)).collect::<Vec<_>>(),
        "footer": plain(&view.footer),
    })
}

fn json_answer(value: &impl Serialize) -> Answer {
    match serde_json::to_vec(value) {
        Ok(json) => http::json(StatusCode::OK, json),
        Err(error) => *refuse(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}
