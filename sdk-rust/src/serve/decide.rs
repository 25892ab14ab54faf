//! An intercept's way through the interceptors and the guards of this extension.

use std::rc::Rc;
use std::time::Instant;

use extline_protocol::CallKey;
use extline_protocol::frame::{EventIntercept, EventInterceptResponse, OnFailure, Phase};

use super::Serving;
use crate::Context;
use crate::connection::Connection;
use crate::guard::Guard;
use crate::handler::Guarded;
use crate::intercept::{Change, DecisionHandler};
use crate::point::{Point, ToolCall};
use crate::running::{Name, RunId};
use crate::stderr::report;

impl Serving {
    pub(super) fn intercept(&self, key: CallKey, intercept: EventIntercept, by: Instant) {
        let context = Context::of_call(&self.connection, key.clone(), Some(by), None);
        let point = intercept.event.clone();
        let cancellation = context.cancellation();
        let course = self.course(key.clone(), intercept, context);
        let name = Name { kind: "intercept", name: point };
        let work = Box::pin(course.run());
        let id = RunId::Call(key.serial());
        self.start(id, name, cancellation, work, move |connection, outcome| {
            match outcome.and_then(|outcome| outcome) {
                Ok(response) => connection.answer_intercept(&key, response),
                Err(failure) => connection.fail_intercept(&key, &failure),
            }
        });
    }

    fn course(&self, key: CallKey, intercept: EventIntercept, context: Context) -> Course {
        let point = &intercept.event;
        let handlers = self.connection.handlers.borrow();
        let interceptors = handlers.interceptors.get(point).cloned().unwrap_or_default();
        let guards = if point == ToolCall::NAME { handlers.guards.clone() } else { Vec::new() };
        drop(handlers);
        let (interceptors, guards) = match intercept.phase {
            Some(Phase::Intercept) => (interceptors, Vec::new()),
            Some(Phase::Guard) => (Vec::new(), guards),
            _ => (interceptors, guards),
        };
        let connection = Rc::clone(&self.connection);
        Course { connection, context, key, intercept: Rc::new(intercept), interceptors, guards }
    }
}

/// Everything that one intercept needs, also once the serving loop does something else.
struct Course {
    connection: Rc<Connection>,
    context: Context,
    key: CallKey,
    /// As the handlers so far have left it.
    intercept: Rc<EventIntercept>,
    interceptors: Vec<DecisionHandler>,
    guards: Vec<Guard>,
}

impl Course {
    /// The answer, or which handler failed and why.
    async fn run(mut self) -> Result<EventInterceptResponse, String> {
        let original = Rc::clone(&self.intercept);
        let intercepted = self.ask_interceptors().await;
        match &intercepted {
            Ok(response) if !response.block => {}
            // What was rewritten on the way to a failure does not count; the guards are asked all
            // the same.
            Err(_) if self.fails_open() => self.intercept = original,
            _ => return intercepted,
        }
        match self.ask_guards().await? {
            Some(reason) => Ok(EventInterceptResponse::block(self.key.id().clone(), reason)),
            None => intercepted,
        }
    }

    /// Each sees what the one before made.
    async fn ask_interceptors(&mut self) -> Result<EventInterceptResponse, String> {
        let mut response = EventInterceptResponse::allow(self.key.id().clone());
        for handler in std::mem::take(&mut self.interceptors) {
            let point = self.intercept.event.clone();
            let failed = |why: String| failure(&format!("interceptor of {point}"), &why);
            let change = self.ask(&handler).await.map_err(&failed)?;
            let intercept = Rc::make_mut(&mut self.intercept);
            match change {
                Change::None => {}
                Change::Block(reason) => {
                    return Ok(EventInterceptResponse::block(self.key.id().clone(), reason));
                }
                Change::Args(args) if !args.is_object() => {
                    return Err(failed("the rewritten arguments are not an object".to_owned()));
                }
                Change::Args(args) => {
                    intercept.payload.tool_args = Some(args.clone());
                    response.modified_args = Some(args);
                }
                Change::Text(text) => {
                    intercept.payload.text = Some(text.clone());
                    response.replace_text = Some(text);
                }
                Change::SystemPrompt(prompt) => {
                    intercept.system_prompt = Some(prompt.clone());
                    response.system_prompt = Some(prompt);
                }
            }
        }
        Ok(response)
    }

    /// The reason of the first block. Where failures let calls pass, one guard's failure does not
    /// keep the others from being asked.
    async fn ask_guards(&mut self) -> Result<Option<String>, String> {
        let mut first_failure = None;
        for guard in std::mem::take(&mut self.guards) {
            self.connection.session().intercept_running(&self.key, &guard.name);
            match self.ask(&guard.handler).await {
                Ok(Change::Block(reason)) => return Ok(Some(reason)),
                Ok(_) => {}
                Err(why) => {
                    let failure = failure(&format!("guard {}", guard.name), &why);
                    if !self.fails_open() {
                        return Err(failure);
                    }
                    first_failure.get_or_insert(failure);
                }
            }
        }
        first_failure.map_or(Ok(None), Err)
    }

    async fn ask(&self, handler: &DecisionHandler) -> Result<Change, String> {
        let work = handler(Rc::clone(&self.intercept), self.context.clone());
        Guarded::new(work).await.and_then(|outcome| outcome)
    }

    /// Whether the author chose that failures at this point let it pass.
    fn fails_open(&self) -> bool {
        let session = self.connection.session();
        let modes = session.registrations().subscribe.on_failure.as_ref();
        modes.and_then(|modes| modes.get(&self.intercept.event)) == Some(&OnFailure::Allow)
    }
}

/// The author sees it on stderr, also where the call goes on.
fn failure(handler: &str, why: &str) -> String {
    let failure = format!("{handler} failed: {why}");
    report(&failure);
    failure
}
