//! What changes while an extension runs.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use extline_protocol::frame::Event;
use extline_protocol::{CallKey, CallKind, HostSession};

use super::calls::Waiting;
use super::flood::Flood;
use super::outgrown::{LargePipes, Outgrown};
use super::panels::Panels;
use super::questions::OpenQuestion;
use super::registering::Registering;
use super::write_queue::{WriteError, WriteQueue};
use crate::process::Input;
use crate::report::{
    Author, Diagnosis, ExtensionTrace, FailureCause, InterceptFailure, Manner, NoAnswer, Notice,
    Problem, readable,
};

/// Notices kept for the status of one extension; further ones are counted.
const NOTICES: usize = 50;

/// What is told of a message.
const MESSAGE_START: &str = "message_start";
const MESSAGE_UPDATE: &str = "message_update";
const MESSAGE_END: &str = "message_end";

/// Intercepts that failed, kept for the status of one extension.
const INTERCEPT_FAILURES: usize = 50;

/// Bytes kept of what comes before `hello`, for a diagnosis.
const BEFORE_HELLO: usize = 400;

/// What changes while an extension runs.
pub(crate) struct State {
    pub(super) session: HostSession,
    pub(super) queue: WriteQueue,
    /// What it says that nobody asked for.
    pub(super) flood: Flood,
    /// Long frames, to it and from it.
    long_written: Outgrown,
    pub(super) long_read: Outgrown,
    large_pipes: LargePipes,
    /// How many of those are its own.
    enlarged: usize,
    pub(super) phase: Phase,
    /// Who waits for which answer.
    pub(super) waiting: HashMap<CallKey, Waiting>,
    /// What the extension asked for and has no answer to yet.
    pub(super) questions: HashMap<CallKey, OpenQuestion>,
    pub(super) panels: Panels,
    /// Why it must be given up now.
    pub(super) failure: Option<Problem>,
    /// What it means when it ends before it is ready, where that is known better.
    pub(super) early_end: Option<Problem>,
    /// Why it must be given up if it has not ended by then.
    pub(super) give_up: Option<(Instant, Problem)>,
    /// When the task looks at the clock by itself.
    pub(super) wake_at: Option<Instant>,
    pub(super) began: Instant,
    pub(super) start_took: Option<Duration>,
    pub(super) asked_to_end: Option<Instant>,
    /// The strongest that was done to end it.
    pub(super) manner: Manner,
    pub(super) registrations_changed: bool,
    pub(super) registering: Registering,
    /// Roughly what is kept of it, in bytes: its hello; what it registered; the updates and parts of answers
    /// that nobody has taken; its panels; what it asked for.
    pub(super) kept_hello: usize,
    pub(super) kept_registrations: usize,
    pub(super) kept_answers: usize,
    pub(super) kept_panels: usize,
    pub(super) kept_questions: usize,
    /// Events that wait to be put out of their order.
    pub(super) disordered: Vec<Event>,
    /// The newest update of a message, while something else waits to be written.
    newest_update: Option<Event>,
    /// It is being disabled: nothing more is asked of it.
    pub(super) is_draining: bool,
    /// It was told to end since another process takes its place.
    pub(super) is_replaced: bool,
    /// Its output is not read any more, though it may still write.
    pub(super) stopped_reading: bool,
    /// When `hello` came; what the session tells now came behind it.
    pub(super) said_hello: Option<Instant>,
    pub(super) author: Author,
    /// `ready` came, and is not only overdue.
    pub(super) said_ready: bool,
    /// The last ones, oldest first.
    pub(super) intercept_failures: VecDeque<InterceptFailure>,
    pub(super) notices: Vec<Notice>,
    pub(super) further_notices: u64,
    /// The beginning of its output, until `hello` came.
    before_hello: Vec<u8>,
    /// Frames on their way from the session to the queue.
    out: Vec<u8>,
    /// What passes is written down here.
    pub(super) trace: Option<ExtensionTrace>,
}

/// Where an extension is in its life, as the host sees it.
#[derive(Debug)]
pub(super) enum Phase {
    Starting,
    Ready,
    /// It was asked to end.
    Ending,
    Failed(Arc<Diagnosis>),
}

