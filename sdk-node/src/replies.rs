//! How the TypeScript half answers, and asks the host.

use std::time::Instant;

use extline_driver::questions::{self, Asked, Asker, News};
use extline_driver::{modify, secrets};
use extline_protocol::frame::{
    CommandResponse, Content, ErrorInfo, ExtensionFrame, RpcError, ToolResult, ToolUpdate,
};
use extline_protocol::{
    CallKey, CallKind, ErrorKind, Repetition, RequestError, Update, approval_answer,
};
use napi::{Error, Result};
use napi_derive::napi;

use crate::calls::number;
use crate::core::State;
use crate::frames::{members_of, raw};
use crate::session::Session;

#[napi]
impl Session {
    fn repetition(&self, serial: i64) -> Option<Repetition> {
        let state = self.driver.core.lock();
        let key = state.calls.key(number(serial))?;
        state.channel.session.repetition(key).cloned()
    }

    /// Answers a tool call with a text.
    #[napi(catch_unwind)]
    pub fn answer_text(&self, serial: i64, text: String) {
        self.reply_tool(serial, ToolResult::new("".into(), vec![Content::Text(text)]));
    }

    /// Answers a tool call with a value, whose JSON text this is.
    #[napi(catch_unwind)]
    pub fn answer_value(&self, serial: i64, json: String) -> Result<()> {
        let mut result = ToolResult::new("".into(), Vec::new());
        result.push_value(raw(&json)?);
        self.reply_tool(serial, result);
        Ok(())
    }

    /// Answers a call of any kind but an intercept with the members of its frame, as the JSON text of an
    /// object.
    #[napi(catch_unwind)]
    pub fn answer(&self, serial: i64, members: String) -> Result<()> {
        let Some(kind) = self.kind(serial) else { return Ok(()) };
        let frame = answer_of(kind, &members)?;
        let Some(key) = self.end_call(serial) else { return Ok(()) };
        self.driver.tell(|state| reply(state, &key, frame));
        Ok(())
    }

    /// Says whether a call is to be approved, by the JSON text of what its function returned. What is no answer
    /// to that throws, and then it is not answered.
    #[napi(catch_unwind)]
    pub fn answer_approval(&self, serial: i64, json: String) -> Result<()> {
        let answer = approval_answer(&raw(&json)?);
        let answer = answer.map_err(|error| Error::from_reason(error.to_string()))?;
        let Some(key) = self.end_call(serial) else { return Ok(()) };
        // As above.
        self.driver.tell(|state| {
            let _ = state.channel.session.reply_request(&key, Ok(answer));
        });
        Ok(())
    }

    /// A call failed; of an intercept each handler does.
    #[napi(catch_unwind)]
    pub fn fail(&self, serial: i64, kind: String, message: String) {
        let Some(key) = self.end_call(serial) else { return };
        self.driver.tell(|state| {
            let session = &mut state.channel.session;
            let kind = ErrorKind::from(kind.as_str());
            // It fails for a call that the session has answered in the handler's place.
            let _ = match key.kind() {
                CallKind::Command => {
                    session.reply_command(&key, CommandResponse::error(key.id().clone(), message))
                }
                CallKind::Request => session.reply_request(&key, Err(RpcError::new(kind, message))),
                _ => session.fail_tool(&key, ErrorInfo::new(kind, message)),
            };
        });
    }

    /// The handlers of an event have ended.
    #[napi(catch_unwind)]
    pub fn event_done(&self, event: String) {
        self.driver.tell(|state| {
            state.calls.end_other(&format!("event {event}"));
            state.channel.session.event_done();
        });
    }

    /// The handler of a panel's input has ended.
    #[napi(catch_unwind)]
    pub fn panel_done(&self, id: String) {
        self.driver.tell(|state| {
            state.calls.end_other(&format!("panel {id}"));
            state.channel.session.panel_done(&id);
        });
    }

    /// Setup has begun, or ended.
    #[napi(catch_unwind)]
    pub fn setting_up(&self, is_begun: bool) {
        let mut state = self.driver.core.lock();
        if is_begun {
            state.calls.begin_other("setup".into());
        } else {
            state.calls.end_other("setup");
        }
    }

