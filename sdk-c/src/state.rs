//! What the threads of an extension share, behind one lock.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::c_void;
use std::sync::{Arc, Weak};

use extline_protocol::{CallKey, ExtensionConfig, ExtensionEvent, ExtensionSession};
use extline_stdio::Input;
use extline_stdio::watchdog::Unfinished;

use crate::ask::Waiter;
use crate::call::Call;
use crate::callback::Callback;
use crate::code::{EXTLINE_CLOSED, EXTLINE_STATE};
use crate::command::Commands;
use crate::events::EventHandler;
use crate::extension::Extension;
use crate::failure::Failure;
use crate::intercept_chain::{Decision, InterceptChain};
use crate::job::Job;
use crate::lifecycle::Lifecycle;
use crate::panel::Panels;
use crate::run::MOST_THREADS;
use crate::running;
use crate::tool::{CallFunction, Tools};
use extline_driver::{Channel, Question, Questions, Registry, Settling, settle};

/// Nobody keeps it locked while a function of the author's runs or anything is waited for.
pub(crate) struct State {
    /// What it is before it begins.
    pub(crate) config: ExtensionConfig,
    /// Its session, once it has begun.
    pub(crate) channel: Option<Channel>,
    /// By serial, until they are answered.
    pub(crate) calls: BTreeMap<u64, Arc<Call>>,
    pub(crate) tools: Tools,
    pub(crate) commands: Commands,
    pub(crate) lifecycle: Lifecycle,
    /// So many handlers may run at a time.
    pub(crate) max_threads: usize,
    /// The extension itself, where the process is its own, and ends with it.
    pub(crate) process: Weak<Extension>,
    /// In the order in which they were given.
    pub(crate) events: BTreeMap<String, Vec<EventHandler>>,
    /// By point, in the order in which they were given.
    pub(crate) interceptors: BTreeMap<String, Vec<Arc<Callback<CallFunction>>>>,
    /// With their labels, in the order in which they were given.
    pub(crate) guards: Vec<(Arc<str>, Arc<Callback<CallFunction>>)>,
    pub(crate) methods: BTreeMap<String, Arc<Callback<CallFunction>>>,
    pub(crate) panels: Panels,
    /// What the extension has asked the host for, until the answer comes.
    pub(crate) questions: Questions<Waiter>,
    /// Intercepts that go on.
    pub(crate) chains: VecDeque<(Box<InterceptChain>, Decision)>,
    /// In the poll form.
    pub(crate) input: Option<Input>,
    /// What the program is writing, with a NUL behind it, in the detached form.
    pub(crate) taken: Vec<u8>,
    /// The thread that drives the poll form or the detached form, as `drive_mode::this_thread` has it.
    pub(crate) driver: Option<usize>,
    pub(crate) on_wake: Option<Callback<WakeFunction>>,
    /// The first of its registrations that failed before the start.
    pub(crate) mistake: Option<Failure>,
    /// Freed by its author; calls that are kept live on.
    pub(crate) is_freed: bool,
}

/// A `WakeCallback` that is there.
pub(crate) type WakeFunction = unsafe extern "C" fn(*mut c_void);

impl State {
    pub(crate) fn new(config: ExtensionConfig) -> Self {
        Self {
            config,
            channel: None,
            calls: BTreeMap::new(),
            tools: Tools::default(),
            commands: Commands::default(),
            lifecycle: Lifecycle::default(),
            max_threads: MOST_THREADS,
            process: Weak::new(),
            events: BTreeMap::new(),
            interceptors: BTreeMap::new(),
            guards: Vec::new(),
            methods: BTreeMap::new(),
            panels: Panels::default(),
            questions: Questions::default(),
            chains: VecDeque::new(),
            input: None,
            taken: Vec::new(),
            driver: None,
            on_wake: None,
            mistake: None,
            is_freed: false,
        }
    }

    /// What is told to the host until setup has returned.
    pub(crate) fn must_register(&self) -> Result<(), Failure> {
        if self.lifecycle.is_set_up() {
            let text = "the host knows by now what the extension listens to: register before the start, \
                        or in setup";
            return Err(Failure::new(EXTLINE_STATE, text));
        }
        Ok(())
    }

