//! An intercept's way through the interceptors and the guards of this extension, a step at a time for
//! the TypeScript half, which calls the handlers.

use std::collections::HashMap;
use std::sync::Arc;

use extline_protocol::frame::{EventIntercept, Frame, ReplaceResult, Subscribe};
use extline_protocol::{CallKey, Change, InterceptChain, Turn};
use napi::{Error, Result};
use napi_derive::napi;

use crate::calls::{Label, number};
use crate::core::State;
use crate::frames::raw;
use crate::session::Session;

/// How many interceptors a point has, and what the guards are called.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deciders {
    interceptors: HashMap<String, usize>,
    guards: Vec<String>,
}

impl Deciders {
    /// Adds one of a point, a guard by its name, also to what the host is told.
    pub(crate) fn add(&mut self, to: &mut Subscribe, point: String, guard: Option<String>) {
        to.add(if guard.is_some() { "guard" } else { "intercept" }, &point);
        match guard {
            Some(guard) => self.guards.push(guard),
            None => *self.interceptors.entry(point).or_default() += 1,
        }
    }
}

impl State {
    /// The first whose turn it is.
    pub(crate) fn begin_chain(
        &mut self,
        key: CallKey,
        label: Label,
        intercept: EventIntercept,
    ) -> Option<i32> {
        let serial = key.serial();
        let interceptors = self.deciders.interceptors.get(&intercept.event).copied();
        let guards = self.deciders.guards.len();
        let session = &self.channel.session;
        let chain = session.chain(intercept, interceptors.unwrap_or_default(), guards);
        self.begin(key, label);
        self.chains.insert(serial, chain);
        self.next_turn(serial)
    }

    /// Whose turn it is: an interceptor's by its index, a guard's by -1 less its own. `None` when all is
    /// decided; then the host has its answer.
    #[expect(clippy::cast_possible_wrap, reason = "nobody registers 2^31 handlers")]
    fn next_turn(&mut self, serial: u64) -> Option<i32> {
        match self.chains.get(&serial)?.turn() {
            Some(Turn::Interceptor(index)) => Some(index as i32),
            Some(Turn::Guard(index)) => {
                if let (Some(key), Some(name)) =
                    (self.calls.key(serial), self.deciders.guards.get(index))
                {
                    self.channel.session.intercept_running(key, name);
                }
                Some(-1 - index as i32)
            }
            None => {
                let chain = self.chains.remove(&serial)?;
                let key = self.calls.end(serial)?;
                // It fails for one that the session has answered in the handler's place.
                let _ = self.channel.session.end_chain(&key, chain);
                None
            }
        }
    }

    fn step<R>(&mut self, serial: i64, step: impl FnOnce(&mut InterceptChain) -> R) -> Option<R> {
        self.chains.get_mut(&number(serial)).map(step)
    }
}

#[napi]
impl Session {
    /// What the handler decided whose turn it was: nothing, or by the name of the method that decides it.
    /// Whose turn it is now.
    #[napi(catch_unwind)]
    pub fn decided(
        &self,
        serial: i64,
        method: Option<String>,
        value: Option<String>,
    ) -> Result<Option<i32>> {
        let change = change_of(method.as_deref(), value.unwrap_or_default())?;
        self.driver.tell(|state| {
            if let Some(Err(unfit)) = state.step(serial, |chain| chain.decided(change)) {
                return Err(Error::from_reason(unfit.to_string()));
            }
            Ok(state.next_turn(number(serial)))
        })
    }

    /// The handler has failed whose turn it was; the text names it. Whose turn it is now.
    #[napi(catch_unwind)]
    pub fn decider_failed(&self, serial: i64, why: String) -> Option<i32> {
        self.driver.tell(|state| {
            state.step(serial, |chain| chain.failed(why));
            state.next_turn(number(serial))
        })
    }

    /// The frame that the handler is shown whose turn it is.
    #[napi(catch_unwind)]
    pub fn shown(&self, serial: i64) -> String {
        let mut state = self.driver.core.lock();
        let shown = state.step(serial, |chain| Arc::clone(chain.intercept()));
        drop(state);
        shown.map_or_else(String::new, |shown| shown.frame_text())
    }
}

fn change_of(method: Option<&str>, value: String) -> Result<Change> {
    Ok(match method {
        None => Change::None,
        Some("rewrite") => Change::Args(raw(&value)?),
        Some("replace") => Change::Text(value),
        Some("systemPrompt") => Change::SystemPrompt(value),
        Some("ask") => Change::Ask(value),
        Some("handled") => Change::Handled,
        Some("replaceResult") => {
            Change::Result(ReplaceResult::parse(&value).map_err(Error::from_reason)?)
        }
        Some(_) => Change::Block(value),
    })
}
