//! An extension's session under any host: every call that can be answered gets exactly one answer.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use extline_protocol::frame::{
    Action, CommandResponse, Content, EventInterceptResponse, ExtensionFrame, HostFrame, Level,
    OnFailure, OutputFormat, RegisterCommand, RegisterTool, Subscribe, ToolResult,
};
use extline_protocol::limits::FRAME_BYTES;
use extline_protocol::{
    CallKey, CallKind, Decoder, ExtensionConfig, ExtensionEvent, ExtensionSession, Id, Incoming,
    RawJson, Update, decode,
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
    session: ExtensionSession,
    now: Instant,
    /// Reads what the session reads.
    shadow: Decoder,
    /// Calls that must still be answered, with the last update of each.
    unanswered: HashMap<(CallKind, Id), u64>,
    /// Calls whose handlers run.
    running: VecDeque<CallKey>,
    holds_answers: bool,
    frames: usize,
    finished: bool,
    timeouts: usize,
}

impl Driver {
    fn new() -> Self {
        Self {
            session: ExtensionSession::new(config()),
            now: Instant::now(),
            shadow: Decoder::new(ACCEPTS),
            unanswered: HashMap::new(),
            running: VecDeque::new(),
            holds_answers: false,
            frames: 0,
            finished: false,
            timeouts: 0,
        }
    }

    fn input(&mut self, bytes: &[u8], whole: bool) {
        let end: &[u8] = if whole { b"\n" } else { b"" };
        let (first, second) = bytes.split_at(bytes.len() / 2);
        for bytes in [first, second, end] {
            self.session.handle_input(bytes, self.now);
            self.shadow.feed(bytes);
            let line = self.shadow.next_line();
            let call = line.and_then(|line| asked(decode(&line)));
            self.expect(call);
        }
    }

    /// An id that is in flight is not answered a second time, and none after the end.
    fn expect(&mut self, call: Option<(CallKind, Id)>) {
        if let Some(call) = call.filter(|_| !self.finished) {
            self.unanswered.entry(call).or_insert(0);
        }
    }