impl State {
    pub(super) fn new(
        session: HostSession,
        input: Input,
        (write_deadline, large_pipes): (Duration, LargePipes),
        now: Instant,
    ) -> Self {
        Self {
            session,
            queue: WriteQueue::new(input, write_deadline, now),
            flood: Flood::new(now),
            long_written: Outgrown::default(),
            long_read: Outgrown::default(),
            large_pipes,
            enlarged: 0,
            phase: Phase::Starting,
            waiting: HashMap::new(),
            questions: HashMap::new(),
            panels: Panels::default(),
            failure: None,
            early_end: None,
            give_up: None,
            wake_at: None,
            began: now,
            start_took: None,
            asked_to_end: None,
            manner: Manner::ByItself,
            registrations_changed: false,
            registering: Registering::default(),
            kept_hello: 0,
            kept_registrations: 0,
            kept_answers: 0,
            kept_panels: 0,
            kept_questions: 0,
            disordered: Vec::new(),
            newest_update: None,
            is_draining: false,
            is_replaced: false,
            stopped_reading: false,
            said_hello: None,
            author: Author::default(),
            said_ready: false,
            intercept_failures: VecDeque::new(),
            notices: Vec::new(),
            further_notices: 0,
            before_hello: Vec::new(),
            out: Vec::new(),
            trace: None,
        }
    }

    /// Writes what the session has to say.
    pub(super) fn write(&mut self, now: Instant) {
        if self.session.poll_output(&mut self.out) {
            if let Some(trace) = self.trace.as_ref().filter(|_| self.queue.is_open()) {
                trace.sent(&self.out);
            }
            if self.long_written.note(&self.out) && self.may_enlarge() {
                self.queue.enlarge();
            }
            let written = self.queue.send(&mut self.out, now);
            self.note_write(&written, now);
        }
    }

    /// Whether one more of its pipes may be enlarged.
    pub(super) fn may_enlarge(&mut self) -> bool {
        let may = self.large_pipes.take();
        self.enlarged += usize::from(may);
        may
    }

    /// Its pipes are closed.
    pub(super) fn give_pipes_back(&mut self) {
        self.large_pipes.give_back(std::mem::take(&mut self.enlarged));
    }

    /// Writes a signal into the trace, behind the end of stdin that came before it.
    pub(super) fn trace_signal(&mut self, name: &str) {
        self.trace_input_end();
        if let Some(trace) = &self.trace {
            trace.signalled(name);
        }
    }

    /// Writes the end of stdin into the trace, once it has come.
    pub(super) fn trace_input_end(&mut self) {
        if let Some(trace) = self.trace.as_mut().filter(|_| !self.queue.is_open()) {
            trace.input_ended();
        }
    }

    pub(super) fn trace_output_end(&mut self) {
        if let Some(trace) = &mut self.trace {
            trace.output_ended();
        }
    }

    /// Writes what waits, as far as the pipe takes it.
    pub(super) fn write_on(&mut self, now: Instant) {
        let written = self.queue.flush(now);
        self.note_write(&written, now);
        self.tell_newest_update();
    }

    /// Tells the update that waited, where nothing else waits any more.
    fn tell_newest_update(&mut self) {
        if self.queue.blocked().is_none()
            && let Some(update) = self.newest_update.take()
        {
            self.session.send_event(&update);
        }
    }

    /// Tells an event. While something waits to be written an update of a message does not wait with it: the
    /// newest one stands for all (`event.newest`), and is told in its turn where another event comes, but not
    /// where that says of the message what it says, or more (`event.newest-order`).
    pub(super) fn send_event(&mut self, event: &Event) {
        if event.event == MESSAGE_UPDATE && self.queue.blocked().is_some() {
            self.newest_update = Some(event.clone());
            return;
        }
        let is_said = matches!(&*event.event, MESSAGE_START | MESSAGE_UPDATE | MESSAGE_END);
        if let Some(update) = self.newest_update.take().filter(|_| !is_said) {
            self.session.send_event(&update);
        }
        self.session.send_event(event);
    }

    /// When something is due, if ever.
    pub(super) fn next_step(&self) -> Option<Instant> {
        let give_up = self.give_up.as_ref().map(|(at, _)| *at);
        let write = self.queue.deadline().filter(|_| !self.is_ending());
        [self.session.poll_timeout(), give_up, write].into_iter().flatten().min()
    }

    /// Does what is due: the session's own deadlines, a write that takes too long, a process that
    /// neither works nor ends.
    pub(super) fn handle_timeout(&mut self, now: Instant) {
        self.session.handle_timeout(now);
        if self.give_up.as_ref().is_some_and(|(at, _)| *at <= now) {
            self.failure = self.give_up.take().map(|(_, problem)| problem);
        }
        if !self.is_ending() {
            let checked = self.queue.check(now);
            self.note_write(&checked, now);
            self.tell_newest_update();
        }
    }

    /// Gives it up unless it ends by itself within that time; the first reason stands.
    pub(super) fn give_up_after(&mut self, time: Duration, problem: Problem, now: Instant) {
        self.give_up.get_or_insert((now + time, problem));
    }

    /// The tool that the call is of.
    pub(super) fn tool_of(&self, key: &CallKey) -> String {
        self.waiting.get(key).map_or("a tool", Waiting::name).to_owned()
    }

