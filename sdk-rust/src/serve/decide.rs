//! An intercept's way through the interceptors and the guards of this extension.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use extline_protocol::frame::EventIntercept;
use extline_protocol::{CallKey, Change, Turn};

use super::Serving;
use crate::Context;
use crate::connection::Connection;
use crate::guard::Guard;
use crate::handler::Guarded;
use crate::intercept::DecisionHandler;
use crate::running::{Name, RunId};
use crate::stderr::report;

impl Serving {
    pub(super) fn intercept(&self, key: CallKey, intercept: EventIntercept, by: Instant) {
        let context = Context::of_call(&self.connection, key.clone(), Some(by), None);
        let point = intercept.event.clone();
        let cancellation = context.cancellation();
        let chain = self.chain(key.clone(), intercept, context);
        let name = Name { kind: "intercept", name: point };
        let work = Box::pin(chain.run());
        let id = RunId::Call(key.serial());
        self.start(id, name, cancellation, work, move |connection, outcome| {
            // It fails for one that the session has answered in time, at its deadline or at shutdown.
            let _ = connection.tell(|session| match outcome {
                Ok(chain) => session.end_chain(&key, chain),
                Err(failure) => session.fail_intercept(&key, &failure),
            });
        });
    }

    fn chain(&self, key: CallKey, intercept: EventIntercept, context: Context) -> InterceptChain {
        let handlers = self.connection.handlers.borrow();
        let interceptors = handlers.interceptors.get(&intercept.event).cloned().unwrap_or_default();
        let guards = handlers.guards.clone();
        let session = self.connection.session();
        let way = session.chain(intercept, interceptors.len(), guards.len());
        let connection = Rc::clone(&self.connection);
        InterceptChain { connection, context, key, way, interceptors, guards }
    }
}

/// Everything that one intercept needs, also once the serving loop does something else.
struct InterceptChain {
    connection: Rc<Connection>,
    context: Context,
    key: CallKey,
    way: extline_protocol::InterceptChain,
    interceptors: Vec<DecisionHandler>,
    guards: Vec<Guard>,
}

impl InterceptChain {
    /// Asks one handler after the other.
    async fn run(mut self) -> extline_protocol::InterceptChain {
        while let Some(turn) = self.way.turn() {
            let handler = match turn {
                Turn::Interceptor(index) => &self.interceptors[index],
                Turn::Guard(index) => {
                    let Guard { name, handler } = &self.guards[index];
                    self.connection.session().intercept_running(&self.key, name);
                    handler
                }
            };
            let asked = self.ask(handler).await;
            let decided = asked
                .and_then(|change| self.way.decided(change).map_err(|unfit| unfit.to_string()));
            if let Err(why) = decided {
                // The author sees it on stderr, also where the call goes on.
                let failure = format!("{} failed: {why}", self.name_of(turn));
                report(&failure);
                self.way.failed(failure);
            }
        }
        self.way
    }

    async fn ask(&self, handler: &DecisionHandler) -> Result<Change, String> {
        let work = handler(Arc::clone(self.way.intercept()), self.context.clone());
        Guarded::new(work).await.and_then(|outcome| outcome)
    }

    fn name_of(&self, turn: Turn) -> String {
        match turn {
            Turn::Interceptor(_) => format!("interceptor of {}", self.way.intercept().event),
            Turn::Guard(index) => format!("guard {}", self.guards[index].name),
        }
    }
}
