//! One running extension: its session, its pipes, those who wait for its answers.
//!
//! One task per extension reads, waits and keeps the time (`drive`); whoever has something to say
//! writes it at once (`calls`). Both work on [`State`], under a lock that is never held across an
//! await.

mod adapter;
mod bootstrap;
mod call_guard;
mod calls;
mod drive;
mod emit;
mod events;
mod flood;
mod method;
mod news;
mod outgrown;
mod panel;
mod panels;
mod questions;
mod registering;
mod requests;
mod sandboxed;
mod secrets;
mod shared;
mod standstill;
mod state;
mod turns;
mod views;
mod write_queue;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::{Duration, Instant};

use extline_protocol::{CallKey, CallKind, HostSession, Id};
use tokio::sync::{Notify, watch};

pub(crate) use self::adapter::Adapter;
#[cfg(feature = "mcp-client")]
pub(crate) use self::adapter::Follow;
pub(crate) use self::bootstrap::OnBootstrap;
pub(crate) use self::call_guard::CallGuard;
pub(crate) use self::calls::{CommandAnswer, Sending, SentCall, SentCommand, Unanswered};
pub(crate) use self::emit::Emission;
pub use self::method::{Asked, MethodCall};
pub(crate) use self::method::{Method, Methods, params_of};
pub(crate) use self::news::Newsroom;
pub use self::news::{News, NewsStream, PendingChange};
use self::outgrown::LargePipes;
pub use self::panel::{Panel, PanelView};
pub(crate) use self::questions::{AskedTool, Caller};
pub(crate) use self::requests::SentRequest;
pub(crate) use self::shared::Shared;
pub(crate) use self::standstill::Standstill;
use self::state::{Phase, State};
pub(crate) use self::turns::Reload;
use crate::home::LogPlace;
use crate::lock::lock;
use crate::memory::shorten;
use crate::process::{Confinement, Environment, Group, Launch, Output, Process, Spawned};
use crate::report::{
    Diagnosis, Ending, ExtensionTrace, InterceptFailure, Log, NoAnswer, Notice, Problem,
};
use crate::status::{ExtensionState, ExtensionStatus};

/// Longest text of a notice that is kept and told, in bytes.
const NOTICE: usize = 1024;

/// One extension whose process was started.
pub(crate) struct Connection {
    index: usize,
    name: String,
    /// Itself, for the tasks that it starts.
    this: Weak<Self>,
    group: Arc<Group>,
    log: Log,
    /// What its program sees of the host's environment.
    environment: Arc<Environment>,
    /// What its program is kept from.
    sandbox: Option<Arc<dyn Confinement>>,
    shared: Arc<Shared>,
    state: Mutex<State>,
    /// The task has something to do that no descriptor and no timer tells it of.
    changed: Arc<Notify>,
    /// It is ready, or failed before.
    started: watch::Sender<bool>,
    ended: watch::Sender<Option<Ending>>,
    /// It may be started again when it fails.
    restarts: bool,
    /// It is being disabled, and has answered everything.
    drained: Notify,
}

/// What the driving task needs beyond the connection.
pub(crate) struct Ends {
    process: Process,
    output: Output,
}

impl Connection {
    pub(crate) fn new(
        (index, name, restarts): (usize, &str, bool),
        spawned: Spawned,
        session: HostSession,
        (log, launch): (LogPlace, &Launch),
        shared: &Arc<Shared>,
    ) -> (Arc<Self>, Ends) {
        let Spawned { process, group, input, output, errors } = spawned;
        let limits = (shared.deadlines.write, shared.large_pipes.clone());
        let changed = Arc::new(Notify::new());
        let connection = Arc::new_cyclic(|this| Self {
            this: Weak::clone(this),
            index,
            name: name.to_owned(),
            group,
            log: Log::collect(log, errors, Arc::clone(&changed), &shared.redactor),
            environment: Arc::clone(&launch.environment),
            sandbox: launch.confinement.clone(),
            shared: Arc::clone(shared),
            state: Mutex::new(State::new(session, input, limits, Instant::now())),
            changed,
            started: watch::Sender::new(false),
            ended: watch::Sender::new(None),
            restarts,
            drained: Notify::new(),
        });
        shared.add_connection(&connection);
        (connection, Ends { process, output })
    }

    /// Writes down what passes from now on.
    pub(crate) fn trace(&self, trace: ExtensionTrace) {
        self.lock().trace = Some(trace);
    }

    /// The id of its process.
    pub(crate) fn pid(&self) -> u32 {
        self.group.id()
    }

    /// Its place in load order.
    pub(crate) fn index(&self) -> usize {
        self.index
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }

    pub(crate) fn is_ready(&self) -> bool {
        matches!(self.lock().phase, Phase::Ready)
    }

    /// Whether it was told to end since another process takes its place.
    pub(crate) fn is_replaced(&self) -> bool {
        self.lock().is_replaced
    }

