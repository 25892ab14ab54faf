//! Frames to the extension and back, until what a step waits for has come.

use std::cell::RefCell;
use std::panic::Location;
use std::rc::Rc;
use std::time::{Duration, Instant};

use extline_protocol::frame::{
    CallTool, CallToolResult, Content, ErrorInfo, Request, ShutdownReason, ToolResult,
};
use extline_protocol::{
    CallKey, HandshakeError, HostConfig, HostEvent, HostSession, ToolCallOptions,
};

use extline_services::pending::Queue;
use extline_testing::demands::{NOT_ENDED, NOT_READY};

use super::failure::{Failure, Story};
use super::link::{Arrival, Breakdown, Link};
use super::seen::{Note, Outcome, Seen};
use super::stand_ins::{Called, StandIns};
use super::transcript::{Cutter, Side, Transcript};
use crate::Extension;

/// How long an extension whose thread may be busy has to show that it is not.
const SIGN_OF_LIFE: Duration = Duration::from_millis(500);

/// Between the end of its output and the end of its thread an extension has nothing left to do.
const LAST_STEP: Duration = Duration::from_secs(2);

/// A line that is no frame and changes nothing, to see that the extension reads it.
const BLANK: &[u8] = b"\n";

/// Why a step fails that takes too long.
const OWN_DEADLINE: &str = "the deadline of this testing host";

const BUSY: &str = "; a handler keeps its thread without awaiting: \
                    what computes or blocks for long belongs in `ctx.blocking`";

pub(super) struct Conversation {
    pub(super) session: HostSession,
    pub(super) seen: Seen,
    pub(super) transcript: Transcript,
    pub(super) deadline: Duration,
    /// How the extension ended.
    pub(super) ended: Option<End>,
    /// A handler was found to keep the extension's thread.
    pub(super) is_busy: bool,
    /// The line of the test that does what goes on.
    pub(super) place: &'static Location<'static>,
    /// How handlers failed that answer nobody, until a step has told of it.
    failures: Vec<String>,
    link: Link,
    cutter: Cutter,
    stand_ins: StandIns,
}

/// What did not come in time, why it had to by then, and how long it was waited for.
#[derive(Clone, Copy)]
struct Late<'a> {
    what: &'a str,
    why: &'a str,
    waited: Duration,
}

#[derive(Clone, Debug)]
pub(super) enum End {
    /// In the ordinary way, with that exit code.
    Exit(u8),
    /// As "panicked: ...".
    Other(String),
}

impl Conversation {
    pub(super) fn start(
        config: HostConfig,
        deadline: Duration,
        stand_ins: StandIns,
        place: &'static Location<'static>,
        create: impl FnOnce() -> Extension + Send + 'static,
    ) -> Result<Self, Failure> {
        Ok(Self {
            session: HostSession::new(config, Instant::now()),
            seen: Seen::default(),
            transcript: Transcript::default(),
            deadline,
            ended: None,
            is_busy: false,
            place,
            failures: Vec::new(),
            link: Link::start(create)?,
            cutter: Cutter::new(),
            stand_ins,
        })
    }

    /// Goes on until `look` has what it looks for; `what` names what did not happen otherwise.
    pub(super) fn wait_for<T>(
        &mut self,
        what: &str,
        look: impl FnMut(&mut Self) -> Result<Option<T>, Failure>,
    ) -> Result<T, Failure> {
        self.wait_within(self.deadline, what, OWN_DEADLINE, look)
    }

    /// The same with another deadline, and why it is that.
    pub(super) fn wait_within<T>(
        &mut self,
        patience: Duration,
        what: &str,
        why: &str,
        mut look: impl FnMut(&mut Self) -> Result<Option<T>, Failure>,
    ) -> Result<T, Failure> {
        let until = Instant::now() + patience;
        loop {
            self.converse()?;
            if let Some(found) = look(self)? {
                return Ok(found);
            }
            self.read_until(until, Late { what, why, waited: patience })?;
        }
    }

    /// Waits until the extension has read everything, and begun to do it.
    pub(super) fn wait_until_read(&mut self, what: &str) -> Result<(), Failure> {
        self.wait_for(what, |conversation| Ok(conversation.link.is_read().then_some(())))
    }

