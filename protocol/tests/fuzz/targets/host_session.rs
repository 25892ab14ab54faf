//! A host's session under any extension: every call ends exactly once, every question is answered.

use std::collections::{HashSet, VecDeque};
use std::time::{Duration, Instant};

use extline_protocol::frame::{
    CallToolResult, Content, Event, ExtensionFrame, HelloAck, HostFrame, PanelKey, Registered,
};
use extline_protocol::limits::EXTENSION_ACCEPTS_BYTES;
use extline_protocol::{
    CallKey, CallKind, Capabilities, Decoder, HostConfig, HostEvent, HostSession, Id, Incoming,
    Intercept, RawJson, ToolCallOptions, decode,
};

use super::script::{Step, steps};
use super::wire;

/// Longer frames are refused; short, so that a script can reach it.
const ACCEPTS: usize = 2_000;

/// Steps of `!wait` make this many timeouts at most; more means that the session spins.
const TIMEOUTS: usize = 20_000;

pub(crate) fn run(script: &[u8]) {
    let mut driver = Driver::new();
    for step in steps(script) {
        match step {
            Step::Input(bytes, whole) => driver.input(bytes, whole),
            Step::Wait(duration) => driver.wait(duration),
            Step::Do(order) => driver.obey(order),
        }
        driver.settle();
    }
    driver.end();
}

struct Driver {
    session: HostSession,
    now: Instant,
    /// Reads what the session reads.
    shadow: Decoder,
    /// Calls of the host's that must still end.
    calls: Vec<CallKey>,
    /// Questions of the extension's that must still be answered.
    unanswered: HashSet<(CallKind, Id)>,
    /// Questions that the host thinks about.
    running: VecDeque<CallKey>,
    holds_answers: bool,
    frames: usize,
    /// From here on nothing is promised to the extension.
    over: bool,
    timeouts: usize,
}

impl Driver {
    fn new() -> Self {
        let now = Instant::now();
        let mut ack = HelloAck { protocol_version: 1, ..HelloAck::default() };
        ack.capabilities = Some(Capabilities::all().names());
        ack.methods = Some(vec!["ui.confirm".to_owned()]);
        let limits = ack.limits.get_or_insert_default();
        limits.frame_bytes = Some(ACCEPTS as u64);
        Self {
            session: HostSession::new(HostConfig { ack, ..HostConfig::default() }, now),
            now,
            shadow: Decoder::new(ACCEPTS),
            calls: Vec::new(),
            unanswered: HashSet::new(),
            running: VecDeque::new(),
            holds_answers: false,
            frames: 0,
            over: false,
            timeouts: 0,
        }
    }

    fn input(&mut self, bytes: &[u8], whole: bool) {
        let end: &[u8] = if whole { b"\n" } else { b"" };
        let (first, second) = bytes.split_at(bytes.len() / 2);
        for bytes in [first, second, end] {
            let is_open = self.session.extension().is_some();
            self.session.handle_input(bytes, self.now);
            self.shadow.feed(bytes);
            let line = self.shadow.next_line();
            let call = line.and_then(|line| asked(decode(&line)));
            // Before hello nothing is answered.
            self.unanswered.extend(call.filter(|_| is_open));
        }
    }

    fn obey(&mut self, order: &str) {
        let (session, now) = (&mut self.session, self.now);
        let args = RawJson::empty_object();
        let options = ToolCallOptions::default();
        let call = match order {
            "call" => session.call_tool("weather", args, options, now).ok(),
            "ask" => {
                let options = ToolCallOptions { interactive: true, ..options };
                session.call_tool("ask", args, options, now).ok()
            }
            "command" => session.invoke_command("forecast", "Berlin", now).ok(),
            "intercept" => {
                let event = "tool_call".to_owned();
                session.intercept(Intercept { event, ..Intercept::default() }, now).ok()
            }
            "request" => {
                let deadline = Some(Duration::from_secs(1));
                session.request("health.check", None, deadline, now).ok()
            }
            _ => {
                self.obey_without_call(order);
                None
            }
        };
        self.calls.extend(call);
    }

    fn obey_without_call(&mut self, order: &str) {
        let key = || PanelKey { panel_id: "p1".to_owned(), ..PanelKey::default() };
        match order {
            "cancel" => {
                if let Some(key) = self.calls.first() {
                    self.session.cancel(key, "asked", self.now);
                }
            }
            "hold" => self.holds_answers = true,
            "answer" => {
                self.holds_answers = false;
                for key in std::mem::take(&mut self.running) {
                    self.answer(&key);
                }
            }
            "event" => self.session.send_event(&Event::default()),
            "key" => self.session.panel_key(&key()),
            "report" => self.session.report(&Registered::default()),
            "shutdown" => {
                self.over = true;
                self.session.shutdown(None, self.now);
            }
            "eof" => {
                self.over = true;
                let rest = self.shadow.finish();
                self.unanswered.extend(rest.and_then(|line| asked(decode(&line))));
                self.session.handle_eof(self.now);
            }
            "gone" => {
                self.over = true;
                self.session.handle_gone("it exited");
            }
            _ => {}
        }
    }