    /// Does something, unless it has ended or is about to; it does not end meanwhile.
    pub(crate) fn unless_ended<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        let state = self.lock();
        matches!(state.phase, Phase::Starting | Phase::Ready).then(work)
    }

    /// The calls of tools that have no answer yet.
    pub(crate) fn tool_calls(&self) -> Vec<CallKey> {
        let state = self.lock();
        state.waiting.keys().filter(|key| key.kind() == CallKind::Tool).cloned().collect()
    }

    /// The call of a tool that has this id now.
    pub(crate) fn tool_call(&self, id: &Id) -> Option<CallKey> {
        self.lock().session.in_flight(CallKind::Tool, id)
    }

    /// Whether it is used, or is on the way to that.
    pub(crate) fn is_in_use(&self) -> bool {
        let state = self.lock();
        matches!(state.phase, Phase::Starting | Phase::Ready) && state.failure.is_none()
    }

    /// Whether it runs, and may still register what it declared.
    pub(crate) fn is_starting(&self) -> bool {
        self.lock().is_starting()
    }

    /// Whether it was ready once.
    pub(crate) fn was_ready(&self) -> bool {
        self.lock().start_took.is_some()
    }

    /// Waits until it is ready or has failed.
    pub(crate) async fn started(&self) {
        // The sender is ours, so this cannot fail.
        let _ = self.started.subscribe().wait_for(|started| *started).await;
    }

    /// Waits until nothing of it is left.
    pub(crate) async fn ended(&self) -> Option<Ending> {
        let mut ended = self.ended.subscribe();
        let ending = ended.wait_for(Option::is_some).await.ok()?;
        ending.clone()
    }

    /// If it ends before it is ready, this is why.
    pub(crate) fn explain_early_end(&self, problem: Problem) {
        self.lock().early_end = Some(problem);
    }

    /// It cannot be used any more, which is found out elsewhere.
    pub(crate) fn give_up(&self, problem: Problem) {
        self.lock().failure.get_or_insert(problem);
        self.changed.notify_one();
    }

    /// Ends it without asking.
    pub(crate) fn kill(&self) {
        self.flush_trace(&mut self.lock());
        self.group.kill();
    }

    pub(crate) fn status(&self) -> ExtensionStatus {
        // Never both locks at once in this order: the registry comes after the connection.
        let (report, subscribed, closed_points) = {
            let mut registry = self.shared.registry();
            let index = self.index;
            (registry.report(index), registry.subscription(index), registry.closed_points(index))
        };
        let state = self.lock();
        ExtensionStatus {
            name: self.name.clone(),
            dir: None,
            manifest: None,
            state: match (&state.phase, &*self.ended.borrow()) {
                (Phase::Failed(diagnosis), _) => ExtensionState::Failed(Arc::clone(diagnosis)),
                (_, Some(ending)) => ExtensionState::Ended(ending.clone()),
                (Phase::Starting, _) => ExtensionState::Starting,
                (Phase::Ready, _) => ExtensionState::Ready,
                (Phase::Ending, _) => ExtensionState::Ending,
            },
            // What runs somewhere else has none.
            pid: Some(self.group.id()).filter(|id| *id > 0),
            hello: state.session.extension().cloned(),
            start_took: state.start_took,
            report,
            subscribed,
            closed_points,
            intercept_failures: state.intercept_failures.iter().cloned().collect(),
            notices: state.notices.clone(),
            further_notices: state.further_notices,
            log: Some(self.log.path().to_owned()),
        }
    }

    /// A notice of what no frame tells: of the time before the session, or of the answers at an
    /// intercept point.
    pub(crate) fn notice_from_outside(&self, notice: Notice) {
        self.notice(&mut self.lock(), notice);
    }

    /// Tells that an interceptor or a guard did not decide.
    pub(crate) fn intercept_failed(&self, mut failure: InterceptFailure) {
        failure.redact(&self.shared.redactor);
        let mut state = self.lock();
        self.notice(&mut state, Notice::new(failure.to_string()));
        state.keep_intercept_failure(failure.clone());
        self.tell(News::InterceptFailed { extension: self.name.clone(), failure });
    }

    /// What it does instead of answering.
    pub(crate) fn diagnose_overdue(&self, name: &str, after: Duration) -> Diagnosis {
        let waited_ms = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
        let problem = Problem::NoAnswer { waited_ms };
        let mut diagnosis = Diagnosis::new(&self.name, problem, format!("answering {name}"), None);
        diagnosis.suggestion = self.lock().author.advice_on_no_answer();
        let runs = self.ended.borrow().is_none();
        diagnosis.process = runs.then(|| self.group.activity()).flatten();
        diagnosis.add_output(None, &self.log, &self.environment.withheld);
        self.add_refusals(&mut diagnosis);
        diagnosis.redacted(&self.shared.redactor)
    }

    /// Why there is nobody to ask.
    pub(crate) fn nobody_to_ask(&self) -> NoAnswer {
        self.lock().nobody_to_ask()
    }

    /// Keeps a notice for the status, writes it to the log and tells the embedder.
    fn notice(&self, state: &mut State, mut notice: Notice) {
        // Before it is cut: half a secret would not be known again.
        notice.redact(&self.shared.redactor);
        shorten(&mut notice.text, NOTICE);
        self.log.remark(&notice.text);
        self.tell(News::Notice { extension: self.name.clone(), notice: notice.clone() });
        state.keep_notice(notice);
    }

    fn tell(&self, news: News) {
        self.shared.news.tell(news);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { index, name, group, .. } = self;
        formatter
            .debug_struct("Connection")
            .field("index", index)
            .field("name", name)
            .field("group", group)
            .finish_non_exhaustive()
    }
}
