//! A host and an extension joined by two queues of bytes and one clock.

use std::time::{Duration, Instant};

use extline_protocol::frame::{
    CommandResponse, Content, HelloAck, HostInfo, Limits, RegisterCommand, RegisterTool, ToolResult,
};
use extline_protocol::{
    CallKey, Capabilities, ExtensionConfig, ExtensionEvent, ExtensionSession, HostConfig,
    HostEvent, HostSession, Profile, RawJson, ToolCallOptions,
};

pub(crate) struct Pair {
    pub(crate) host: HostSession,
    pub(crate) extension: ExtensionSession,
    pub(crate) host_events: Vec<HostEvent>,
    pub(crate) extension_events: Vec<ExtensionEvent>,
    /// Every line either side wrote, as `H> ...` and `E> ...`.
    pub(crate) wire: Vec<String>,
    pub(crate) now: Instant,
}

pub(crate) fn config() -> ExtensionConfig {
    let mut config = ExtensionConfig::new("pair", "1.0.0");
    config.registrations.tool(tool("echo")).unwrap();
    config.registrations.command(command("greet")).unwrap();
    config
}

pub(crate) fn tool(name: &str) -> RegisterTool {
    let schema = RawJson::parse(r#"{"type":"object"}"#).unwrap();
    RegisterTool { name: name.to_owned(), schema, ..RegisterTool::default() }
}

pub(crate) fn command(name: &str) -> RegisterCommand {
    RegisterCommand { name: name.to_owned(), ..RegisterCommand::default() }
}

/// An ack with everything.
pub(crate) fn full_ack() -> HelloAck {
    HelloAck {
        protocol_version: 1,
        capabilities: Some(Capabilities::all().names()),
        host: Some(HostInfo { name: "pair".to_owned(), version: "1".to_owned() }),
        limits: Some(Limits { frame_bytes: Some(4_194_303), ..Limits::default() }),
        ..HelloAck::default()
    }
}

/// An ack as zot 0.1.62 sends it.
pub(crate) fn zot_ack() -> HelloAck {
    HelloAck { protocol_version: 1, zot_version: "0.1.62".to_owned(), ..HelloAck::default() }
}

impl Pair {
    /// Both ends, nothing said yet.
    pub(crate) fn new(config: ExtensionConfig, ack: HelloAck) -> Self {
        Self::like(Profile::spec(), config, ack)
    }

    /// The same with a host like another.
    pub(crate) fn like(profile: Profile, config: ExtensionConfig, ack: HelloAck) -> Self {
        let now = Instant::now();
        Self {
            host: HostSession::new(HostConfig { ack, profile, ..HostConfig::default() }, now),
            extension: ExtensionSession::new(config),
            host_events: Vec::new(),
            extension_events: Vec::new(),
            wire: Vec::new(),
            now,
        }
    }

    /// Both ends, ready.
    pub(crate) fn ready(config: ExtensionConfig, ack: HelloAck) -> Self {
        let mut pair = Self::new(config, ack);
        pair.step();
        pair.extension.ready();
        pair.step();
        assert!(pair.host_events.contains(&HostEvent::Ready));
        pair.clear();
        pair
    }

    pub(crate) fn usual() -> Self {
        Self::ready(config(), full_ack())
    }

    pub(crate) fn clear(&mut self) {
        self.host_events.clear();
        self.extension_events.clear();
        self.wire.clear();
    }

    /// Moves bytes and collects events until nothing moves any more.
    pub(crate) fn step(&mut self) {
        for round in 0.. {
            assert!(round < 1000, "the two ends never come to rest: {:?}", self.wire);
            let before = self.wire.len() + self.host_events.len() + self.extension_events.len();
            let mut bytes = Vec::new();
            self.extension.poll_output(self.now, &mut bytes);
            self.record("E> ", &bytes);
            self.host.handle_input(&bytes, self.now);
            bytes.clear();
            self.host.poll_output(&mut bytes);
            self.record("H> ", &bytes);
            self.extension.handle_input(&bytes, self.now);
            self.host_events.extend(std::iter::from_fn(|| self.host.poll_event()));
            self.extension_events.extend(std::iter::from_fn(|| self.extension.poll_event()));
            if self.wire.len() + self.host_events.len() + self.extension_events.len() == before {
                return;
            }
        }
    }

    /// Lets time pass, in the steps in which the sessions ask to be woken.
    pub(crate) fn pass(&mut self, duration: Duration) {
        self.step();
        let end = self.now + duration;
        loop {
            let due = [self.host.poll_timeout(), self.extension.poll_timeout()];
            let due = due.into_iter().flatten().min().filter(|due| *due <= end);
            self.now = due.unwrap_or(end).max(self.now);
            self.host.handle_timeout(self.now);
            self.extension.handle_timeout(self.now);
            self.step();
            if due.is_none() {
                return;
            }
        }
    }

    pub(crate) fn pass_ms(&mut self, milliseconds: u64) {
        self.pass(Duration::from_millis(milliseconds));
    }

    /// The host's bytes, as if it had written that line.
    pub(crate) fn host_writes(&mut self, line: &str) {
        self.wire.push(format!("H> {line}"));
        self.extension.handle_input(format!("{line}\n").as_bytes(), self.now);
        self.step();
    }

    /// The extension's bytes, as if it had written that line.
    pub(crate) fn extension_writes(&mut self, line: &str) {
        self.wire.push(format!("E> {line}"));
        self.host.handle_input(format!("{line}\n").as_bytes(), self.now);
        self.step();
    }

    pub(crate) fn call(&mut self, args: &str) -> CallKey {
        let args = RawJson::parse(args).unwrap();
        self.host.call_tool("echo", args, ToolCallOptions::default(), self.now).unwrap()
    }

    /// The host calls `echo`; both ends' names of the call.
    pub(crate) fn open_call(&mut self) -> (CallKey, CallKey) {
        let host = self.call("{}");
        self.step();
        (host, self.last_call())
    }

    /// The extension's name of the last call, command, intercept, request or question it was given.
    pub(crate) fn last_call(&self) -> CallKey {
        let key = |event: &ExtensionEvent| match event {
            ExtensionEvent::ToolCall { key, .. }
            | ExtensionEvent::Command { key, .. }
            | ExtensionEvent::Intercept { key, .. }
            | ExtensionEvent::Request { key, .. }
            | ExtensionEvent::Approval { key, .. } => Some(key.clone()),
            _ => None,
        };
        self.extension_events.iter().rev().find_map(key).expect("a call")
    }

    pub(crate) fn answer(&mut self, key: &CallKey, text: &str) {
        let result = ToolResult::new(key.id().clone(), vec![Content::text(text)]);
        self.extension.reply_tool(key, result).unwrap();
        self.step();
    }

    pub(crate) fn answer_command(&mut self, key: &CallKey, response: CommandResponse) {
        self.extension.reply_command(key, response).unwrap();
        self.step();
    }

    /// Lines of one side that hold that text.
    pub(crate) fn lines(&self, with: &str) -> Vec<&str> {
        self.wire.iter().map(String::as_str).filter(|line| line.contains(with)).collect()
    }

    fn record(&mut self, side: &str, bytes: &[u8]) {
        let text = std::str::from_utf8(bytes).expect("UTF-8 on the wire");
        assert!(text.is_empty() || text.ends_with('\n'), "half a line: {text}");
        self.wire.extend(text.lines().map(|line| format!("{side}{line}")));
    }
}