    fn obey(&mut self, order: &str) {
        let parent = self.running.front().cloned();
        match order {
            "hold" => self.holds_answers = true,
            "answer" => {
                self.holds_answers = false;
                for key in std::mem::take(&mut self.running) {
                    self.answer(&key);
                }
            }
            "update" => {
                for key in &self.running {
                    let content = Some(vec![Content::text("going on")]);
                    self.session.update(key, Update { content, ..Update::default() });
                }
            }
            "part" => {
                let parts = self.running.iter().filter(|key| key.kind() == CallKind::Request);
                for key in parts {
                    // Refused when too many wait.
                    let _ = self.session.send_part(Some(key), RawJson::null());
                }
            }
            "call" => {
                let args = RawJson::empty_object();
                let _ = self.session.call_tool(parent.as_ref(), "other", args, self.now);
            }
            "request" => {
                let parent = parent.as_ref();
                let _ = self.session.request(parent, "ui.confirm", None, Some(900), self.now);
            }
            "register" => {
                let name = format!("late{}", self.session.registrations().tools().len());
                let _ = self.session.register_tool(&tool(&name));
            }
            "unregister" => {
                let _ = self.session.unregister_tool("slow");
            }
            "log" => self.session.log(Level::Info, "noted", None),
            "notify" => self.session.notify(Level::Warn, "careful"),
            "sigterm" => self.session.handle_sigterm(self.now),
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

    /// Runs handlers and takes output until nothing more comes.
    fn settle(&mut self) {
        loop {
            while let Some(event) = self.session.poll_event() {
                self.handle(event);
            }
            let mut output = Vec::new();
            if !self.session.poll_output(self.now, &mut output) {
                break;
            }
            let granted = self.session.host().and_then(|host| host.limits.as_ref()?.frame_bytes);
            let granted = granted.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(0);
            for frame in wire::frames(&output, granted.max(FRAME_BYTES)) {
                self.check(frame);
            }
        }
    }

    fn handle(&mut self, event: ExtensionEvent) {
        assert!(!self.finished || !matches!(event, ExtensionEvent::Finished { .. }));
        match event {
            ExtensionEvent::Accepted(_) => self.session.ready(),
            ExtensionEvent::ToolCall { key, call, .. } => {
                assert!(call.args.is_object());
                self.start(key);
            }
            ExtensionEvent::Command { key, .. }
            | ExtensionEvent::Intercept { key, .. }
            | ExtensionEvent::Request { key, .. }
            | ExtensionEvent::Approval { key, .. } => self.start(key),
            ExtensionEvent::Event(_) => self.session.event_done(),
            ExtensionEvent::Panel(input) => self.session.panel_done(input.panel_id()),
            ExtensionEvent::Teardown => self.session.teardown_done(),
            ExtensionEvent::Finished { .. } => self.finished = true,
            ExtensionEvent::Notice(notice) => assert!(!notice.to_string().is_empty()),
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

    /// Answers of every kind; one that comes too late is refused.
    fn answer(&mut self, key: &CallKey) {
        // In a frame's object, 127 levels are the most that can be sent.
        let levels = if key.serial().is_multiple_of(2) { 127 } else { 128 };
        let deep = format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        let raw = match key.serial() % 5 {
            0 => RawJson::empty_object(),
            1 | 2 => RawJson::parse(&deep).expect("it is valid"),
            _ => RawJson::parse("{\"a\":\n1}").expect("it is valid"),
        };
        let id = key.id().clone();
        let _ = match key.kind() {
            CallKind::Tool => {
                let details = Some(raw);
                let result = ToolResult { details, ..ToolResult::new(id, Vec::new()) };
                self.session.reply_tool(key, result)
            }
            CallKind::Command => {
                let response = CommandResponse { tool_args: Some(raw), ..prompt(id) };
                self.session.reply_command(key, response)
            }
            CallKind::Intercept => {
                let modified_args = raw.is_object().then_some(raw);
                let response =
                    EventInterceptResponse { modified_args, ..EventInterceptResponse::allow(id) };
                self.session.reply_intercept(key, response)
            }
            CallKind::Request | CallKind::CallTool => self.session.reply_request(key, Ok(raw)),
        };
    }

    fn check(&mut self, frame: ExtensionFrame) {
        let is_first = self.frames == 0;
        self.frames += 1;
        assert_eq!(is_first, matches!(frame, ExtensionFrame::Hello(_)), "hello is first and once");
        let call = match frame {
            ExtensionFrame::ToolResult(result) => (CallKind::Tool, result.id),
            ExtensionFrame::CommandResponse(response) => (CallKind::Command, response.id),
            ExtensionFrame::EventInterceptResponse(response) => (CallKind::Intercept, response.id),
            ExtensionFrame::Response(response) => (CallKind::Request, response.id),
            ExtensionFrame::ToolUpdate(update) => {
                let call = (CallKind::Tool, update.id);
                let last = self.unanswered.get_mut(&call).expect("an update of an open call");
                *last += 1;
                assert_eq!(*last, update.seq);
                return;
            }
            ExtensionFrame::ResponsePart(part) => {
                assert!(self.unanswered.contains_key(&(CallKind::Request, part.id)));
                return;
            }
            _ => return,
        };
        assert!(self.unanswered.remove(&call).is_some(), "an answer too many: {call:?}");
    }

    /// The host closes its end, and the handlers that run never answer.
    fn end(mut self) {
        let rest = self.shadow.finish();
        let call = rest.and_then(|line| asked(decode(&line)));
        self.expect(call);
        self.session.handle_eof(self.now);
        self.settle();
        self.wait(Duration::from_secs(10));
        assert!(self.finished, "it does not end");
        assert_eq!(self.unanswered, HashMap::new(), "never answered");
        assert_eq!(self.session.poll_timeout(), None);
    }
}

/// The call that the host made, where it can be answered.
fn asked(incoming: Incoming<HostFrame>) -> Option<(CallKind, Id)> {
    match incoming {
        Incoming::Frame(HostFrame::ToolCall(call)) => Some((CallKind::Tool, call.id)),
        Incoming::Frame(HostFrame::CommandInvoked(command)) => {
            Some((CallKind::Command, command.id))
        }
        Incoming::Frame(HostFrame::EventIntercept(intercept)) => {
            Some((CallKind::Intercept, intercept.id))
        }
        Incoming::Frame(HostFrame::Request(request)) => Some((CallKind::Request, request.id)),
        Incoming::Frame(_) => None,
        Incoming::Unusable(unusable) => {
            let kind = match unusable.head.frame_type?.as_str() {
                "tool_call" => CallKind::Tool,
                "command_invoked" => CallKind::Command,
                "event_intercept" => CallKind::Intercept,
                "request" => CallKind::Request,
                _ => return None,
            };
            Some((kind, unusable.head.id?))
        }
    }
}

fn config() -> ExtensionConfig {
    let mut config = ExtensionConfig::new("fuzz", "1.0.0");
    config.registrations.tool(tool("slow")).expect("the name is free");
    let outputs = Some(vec![OutputFormat::Labeled, OutputFormat::Json]);
    let weather = RegisterTool { outputs, ..tool("weather") };
    config.registrations.tool(weather).expect("the name is free");
    let command = RegisterCommand { name: "Forecast".to_owned(), ..RegisterCommand::default() };
    config.registrations.command(command).expect("the name is free");
    let names = |names: &[&str]| Some(names.iter().copied().map(str::to_owned).collect());
    config.registrations.subscribe = Subscribe {
        events: names(&["turn_start", "turn_end"]),
        intercept: names(&["assistant_message", "before_agent_start"]),
        guards: names(&["tool_call"]),
        on_failure: Some([("assistant_message".to_owned(), OnFailure::Allow)].into()),
        filters: None,
    };
    config.methods = vec!["health.check".to_owned()];
    config.teardown = true;
    config.accepts_bytes = ACCEPTS;
    config
}

fn tool(name: &str) -> RegisterTool {
    let schema = RawJson::empty_object();
    RegisterTool { name: name.to_owned(), schema, ..RegisterTool::default() }
}

fn prompt(id: Id) -> CommandResponse {
    CommandResponse { prompt: Some("go on".to_owned()), ..CommandResponse::new(id, Action::Prompt) }
}
