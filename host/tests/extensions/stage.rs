//! Extensions of `intercept.py` in front of one tool, and the journal of who was asked what.

use std::path::PathBuf;
use std::time::Duration;

use extline_host::protocol::Deadlines;
use extline_host::{ExtensionSource, ExtensionState, Host, HostBuilder};
use serde_json::{Value, json};

use crate::support::{Home, python};

/// Extensions of `intercept.py` that share a journal.
pub(crate) struct Stage {
    home: Home,
    sources: Vec<ExtensionSource>,
    deadlines: Deadlines,
}

/// A line of the journal.
pub(crate) struct Entry {
    /// Who, and `intercept`, `guard` or `run`.
    pub(crate) who: String,
    pub(crate) frame: Value,
    /// The frame as it stood on the wire.
    pub(crate) line: String,
}

impl Stage {
    /// With the tool `run`, whose `command` is a string, in an extension that asks for nothing.
    pub(crate) fn new() -> Self {
        let command = json!({"command": {"type": "string"}});
        let schema = json!({"type": "object", "properties": command, "required": ["command"]});
        Self { home: Home::new(), sources: Vec::new(), deadlines: Deadlines::default() }
            .with("tool", &json!({ "schema": schema }))
    }

    /// Adds an extension behind the others.
    pub(crate) fn with(mut self, name: &str, config: &Value) -> Self {
        let args = [name.into(), self.journal().into_os_string(), config.to_string().into()];
        self.sources.push(python("intercept.py", args).named(name));
        self
    }

    /// Adds one whose interceptor does this at `tool_call`.
    pub(crate) fn interceptor(self, name: &str, rule: &Value) -> Self {
        self.with(name, &json!({"subscribe": {"intercept": ["tool_call"]}, "intercept": rule}))
    }

    /// Adds one whose guard does this at `tool_call`, and which has no interceptor.
    pub(crate) fn guard(self, name: &str, rule: &Value) -> Self {
        self.with(name, &json!({"subscribe": {"guards": ["tool_call"]}, "guard": rule}))
    }

    /// Adds one with an interceptor at another point.
    pub(crate) fn at(self, point: &str, name: &str, answer: &Value) -> Self {
        let config = json!({"subscribe": {"intercept": [point]}, "intercept": {"answer": answer}});
        self.with(name, &config)
    }

    pub(crate) fn patience(mut self, intercept: Duration) -> Self {
        self.deadlines.intercept = intercept;
        self
    }

    /// Adds any other extension.
    pub(crate) fn source(mut self, source: ExtensionSource) -> Self {
        self.sources.push(source);
        self
    }

    pub(crate) async fn start(&self) -> Host {
        self.start_with(|builder| builder).await
    }

    /// Starts a host that is set up further.
    pub(crate) async fn start_with(&self, set_up: impl FnOnce(HostBuilder) -> HostBuilder) -> Host {
        let builder = self.home.builder().deadlines(self.deadlines).model("anthropic", "opus");
        let sources = self.sources.iter().cloned();
        let host = sources.fold(set_up(builder), HostBuilder::extension).start().await;
        for status in host.extensions() {
            assert_eq!(status.state, ExtensionState::Ready, "{}", status.name);
        }
        host
    }

    fn journal(&self) -> PathBuf {
        self.home.path().join("journal")
    }

    pub(crate) fn entries(&self) -> Vec<Entry> {
        let journal = std::fs::read_to_string(self.journal()).unwrap_or_default();
        let entry = |line: &str| {
            let mut entry: Value = serde_json::from_str(line).unwrap();
            let word = |name: &str| entry[name].as_str().unwrap().to_owned();
            let (who, line) = (format!("{} {}", word("by"), word("what")), word("line"));
            Entry { who, frame: entry["frame"].take(), line }
        };
        journal.lines().map(entry).collect()
    }

    pub(crate) fn who(&self) -> Vec<String> {
        self.entries().into_iter().map(|entry| entry.who).collect()
    }
}
