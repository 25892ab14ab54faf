//! Actions that the extension proposes, and their resolution, by the rules of every host.

use std::collections::HashMap;
use std::time::Instant;

use extline_protocol::RawJson;
use extline_protocol::frame::{Content, ReplaceResult, RpcError};
use extline_services::METHODS;
use extline_services::Method as _;
use extline_services::pending::{
    Apply, ApplyMethod, Next, PendingAction, Push, PushMethod, Queue, Reject, RejectMethod,
    Resolution,
};
use serde_json::{Value, json};

use crate::calls::Outcome;
use crate::failure::Failure;
use crate::host::Host;
use crate::steps::Wait;

/// What is pending, and what is being resolved.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    queue: Queue<()>,
    /// By the serial of the request by which the extension is asked.
    resolving: HashMap<u64, Resolving>,
    /// What came of it: the result of a tool, JSON text.
    resolved: HashMap<u64, String>,
}

#[derive(Debug)]
struct Resolving {
    action: PendingAction,
    resolution: Resolution,
    reason: String,
}

impl Host {
    /// The actions that are pending: an array of objects.
    pub(crate) fn pending_actions(&self) -> String {
        let actions = self.pending.queue.pending().map(|action| {
            let details = action.details.as_deref().and_then(|it| serde_json::from_str(it).ok());
            let details: Value = details.unwrap_or_default();
            json!({
                "id": action.id,
                "label": action.label,
                "summary": action.summary,
                "details": details,
            })
        });
        Value::from(actions.collect::<Vec<_>>()).to_string()
    }

    /// Takes an action that is proposed; false where it is another method.
    pub(crate) fn take_push(&mut self, serial: u64, method: &str, params: &str) -> bool {
        if method != PushMethod::NAME {
            return false;
        }
        let check = METHODS.iter().find(|entry| entry.name == method).map(|entry| entry.check);
        let checked = check.map_or(Ok(()), |check| check(params));
        let read = checked
            .and_then(|()| serde_json::from_str::<Push>(params).map_err(|error| error.to_string()));
        let read = read.map_err(|why| ("validation", why));
        let pushed = read.and_then(|push| {
            self.pending.queue.push("", push, None).map(|action| action.id.clone())
        });
        match pushed {
            // It is JSON.
            Ok(id) => drop(self.answer_request(serial, &json!({ "action_id": id }).to_string())),
            Err((kind, why)) => self.refuse_request(serial, kind, &format!("{method}: {why}")),
        }
        true
    }

    /// Resolves the first action.
    pub(crate) fn resolve(&mut self, word: &str, reason: &str) -> Result<(String, Wait), Failure> {
        let resolution = match word {
            "apply" => Resolution::Apply,
            "discard" => Resolution::Discard,
            _ => {
                return Err(Failure::misuse(format!(
                    "an action is applied or discarded, not {word:?}"
                )));
            }
        };
        let action = match self.pending.queue.decide(resolution) {
            Next::Ask(action) => action,
            Next::Told(told) => {
                let found = answer(&[Content::text(told.text)], told.error.is_some(), None, None);
                return Ok((String::new(), Wait::Begun(found)));
            }
        };
        let (handle, reason) = (action.handle.clone(), reason.to_owned());
        let (method, params) = if resolution == Resolution::Apply {
            let params = Apply { handle, reason: reason.clone() };
            (ApplyMethod::NAME, RawJson::of(&params))
        } else {
            let params = Reject { handle, reason: reason.clone(), released: false };
            (RejectMethod::NAME, RawJson::of(&params))
        };
        let what = format!("the action {:?} was not resolved", action.shown.label);
        let params = params.map_err(|error| Failure::misuse(format!("{what}: {error}")))?;
        let sent = self.session.request(method, Some(params), None, Instant::now());
        let key = self.sent(&what, sent)?;
        let serial = self.calls.add(key, method, None);
        let resolving = Resolving { action: action.shown, resolution, reason };
        self.pending.resolving.insert(serial, resolving);
        Ok((what, Wait::Resolved(serial)))
    }

    /// Takes what the extension says of an action; otherwise `outcome` comes back.
    pub(crate) fn take_resolved(&mut self, serial: u64, outcome: Outcome) -> Option<Outcome> {
        let Some(Resolving { action, resolution, reason }) = self.pending.resolving.remove(&serial)
        else {
            return Some(outcome);
        };
        let answered = match outcome {
            Outcome::Method(answered) => answered.map_err(|RpcError { message, .. }| message),
            Outcome::Failed(error) => Err(error.message),
            // A key names a call of one kind.
            _ => return None,
        };
        let read = answered.and_then(|answer| ReplaceResult::parse(answer.get()));
        let read = read.and_then(|result| match result.is_error {
            Some(true) => Err(Content::joined(&result.content.unwrap_or_default())),
            _ => Ok(result),
        });
        let queue = &mut self.pending.queue;
        let found = match (resolution, read) {
            (Resolution::Apply, Err(why)) => {
                let text = queue.not_applied(&action, &why);
                answer(&[Content::text(text)], true, None, None)
            }
            (_, read) => {
                let text = queue.settle(&action, resolution, &reason);
                let result = read.unwrap_or_default();
                let content = result.content.filter(|content| !content.is_empty());
                let content = content.unwrap_or_else(|| vec![Content::text(text)]);
                answer(&content, false, result.structured_content, result.details)
            }
        };
        self.pending.resolved.insert(serial, found);
        None
    }

    /// What came of it.
    pub(crate) fn resolved(&mut self, serial: u64) -> Option<String> {
        self.pending.resolved.remove(&serial)
    }
}

/// As the answer of a tool is found.
fn answer(
    content: &[Content],
    is_error: bool,
    structured_content: Option<RawJson>,
    details: Option<RawJson>,
) -> String {
    let result = ReplaceResult {
        content: Some(content.to_vec()),
        structured_content,
        details,
        is_error: is_error.then_some(true),
    };
    let frame = crate::frames::object(&result).into_string();
    format!(r#"{{"frame":{frame},"updates":[]}}"#)
}