    /// Nobody waits for that answer any more; who did.
    pub(super) fn stop_waiting(&mut self, key: &CallKey) -> Option<Waiting> {
        let stopped = self.waiting.remove(key)?;
        self.kept_answers -= stopped.memory();
        Some(stopped)
    }

    /// Why there is nobody to ask about anything.
    pub(super) fn nobody_to_ask(&self) -> NoAnswer {
        let (cause, reason) = match (&self.phase, self.said_hello) {
            (Phase::Failed(diagnosis), _) => {
                let reason = format!("cannot be asked: {}", diagnosis.summary());
                (FailureCause::Gone, reason)
            }
            (Phase::Starting | Phase::Ready, hello) => {
                let since = hello.unwrap_or(self.began).elapsed().as_secs_f64();
                let what = if hello.is_some() { "its setup runs" } else { "no hello has come" };
                let reason = format!("is not ready: {what} for {since:.1} s now; try again later");
                (FailureCause::NotReady, reason)
            }
            (Phase::Ending, _) => {
                (FailureCause::Gone, "cannot be asked: its extension was told to end".to_owned())
            }
        };
        NoAnswer { cause, reason }
    }

    /// Whether it may still register what it declared.
    pub(super) fn is_starting(&self) -> bool {
        match self.phase {
            Phase::Starting => true,
            Phase::Ready => !self.said_ready,
            Phase::Ending | Phase::Failed(_) => false,
        }
    }

    pub(super) fn is_ending(&self) -> bool {
        matches!(self.phase, Phase::Ending)
    }

    /// Remembers how its output begins, as long as that is no `hello`.
    pub(super) fn note_before_hello(&mut self, bytes: &[u8]) {
        let room = BEFORE_HELLO.saturating_sub(self.before_hello.len());
        self.before_hello.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// What is wrong with its output: how that began, where there was no `hello`, and the newest
    /// line of a flood.
    pub(super) fn wrong_output(&self, problem: &Problem) -> Option<String> {
        if self.session.extension().is_some() {
            return self.flood.newest().filter(|_| *problem == Problem::Flood);
        }
        let first = self.before_hello.split(|byte| *byte == b'\n');
        let first = first.map(readable).find(|line| !line.trim().is_empty());
        Some(first.unwrap_or_else(|| "nothing".to_owned()))
    }

    /// What it is doing, in words, for a diagnosis.
    pub(super) fn doing(&self) -> String {
        match (&self.phase, self.session.extension()) {
            (Phase::Starting, None) => "waiting for its hello".to_owned(),
            (Phase::Starting, Some(_)) => "waiting for its registrations".to_owned(),
            _ => self.answering().unwrap_or_else(|| "waiting for something to do".to_owned()),
        }
    }

    pub(super) fn keep_notice(&mut self, notice: Notice) {
        if self.notices.len() < NOTICES {
            self.notices.push(notice);
        } else {
            self.further_notices += 1;
        }
    }

    pub(super) fn keep_intercept_failure(&mut self, failure: InterceptFailure) {
        if self.intercept_failures.len() == INTERCEPT_FAILURES {
            self.intercept_failures.pop_front();
        }
        self.intercept_failures.push_back(failure);
    }

    fn answering(&self) -> Option<String> {
        const NAMED: usize = 3;
        let keys = self.session.unanswered();
        let named = keys.iter().take(NAMED).filter_map(|key| {
            let name = self.waiting.get(key)?.name();
            Some(match key.kind() {
                CallKind::Command => format!("the command /{name}"),
                CallKind::Intercept => format!("the intercept {name}"),
                CallKind::Request => format!("the request {name}"),
                _ => format!("the tool call {name}"),
            })
        });
        let named: Vec<_> = named.collect();
        let further = match keys.len().saturating_sub(NAMED) {
            0 => String::new(),
            count => format!(" and {count} more"),
        };
        (!named.is_empty()).then(|| format!("answering {}{further}", named.join(", ")))
    }

    fn note_write(&mut self, written: &Result<(), WriteError>, now: Instant) {
        /// The end of the process shows a little later than that nobody reads its stdin.
        const USUALLY_ENDS_WITHIN: Duration = Duration::from_millis(500);
        match written {
            Ok(()) => {}
            Err(WriteError::Broken) => {
                self.queue.close_now();
                if !self.is_ending() {
                    self.give_up_after(USUALLY_ENDS_WITHIN, Problem::InputClosed, now);
                }
            }
            &Err(WriteError::Full { frames, bytes }) => {
                self.failure.get_or_insert(Problem::InputFull { frames, bytes });
            }
            &Err(WriteError::Stalled { bytes, waited }) => {
                let waited_ms = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX);
                self.failure.get_or_insert(Problem::InputStalled { waited_ms, bytes });
            }
        }
    }
}