    /// Passes time in the steps in which the session wants it.
    fn wait(&mut self, duration: Duration) {
        let until = self.now + duration;
        while let Some(due) = self.session.poll_timeout().filter(|due| *due <= until) {
            self.timeouts += 1;
            assert!(self.timeouts < TIMEOUTS, "it asks for {due:?} over and over");
            self.now = self.now.max(due);
            self.session.handle_timeout(self.now);
            self.settle();
        }
        self.now = until;
    }

    fn settle(&mut self) {
        loop {
            while let Some(event) = self.session.poll_event() {
                self.handle(event);
            }
            let mut output = Vec::new();
            if !self.session.poll_output(&mut output) {
                break;
            }
            for frame in wire::frames(&output, EXTENSION_ACCEPTS_BYTES) {
                self.check(frame);
            }
        }
    }

    fn handle(&mut self, event: HostEvent) {
        match event {
            HostEvent::ToolResult { key, .. }
            | HostEvent::CommandResponse { key, .. }
            | HostEvent::InterceptResponse { key, .. }
            | HostEvent::Response { key, .. }
            | HostEvent::CallFailed { key, .. } => {
                let call = self.calls.iter().position(|call| *call == key);
                self.calls.remove(call.expect("a call ends once"));
            }
            HostEvent::ToolUpdate { key, .. } | HostEvent::ResponsePart { key, .. } => {
                assert!(self.calls.contains(&key), "an update of a call that ended");
            }
            HostEvent::CallTool { key, call } => {
                assert!(call.args.is_object());
                self.start(key);
            }
            HostEvent::Request { key, .. } => self.start(key),
            HostEvent::RegisterTool(tool) => assert!(tool.schema.is_object()),
            HostEvent::HandshakeFailed(_) => self.over = true,
            HostEvent::Notice(notice) => assert!(!notice.to_string().is_empty()),
            _ => {}
        }
    }

    fn start(&mut self, key: CallKey) {
        if self.holds_answers {
            self.running.push_back(key);
        } else {
            self.answer(&key);
        }
    }

    /// Answers; one that comes too late is refused.
    fn answer(&mut self, key: &CallKey) {
        let _ = if key.kind() == CallKind::CallTool {
            let content = vec![Content::text("18 degrees")];
            let (id, name) = (key.id().clone(), "weather".to_owned());
            let result = CallToolResult { id, name, content, is_error: false, truncated: false };
            self.session.reply_call_tool(key, result, self.now)
        } else {
            let _ = self.session.send_part(key, 1, RawJson::null());
            self.session.reply_request(key, Ok(RawJson::empty_object()), self.now)
        };
    }

    fn check(&mut self, frame: HostFrame) {
        let is_first = self.frames == 0;
        self.frames += 1;
        assert_eq!(
            is_first,
            matches!(frame, HostFrame::HelloAck(_)),
            "hello_ack is first and once"
        );
        let call = match frame {
            HostFrame::CallToolResult(result) => (CallKind::CallTool, result.id),
            HostFrame::Response(response) => (CallKind::Request, response.id),
            HostFrame::ResponsePart(part) => {
                assert!(self.unanswered.contains(&(CallKind::Request, part.id)));
                return;
            }
            _ => return,
        };
        assert!(self.unanswered.remove(&call), "an answer too many: {call:?}");
    }

    /// The host answers what it still owes, and the extension dies.
    fn end(mut self) {
        self.obey("answer");
        self.settle();
        if !self.over {
            assert_eq!(self.unanswered, HashSet::new(), "never answered");
        }
        self.session.handle_gone("it was killed");
        self.settle();
        assert_eq!(self.calls, [], "calls that never end");
        assert_eq!(self.session.unanswered(), []);
    }
}

/// The question that the extension asked, where it can be answered.
fn asked(incoming: Incoming<ExtensionFrame>) -> Option<(CallKind, Id)> {
    match incoming {
        Incoming::Frame(ExtensionFrame::CallTool(call)) => Some((CallKind::CallTool, call.id)),
        Incoming::Frame(ExtensionFrame::Request(request)) => Some((CallKind::Request, request.id)),
        Incoming::Frame(_) => None,
        Incoming::Unusable(unusable) => match unusable.head.frame_type?.as_str() {
            "call_tool" => Some((CallKind::CallTool, unusable.head.id?)),
            "request" => Some((CallKind::Request, unusable.head.id?)),
            _ => None,
        },
    }
}
