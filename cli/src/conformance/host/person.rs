//! The person in front of the host that a driver operates: what is asked waits until the tester answers it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use extline_host::services::Method;
use extline_host::services::ui::{
    AskMethod, AuthMethod, ConfirmMethod, EditorMethod, InputMethod, SelectMethod, Shown,
    StatusMethod, TitleMethod, WidgetMethod, WorkingMethod,
};
use extline_host::{ApprovalRequest, ApproverError, Asked, Decision, HostBuilder};
use extline_protocol::ErrorKind;
use extline_protocol::frame::RpcError;
use serde_json::{Value, json};
use tokio::sync::oneshot;

/// What is asked and what is shown.
#[derive(Debug, Default)]
pub(super) struct Person(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    asked: Vec<Question>,
    /// By the extension, the method and the key.
    shown: BTreeMap<(String, &'static str, String), Value>,
    last: u64,
}

#[derive(Debug)]
struct Question {
    number: u64,
    says: Value,
    answer: oneshot::Sender<Value>,
}

/// A question that is taken back when this is dropped.
struct Open<'a>(&'a Person, u64);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.lock().asked.retain(|question| question.number != self.1);
    }
}

impl Person {
    /// Puts the person in front of a host; where there is none, dialogs are dismissed.
    pub(super) fn before(self: &Arc<Self>, builder: HostBuilder, is_there: bool) -> HostBuilder {
        let builder = if is_there {
            let person = Arc::clone(self);
            let builder = builder.approver(move |request| {
                let person = Arc::clone(&person);
                async move { person.decide(request).await }
            });
            let builder = self.answers::<ConfirmMethod>(builder);
            let builder = self.answers::<SelectMethod>(builder);
            let builder = self.answers::<InputMethod>(builder);
            let builder = self.answers::<EditorMethod>(builder);
            let builder = self.answers::<AskMethod>(builder);
            self.answers::<AuthMethod>(builder)
        } else {
            builder.headless()
        };
        let builder = self.sees::<StatusMethod>(builder);
        let builder = self.sees::<TitleMethod>(builder);
        let builder = self.sees::<WorkingMethod>(builder);
        self.sees::<WidgetMethod>(builder)
    }

    /// What the person is asked now, in the order in which it is shown.
    pub(super) fn asked(&self) -> Value {
        self.lock().asked.iter().map(|question| question.says.clone()).collect()
    }

    /// Answers what is asked first; whether there was something.
    pub(super) fn answer(&self, answer: Value) -> bool {
        let mut seen = self.lock();
        if seen.asked.is_empty() {
            return false;
        }
        let question = seen.asked.remove(0);
        drop(seen);
        question.answer.send(answer).is_ok()
    }

    /// What extensions show now, of those that are there.
    pub(super) fn shown(&self, is_there: impl Fn(&str) -> bool) -> Value {
        let mut seen = self.lock();
        seen.shown.retain(|(extension, ..), _| is_there(extension));
        let shown = seen.shown.iter().map(|((extension, method, _), params)| {
            json!({"extension": extension, "method": method, "params": params})
        });
        shown.collect()
    }

    fn answers<M: Method>(self: &Arc<Self>, builder: HostBuilder) -> HostBuilder {
        let person = Arc::clone(self);
        builder.serve::<M, _, _>(move |Asked { extension, params, .. }: Asked<M::Params>| {
            let person = Arc::clone(&person);
            async move {
                let params = serde_json::to_value(params).unwrap_or_default();
                let answer = person.ask(json!({
                    "what": "dialog", "extension": extension, "method": M::NAME, "params": params,
                }));
                let answer = answer.await.unwrap_or_default();
                serde_json::from_value(answer)
                    .map_err(|error| RpcError::new(ErrorKind::Internal, error.to_string()))
            }
        })
    }

    fn sees<M: Method<Result = Shown>>(self: &Arc<Self>, builder: HostBuilder) -> HostBuilder {
        let person = Arc::clone(self);
        builder.serve::<M, _, _>(move |Asked { extension, params, .. }: Asked<M::Params>| {
            let params = serde_json::to_value(params).unwrap_or_default();
            let is_gone = ["text", "title", "lines"].iter().all(|name| params[name].is_null());
            let place = (extension, M::NAME, params["key"].to_string());
            let mut seen = person.lock();
            if is_gone {
                seen.shown.remove(&place);
            } else {
                seen.shown.insert(place, params);
            }
            drop(seen);
            async { Ok(Shown {}) }
        })
    }

    async fn decide(&self, request: ApprovalRequest) -> Result<Decision, ApproverError> {
        let says = json!({
            "what": "approval",
            "extension": request.tool.extension,
            "tool": request.tool.name(),
            "caller": request.caller,
            "args": request.args.to::<Value>().unwrap_or_default(),
            "tier": request.tier.map(|tier| tier.to_string()),
            "reason": request.reason,
            "details": request.details,
            "key": request.key,
        });
        match self.ask(says).await?.as_str() {
            Some("once") => Ok(Decision::Once),
            Some("always") => Ok(Decision::Always),
            Some("deny") => Ok(Decision::Deny { reason: None }),
            _ => Err("an approval is answered with once, always or deny".into()),
        }
    }

    async fn ask(&self, says: Value) -> Result<Value, oneshot::error::RecvError> {
        let (answer, answered) = oneshot::channel();
        let _open = Open(self, self.open(says, answer));
        answered.await
    }

    /// Puts a question behind those that are open; its number.
    fn open(&self, says: Value, answer: oneshot::Sender<Value>) -> u64 {
        let mut seen = self.lock();
        seen.last += 1;
        let number = seen.last;
        seen.asked.push(Question { number, says, answer });
        number
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
