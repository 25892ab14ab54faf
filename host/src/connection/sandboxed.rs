//! What the sandbox of an extension refuses, told where it is missed.

use std::sync::Arc;
use std::time::Instant;

use extline_protocol::frame::{Content, Tier, ToolResult};

use super::Connection;
use crate::report::{Diagnosis, Notice};

impl Connection {
    /// Tells by a notice what the sandbox cannot do, and each thing that it refuses from now on.
    pub(crate) fn watch_sandbox(self: &Arc<Self>) {
        let Some(sandbox) = &self.sandbox else { return };
        for notice in sandbox.notices() {
            self.notice_from_outside(Notice::new(notice));
        }
        let this = Arc::downgrade(self);
        sandbox.tell_refusals(Box::new(move |what| {
            if let Some(connection) = this.upgrade() {
                let notice = Notice::new(format!("its sandbox refused it {what}"));
                connection.notice_from_outside(notice);
            }
        }));
    }

    /// Adds to a result that is an error what the sandbox refused since the call began.
    pub(crate) fn explain_refusals(&self, result: &mut ToolResult, began: Instant) {
        if !result.is_error || self.sandbox.is_none() {
            return;
        }
        let text = Content::joined(&result.content);
        result.content.extend(self.refusals(&text, began).map(Content::text));
    }

    /// What the sandbox has to do with a failure, in words.
    pub(crate) fn refusals(&self, failure: &str, began: Instant) -> Option<String> {
        self.sandbox.as_ref()?.explain(&self.name, failure, Some(began))
    }

    /// Adds what the sandbox refused to what is said of its end.
    pub(super) fn add_refusals(&self, diagnosis: &mut Diagnosis) {
        let Some(sandbox) = &self.sandbox else { return };
        let text = diagnosis.stderr.join("\n");
        if let Some(explanation) = sandbox.explain(&self.name, &text, None) {
            diagnosis.suggestion =
                format!("{explanation}: if it needs more, its author says so in `permissions`");
        }
    }

    /// The most that a call of its tools can do, where its sandbox says it.
    pub(crate) fn most(&self) -> Option<Tier> {
        self.sandbox.as_ref().map(|sandbox| sandbox.most())
    }
}
