//! What a client of MCP says to begin, and the lists that it asks for.

use std::time::{Duration, Instant};

use extline_scenario::Failure;
use serde_json::{Map, Value, json};

use super::{Conversation, Era, Missing, seconds};
use crate::target::What;

/// What every request carries from 2026-07-28 on; what is between the braces of `params`.
pub(crate) const META: &str = concat!(
    r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
    r#""io.modelcontextprotocol/clientInfo":{"name":"extline-conformance","version":"0.1.0"},"#,
    r#""io.modelcontextprotocol/clientCapabilities":{}}"#
);
/// What of a line is quoted, in characters.
const QUOTED: usize = 120;
/// So many pages of a list are read.
const PAGES: usize = 50;

impl Era {
    /// What a request of this era carries in its `params`, without their braces.
    pub(crate) fn meta(self) -> &'static str {
        match self {
            Self::Initialize => r#""_meta":{}"#,
            Self::Discover => META,
        }
    }

    /// The same with a token under which the server may tell of progress.
    pub(crate) fn meta_with_token(self, token: &str) -> String {
        let begin = format!(r#""_meta":{{"progressToken":"{token}""#);
        match self {
            Self::Initialize => begin + "}",
            Self::Discover => META.replacen(r#""_meta":{"#, &(begin + ","), 1),
        }
    }

    /// The same from a client whose user can be asked.
    pub(crate) fn meta_of_person(self, token: &str) -> String {
        let capabilities = r#"clientCapabilities":{}"#;
        let declared = format!(r#"clientCapabilities":{PERSON}"#);
        self.meta_with_token(token).replacen(capabilities, &declared, 1)
    }

    /// The request with which a client begins; `version` is the revision that it asks for.
    pub(crate) fn opening(self, id: &str, version: &str, capabilities: &str) -> String {
        match self {
            Self::Initialize => format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{capabilities},"clientInfo":{{"name":"extline-conformance","version":"0.1.0"}}}}}}"#
            ),
            Self::Discover => request(id, "server/discover", META),
        }
    }

    /// The method of that request.
    pub(crate) fn opening_method(self) -> &'static str {
        match self {
            Self::Initialize => "initialize",
            Self::Discover => "server/discover",
        }
    }
}

/// A request; `params` are what stands between their braces.
pub(crate) fn request(id: &str, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}}}}}"#)
}

/// What a client declares whose user cannot be asked, and one whose user can.
pub(crate) const NOBODY: &str = "{}";
pub(crate) const PERSON: &str = r#"{"elicitation":{}}"#;

/// What a client says once `initialize` is answered.
pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// Whether a message answers a request, with a result or with an error.
pub(crate) fn is_response(message: &Value) -> bool {
    message.get("method").is_none()
        && (message.get("result").is_some() || message.get("error").is_some())
}

/// Whether an id is the one that is written so, with or without quotation marks.
pub(crate) fn is_id(id: &Value, written: &str) -> bool {
    match id {
        Value::String(id) => id == written,
        Value::Number(id) => id.to_string() == written,
        _ => false,
    }
}

impl Conversation {
    /// Begins as a client of that era does, and gives back what the server said of itself. What comes next
    /// may follow in the same write.
    pub(crate) fn open(
        &mut self,
        era: Era,
        version: &str,
        capabilities: &str,
        within: Duration,
    ) -> Result<Value, Failure> {
        let id = self.fresh_id();
        let opening = era.opening(&id, version, capabilities);
        let result = self.ask(&id, &opening, era.opening_method(), within)?;
        self.usual = true;
        if era == Era::Initialize {
            self.acknowledged = Some(self.target.timeline().mark());
            self.send(INITIALIZED);
        }
        Ok(result)
    }

    /// Goes on where a case left off that began in its own way, or not at all; whether that can be.
    pub(crate) fn open_late(&mut self, version: &str, within: Duration) -> bool {
        if self.acknowledged.is_some() {
            return true;
        }
        if !self.was_asked_to_initialize() {
            return self.open(Era::Initialize, version, NOBODY, within).is_ok();
        }
        let is_result = |message: &Value| message["result"]["protocolVersion"].is_string();
        let mut messages = self.frames().iter().filter_map(|arrived| arrived.frame.as_ref().ok());
        let is_answered = messages.any(is_result);
        if is_answered {
            self.acknowledged = Some(self.target.timeline().mark());
            self.send(INITIALIZED);
        }
        is_answered
    }

