//! A call: one thing that the host waits for an answer to.

use std::sync::Arc;
use std::sync::atomic::{
    AtomicBool, AtomicUsize,
    Ordering::{AcqRel, Acquire, SeqCst},
};

use extline_protocol::frame::{CommandResponse, ErrorInfo, ToolResult};
use extline_protocol::{CallKey, CallKind, ErrorKind, ExtensionSession, ReplyError};

use crate::code::{EXTLINE_ANSWERED, EXTLINE_CANCELLED, EXTLINE_CLOSED, EXTLINE_STATE};
use crate::extension::{Extension, ReplyFailed};
use crate::failure::Failure;
use crate::ffi::Str;
use crate::json::Json;

/// One call of the host: of a tool, a command, an interceptor, a guard or a method. It is lent to its
/// handler, which answers it or keeps it with `extline_call_retain`; its functions may be called from
/// any thread.
pub struct Call {
    ext: Arc<Extension>,
    key: CallKey,
    /// What its handler is called, as `tool weather`.
    label: String,
    text: Json,
    /// Those who may still answer: its handler, and whoever kept it.
    holders: AtomicUsize,
    is_answered: AtomicBool,
    is_cancelled: AtomicBool,
}

impl Call {
    /// One that its handler is about to get.
    pub(crate) fn new(ext: &Arc<Extension>, key: CallKey, label: String, text: Json) -> Arc<Self> {
        Arc::new(Self {
            ext: Arc::clone(ext),
            key,
            label,
            text,
            holders: AtomicUsize::new(1),
            is_answered: AtomicBool::new(false),
            is_cancelled: AtomicBool::new(false),
        })
    }

    pub(crate) fn kind(&self) -> CallKind {
        self.key.kind()
    }

    pub(crate) fn serial(&self) -> u64 {
        self.key.serial()
    }

    pub(crate) fn text(&self) -> Str {
        self.text.lend()
    }

    /// Sets the mark. Whether somebody has to be told.
    pub(crate) fn cancel(&self) -> bool {
        self.is_cancelled.store(true, SeqCst);
        false
    }

    /// Answers it, once.
    pub(crate) fn answer(
        &self,
        reply: impl FnOnce(&mut ExtensionSession, &CallKey) -> Result<(), ReplyError>,
    ) -> Result<(), Failure> {
        if self.is_answered.swap(true, AcqRel) {
            let text = format!("{} has its answer already", self.label);
            return Err(Failure::new(EXTLINE_ANSWERED, text));
        }
        let replied = self.ext.reply(self.serial(), |session| reply(session, &self.key));
        replied.map_err(|failed| match failed {
            ReplyFailed::AnsweredByTheSession => {
                let text = format!("{} was cancelled, and answered so", self.label);
                Failure::new(EXTLINE_CANCELLED, text)
            }
            ReplyFailed::Closed => Failure::new(EXTLINE_CLOSED, "the session is over"),
        })
    }

    /// Answers a tool.
    pub(crate) fn answer_tool(&self, result: ToolResult) -> Result<(), Failure> {
        self.must_be(CallKind::Tool, "only the call of a tool has such a result")?;
        self.answer(|session, key| session.reply_tool(key, result))
    }

    /// Answers a command.
    pub(crate) fn answer_command(&self, response: CommandResponse) -> Result<(), Failure> {
        self.must_be(CallKind::Command, "only a command has such an answer")?;
        self.answer(|session, key| session.reply_command(key, response))
    }

    /// The handler has failed.
    pub(crate) fn fail(&self, error: ErrorInfo) -> Result<(), Failure> {
        self.answer(|session, key| match key.kind() {
            CallKind::Command => {
                session.reply_command(key, CommandResponse::error(key.id().clone(), error.message))
            }
            _ => session.fail_tool(key, error),
        })
    }

    pub(crate) fn must_be(&self, kind: CallKind, why: &str) -> Result<(), Failure> {
        if self.kind() == kind {
            return Ok(());
        }
        Err(Failure::new(EXTLINE_STATE, format!("this is {}: {why}", self.label)))
    }

    /// Somebody who might have answered does so no more.
    pub(crate) fn let_go(&self) {
        if self.holders.fetch_sub(1, AcqRel) == 1 && !self.is_answered.load(Acquire) {
            let text = format!("{} returned without an answer", self.label);
            // The session may have answered in the handler's place.
            let _ = self.fail(ErrorInfo::new(ErrorKind::Internal, text));
        }
    }
}
