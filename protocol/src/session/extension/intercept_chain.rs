//! An intercept's way through an extension's handlers: who is asked, what each sees, what comes of it
//! (`intercept.phase`, `intercept.phase-absent`, `intercept.failure`).

use std::sync::Arc;

use thiserror::Error;

use super::ExtensionSession;
use crate::frame::{EventIntercept, EventInterceptResponse, OnFailure, Phase, ReplaceResult};
use crate::json::RawJson;
use crate::session::{CallKey, ReplyError};

/// The one point that has guards (`guard.points`).
const GUARDED_POINT: &str = "tool_call";

/// What a handler makes of something that is about to happen.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// It goes on as it is.
    None,
    /// It must not happen; why.
    Block(String),
    /// A person is to approve it; why. Only of a guard.
    Ask(String),
    /// It goes on with other arguments, an object.
    Args(RawJson),
    /// It goes on with another text.
    Text(String),
    /// It goes on with another system prompt; an empty one removes it.
    SystemPrompt(String),
    /// The caller gets another result.
    Result(ReplaceResult),
    /// The extension has dealt with the prompt itself: the agent does not send it.
    Handled,
}

/// Whose turn it is, as an index into the handlers in the order in which the author gave them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// An interceptor of the intercept's point.
    Interceptor(usize),
    /// A guard.
    Guard(usize),
}

/// A decision that nobody may take. The handler has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ChangeError {
    /// The arguments are something else than an object (`intercept.modified-args`).
    #[error("the rewritten arguments are not an object")]
    ArgsNotAnObject,
    /// A guard sees what will run, so it changes nothing.
    #[error("a guard may only block or ask; an interceptor may rewrite")]
    OfGuard,
    /// What an interceptor asks about may be rewritten behind it (`guard.ask`).
    #[error("only a guard may have a person asked: it sees the call as it will run")]
    NotOfGuard,
}

/// An intercept on its way through the handlers, as a state machine.
///
/// First the interceptors are asked, in order; each sees what the one before made. Then the guards,
/// who see what will run. A guard that has a person asked does not end it. A block does, and so does a
/// failure, unless the author chose that failures at the point let it pass: then an interceptor's failure
/// undoes every rewrite and the guards are asked next, and a guard's changes nothing. So an extension
/// answers a host that asks for both at once as it answers one that asks in two phases.
///
/// A driver asks [`InterceptChain::turn`] who is next, shows that handler [`InterceptChain::intercept`] and tells
/// [`InterceptChain::decided`] or [`InterceptChain::failed`] what came of it, until it is nobody's turn; then
/// [`ExtensionSession::end_chain`] answers.
///
/// ```
/// use extline_protocol::frame::EventIntercept;
/// use extline_protocol::{Change, InterceptChain, RawJson, Turn, decode_frame};
///
/// let asked = r#"{"type":"event_intercept","id":"1","event":"tool_call","tool_args":{"n":1}}"#;
/// let asked = decode_frame::<EventIntercept>(asked)?;
/// let mut chain = InterceptChain::new(asked, 1, 1, false);
/// assert_eq!(chain.turn(), Some(Turn::Interceptor(0)));
/// chain.decided(Change::Args(RawJson::parse(r#"{"n":2}"#)?))?;
/// assert_eq!(chain.turn(), Some(Turn::Guard(0)));
/// assert_eq!(chain.intercept().payload.tool_args, Some(RawJson::parse(r#"{"n":2}"#)?));
/// chain.decided(Change::Block("two is too much".to_owned()))?;
/// assert_eq!(chain.turn(), None);
/// assert_eq!(chain.outcome()?.reason.as_deref(), Some("two is too much"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct InterceptChain {
    /// As it was asked.
    original: Arc<EventIntercept>,
    /// As the handlers so far have left it.
    intercept: Arc<EventIntercept>,
    response: EventInterceptResponse,
    interceptors: usize,
    guards: usize,
    /// How many turns have been taken or passed over.
    taken: usize,
    fails_open: bool,
    failure: Option<String>,
}

impl InterceptChain {
    /// At its begin, with so many handlers; those that the intercept's phase or point does not mean
    /// are not asked.
    pub fn new(
        intercept: EventIntercept,
        interceptors: usize,
        guards: usize,
        fails_open: bool,
    ) -> Self {
        let asks = |phase: Phase| intercept.phase.as_ref().is_none_or(|asked| *asked == phase);
        let has_guards = intercept.event == GUARDED_POINT && asks(Phase::Guard);
        let intercepts = asks(Phase::Intercept);
        let response = EventInterceptResponse::allow(intercept.id.clone());
        let intercept = Arc::new(intercept);
        Self {
            original: Arc::clone(&intercept),
            intercept,
            response,
            interceptors: if intercepts { interceptors } else { 0 },
            guards: if has_guards { guards } else { 0 },
            taken: 0,
            fails_open,
            failure: None,
        }
    }

