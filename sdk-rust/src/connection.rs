//! What the serving loop, the running handlers and their contexts share. All of it lives on one
//! thread; only the wire, the pulse and the list of what runs are also for the threads that watch it.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;
use std::sync::MutexGuard;
use std::task::Waker;
use std::time::Instant;

use extline_driver::Questions;
use extline_protocol::frame::RpcError;
use extline_protocol::{CallKey, ExtensionSession, RawJson, Update};
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use crate::handler::Handlers;
use crate::pending::Proposals;
use crate::pulse::Pulse;
use crate::running::Running;
use crate::serve::{SharedWire, Wire, lock};
use crate::setup::SetupFailure;
use crate::stderr::{report, report_failure};
use crate::{Cancellation, Error, Host, Response, ToolResult};

pub(crate) struct Connection {
    wire: SharedWire,
    pub(crate) pulse: Pulse,
    host: RefCell<Rc<Host>>,
    pub(crate) handlers: RefCell<Handlers>,
    pub(crate) running: Running,
    pub(crate) questions: RefCell<Questions<Notify>>,
    pub(crate) proposals: RefCell<Proposals>,
    /// Something was written, for those who wait for that.
    written: Notify,
    /// Whether anybody does; most of the time nobody, and telling them is not free.
    awaits_written: Cell<bool>,
    /// An update came behind its call, and that was told.
    told_late_update: Cell<bool>,
    /// For the next call: most end without having used theirs.
    unused_cancellation: Cell<Option<Cancellation>>,
    /// Every `setup` has returned.
    pub(crate) is_set_up: Cell<bool>,
    /// Why the extension ends by itself, unless its exit code says it.
    pub(crate) failure: Cell<Option<Error>>,
    /// The serving loop, while it waits.
    waiting: Cell<Option<Waker>>,
    /// The session may have something new to do or to write.
    touched: Cell<bool>,
}

impl Connection {
    pub(crate) fn new(wire: SharedWire, handlers: Handlers) -> Self {
        Self {
            wire,
            pulse: Pulse::default(),
            host: RefCell::default(),
            handlers: RefCell::new(handlers),
            running: Running::default(),
            questions: RefCell::default(),
            proposals: RefCell::default(),
            written: Notify::new(),
            awaits_written: Cell::new(false),
            told_late_update: Cell::new(false),
            unused_cancellation: Cell::new(None),
            is_set_up: Cell::new(false),
            failure: Cell::new(None),
            waiting: Cell::new(None),
            touched: Cell::new(false),
        }
    }