    /// Teardown has ended.
    #[napi(catch_unwind)]
    pub fn teardown_done(&self) {
        self.driver.tell(|state| {
            state.calls.end_other("teardown");
            state.channel.session.teardown_done();
        });
    }

    /// The id of a call on the channel; empty for one that has ended, or is none.
    #[napi(catch_unwind)]
    pub fn call_id(&self, serial: i64) -> String {
        let state = self.driver.core.lock();
        state.calls.key(number(serial)).map_or_else(String::new, |key| key.id().as_str().to_owned())
    }

    /// Whether the host no longer wants the answer.
    #[napi(catch_unwind)]
    pub fn is_cancelled(&self, serial: i64) -> bool {
        self.driver.core.lock().calls.is_cancelled(number(serial))
    }

    /// How many milliseconds the host still waits for a call; below zero where it does not say, and for a
    /// call that is answered.
    #[napi(catch_unwind)]
    pub fn left(&self, serial: i64) -> f64 {
        let state = self.driver.core.lock();
        let now = Instant::now();
        let key = state.calls.key(number(serial));
        let deadline = key.and_then(|key| state.channel.session.deadline(key, now));
        deadline
            .map_or(-1.0, |deadline| deadline.saturating_duration_since(now).as_secs_f64() * 1000.0)
    }

    /// What names what a tool call does, where it says so.
    #[napi(catch_unwind)]
    pub fn operation_key(&self, serial: i64) -> Option<String> {
        self.repetition(serial)?.operation_key
    }

    /// Whether it is only asked what became of a call.
    #[napi(catch_unwind)]
    pub fn reconciles(&self, serial: i64) -> bool {
        self.repetition(serial).is_some_and(|repetition| repetition.reconcile)
    }

    /// The handlers at work, as a person reads them.
    #[napi(catch_unwind)]
    pub fn at_work(&self) -> Vec<String> {
        self.driver.core.lock().calls.names()
    }

    /// Shows how a tool call stands, by the members of the frame.
    #[napi(catch_unwind)]
    pub fn update(&self, serial: i64, members: String) -> Result<()> {
        let update: ToolUpdate = members_of(&members)?;
        let ToolUpdate { content, details, view, progress, .. } = update;
        let update = Update { content, details, view, progress };
        self.driver.show(|state| {
            if let Some(key) = state.calls.key(number(serial)) {
                state.channel.session.update(key, update);
            }
        });
        Ok(())
    }

    /// Sends a part of the answer to a request of the host's. False while so many wait to be written that
    /// this one has to (`rpc.parts-ahead`); an error's `code` is its kind.
    #[napi(catch_unwind)]
    pub fn send_part(&self, serial: i64, part: String) -> Result<bool, String> {
        let part = raw(&part).map_err(|error| refusal(&ErrorKind::Validation, &error.reason))?;
        self.driver.tell(|state| {
            match state.channel.session.send_part(state.calls.key(number(serial)), part) {
                Err(RequestError::PartsAhead) => Ok(false),
                sent => sent
                    .map(|()| true)
                    .map_err(|refused| refusal(&refused.kind(), &refused.to_string())),
            }
        })
    }

    /// Calls a tool of the host's, in the name of a call's handler, of one that answers nobody (0), or of
    /// none (-1). The number of the question; an error's `code` is its kind.
    #[napi(catch_unwind)]
    pub fn call_tool(&self, parent: i64, name: String, args: String) -> Result<i64, String> {
        let args = raw(&args).map_err(|error| refusal(&ErrorKind::Validation, &error.reason))?;
        self.driver.tell(|state| state.ask(parent, Asked::Tool { name: &name, args }))
    }

    /// Asks the host by method, perhaps for parts before the answer. The same.
    #[napi(catch_unwind)]
    pub fn request(
        &self,
        parent: i64,
        method: String,
        params: Option<String>,
        timeout: Option<f64>,
        wants_parts: bool,
    ) -> Result<i64, String> {
        let params = params.as_deref().map(raw).transpose();
        let params = params.map_err(|error| refusal(&ErrorKind::Validation, &error.reason))?;
        let timeout_ms = timeout.map(|timeout| timeout.max(0.0) as u64);
        let asked = Asked::Request { method: &method, params, timeout_ms, wants_parts };
        self.driver.tell(|state| state.ask(parent, asked))
    }

