//! The host that a driver operates, and what it told meanwhile.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use extline_host::{Host, News};
use extline_protocol::{Deadlines, Profile};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::person::Person;

/// The host, once it was started, and what it told.
pub(super) struct State {
    pub(super) profile: Profile,
    host: RefCell<Option<Rc<Host>>>,
    /// The request that started it.
    request: RefCell<Value>,
    /// What a user would see: notes, prompts that extensions submit, what is wrong with them.
    told: RefCell<Vec<Value>>,
    /// By the number of its request: how a call is cancelled.
    pub(super) cancels: RefCell<HashMap<u64, oneshot::Sender<()>>>,
    pub(super) person: Arc<Person>,
}

impl State {
    pub(super) fn new(profile: Profile) -> Self {
        Self {
            profile,
            host: RefCell::default(),
            request: RefCell::default(),
            told: RefCell::default(),
            cancels: RefCell::default(),
            person: Arc::default(),
        }
    }

    pub(super) fn host(&self) -> Option<Rc<Host>> {
        self.host.borrow().clone()
    }

    /// The request that started the host.
    pub(super) fn started_with(&self) -> Value {
        self.request.borrow().clone()
    }

    pub(super) fn told(&self) -> Vec<Value> {
        self.told.borrow().clone()
    }

    /// Takes the host over, and listens to it.
    pub(super) fn begin(self: &Rc<Self>, host: Host, request: Value) {
        *self.request.borrow_mut() = request;
        let mut news = host.news();
        *self.host.borrow_mut() = Some(Rc::new(host));
        let state = Rc::downgrade(self);
        tokio::task::spawn_local(async move {
            while let (Some(news), Some(state)) = (news.next().await, state.upgrade()) {
                state.told.borrow_mut().extend(in_json(&news));
            }
        });
    }

    /// Ends the host as its user would.
    pub(super) async fn stop(&self) {
        let host = self.host();
        if let Some(host) = host {
            host.shutdown().await;
        }
    }
}

/// What a request says of deadlines; the defaults for the rest.
pub(super) fn deadlines(request: &Value) -> Deadlines {
    let mut deadlines = Deadlines::default();
    let time = |name: &str| request["deadlines"][name].as_u64().map(Duration::from_millis);
    if let Some(time) = time("tool_ms") {
        deadlines.tool = time;
    }
    if let Some(time) = time("command_ms") {
        deadlines.command = time;
    }
    if let Some(time) = time("intercept_ms") {
        deadlines.intercept = time;
    }
    deadlines
}

fn in_json(news: &News) -> Option<Value> {
    Some(match news {
        News::Note { extension, level, message } => json!({
            "what": "note", "extension": extension, "level": level.to_string(), "text": message,
        }),
        News::Submit { extension, text } => {
            json!({"what": "submit", "extension": extension, "text": text})
        }
        News::SubmitSlash { extension, text } => {
            json!({"what": "submit_slash", "extension": extension, "text": text})
        }
        News::Notice { extension, notice } => {
            json!({"what": "problem", "extension": extension, "text": notice.to_string()})
        }
        News::Failed { extension, diagnosis } => {
            json!({"what": "problem", "extension": extension, "text": diagnosis.to_string()})
        }
        News::InterceptFailed { extension, failure } => {
            json!({"what": "problem", "extension": extension, "text": failure.to_string()})
        }
        News::Registered { extension, report } => {
            let rejected = report.rejected.iter().map(|it| format!("{it:?}"));
            let text = rejected.collect::<Vec<_>>().join("; ");
            json!({"what": "problem", "extension": extension, "text": text})
        }
        _ => return None,
    })
}
