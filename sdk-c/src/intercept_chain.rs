//! An intercept's way through the interceptors and the guards of this extension.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use extline_protocol::frame::{EventIntercept, Frame};
use extline_protocol::{CallKey, Change, Turn as Whose};
use extline_stdio::report;

use crate::call::Call;
use crate::callback::Callback;
use crate::extension::Extension;
use crate::failure::Failure;
use crate::json::Json;
use crate::tool::CallFunction;

type Handler = Arc<Callback<CallFunction>>;

/// What a handler made of it, or why it failed.
pub(crate) type Decision = Result<Change, String>;

/// Everything that one intercept needs between two of its handlers.
pub(crate) struct InterceptChain {
    key: CallKey,
    deadline: Instant,
    way: extline_protocol::InterceptChain,
    interceptors: Vec<Handler>,
    guards: Vec<(Arc<str>, Handler)>,
}

/// One handler's turn.
pub(crate) struct Turn {
    pub(crate) point: String,
    /// A guard's label.
    pub(crate) guard: Option<Arc<str>>,
    state: Mutex<State>,
}

enum State {
    /// The handler runs.
    Open,
    /// It has returned, and decides later.
    Parked(Box<InterceptChain>),
    Decided(Decision),
    Over,
}

impl Turn {
    fn new(point: &str, guard: Option<Arc<str>>) -> Self {
        Self { point: point.to_owned(), guard, state: Mutex::new(State::Open) }
    }

    /// What the handler decided, once.
    pub(crate) fn decide(&self, call: &Call, decision: Decision) -> Result<(), Failure> {
        call.begin_answer()?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *state, State::Over) {
            State::Parked(chain) => {
                drop(state);
                call.ext.resume(chain, decision);
            }
            _ => *state = State::Decided(decision),
        }
        Ok(())
    }

    /// The handler has returned: its decision, or the chain is put aside until then.
    fn returned(&self, chain: Box<InterceptChain>) -> Option<(Box<InterceptChain>, Decision)> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Decided(decision) = std::mem::replace(&mut *state, State::Over) {
            return Some((chain, decision));
        }
        *state = State::Parked(chain);
        None
    }
}

impl Extension {
    pub(crate) fn intercept(
        self: &Arc<Self>,
        key: CallKey,
        intercept: EventIntercept,
        by: Instant,
    ) {
        let mut state = self.lock();
        let interceptors = state.interceptors.get(&intercept.event).cloned().unwrap_or_default();
        let guards = state.guards.clone();
        let Ok(channel) = state.channel() else { return };
        let way = channel.session.chain(intercept, interceptors.len(), guards.len());
        drop(state);
        let chain = InterceptChain { key, deadline: by, way, interceptors, guards };
        self.run_chain(Box::new(chain));
    }

    /// Goes on with a chain whose handler has decided, not in this thread.
    fn resume(&self, chain: Box<InterceptChain>, decision: Decision) {
        self.lock().chains.push_back((chain, decision));
        if let Some(mode) = self.drive_mode()
            && !mode.is_driven_here(self)
        {
            mode.wake();
        }
    }

    pub(crate) fn go_on(self: &Arc<Self>, mut chain: Box<InterceptChain>, decision: Decision) {
        chain.apply(decision);
        self.run_chain(chain);
    }

    /// Asks one handler after the other, until one takes its time or all is decided.
    fn run_chain(self: &Arc<Self>, mut chain: Box<InterceptChain>) {
        while let Some((label, handler)) = chain.next(self) {
            let call = Arc::new(chain.call(self, label));
            self.hand_over(&call, &handler);
            let Some(turn) = &call.turn else { return };
            let Some((decided, decision)) = turn.returned(chain) else { return };
            chain = decided;
            chain.apply(decision);
        }
        let InterceptChain { key, way, .. } = *chain;
        // It fails for one that the session has answered in the handler's place.
        let _ = self.reply(key.serial(), |session| session.end_chain(&key, way));
    }
}

impl InterceptChain {
    pub(crate) fn point(&self) -> &str {
        &self.way.intercept().event
    }

    /// The next handler, a guard with its label.
    fn next(&self, ext: &Extension) -> Option<(Option<Arc<str>>, Handler)> {
        match self.way.turn()? {
            Whose::Interceptor(index) => Some((None, Arc::clone(&self.interceptors[index]))),
            Whose::Guard(index) => {
                let (label, handler) = &self.guards[index];
                let name = label.split_once(' ').map_or("", |(_, name)| name);
                ext.tell(|session| session.intercept_running(&self.key, name));
                Some((Some(Arc::clone(label)), Arc::clone(handler)))
            }
        }
    }

    /// The call of the next handler.
    fn call(&self, ext: &Arc<Extension>, guard: Option<Arc<str>>) -> Call {
        let label = guard.clone().unwrap_or_else(|| self.label());
        let text = Json::new(self.way.intercept().frame_text());
        let mut call = Call::new(ext, self.key.clone(), label, text);
        call.deadline = Some(self.deadline);
        call.turn = Some(Turn::new(self.point(), guard));
        call
    }

    fn apply(&mut self, decision: Decision) {
        let failure = match decision.map(|change| self.way.decided(change)) {
            Ok(Ok(())) => return,
            // What a handler here may decide was checked when it decided.
            Ok(Err(unfit)) => unfit.to_string(),
            Err(why) => why,
        };
        // The author sees it on stderr, also where the call goes on.
        report(&failure);
        self.way.failed(failure);
    }

    fn label(&self) -> Arc<str> {
        format!("interceptor of {}", self.point()).into()
    }
}
