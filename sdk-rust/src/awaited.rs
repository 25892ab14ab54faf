//! What handlers have asked the host for, and wait for.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use extline_protocol::frame::{CallToolResult, RpcError};
use extline_protocol::{CallKey, RawJson};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::connection::Connection;

/// What the host says to a `call_tool` or a `request`.
#[derive(Debug)]
pub(crate) enum Answer {
    Tool(CallToolResult),
    Part(RawJson),
    Response(Result<RawJson, RpcError>),
}

/// Who waits for which answer.
#[derive(Debug, Default)]
pub(crate) struct Awaited(RefCell<HashMap<u64, UnboundedSender<Answer>>>);

impl Awaited {
    /// Hands an answer over; nobody may want it any more.
    pub(crate) fn deliver(&self, key: &CallKey, answer: Answer) {
        let is_last = !matches!(answer, Answer::Part(_));
        let mut waiting = self.0.borrow_mut();
        if let Some(sender) = waiting.get(&key.serial()) {
            // It fails where the handler was dropped.
            let _ = sender.send(answer);
        }
        if is_last {
            waiting.remove(&key.serial());
        }
    }
}

/// One thing that was asked for. Dropped before the last answer it is cancelled.
pub(crate) struct Asked {
    connection: Rc<Connection>,
    key: CallKey,
    answers: UnboundedReceiver<Answer>,
}

impl Asked {
    pub(crate) fn new(connection: &Rc<Connection>, key: CallKey) -> Self {
        let (sender, answers) = unbounded_channel();
        connection.awaited.0.borrow_mut().insert(key.serial(), sender);
        Self { connection: Rc::clone(connection), key, answers }
    }

    /// The next answer; `None` behind the last one.
    pub(crate) async fn next(&mut self) -> Option<Answer> {
        self.answers.recv().await
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        if self.connection.awaited.0.borrow_mut().remove(&self.key.serial()).is_some() {
            self.connection.tell(|session| session.cancel_outgoing(&self.key));
        }
    }
}