    /// A secret or a variable, where the host does not serve the method that gives it; undefined where it is to be
    /// asked. An error's `code` is its kind.
    #[napi(catch_unwind)]
    pub fn elsewhere(&self, method: String, name: String) -> Result<Option<String>, String> {
        let state = self.driver.core.lock();
        let found = secrets::elsewhere(&state.channel.session, &method, &name);
        found.transpose().map_err(|error| refusal_of(&error))
    }

    /// Whether a value that could not be set, by the kind of the failure, is read and changed again.
    // napi copies it to where it is not needed, so it cannot be expected.
    #[allow(clippy::unused_self, reason = "as TypeScript calls it")]
    #[napi(catch_unwind)]
    pub fn tries_again(&self, kind: String, tried: u32) -> bool {
        modify::tries_again(&ErrorKind::from(kind.as_str()), tried)
    }

    /// The answer is not wanted any more. It comes all the same.
    #[napi(catch_unwind)]
    pub fn cancel_question(&self, question: i64) {
        self.driver.tell(|state| {
            if let Some(question) = state.questions.get(number(question)).cloned() {
                state.questions.give_up(&mut state.channel.session, &question);
            }
        });
    }

    fn reply_tool(&self, serial: i64, result: ToolResult) {
        self.driver.tell(|state| {
            if let Some(key) = state.calls.end(number(serial)) {
                // It fails for a call that the session has answered in the handler's place.
                let _ = state.channel.session.reply_tool(&key, result);
            }
        });
    }

    fn kind(&self, serial: i64) -> Option<CallKind> {
        self.driver.core.lock().calls.key(number(serial)).map(CallKey::kind)
    }

    fn end_call(&self, serial: i64) -> Option<CallKey> {
        self.driver.core.lock().calls.end(number(serial))
    }
}

fn answer_of(kind: CallKind, members: &str) -> Result<ExtensionFrame> {
    Ok(match kind {
        CallKind::Tool | CallKind::CallTool => members_of::<ToolResult>(members)?.into(),
        CallKind::Command => members_of::<CommandResponse>(members)?.into(),
        CallKind::Intercept | CallKind::Request => ExtensionFrame::Response(members_of(members)?),
    })
}

fn reply(state: &mut State, key: &CallKey, frame: ExtensionFrame) {
    let session = &mut state.channel.session;
    // It fails for a call that the session has answered in the handler's place.
    let _ = match frame {
        ExtensionFrame::ToolResult(result) => session.reply_tool(key, *result),
        ExtensionFrame::CommandResponse(response) => session.reply_command(key, *response),
        ExtensionFrame::Response(response) => session.reply_request(
            key,
            response.error.map_or_else(|| Ok(response.result.unwrap_or_default()), Err),
        ),
        _ => Ok(()),
    };
}

impl State {
    fn ask(&mut self, parent: i64, what: Asked<'_>) -> Result<i64, String> {
        let Self { channel, calls, questions, .. } = self;
        let asker = Asker { call: calls.key(number(parent)), is_handler: parent >= 0 };
        let question = questions.ask(&mut channel.session, asker, what, || ());
        let question = question.map_err(|error| refusal_of(&error))?;
        if let Some(News::Interrupted) = question.take() {
            let ErrorInfo { kind, message, .. } = questions::cancelled();
            return Err(refusal(&kind, &message));
        }
        Ok(question.serial().cast_signed())
    }
}

/// With what to do behind the message, where somebody says it: `refusable` in TypeScript takes them apart.
fn refusal_of(error: &ErrorInfo) -> Error<String> {
    match &error.hint {
        Some(hint) => refusal(&error.kind, &format!("{}\nhint: {hint}", error.message)),
        None => refusal(&error.kind, &error.message),
    }
}

fn refusal(kind: &ErrorKind, message: &str) -> Error<String> {
    Error::new(kind.as_str().to_owned(), message)
}
