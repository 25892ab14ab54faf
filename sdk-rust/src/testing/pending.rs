//! Actions that the extension proposes, and their resolution by a test.

use std::cell::RefCell;
use std::panic::Location;
use std::rc::Rc;
use std::time::Instant;

use extline_protocol::frame::{Content, ReplaceResult, ToolResult};
use extline_protocol::{ErrorKind, Id, RawJson};
use extline_services::Method;
use extline_services::pending::{
    Apply, ApplyMethod, Next, PendingAction, Push, PushMethod, Queue, Reject, RejectMethod,
    Resolution,
};
use serde_json::json;

use super::answer::Answer;
use super::builder::Builder;
use super::failure::Failure;
use super::host::Host;
use super::seen::Outcome;
use crate::ToolError;

/// Actions.
impl Builder {
    /// Lets the extension propose actions; [`Host::pending`] has them, [`Host::apply`] and [`Host::discard`] resolve
    /// the first.
    pub fn pending(mut self) -> Self {
        let queue = Rc::new(RefCell::new(Queue::default()));
        self.stand_ins.pending = Some(Rc::clone(&queue));
        self.method(PushMethod::NAME, move |params| {
            let wrong = |why| ToolError::validation(format!("{}: {why}", PushMethod::NAME));
            let push: Push =
                serde_json::from_value(params).map_err(|error| wrong(error.to_string()))?;
            PushMethod::check(&push).map_err(wrong)?;
            match queue.borrow_mut().push("", push, None) {
                Ok(action) => Ok(json!({ "action_id": action.id })),
                Err((kind, text)) => Err(ToolError::of_kind(ErrorKind::from(kind), text)),
            }
        })
    }
}

/// Actions.
impl Host {
    /// The actions that are pending; the first is resolved next. None for a host without
    /// [`pending`](Builder::pending).
    pub fn pending(&self) -> Vec<PendingAction> {
        self.queue().map_or_else(Vec::new, |queue| queue.borrow().pending().cloned().collect())
    }

    /// Has the first action done, as the model does by `resolve`, and says what the model reads then. One that fails
    /// stays pending.
    ///
    /// # Errors
    ///
    /// As [`call`](Host::call).
    #[track_caller]
    pub fn apply(&mut self, reason: &str) -> Result<Answer, Failure> {
        self.conversation.place = Location::caller();
        self.resolve(Resolution::Apply, reason)
    }

    /// Has the first action dropped, likewise.
    ///
    /// # Errors
    ///
    /// As [`call`](Host::call).
    #[track_caller]
    pub fn discard(&mut self, reason: &str) -> Result<Answer, Failure> {
        self.conversation.place = Location::caller();
        self.resolve(Resolution::Discard, reason)
    }

    fn queue(&self) -> Option<Rc<RefCell<Queue<()>>>> {
        self.conversation.proposals()
    }

    fn resolve(&mut self, resolution: Resolution, reason: &str) -> Result<Answer, Failure> {
        let queue =
            self.queue().ok_or_else(|| self.misuse("the host takes no proposals".to_owned()))?;
        let next = queue.borrow_mut().decide(resolution);
        let action = match next {
            Next::Ask(action) => action,
            Next::Told(told) => {
                return Ok(answer(vec![Content::text(told.text)], told.error.is_some()));
            }
        };
        let (handle, why) = (action.handle, reason.to_owned());
        let (method, params) = if resolution == Resolution::Apply {
            (ApplyMethod::NAME, json!(Apply { handle, reason: why }))
        } else {
            (RejectMethod::NAME, json!(Reject { handle, reason: why, released: false }))
        };
        let answered = self.ask(method, params.into())?;
        let read = answered.and_then(|answer| ReplaceResult::parse(answer.get()));
        let read = read.and_then(|result| match result.is_error {
            Some(true) => Err(Content::joined(&result.content.unwrap_or_default())),
            _ => Ok(result),
        });
        let mut queue = queue.borrow_mut();
        Ok(match (resolution, read) {
            (Resolution::Apply, Err(why)) => {
                answer(vec![Content::text(queue.not_applied(&action.shown, &why))], true)
            }
            (_, read) => {
                let text = queue.settle(&action.shown, resolution, reason);
                let ReplaceResult { content, structured_content, details, .. } =
                    read.unwrap_or_default();
                let content = content.filter(|content| !content.is_empty());
                let content = content.unwrap_or_else(|| vec![Content::text(text)]);
                let result = ToolResult::new(Id::default(), content);
                Answer::new(ToolResult { structured_content, details, ..result }, Vec::new())
            }
        })
    }

    /// What the extension answers, or why it does not do it.
    fn ask(&mut self, method: &str, params: RawJson) -> Result<Result<RawJson, String>, Failure> {
        let sent = self.conversation.session.request(method, Some(params), None, Instant::now());
        let key =
            sent.map_err(|error| self.misuse(format!("{method} was not asked for: {error}")))?;
        match self.outcome(&key, || format!("the method {method} did not answer"))? {
            Outcome::Method(answer) => Ok(answer.map_err(|error| error.message)),
            // A key names a call of one kind.
            _ => unreachable!("a request has another kind of answer"),
        }
    }
}

fn answer(content: Vec<Content>, is_error: bool) -> Answer {
    let result = ToolResult { is_error, ..ToolResult::new(Id::default(), content) };
    Answer::new(result, Vec::new())
}
