//! What handlers have asked the host for, and wait for.

use std::rc::Rc;
use std::sync::Arc;

use extline_driver::Question;
use extline_driver::questions::{Asked, Asker, News};
use extline_protocol::{CallKey, ExtensionEvent};
use tokio::sync::Notify;

use crate::ToolError;
use crate::connection::Connection;

/// One thing that was asked for. Dropped before its answer it is cancelled.
pub(crate) struct Awaited {
    connection: Rc<Connection>,
    question: Arc<Question<Notify>>,
}

impl Connection {
    /// Asks the host, as a part of a call or of none.
    pub(crate) fn ask(
        self: &Rc<Self>,
        call: Option<&CallKey>,
        what: Asked<'_>,
    ) -> Result<Awaited, ToolError> {
        // Whoever waits notices the cancel by itself.
        let asker = Asker { call, is_handler: false };
        let mut questions = self.questions.borrow_mut();
        let question = self.tell(|session| questions.ask(session, asker, what, Notify::new));
        let question = question.map_err(ToolError::of)?;
        Ok(Awaited { connection: Rc::clone(self), question })
    }

    /// Hands an answer over; nobody may want it any more.
    pub(crate) fn deliver(&self, event: ExtensionEvent) {
        if let Ok(Some(question)) = self.questions.borrow_mut().take_in(event) {
            question.waiter.notify_one();
        }
    }
}

impl Awaited {
    /// The next that comes.
    pub(crate) async fn next(&self) -> News {
        loop {
            if let Some(news) = self.question.take() {
                return news;
            }
            self.question.waiter.notified().await;
        }
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        let mut questions = self.connection.questions.borrow_mut();
        if questions.is_open(&self.question) {
            self.connection.tell(|session| questions.give_up(session, &self.question));
        }
    }
}