    /// What the extension registers with.
    pub(crate) fn registry(&mut self) -> Registry<'_> {
        match &mut self.channel {
            Some(channel) => Registry::Running(&mut channel.session),
            None => Registry::Before(&mut self.config.registrations),
        }
    }

    /// What is registered behind the end would reach no host.
    pub(crate) fn must_not_be_over(&self, name: &str) -> Result<(), Failure> {
        if !self.lifecycle.has_finished {
            return Ok(());
        }
        let text = format!(
            "{name:?} comes behind the end of the session: register it before extline_run, in setup \
             or in a handler"
        );
        Err(Failure::new(EXTLINE_CLOSED, text))
    }

    /// Whether everything is answered and written, or had its time.
    pub(crate) fn is_over(&self) -> bool {
        let is_said = |channel: &Channel| channel.output().is_none() || channel.is_said();
        self.lifecycle.has_finished
            && (self.lifecycle.is_overdue || self.channel.as_ref().is_none_or(is_said))
    }

    /// The exit code, when everything is answered.
    pub(crate) fn exit_code(&self) -> Option<u8> {
        let channel = self.channel.as_ref().filter(|_| self.lifecycle.has_finished);
        channel.map(|channel| channel.session.exit_code())
    }

    /// Whether a job can be done now.
    pub(crate) fn has_jobs(&self) -> bool {
        !self.chains.is_empty()
            || self
                .channel
                .as_ref()
                .is_some_and(|channel| !channel.is_stalled() && channel.has_events())
    }

    /// The session and what moves its bytes.
    pub(crate) fn channel(&mut self) -> Result<&mut Channel, Failure> {
        self.asking().map(|(channel, _)| channel)
    }

    /// The same, and what the host was asked.
    #[inline]
    pub(crate) fn asking(&mut self) -> Result<(&mut Channel, &mut Questions<Waiter>), Failure> {
        if self.is_freed {
            return Err(Failure::new(EXTLINE_CLOSED, "the extension has been freed"));
        }
        let channel = self.channel.as_mut().ok_or_else(|| {
            Failure::new(EXTLINE_STATE, "the extension has not been started: this needs its host")
        });
        Ok((channel?, &mut self.questions))
    }

    /// The same, for what is different before the start.
    pub(crate) fn live(&mut self) -> Option<&mut Channel> {
        self.channel.as_mut()
    }

    /// The next job that a handler, or at least code of the author's, is needed for.
    pub(crate) fn next_job(&mut self, may_begin: bool) -> Option<Job> {
        if may_begin && let Some((chain, change)) = self.chains.pop_front() {
            return Some(Job::InterceptChain(chain, change));
        }
        loop {
            let event = self.channel().ok()?.next_event(may_begin)?;
            if let Some(event) = self.settle(event) {
                return Some(Job::Event(event));
            }
        }
    }

    /// Whether an author's code runs for it, which may take its time.
    pub(crate) fn runs_handler(&self, job: &Job) -> bool {
        match job {
            Job::InterceptChain(..) => true,
            Job::Event(ExtensionEvent::Accepted(_)) => self.lifecycle.has_setup(),
            Job::Event(event) => running::name_of(event).is_some(),
        }
    }

    /// A call whose handler was not seen to be slow of late.
    pub(crate) fn is_quick(&self, job: &Job) -> bool {
        let Job::Event(ExtensionEvent::ToolCall { call, .. }) = job else { return false };
        self.tools.get(&call.name).is_some_and(|tool| tool.pace.begin())
    }

    /// Does what needs no code of the author's; gives back what does.
    fn settle(&mut self, event: ExtensionEvent) -> Option<ExtensionEvent> {
        if matches!(event, ExtensionEvent::ResponsePart { .. }) {
            if let Ok(Some(question)) = self.questions.take_in(event) {
                question.waiter.wake();
            }
            return None;
        }
        settle(self, event)
    }

    fn interrupt(
        &mut self,
        which: impl FnOnce(&mut Questions<Waiter>, &mut ExtensionSession) -> Vec<Arc<Question<Waiter>>>,
    ) {
        let Some(channel) = &mut self.channel else { return };
        for question in which(&mut self.questions, &mut channel.session) {
            question.waiter.wake();
        }
    }
}

impl Settling for State {
    fn cancel(&mut self, key: &CallKey) -> bool {
        let waits = self.calls.get(&key.serial()).is_some_and(|call| call.cancel());
        self.interrupt(|questions, session| questions.interrupt(session, key));
        waits
    }

    fn cancel_all(&mut self) -> bool {
        // Every mark is set, also behind one whose waiters have to be told.
        let waiting = self.calls.values().filter(|call| call.cancel()).count();
        self.interrupt(Questions::interrupt_all);
        waiting > 0
    }

    fn watch_end(&mut self) {
        if let (Some(ext), Some(channel)) = (self.process.upgrade(), &self.channel) {
            channel.watch_end(last_act(&ext));
        }
    }

    fn finish(&mut self) {
        self.lifecycle.has_finished = true;
    }

    fn overdue(&mut self, _: u8) {
        self.lifecycle.is_overdue = true;
    }
}

/// At the end of the end, for the thread that watches it: what was due is answered and written, as far as
/// that goes without waiting. What is not finished.
fn last_act(ext: &Arc<Extension>) -> impl FnOnce() -> Unfinished + Send + 'static {
    let ext = Arc::downgrade(ext);
    move || {
        let handlers = extline_driver::running::names();
        let Some(ext) = ext.upgrade() else { return Unfinished { handlers, unread: false } };
        let mut state = ext.lock();
        match state.live() {
            Some(channel) => channel.last_act(handlers),
            None => Unfinished { handlers, unread: false },
        }
    }
}