    /// For the serving loop, which looks at the session again by itself.
    pub(crate) fn session(&self) -> Session<'_> {
        Session(lock(&self.wire))
    }

    pub(crate) fn wire(&self) -> &SharedWire {
        &self.wire
    }

    /// Polls a handler, where somebody may stand in for this thread while that lasts.
    pub(crate) fn poll<T>(&self, poll: impl FnOnce() -> T) -> T {
        let (polled, was_stood_in_for) = self.pulse.inside(poll);
        if was_stood_in_for {
            self.touch();
        }
        polled
    }

    /// For everybody else: the serving loop is woken to write what the session has now.
    pub(crate) fn tell<R>(&self, tell: impl FnOnce(&mut ExtensionSession) -> R) -> R {
        let told = tell(&mut self.session());
        self.touch();
        told
    }

    /// Shows how a call stands. The first one that has its answer is told, as nothing shows that else.
    pub(crate) fn update(&self, call: &CallKey, update: Update) {
        let is_open = self.tell(|session| {
            let is_open = session.is_open(call);
            session.update(call, update);
            is_open
        });
        if !is_open && !self.told_late_update.replace(true) {
            report(
                "ctx.update shows how a running call stands, and the call of that ctx has its answer: is an \
                 `.await` missing, or does a task outlive its handler?",
            );
        }
    }

    /// Has the serving loop look at the session again.
    pub(crate) fn touch(&self) {
        self.touched.set(true);
        if let Some(loop_) = self.waiting.take() {
            loop_.wake();
        }
    }

    /// Whether somebody told something that the serving loop has not seen.
    pub(crate) fn is_touched(&self) -> bool {
        self.touched.get()
    }

    /// Whether somebody told something since the last time; if not, `waker` is woken when it
    /// happens.
    pub(crate) fn take_touched(&self, waker: &Waker) -> bool {
        if self.touched.take() {
            return true;
        }
        self.waiting.set(Some(waker.clone()));
        false
    }

    /// The serving loop goes on, so what is told from here on need not wake it: an answer that it
    /// writes itself would cost it a look at the descriptors before the next wait.
    pub(crate) fn stop_waiting(&self) {
        self.waiting.set(None);
    }

    /// The serving loop has seen everything that was told until now.
    pub(crate) fn forget_touched(&self) {
        self.touched.set(false);
    }

    /// Until something was written.
    pub(crate) fn written(&self) -> Notified<'_> {
        self.awaits_written.set(true);
        self.written.notified()
    }

    pub(crate) fn tell_written(&self) {
        if self.awaits_written.take() {
            self.written.notify_waiters();
        }
    }

    pub(crate) fn new_cancellation(&self) -> Cancellation {
        self.unused_cancellation.take().unwrap_or_default()
    }

    /// What had it has ended.
    pub(crate) fn reuse_cancellation(&self, mut cancellation: Cancellation) {
        if cancellation.is_unused() {
            self.unused_cancellation.set(Some(cancellation));
        }
    }

    pub(crate) fn host(&self) -> Rc<Host> {
        Rc::clone(&self.host.borrow())
    }

    pub(crate) fn set_host(&self, host: Host) {
        self.host.replace(Rc::new(host));
    }

    pub(crate) fn answer_tool(&self, key: &CallKey, result: ToolResult) {
        // It fails for a call that the session has answered in the handler's place, at shutdown.
        let _ = self.tell(|session| session.reply_tool(key, result.into_frame()));
    }

    pub(crate) fn answer_command(&self, key: &CallKey, response: Response) {
        // As above.
        let _ = self.tell(|session| session.reply_command(key, response.into_frame()));
    }

    pub(crate) fn answer_request(&self, key: &CallKey, result: Result<RawJson, RpcError>) {
        // As for a tool.
        let _ = self.tell(|session| session.reply_request(key, result));
    }

    /// The handler of a panel's input has ended.
    pub(crate) fn finish_panel(&self, panel_id: &str) {
        self.tell(|session| session.panel_done(panel_id));
    }

    /// Everything is registered.
    pub(crate) fn finish_setup(&self) {
        self.is_set_up.set(true);
        self.tell(ExtensionSession::ready);
    }

    /// The extension cannot go on, or is about to end.
    pub(crate) fn fail_setup(&self, failure: SetupFailure) {
        let SetupFailure { reason, is_cancelled } = failure;
        let (code, ends_with) = self.tell(|session| {
            let code = session.setup_exit_code(is_cancelled);
            session.end(code, Instant::now());
            (code, session.exit_code())
        });
        let failure = Error::Setup { reason };
        if code == 0 {
            // The end has cancelled it.
        } else if code == ends_with {
            self.failure.set(Some(failure));
        } else {
            report_failure(&failure.to_string());
        }
    }

    pub(crate) fn finish_teardown(&self) {
        self.tell(ExtensionSession::teardown_done);
    }

    /// The handlers of an event have ended.
    pub(crate) fn finish_event(&self) {
        self.tell(ExtensionSession::event_done);
    }
}

/// The session, locked.
pub(crate) struct Session<'a>(MutexGuard<'a, Wire>);

impl Deref for Session<'_> {
    type Target = ExtensionSession;

    fn deref(&self) -> &ExtensionSession {
        &self.0.channel.session
    }
}

impl DerefMut for Session<'_> {
    fn deref_mut(&mut self) -> &mut ExtensionSession {
        &mut self.0.channel.session
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Connection").field("running", &self.running).finish_non_exhaustive()
    }
}
