//! What a client answers when a server asks its user, and the requests that wait for that.

use std::time::{Duration, Instant};

use extline_scenario::{Failure, Outcome};
use serde_json::{Map, Value, json};

use super::mcp::{is_id, is_response, request};
use super::{Conversation, Era, seconds};

/// What a user is asked with.
pub(crate) const ELICIT: &str = "elicitation/create";
/// So often a server may ask before it answers.
const ROUNDS: usize = 8;

/// What the user does with a question.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reply {
    /// Gives what the function makes for the schema of the question, as text.
    Accept(fn(&Value) -> Option<String>),
    /// Declines.
    Decline,
}

/// What came of a request, and how often the user was asked meanwhile.
pub(crate) struct Answered {
    pub(crate) result: Result<Value, Failure>,
    pub(crate) questions: usize,
}

impl Reply {
    /// The result of a question with these params.
    fn to(self, params: &Value) -> Value {
        let content = match self {
            Self::Decline => return json!({"action": "decline"}),
            Self::Accept(made) => made(&params["requestedSchema"]),
        };
        let content = content.and_then(|text| serde_json::from_str::<Value>(&text).ok());
        match content {
            Some(content) => json!({"action": "accept", "content": content}),
            None => json!({"action": "cancel"}),
        }
    }
}

impl Conversation {
    /// Sends a request whose client declares that its user can be asked, and answers for the user until the
    /// result comes. `params` are what stands between their braces, without `_meta`.
    pub(crate) fn ask_as_person(
        &mut self,
        era: Era,
        method: &str,
        params: &str,
        reply: Reply,
        within: Duration,
    ) -> Answered {
        let until = Instant::now() + within;
        let mut questions = 0;
        let mut more = String::new();
        loop {
            let id = self.fresh_id();
            let meta = era.meta_of_person(&format!("progress-{id}"));
            let line = request(&id, method, &format!("{params},{more}{meta}"));
            let result = self.ask_and_answer(&id, &line, method, reply, until, &mut questions);
            let required = result.as_ref().ok().filter(|it| it["resultType"] == "input_required");
            let Some(required) = required.filter(|_| questions < ROUNDS) else {
                if result.as_ref().is_err_and(|failure| failure.outcome == Outcome::Silent) {
                    self.cancel(&id);
                }
                return Answered { result, questions };
            };
            questions += 1;
            more = with_responses(required, reply);
        }
    }

    /// The same for one request: what the server asks by requests of its own is answered.
    fn ask_and_answer(
        &mut self,
        id: &str,
        line: &str,
        method: &str,
        reply: Reply,
        until: Instant,
        questions: &mut usize,
    ) -> Result<Value, Failure> {
        let mut from = self.frames().len();
        self.send(line);
        let within = seconds(until.saturating_duration_since(Instant::now()));
        let expected = format!("a result of {method} within {within}");
        loop {
            let concerns = |message: &Value| {
                is_response(message) && is_id(&message["id"], id) || is_request(message)
            };
            let at = match self.await_frame(from, until, concerns) {
                Ok(at) => at,
                Err(missing) => return Err(self.no_answer(missing, expected)),
            };
            from = at + 1;
            let message = self.frames()[at].frame.as_ref().cloned().unwrap_or_default();
            if !is_request(&message) {
                let result = message.get("result").cloned();
                let wrong = || Failure::wrong(expected, message.to_string());
                return result.ok_or_else(wrong);
            }
            *questions += usize::from(message["method"] == ELICIT);
            let outcome = outcome_of(&message, reply);
            self.send(&format!(r#"{{"jsonrpc":"2.0","id":{},{outcome}}}"#, message["id"]));
        }
    }
}

/// Whether a message is a request of the server's own.
fn is_request(message: &Value) -> bool {
    message["method"].is_string() && message.get("id").is_some()
}

/// The member of a response that answers a request of the server's.
fn outcome_of(request: &Value, reply: Reply) -> String {
    match request["method"].as_str() {
        Some(ELICIT) => format!(r#""result":{}"#, reply.to(&request["params"])),
        Some("ping") => r#""result":{}"#.to_owned(),
        _ => r#""error":{"code":-32601,"message":"Method not found"}"#.to_owned(),
    }
}

/// What a request has more when it is sent again with what its result required.
fn with_responses(required: &Value, reply: Reply) -> String {
    let requests = required["inputRequests"].as_object();
    let answered = requests.into_iter().flatten();
    let answered = answered.filter(|(_, request)| request["method"] == ELICIT);
    let responses: Map<_, _> =
        answered.map(|(key, request)| (key.clone(), reply.to(&request["params"]))).collect();
    let state = required.get("requestState");
    let state = state.map(|state| format!(r#""requestState":{state},"#));
    format!(r#""inputResponses":{},{}"#, Value::Object(responses), state.unwrap_or_default())
}
