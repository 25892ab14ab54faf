//! What moves the bytes between a client, the bridge and an extension.

use std::time::{Duration, Instant};

use extline_mcp::{Bridge, BridgeConfig, BridgeEvent};
use extline_protocol::frame::{Content, RegisterCommand, RegisterTool, ToolResult};
use extline_protocol::{CallKey, ExtensionConfig, ExtensionEvent, ExtensionSession, RawJson};
use serde_json::Value;

pub(crate) const MODERN: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"}}"#;

pub(crate) struct Triple {
    pub(crate) bridge: Bridge,
    pub(crate) extension: ExtensionSession,
    pub(crate) extension_events: Vec<ExtensionEvent>,
    /// Every line of the client's and to it, as `> ...` and `< ...`.
    pub(crate) wire: Vec<String>,
    pub(crate) said: Vec<String>,
    pub(crate) input_is_closed: bool,
    /// Calls and results are handed over as they are, as in an SDK.
    pub(crate) is_in_process: bool,
    pub(crate) now: Instant,
}

pub(crate) fn config() -> ExtensionConfig {
    let mut config = ExtensionConfig::new("weather", "1.2.3");
    config
        .registrations
        .tool(tool("weather", r#"{"type":"object","properties":{"city":{"type":"string"}}}"#))
        .unwrap();
    config
}

pub(crate) fn tool(name: &str, schema: &str) -> RegisterTool {
    let schema = RawJson::parse(schema).unwrap();
    let description = Some(format!("What {name} does."));
    RegisterTool { name: name.to_owned(), description, schema, ..RegisterTool::default() }
}

pub(crate) fn command(name: &str) -> RegisterCommand {
    let (description, usage) = (Some("the weather".to_owned()), Some("CITY".to_owned()));
    RegisterCommand { name: name.to_owned(), description, usage }
}

impl Triple {
    /// The extension has said hello, and is not ready.
    pub(crate) fn new(config: ExtensionConfig) -> Self {
        let now = Instant::now();
        let bridge = BridgeConfig { version: "0.0.0".to_owned(), ..BridgeConfig::default() };
        let mut bridge = Bridge::new(bridge, now);
        bridge.sign_with([7; 32], now);
        let mut triple = Self {
            bridge,
            extension: ExtensionSession::new(config),
            extension_events: Vec::new(),
            wire: Vec::new(),
            said: Vec::new(),
            input_is_closed: false,
            is_in_process: false,
            now,
        };
        triple.step();
        triple
    }

    /// From now on calls and results are handed over as they are.
    pub(crate) fn in_process(mut self) -> Self {
        self.is_in_process = true;
        self.extension.hand_over_results();
        self
    }

    pub(crate) fn ready(config: ExtensionConfig) -> Self {
        let mut triple = Self::new(config);
        triple.extension.ready();
        triple.step();
        triple.extension_events.clear();
        triple
    }

    /// Behind a handshake with a session.
    pub(crate) fn initialized(config: ExtensionConfig) -> Self {
        Self::with_session(config, "2025-06-18", "{}")
    }

    /// The same in some revision, with a client that can do so much.
    pub(crate) fn with_session(config: ExtensionConfig, revision: &str, can: &str) -> Self {
        let mut triple = Self::ready(config);
        triple.request(&format!(r#"{{"jsonrpc":"2.0","id":"i","method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{can},"clientInfo":{{"name":"test","version":"1"}}}}}}"#));
        triple.client(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        triple.wire.clear();
        triple
    }

    /// The client writes a line.
    pub(crate) fn client(&mut self, line: &str) {
        self.wire.push(format!("> {line}"));
        self.bridge.handle_client(format!("{line}\n").as_bytes(), self.now);
        self.step();
    }

    /// The same, and what came of it at once.
    pub(crate) fn request(&mut self, line: &str) -> Vec<Value> {
        let before = self.wire.len();
        self.client(line);
        self.received_since(before)
    }

    pub(crate) fn received(&self) -> Vec<Value> {
        self.received_since(0)
    }

    pub(crate) fn received_since(&self, first: usize) -> Vec<Value> {
        let lines = self.wire[first.min(self.wire.len())..].iter();
        lines
            .filter_map(|line| line.strip_prefix("< "))
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// A call; the extension's name of it.
    pub(crate) fn call(&mut self, id: &str, more: &str) -> CallKey {
        self.client(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"weather","arguments":{{"city":"Berlin"}}{more}}}}}"#
        ));
        self.last_call()
    }

    pub(crate) fn last_call(&self) -> CallKey {
        let key = |event: &ExtensionEvent| match event {
            ExtensionEvent::ToolCall { key, .. }
            | ExtensionEvent::Command { key, .. }
            | ExtensionEvent::Intercept { key, .. } => Some(key.clone()),
            _ => None,
        };
        self.extension_events.iter().rev().find_map(key).expect("a call")
    }

    pub(crate) fn answer(&mut self, key: &CallKey, text: &str) {
        let result = ToolResult::new(key.id().clone(), vec![Content::text(text)]);
        let _ = self.extension.reply_tool(key, result);
        self.step();
    }

    /// The handler of a call asks the person; the extension's name of that.
    pub(crate) fn ask(&mut self, call: &CallKey, method: &str, params: &Value) -> CallKey {
        let params = Some(RawJson::parse(&params.to_string()).unwrap());
        let asked = self.extension.request(Some(call), method, params, None, self.now).unwrap();
        self.step();
        asked
    }

    /// What the handler was answered; an error as `{"code", "message"}`.
    pub(crate) fn told(&self, asked: &CallKey) -> Option<Value> {
        let json = |text: &str| serde_json::from_str(text).unwrap();
        self.extension_events.iter().find_map(|event| match event {
            ExtensionEvent::Response { key, result } if key == asked => Some(match result {
                Ok(answer) => json(answer.get()),
                Err(error) => serde_json::json!({
                    "code": error.code.as_str(), "message": error.message,
                }),
            }),
            _ => None,
        })
    }

    /// The last line for the client.
    pub(crate) fn last(&self) -> Value {
        self.received().pop().expect("a line for the client")
    }

    pub(crate) fn eof(&mut self) {
        self.bridge.handle_client_eof(self.now);
        self.step();
    }

    /// Moves bytes until nothing moves any more.
    pub(crate) fn step(&mut self) {
        for round in 0.. {
            assert!(round < 1000, "it never comes to rest: {:?}", self.wire);
            let (mut moved, mut bytes) = (false, Vec::new());
            moved |= self.extension.poll_output(self.now, &mut bytes);
            self.bridge.handle_extension(&bytes, self.now);
            bytes.clear();
            moved |= self.is_in_process && self.hand_over();
            moved |= self.bridge.poll_to_extension(&mut bytes);
            self.extension.handle_input(&bytes, self.now);
            bytes.clear();
            moved |= self.bridge.poll_to_client(&mut bytes);
            let text = std::str::from_utf8(&bytes).expect("UTF-8 on the wire");
            assert!(text.is_empty() || text.ends_with('\n'), "half a line: {text}");
            self.wire.extend(text.lines().map(|line| format!("< {line}")));
            while let Some(event) = self.bridge.poll_event() {
                match event {
                    BridgeEvent::Say(text) => self.said.push(text),
                    BridgeEvent::CloseInput => {
                        self.input_is_closed = true;
                        self.extension.handle_eof(self.now);
                    }
                    event => panic!("{event:?}"),
                }
                moved = true;
            }
            self.extension_events.extend(std::iter::from_fn(|| self.extension.poll_event()));
            if !moved {
                return;
            }
        }
    }

    fn hand_over(&mut self) -> bool {
        let mut moved = false;
        while let Some(result) = self.extension.poll_result() {
            self.bridge.handle_result(result, self.now);
            moved = true;
        }
        while let Some(call) = self.bridge.poll_call() {
            self.extension.handle_call(call, self.now);
            moved = true;
        }
        moved
    }

    /// Lets time pass, in the steps in which both ask to be woken.
    pub(crate) fn pass(&mut self, duration: Duration) {
        self.step();
        let end = self.now + duration;
        loop {
            let due = [self.bridge.poll_timeout(), self.extension.poll_timeout()];
            let due = due.into_iter().flatten().min().filter(|due| *due <= end);
            self.now = due.unwrap_or(end).max(self.now);
            self.bridge.handle_timeout(self.now);
            self.extension.handle_timeout(self.now);
            self.step();
            if due.is_none() {
                return;
            }
        }
    }
}