    /// Waits until the extension has handled every event and every panel's input, and takes in what
    /// it has said by then.
    pub(super) fn settle(&mut self, what: &str) -> Result<(), Failure> {
        self.wait_for(what, |conversation| {
            if !conversation.link.is_calm() {
                return Ok(None);
            }
            // More of what it said may stand in the pipe.
            conversation.take_what_came()?;
            Ok(Some(()))
        })?;
        self.refuse_failures()
    }

    /// Fails where a handler has failed that answers nobody, and no step has told of it.
    pub(super) fn refuse_failures(&mut self) -> Result<(), Failure> {
        self.failures.extend(self.link.take_failures());
        let Some(what) = self.failures.first().cloned() else { return Ok(()) };
        Err(Failure::HandlerFailed { what, story: self.story() })
    }

    /// Reads once; fails when the extension has ended, or it is too late.
    pub(super) fn wait_a_little(&mut self, what: &str, until: Instant) -> Result<(), Failure> {
        self.read_until(until, Late { what, why: OWN_DEADLINE, waited: self.deadline })
    }

    /// Reads once; fails when the extension has ended, or it is too late: `late` has what did not come,
    /// why it had to by then, and how long it was waited for.
    fn read_until(&mut self, until: Instant, late: Late<'_>) -> Result<(), Failure> {
        self.converse()?;
        if self.ended.is_some() {
            return Err(self.has_ended(late.what));
        }
        if Instant::now() >= until {
            return Err(self.timed_out(late));
        }
        self.read(until)?;
        self.converse()
    }

    /// Takes in what the extension has said, without waiting for more.
    pub(super) fn take_what_came(&mut self) -> Result<(), Failure> {
        self.converse()?;
        while self.read(Instant::now())? {
            self.converse()?;
        }
        Ok(())
    }

    /// Reads once, until then, whatever comes.
    #[cfg(feature = "scenario")]
    pub(super) fn listen_once(&mut self, until: Instant) -> Result<(), Failure> {
        self.converse()?;
        self.read(until)?;
        self.converse()
    }

    /// Sends bytes as they stand, past the session.
    #[cfg(feature = "scenario")]
    pub(super) fn send(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        Ok(self.link.send(bytes)?)
    }

    /// Asks the extension to end, and waits until it has.
    pub(super) fn shutdown(&mut self) -> Result<End, Failure> {
        self.session.shutdown(Some(ShutdownReason::Exit), Instant::now());
        self.converse()?;
        self.link.close()?;
        self.wait_for(NOT_ENDED, |conversation| Ok(conversation.ended.clone()))
    }

    /// Runs nothing of the test's any more.
    /// What the extension keeps.
    pub(super) fn kept(&self) -> serde_json::Value {
        let state = self.stand_ins.state.as_ref();
        state.map_or(serde_json::Value::Null, |state| state.borrow_mut().values())
    }

    /// What it proposes.
    pub(super) fn proposals(&self) -> Option<Rc<RefCell<Queue<()>>>> {
        self.stand_ins.pending.clone()
    }

    pub(super) fn forget_stand_ins(&mut self) {
        self.stand_ins = StandIns::default();
    }

    /// A line may follow the answer that it belongs to, so first the extension gets round to
    /// everything that it has to do. One that does not has no more to say.
    pub(super) fn stderr(&mut self) -> Vec<String> {
        if self.ended.is_none() && self.link.send(BLANK).is_ok() {
            let _ = self.wait_until_read("the extension did not read a blank line");
        }
        self.link.stderr()
    }

    /// It has the lines of stderr: whatever failed is told with it.
    pub(super) fn story(&mut self) -> Story {
        self.link.take_failures();
        self.failures.clear();
        Story::new(self.place, self.link.stderr(), &self.transcript)
    }

    pub(super) fn has_ended(&mut self, what: &str) -> Failure {
        let how = self.how_it_ended().unwrap_or_else(|| "has ended".to_owned());
        Failure::Ended { what: what.to_owned(), how, story: self.story() }
    }

