//! A call: one thing that the host waits for an answer to.

use std::ffi::c_void;
use std::sync::atomic::{
    AtomicBool, AtomicUsize,
    Ordering::{AcqRel, Acquire, SeqCst},
};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use extline_protocol::frame::{CommandResponse, ErrorInfo, RpcError, ToolResult};
use extline_protocol::{
    CallKey, CallKind, ErrorKind, ExtensionSession, Id, RawJson, ReplyError, approval_answer,
};

use crate::callback::Callback;
use crate::code::{
    EXTLINE_ANSWERED, EXTLINE_ARGUMENT, EXTLINE_CANCELLED, EXTLINE_CLOSED, EXTLINE_STATE,
    EXTLINE_TOO_LARGE,
};
use crate::dispatch::inside;
use crate::extension::{Extension, ReplyFailed};
use crate::failure::Failure;
use crate::ffi::{Str, given};
use crate::fork;
use crate::intercept_chain::Turn;
use crate::json::Json;

/// Set while the handler that a call was handed to runs; the rest counts those who keep it.
const RUNNING: usize = 1 << (usize::BITS - 1);

/// One call of the host: of a tool, a command, an interceptor, a guard or a method. It is lent to its
/// handler, which answers it or keeps it with `extline_call_retain`; its functions may be called from
/// any thread.
pub struct Call {
    pub(crate) ext: Arc<Extension>,
    pub(crate) key: CallKey,
    /// What its handler is called, as `tool weather`.
    pub(crate) label: Arc<str>,
    pub(crate) text: Json,
    pub(crate) deadline: Option<Instant>,
    /// The id of the conversation, where the host says it.
    pub(crate) session_id: Option<String>,
    /// What the call does, where the agent says it.
    pub(crate) operation_key: Option<String>,
    /// It is only asked what became of that.
    pub(crate) reconcile: bool,
    /// What of the result is there already.
    pub(crate) draft: Mutex<Option<Box<ToolResult>>>,
    /// Where it is one step of an intercept.
    pub(crate) turn: Option<Turn>,
    /// It is about a call of a tool, and its answer is whether that is to be approved.
    pub(crate) is_about_approval: bool,
    /// With NULs behind them, once they are asked for.
    pub(crate) names: OnceLock<Names>,
    /// Those who may still answer.
    holders: AtomicUsize,
    is_answered: AtomicBool,
    is_cancelled: AtomicBool,
    /// Whom a cancel is told.
    waiting: Mutex<Vec<Callback<CancelFunction>>>,
    /// Rings at the cancel.
    bell: Condvar,
}

pub(crate) struct Names {
    pub(crate) id: String,
    pub(crate) name: String,
}

/// A `CancelCallback` that is there.
pub(crate) type CancelFunction = unsafe extern "C" fn(*mut c_void, *mut Call);

impl Call {
    /// One that its handler is about to get.
    pub(crate) fn new(ext: &Arc<Extension>, key: CallKey, label: Arc<str>, text: Json) -> Self {
        Self {
            ext: Arc::clone(ext),
            key,
            label,
            text,
            deadline: None,
            session_id: None,
            operation_key: None,
            reconcile: false,
            draft: Mutex::new(None),
            turn: None,
            is_about_approval: false,
            names: OnceLock::new(),
            holders: AtomicUsize::new(RUNNING),
            is_answered: AtomicBool::new(false),
            is_cancelled: AtomicBool::new(false),
            waiting: Mutex::default(),
            bell: Condvar::new(),
        }
    }

    pub(crate) fn kind(&self) -> CallKind {
        self.key.kind()
    }

    pub(crate) fn serial(&self) -> u64 {
        self.key.serial()
    }

    /// What it is registered as: the tool, the command, the point, the guard, the method.
    pub(crate) fn name(&self) -> &str {
        self.label.split_once(' ').map_or("", |(_, name)| name)
    }

    pub(crate) fn text(&self) -> Str {
        self.text.lend()
    }

    pub(crate) fn must_be(&self, kind: CallKind, why: &str) -> Result<(), Failure> {
        if self.kind() == kind {
            return Ok(());
        }
        Err(Failure::new(EXTLINE_STATE, format!("this is the {}: {why}", self.label)))
    }
}

/// A call of the caller's.
#[inline]
pub(crate) unsafe fn called<'c>(call: *const Call) -> Result<&'c Call, Failure> {
    fork::check()?;
    // SAFETY: the caller's: NULL, or a call that it was lent or keeps.
    unsafe { given(call, "call") }
}

/// Answers.
impl Call {
    /// Gives the answer that has begun.
    fn reply(
        &self,
        reply: impl FnOnce(&mut ExtensionSession, &CallKey) -> Result<(), ReplyError>,
    ) -> Result<(), Failure> {
        let replied = self.ext.reply(self.serial(), |session| reply(session, &self.key));
        self.forget_waiting();
        replied.map_err(|failed| match failed {
            ReplyFailed::Refused(ReplyError::TooLarge(text)) => {
                Failure::new(EXTLINE_TOO_LARGE, text)
            }
            // At a deadline or at the end.
            ReplyFailed::Refused(_) => {
                let text = format!("the {} was cancelled, and answered so", self.label);
                Failure::new(EXTLINE_CANCELLED, text)
            }
            ReplyFailed::Closed => Failure::new(EXTLINE_CLOSED, "the session is over"),
        })
    }

    pub(crate) fn must_be_open(&self) -> Result<(), Failure> {
        if self.is_answered.load(Acquire) {
            let text = format!("the {} has its answer already", self.label);
            return Err(Failure::new(EXTLINE_ANSWERED, text));
        }
        Ok(())
    }