    /// Whose turn it is; `None` when nobody is to be asked any more.
    pub fn turn(&self) -> Option<Turn> {
        if self.taken < self.interceptors {
            return Some(Turn::Interceptor(self.taken));
        }
        let guard = self.taken - self.interceptors;
        (guard < self.guards).then_some(Turn::Guard(guard))
    }

    /// What the next handler is to see.
    pub fn intercept(&self) -> &Arc<EventIntercept> {
        &self.intercept
    }

    /// Takes in what the handler decided whose turn it is.
    ///
    /// # Errors
    /// It may not decide that. The driver then says [`InterceptChain::failed`], in the handler's name.
    pub fn decided(&mut self, change: Change) -> Result<(), ChangeError> {
        match self.turn() {
            Some(Turn::Guard(_)) if change.rewrites() => return Err(ChangeError::OfGuard),
            Some(Turn::Interceptor(_)) if matches!(change, Change::Ask(_)) => {
                return Err(ChangeError::NotOfGuard);
            }
            _ => {}
        }
        match change {
            Change::None => {}
            Change::Block(reason) => {
                let id = self.intercept.id.clone();
                self.response = EventInterceptResponse::block(id, reason);
                self.end();
                return Ok(());
            }
            Change::Ask(reason) => {
                let reason = match self.response.reason.take() {
                    Some(before) => format!("{before}; {reason}"),
                    None => reason,
                };
                // No rewrite beside it: for a host that does not know `ask` it is a block.
                self.response = EventInterceptResponse::ask(self.intercept.id.clone(), reason);
            }
            Change::Args(args) if !args.is_object() => return Err(ChangeError::ArgsNotAnObject),
            Change::Args(args) => {
                self.changed().payload.tool_args = Some(args.clone());
                self.response.modified_args = Some(args);
            }
            Change::Text(text) => {
                self.changed().payload.text = Some(text.clone());
                self.response.replace_text = Some(text);
            }
            Change::SystemPrompt(prompt) => {
                self.changed().system_prompt = Some(prompt.clone());
                self.response.system_prompt = Some(prompt);
            }
            Change::Result(other) => {
                let payload = &mut self.changed().payload;
                other.apply(payload.result.get_or_insert_default());
                let before = self.response.replace_result.take().unwrap_or_default();
                self.response.replace_result = Some(before.then(other));
            }
            Change::Handled => {
                // Nothing is sent, so no rewrite counts.
                self.response = EventInterceptResponse::allow(self.intercept.id.clone());
                self.response.handled = true;
                self.end();
                return Ok(());
            }
        }
        self.taken += 1;
        Ok(())
    }

    /// What the next handler sees.
    // Once for all changes: it is large.
    #[inline(never)]
    fn changed(&mut self) -> &mut EventIntercept {
        Arc::make_mut(&mut self.intercept)
    }

    /// The handler failed whose turn it is. `why` names it, for the model or the user.
    pub fn failed(&mut self, why: String) {
        if !self.fails_open {
            self.failure = Some(why);
            self.end();
        } else if let Some(Turn::Interceptor(_)) = self.turn() {
            self.intercept = Arc::clone(&self.original);
            self.response = EventInterceptResponse::allow(self.original.id.clone());
            self.taken = self.interceptors;
        } else {
            self.taken += 1;
        }
    }

    /// What the handlers came to.
    ///
    /// # Errors
    /// The failure that ended it: the point's `on_failure` decides.
    pub fn outcome(self) -> Result<EventInterceptResponse, String> {
        self.failure.map_or(Ok(self.response), Err)
    }

    fn end(&mut self) {
        self.taken = self.interceptors + self.guards;
    }
}

impl Change {
    fn rewrites(&self) -> bool {
        !matches!(self, Self::None | Self::Block(_) | Self::Ask(_))
    }
}

impl ExtensionSession {
    /// Sends an intercept on its way through so many interceptors of its point and so many guards.
    pub fn chain(
        &self,
        intercept: EventIntercept,
        interceptors: usize,
        guards: usize,
    ) -> InterceptChain {
        let fails_open = self.fails_open(&intercept.event);
        InterceptChain::new(intercept, interceptors, guards, fails_open)
    }

    /// Whether the author chose that failures at a point let it pass.
    pub fn fails_open(&self, point: &str) -> bool {
        let modes = self.registrations.subscribe.on_failure.as_ref();
        modes.and_then(|modes| modes.get(point)) == Some(&OnFailure::Allow)
    }

    /// Answers an intercept with what its handlers came to.
    ///
    /// # Errors
    /// As [`ExtensionSession::reply_intercept`].
    pub fn end_chain(&mut self, key: &CallKey, chain: InterceptChain) -> Result<(), ReplyError> {
        match chain.outcome() {
            Ok(response) => self.reply_intercept(key, response),
            Err(why) => self.fail_intercept(key, &why),
        }
    }
}
