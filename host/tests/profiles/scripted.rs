//! A host with scripted extensions, and the trace of what passed.

use std::path::{Path, PathBuf};

use extline_host::protocol::Profile;
use extline_host::protocol::trace::{self, Record, Side, What};
use extline_host::{ExtensionSource, ExtensionState, Host, HostBuilder, Trace};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder that is gone after the test, with extensions in it.
pub(crate) struct Stage {
    folder: TempDir,
    builder: HostBuilder,
}

/// The recordings of a real zot, with what they were made with.
pub(crate) fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../protocol/tests/traces")
}

/// A step that writes a frame.
pub(crate) fn send(frame: &Value) -> Value {
    json!({ "send": frame })
}

/// A script that says hello, registers these and is ready.
pub(crate) fn start(registrations: &[Value]) -> Vec<Value> {
    let hello = json!({"type": "hello", "name": "x", "version": "1.0.0",
                       "capabilities": ["tool_cancel", "registration_report"]});
    let ready = json!({"type": "ready"});
    let frames = std::iter::once(&hello).chain(registrations).chain([&ready]);
    // In one write: on a busy machine 250 ms may pass between two, which counts as ready.
    let lines: Vec<_> = frames.map(Value::to_string).collect();
    vec![json!({ "raw": lines.join("\n") })]
}

pub(crate) fn tool(name: &str) -> Value {
    json!({"type": "register_tool", "name": name, "description": name,
           "schema": {"type": "object", "properties": {}}})
}

/// The answer `ok` to a tool call.
pub(crate) fn ok() -> Value {
    let content = [json!({"type": "text", "text": "ok"})];
    send(&json!({"type": "tool_result", "id": "$ID", "content": content}))
}

impl Stage {
    pub(crate) fn new(profile: Profile) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let builder = Host::builder()
            .host("test-agent", "9.9")
            .home(folder.path().join("home"))
            .cwd(folder.path())
            .profile(profile)
            // The agent of the recordings tells of calls before the turn ends, as a zot does.
            .call_events(false)
            .trace(Trace::create(folder.path().join("trace.ndjson")).unwrap());
        Self { folder, builder }
    }

    /// Changes how the host is set up.
    pub(crate) fn set(mut self, set: impl FnOnce(HostBuilder) -> HostBuilder) -> Self {
        self.builder = set(self.builder);
        self
    }

    /// Adds an extension that does what the script says.
    pub(crate) fn with(self, name: &str, script: &impl ToString) -> Self {
        let folder = self.folder.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("script.json"), script.to_string()).unwrap();
        let program = recordings().join("ext_script.py");
        let manifest = json!({"name": name, "version": "1.0.0", "exec": "python3",
                              "args": ["-S", program, "script.json"]});
        std::fs::write(folder.join("extension.json"), manifest.to_string()).unwrap();
        self.set(|builder| builder.extension(ExtensionSource::folder(folder)))
    }

    pub(crate) async fn start(&self) -> Host {
        let host = self.start_anyway().await;
        for status in host.extensions() {
            assert_eq!(status.state, ExtensionState::Ready, "{}", status.name);
        }
        host
    }

    /// The same where an extension may fail.
    pub(crate) async fn start_anyway(&self) -> Host {
        self.builder.clone().start().await
    }

    pub(crate) fn folder(&self) -> PathBuf {
        std::fs::canonicalize(self.folder.path()).unwrap()
    }

    /// What was written down until the last extension ended.
    pub(crate) fn trace(&self) -> Vec<Record> {
        let path = self.folder.path().join("trace.ndjson");
        let text = std::fs::read_to_string(&path).unwrap();
        trace::read("trace.ndjson", &text).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The lines that an extension was sent.
    pub(crate) fn sent(&self, extension: &str) -> Vec<String> {
        let is_of_it = |record: &Record| record.extension.as_deref() == Some(extension);
        let lines =
            self.trace().into_iter().filter(is_of_it).filter_map(|record| match record.what {
                What::Line { from: Side::Host, line } => Some(line.text().into_owned()),
                _ => None,
            });
        lines.collect()
    }

    /// The same as JSON.
    pub(crate) fn frames(&self, extension: &str) -> Vec<Value> {
        let lines = self.sent(extension);
        lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Ends the host and asserts that nothing is left.
pub(crate) async fn end(host: Host) {
    for ending in host.shutdown().await {
        assert!(ending.gone, "{ending}");
    }
}
