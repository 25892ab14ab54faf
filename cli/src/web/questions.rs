//! What extensions ask the person: shown in the page, and answered there.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use extline_host::services::Method;
use extline_host::services::ui::{
    AskMethod, AuthMethod, ConfirmMethod, EditorMethod, InputMethod, SelectMethod,
};
use extline_host::{ApprovalRequest, ApproverError, Asked, Decision, HostBuilder, MethodCall};
use extline_mcp::DISPLAYS;
use extline_protocol::frame::{RpcError, Tier};
use extline_protocol::{ErrorKind, RawJson};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::hub::Hub;
use crate::content::json_of_value;
use crate::desk::Desk;

/// The open questions. Clones are the same ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Questions {
    open: Arc<Mutex<Open>>,
    hub: Hub,
}

#[derive(Default)]
struct Open {
    last: u64,
    questions: BTreeMap<u64, Question>,
}

struct Question {
    shown: Value,
    answer: Answering,
}

/// Takes an answer as JSON; `Err` says what is wrong with it, and the question stays open.
type Answering = Box<dyn FnMut(&str) -> Result<(), String> + Send>;

/// A question that is taken back when this is dropped.
struct Asking<'q> {
    number: u64,
    questions: &'q Questions,
}

/// What the person decides about a call.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Once,
    Always,
    No,
}

impl Desk for Questions {
    fn serve(&self, builder: HostBuilder) -> HostBuilder {
        let builder = self.dialog::<ConfirmMethod>(builder);
        let builder = self.dialog::<SelectMethod>(builder);
        let builder = self.dialog::<InputMethod>(builder);
        let builder = self.dialog::<EditorMethod>(builder);
        let builder = self.dialog::<AskMethod>(builder);
        let builder = self.dialog::<AuthMethod>(builder);
        let builder = DISPLAYS.iter().fold(builder, |builder, name| {
            let hub = self.hub.clone();
            builder.serve_method(*name, move |call: MethodCall| {
                let params = call.params.as_ref().map(json_of_value);
                let shown = json!({
                    "extension": call.extension, "method": call.method, "params": params
                });
                hub.tell("shown", &shown);
                async { Ok(RawJson::empty_object()) }
            })
        });
        let questions = self.clone();
        builder.approver(move |request: ApprovalRequest| {
            let questions = questions.clone();
            async move { questions.approve(request).await }
        })
    }
}

impl Questions {
    pub(super) fn new(hub: Hub) -> Self {
        Self { open: Arc::default(), hub }
    }

    fn dialog<M: Method>(&self, builder: HostBuilder) -> HostBuilder {
        let questions = self.clone();
        builder.serve::<M, _, _>(move |asked: Asked<M::Params>| {
            let questions = questions.clone();
            let Asked { extension, params, .. } = asked;
            let shown = json!({"extension": extension, "method": M::NAME, "params": params});
            async move { questions.ask(shown).await }
        })
    }

    /// What is open, the oldest first.
    pub(super) fn shown(&self) -> Vec<Value> {
        self.lock().questions.values().map(|question| question.shown.clone()).collect()
    }

    /// Answers a question. `Err` says why that is no answer.
    pub(super) fn answer(&self, number: u64, answer: &str) -> Result<(), String> {
        let mut open = self.lock();
        let question = open.questions.get_mut(&number);
        let question = question.ok_or("this question is not open any more")?;
        (question.answer)(answer)?;
        open.questions.remove(&number);
        Ok(())
    }

    /// Asks, and waits. Dropped, the question is taken back.
    async fn ask<T: DeserializeOwned + Send + 'static>(
        &self,
        mut shown: Value,
    ) -> Result<T, RpcError> {
        let (sender, answered) = oneshot::channel();
        let mut sender = Some(sender);
        let answer = move |answer: &str| {
            let answer = serde_json::from_str(answer).map_err(|error| error.to_string())?;
            if let Some(sender) = sender.take() {
                // Who asked may wait no more.
                let _ = sender.send(answer);
            }
            Ok(())
        };
        let _asking = {
            let mut open = self.lock();
            open.last += 1;
            let number = open.last;
            shown["number"] = number.into();
            open.questions.insert(number, Question { shown, answer: Box::new(answer) });
            Asking { number, questions: self }
        };
        self.hub.changed();
        let gone = |_| RpcError::new(ErrorKind::Cancelled, "the question was taken back");
        answered.await.map_err(gone)
    }

    async fn approve(&self, request: ApprovalRequest) -> Result<Decision, ApproverError> {
        let shown = json!({
            "extension": request.tool.extension,
            "method": "approval",
            "params": {
                "tool": request.tool.name(),
                "caller": request.caller,
                "args": request.args.get(),
                "tier": request.tier.as_ref().map(Tier::as_str),
                "reason": request.reason,
                "details": request.details,
                "doubt": request.doubt,
                "always": (!request.is_exact).then(|| request.pattern().to_string()),
            },
        });
        match self.ask(shown).await {
            Ok(Verdict::Once) => Ok(Decision::Once),
            Ok(Verdict::Always) => Ok(Decision::Always),
            Ok(Verdict::No) => Ok(Decision::Deny { reason: None }),
            Err(error) => Err(error.message.into()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        // One that is answered is known no more.
        self.questions.lock().questions.remove(&self.number);
        self.questions.hub.changed();
    }
}

impl std::fmt::Debug for Open {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Open").field("last", &self.last).finish_non_exhaustive()
    }
}