    /// From now on it has its answer, which it gets once.
    pub(crate) fn begin_answer(&self) -> Result<(), Failure> {
        if self.is_answered.swap(true, AcqRel) {
            let text = format!("the {} has its answer already", self.label);
            return Err(Failure::new(EXTLINE_ANSWERED, text));
        }
        Ok(())
    }

    /// Answers a tool with what is there already, and what `finish` adds.
    pub(crate) fn answer_tool(&self, finish: impl FnOnce(&mut ToolResult)) -> Result<(), Failure> {
        self.must_be(CallKind::Tool, "only a tool has such a result")?;
        self.begin_answer()?;
        let draft = self.draft().take();
        let mut result = draft
            .map_or_else(|| ToolResult::new(Id::default(), Vec::with_capacity(1)), |draft| *draft);
        finish(&mut result);
        self.reply_tool(result)
    }

    // Once for all entries that answer, as the two below.
    #[inline(never)]
    fn reply_tool(&self, result: ToolResult) -> Result<(), Failure> {
        self.reply(|session, key| session.reply_tool(key, result))
    }

    /// Answers a command.
    #[inline(never)]
    pub(crate) fn answer_command(&self, response: CommandResponse) -> Result<(), Failure> {
        self.must_be(CallKind::Command, "only a command has such an answer")?;
        self.begin_answer()?;
        self.reply(|session, key| session.reply_command(key, response))
    }

    /// Answers a request of the host's.
    pub(crate) fn answer_request(&self, mut result: RawJson) -> Result<(), Failure> {
        if self.is_about_approval {
            result = approval_answer(&result)
                .map_err(|error| Failure::new(EXTLINE_ARGUMENT, format!("the answer: {error}")))?;
        }
        self.reply_request(Ok(result))
    }

    #[inline(never)]
    fn reply_request(&self, result: Result<RawJson, RpcError>) -> Result<(), Failure> {
        self.begin_answer()?;
        self.reply(|session, key| session.reply_request(key, result))
    }

    /// What of the result is there already.
    pub(crate) fn draft(&self) -> MutexGuard<'_, Option<Box<ToolResult>>> {
        self.draft.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The handler has failed.
    pub(crate) fn fail(&self, error: ErrorInfo) -> Result<(), Failure> {
        if let Some(turn) = &self.turn {
            return turn.decide(self, Err(error.to_string()));
        }
        match self.kind() {
            CallKind::Command => {
                self.answer_command(CommandResponse::error(self.key.id().clone(), error.message))
            }
            CallKind::Request => {
                let text = error.to_string();
                self.reply_request(Err(RpcError::new(error.kind, text)))
            }
            _ => self.answer_tool(|result| {
                result.content.insert(0, extline_protocol::frame::Content::Text(error.to_string()));
                result.is_error = true;
                result.error = Some(error);
            }),
        }
    }
}

/// Those who hold it.
impl Call {
    /// Somebody more keeps it. Whether that is possible: nobody can keep what is given back.
    pub(crate) fn keep(&self) -> bool {
        let keep = |holders: usize| (holders > 0).then_some(holders + 1);
        self.holders.fetch_update(AcqRel, Acquire, keep).is_ok()
    }

    /// Somebody who kept it does so no more. Whether anybody did.
    pub(crate) fn let_go(&self) -> bool {
        let let_go = |holders: usize| (holders & !RUNNING > 0).then(|| holders - 1);
        let before = self.holders.fetch_update(AcqRel, Acquire, let_go);
        if before == Ok(1) {
            self.end_unanswered();
        }
        before.is_ok()
    }

    /// Its handler has returned.
    pub(crate) fn returned(&self) {
        if self.holders.fetch_and(!RUNNING, AcqRel) == RUNNING {
            self.end_unanswered();
        }
    }

    fn end_unanswered(&self) {
        if self.is_answered.load(Acquire) {
            return;
        }
        let text = format!("the {} returned without an answer", self.label);
        // The session may have answered in the handler's place.
        let _ = self.fail(ErrorInfo::new(ErrorKind::Internal, text));
    }
}

/// Its cancel.
impl Call {
    pub(crate) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(SeqCst)
    }

    /// Sets the mark, and wakes those of its threads that wait. Whether functions of the author's are to
    /// be called by [`Call::tell_cancelled`].
    pub(crate) fn cancel(&self) -> bool {
        let waiting = self.waiting();
        self.is_cancelled.store(true, SeqCst);
        self.bell.notify_all();
        !waiting.is_empty()
    }

    /// Calls those functions.
    pub(crate) fn tell_cancelled(&self) {
        let functions = std::mem::take(&mut *self.waiting());
        for function in functions {
            self.tell(&function);
        }
    }

    /// Has the function called when it is cancelled; at once when it was.
    pub(crate) fn on_cancel(&self, function: Callback<CancelFunction>) {
        let mut waiting = self.waiting();
        // Set under this lock, so the cancel cannot slip in between.
        if self.is_cancelled() {
            drop(waiting);
            self.tell(&function);
        } else {
            waiting.push(function);
        }
    }

    fn tell(&self, function: &Callback<CancelFunction>) {
        let call = std::ptr::from_ref(self).cast_mut();
        // SAFETY: the author's function, with what it was registered with.
        inside(|| unsafe { (function.run)(function.user, call) });
    }

    /// Waits until then, or until it is cancelled; whether it was.
    pub(crate) fn wait_until(&self, until: Instant) -> bool {
        let mut waiting = self.waiting();
        while !self.is_cancelled() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let woken = self.bell.wait_timeout(waiting, left);
            waiting = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// Once it is answered there is no cancel.
    fn forget_waiting(&self) {
        let forgotten = std::mem::take(&mut *self.waiting());
        drop(forgotten);
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Callback<CancelFunction>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