    /// How it ended, if it did: `has ended with exit code 0`.
    pub(super) fn how_it_ended(&self) -> Option<String> {
        Some(match self.ended.as_ref()? {
            End::Exit(code) => format!("has ended with exit code {code}"),
            End::Other(how) => how.clone(),
        })
    }

    /// Why it may be that nothing comes, behind what did not.
    pub(super) fn hint(&mut self) -> &'static str {
        self.is_busy = self.keeps_its_thread();
        if self.is_busy { BUSY } else { "" }
    }

    fn timed_out(&mut self, Late { what, why, waited }: Late<'_>) -> Failure {
        let story = self.story();
        let hint = self.hint();
        let (what, why) = (what.to_owned(), why.to_owned());
        Failure::TimedOut { what, waited, why, hint, story }
    }

    /// Whether it leaves unread what it is sent.
    fn keeps_its_thread(&mut self) -> bool {
        if self.link.is_read() && self.link.send(BLANK).is_err() {
            return false;
        }
        let until = Instant::now() + SIGN_OF_LIFE;
        while !self.link.is_read() && Instant::now() < until {
            if self.read(until.min(Instant::now() + SIGN_OF_LIFE / 10)).is_err() {
                return false;
            }
        }
        self.ended.is_none() && !self.link.is_read()
    }

    /// Does what the session wants done, and sends what it says.
    fn converse(&mut self) -> Result<(), Failure> {
        loop {
            while let Some(event) = self.session.poll_event() {
                self.handle(event)?;
            }
            if let Some(report) = self.seen.offered.take_report() {
                self.session.report(&report);
            }
            let mut said = Vec::new();
            if !self.session.poll_output(&mut said) {
                return Ok(());
            }
            self.note_sent(&said);
            self.link.send(&said)?;
        }
    }

    /// Writes what is going to be sent into the transcript.
    pub(super) fn note_sent(&mut self, bytes: &[u8]) {
        for line in String::from_utf8_lossy(bytes).lines() {
            self.transcript.add(Side::Host, line);
        }
    }

    /// Reads once; whether anything came by then.
    fn read(&mut self, until: Instant) -> Result<bool, Failure> {
        if self.ended.is_some() {
            return Ok(false);
        }
        match self.link.wait(until)? {
            Arrival::Nothing => return Ok(false),
            Arrival::Data(bytes) => {
                self.cutter.cut(bytes, &mut self.transcript);
                self.session.handle_input(bytes, Instant::now());
            }
            Arrival::Eof => self.end()?,
        }
        Ok(true)
    }

    fn end(&mut self) -> Result<(), Failure> {
        self.session.handle_eof(Instant::now());
        let end = match self.link.join(Instant::now() + LAST_STEP) {
            Some(Ok(code)) => End::Exit(code),
            Some(Err(Breakdown::Error(error))) => {
                self.ended = Some(End::Other(format!("could not be served: {error}")));
                return Err(error.into());
            }
            Some(Err(Breakdown::Panic(message))) => End::Other(format!("panicked: {message}")),
            None => End::Other("closed its output".to_owned()),
        };
        self.session.handle_gone("the extension has ended");
        self.ended = Some(end);
        Ok(())
    }

    fn handle(&mut self, event: HostEvent) -> Result<(), Failure> {
        let seen = &mut self.seen;
        match event {
            // An end says more about it.
            HostEvent::HandshakeFailed(HandshakeError::Ended) => {}
            HostEvent::HandshakeFailed(error) => {
                let what = NOT_READY.to_owned();
                return Err(Failure::Ended { what, how: error.to_string(), story: self.story() });
            }
            HostEvent::Hello(_) => seen.has_greeted = true,
            HostEvent::RegisterTool(tool) => seen.offered.add_tool(*tool),
            HostEvent::UnregisterTool(name) => seen.offered.remove_tool(&name),
            HostEvent::RegisterCommand(command) => seen.offered.add_command(command),
            HostEvent::Subscribe(subscribe) => seen.offered.subscribe(subscribe),
            HostEvent::Rejected(rejection) => seen.offered.reject(rejection),
            HostEvent::Ready => seen.offered.ready(),
            HostEvent::ToolResult { key, result } => self.tool_answered(key, *result),
            HostEvent::ToolUpdate { key, update } => {
                seen.updates.entry(key).or_default().push(update);
            }
            HostEvent::CommandResponse { key, response } => {
                seen.outcomes.insert(key, Outcome::Command(*response));
            }
            HostEvent::InterceptResponse { key, response } => {
                seen.outcomes.insert(key, Outcome::Intercept(response));
            }
            HostEvent::CallTool { key, call } => self.call_for_extension(&key, call),
            HostEvent::ResponsePart { key, data, .. } => {
                seen.parts.entry(key).or_default().push(data);
            }
            HostEvent::Response { key, result } => {
                seen.outcomes.insert(key, Outcome::Method(result));
            }
            HostEvent::Request { key, request } => self.serve_request(&key, &request),
            HostEvent::Notify { level, message } => seen.notes.push(Note { level, message }),
            HostEvent::ClearNotes => seen.notes.clear(),
            HostEvent::Log(log) => seen.logs.push(log),
            HostEvent::Submit(text) | HostEvent::SubmitSlash(text) => seen.submitted.push(text),
            HostEvent::OpenPanel(panel) => seen.open_panel(panel),
            HostEvent::PanelRender(render) => seen.render_panel(render),
            HostEvent::PanelClose(id) => seen.close_panel(&id),
            HostEvent::Notice(notice) => seen.notices.push(notice),
            HostEvent::CallFailed { key, error } => self.call_failed(key, error),
            // The rest is of processes and of what was never asked for.
            _ => {}
        }
        Ok(())
    }

    fn tool_answered(&mut self, key: CallKey, result: ToolResult) {
        match self.seen.nested.remove(&key) {
            None => {
                self.seen.outcomes.insert(key, Outcome::Tool(result));
            }
            Some((asked, name)) => {
                self.answer_call(&asked, name, result.content, result.is_error);
            }
        }
    }

    fn call_failed(&mut self, key: CallKey, error: ErrorInfo) {
        match self.seen.nested.remove(&key) {
            None => {
                self.seen.outcomes.insert(key, Outcome::Failed(error));
            }
            Some((asked, name)) => {
                self.answer_call(&asked, name, vec![Content::text(error.message)], true);
            }
        }
    }

    /// The extension calls a tool: one of the test's, one of its own, or one that nobody has.
    fn call_for_extension(&mut self, asked: &CallKey, call: CallTool) {
        let CallTool { name, args, .. } = call;
        match self.stand_ins.call(&name, &args) {
            Called::Answered(result) => {
                let result = result.into_frame();
                self.answer_call(asked, name, result.content, result.is_error);
                return;
            }
            Called::NeverAnswered => return,
            Called::Unknown => {}
        }
        if self.seen.offered.tool(&name).is_some() {
            let options = ToolCallOptions::default();
            let called = self.session.call_tool(&name, args, options, Instant::now());
            if let Ok(key) = called {
                self.seen.nested.insert(key, (asked.clone(), name));
                return;
            }
        }
        let text = format!("unknown tool {name}");
        self.answer_call(asked, name, vec![Content::text(text)], true);
    }

    fn answer_call(
        &mut self,
        asked: &CallKey,
        name: String,
        content: Vec<Content>,
        is_error: bool,
    ) {
        let id = asked.id().clone();
        let result = CallToolResult { id, name, content, is_error, truncated: false };
        // It fails for one that was answered before, and each is answered once.
        let _ = self.session.reply_call_tool(asked, result, Instant::now());
    }

    fn serve_request(&mut self, key: &CallKey, request: &Request) {
        let served = self.stand_ins.request(&request.method, request.params.as_ref());
        let result = served.map(|(parts, result)| {
            for (seq, part) in (1..).zip(parts) {
                // Nobody waits for it when the request is over already.
                let _ = self.session.send_part(key, seq, part.into());
            }
            result.into()
        });
        // As above.
        let _ = self.session.reply_request(key, result, Instant::now());
    }
}