    /// Whether `initialize` was sent, in whatever way.
    pub(crate) fn was_asked_to_initialize(&self) -> bool {
        let records = self.target.timeline().records().iter();
        let bytes = records.filter_map(|record| match &record.what {
            What::Sent { bytes, .. } => Some(bytes.as_slice()),
            _ => None,
        });
        let sent = bytes.collect::<Vec<_>>().concat();
        String::from_utf8_lossy(&sent).contains(r#""method":"initialize""#)
    }

    /// Cancels a request.
    pub(crate) fn cancel(&mut self, id: &str) {
        let method = r#""method":"notifications/cancelled""#;
        self.send(&format!(r#"{{"jsonrpc":"2.0",{method},"params":{{"requestId":{id}}}}}"#));
    }

    /// Sends a request, and waits for its result.
    pub(crate) fn ask(
        &mut self,
        id: &str,
        line: &str,
        method: &str,
        within: Duration,
    ) -> Result<Value, Failure> {
        let from = self.frames().len();
        self.send(line);
        let until = Instant::now() + within;
        let is_answer = |message: &Value| is_response(message) && is_id(&message["id"], id);
        let expected = || format!("a result of {method} within {}", seconds(within));
        match self.await_frame(from, until, is_answer) {
            Ok(at) => {
                let message = self.frames()[at].frame.as_ref().ok();
                let result = message.and_then(|message| message.get("result"));
                result.cloned().ok_or_else(|| {
                    let got = message.map(Value::to_string).unwrap_or_default();
                    Failure::wrong(expected(), got)
                })
            }
            Err(missing) => Err(self.no_answer(missing, expected())),
        }
    }

    /// What happened in place of an answer, and what stands on stdout instead.
    pub(super) fn no_answer(&mut self, missing: Missing, expected: String) -> Failure {
        let mut failure = self.failure(missing, expected);
        let wrong = self.frames().iter().find(|arrived| arrived.frame.is_err());
        let (what, bytes) = match wrong {
            Some(wrong) => ("a line on stdout is no message", self.bytes(wrong)),
            None => ("what came on stdout has no LF at its end", self.target.partial()),
        };
        if !bytes.is_empty() {
            let text: String = String::from_utf8_lossy(bytes).chars().take(QUOTED).collect();
            failure.got = format!("{}; {what}: {text}", failure.got);
        }
        failure
    }

    /// All entries of a list, page by page; what does not come is left out, for a case tells that.
    pub(crate) fn listed(&mut self, era: Era, method: &str, member: &str) -> Vec<Value> {
        let mut entries = Vec::new();
        let mut cursor: Option<Value> = None;
        for _ in 0..PAGES {
            let id = self.fresh_id();
            let next = cursor.as_ref().map(|cursor| format!(r#","cursor":{cursor}"#));
            let params = format!("{}{}", era.meta(), next.unwrap_or_default());
            let line = request(&id, method, &params);
            let Ok(page) = self.ask(&id, &line, method, super::SOFT) else { break };
            entries.extend(page[member].as_array().cloned().unwrap_or_default());
            cursor = page.get("nextCursor").filter(|cursor| cursor.is_string()).cloned();
            if cursor.is_none() {
                break;
            }
        }
        entries
    }
}

/// Arguments that a schema refuses: without what it requires, and with a wrong type of the first of its
/// members. `None` where it requires nothing.
pub(crate) fn refused_by(schema: &Value) -> Option<String> {
    let required = schema["required"].as_array()?.first()?.as_str()?;
    let kind = schema["properties"][required]["type"].as_str().unwrap_or_default();
    // A number where a text is wanted, and a list where anything else is, for a server that converts texts.
    let wrong = if kind == "array" || kind.is_empty() { None } else { Some(json!([["wrong"]])) };
    let members: Map<_, _> = wrong.map(|wrong| (required.to_owned(), wrong)).into_iter().collect();
    Some(Value::Object(members).to_string())
}
