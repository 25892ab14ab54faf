//! The audit: what stands in it, and what never does.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use extline_host::protocol::frame::SessionInfo;
use extline_host::{ApprovalRequest, Decision, ExtensionSource};
use serde_json::{Value, json};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::support::{Home, end, python};

/// Stands everywhere where a model, a person or an extension can put it.
const SECRET: &str = "sk-planted-secret";

/// A gated tool and one that is not; both answer with their arguments.
fn cleaner() -> ExtensionSource {
    let approval = json!({"gated": true, "key": "{path}", "reason": SECRET});
    let tools = json!({"wipe": {"approval": approval, "description": SECRET}, "look": {}});
    python("gated.py", ["cleaner".to_owned(), tools.to_string()]).named("cleaner")
}

fn lines(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Looks into every file of a folder, logs and data of extensions included.
fn assert_nowhere(secret: &str, folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            assert_nowhere(secret, &path);
        } else {
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            assert!(!text.contains(secret), "{}: {text}", path.display());
        }
    }
}

#[tokio::test]
async fn each_call_is_written_down_and_nothing_that_was_said_in_it() {
    let home = Home::new();
    let file = home.path().join("audit.jsonl");
    let decide = |request: ApprovalRequest| async move {
        assert_ne!(request.args.get(), "{}", "{SECRET}");
        if request.args.get().contains("keep") {
            return Ok(Decision::Deny { reason: Some(SECRET.to_owned()) });
        }
        Ok(Decision::Always)
    };
    let session = SessionInfo { id: "s1".to_owned(), generation: None };
    let builder = home.builder().session(session).approver(decide).audit(&file).unwrap();
    let host = builder.extension(cleaner()).start().await;
    let args = json!({ "path": SECRET }).to_string();
    host.call("wipe", &args).await.unwrap();
    host.call("wipe", &args).await.unwrap();
    host.call("wipe", &json!({"path": "keep", "why": SECRET}).to_string()).await.unwrap_err();
    host.call(SECRET, &args).await.unwrap_err();
    host.call("look", SECRET).await.unwrap_err();
    let nested = json!({"call": {"name": "wipe", "args": {"path": SECRET}}});
    host.call("look", &nested.to_string()).await.unwrap();
    end(host).await;

    let text = fs::read_to_string(&file).unwrap();
    assert_nowhere("planted", home.path());
    assert!(!text.contains(&*home.path().to_string_lossy()), "{text}");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let lines = lines(&file);
    let told: Vec<_> = lines
        .iter()
        .map(|line| {
            let word = |name: &str| line[name].as_str().unwrap_or("-").to_owned();
            let how = if line["event"] == "decision" {
                format!("{} {}", word("decision"), word("source"))
            } else {
                format!("{} {}", word("status"), word("error_type"))
            };
            format!("{} {} {} {how}", word("call"), word("event"), word("tool"))
        })
        .collect();
    assert_eq!(
        told,
        [
            "call_1 call_started wipe - -",
            "call_1 decision wipe approved user",
            "call_1 call_ended wipe completed -",
            "call_2 call_started wipe - -",
            "call_2 decision wipe approved remembered",
            "call_2 call_ended wipe completed -",
            "call_3 call_started wipe - -",
            "call_3 decision wipe denied user",
            "call_3 call_ended wipe blocked permission",
            "call_4 call_started - - -",
            "call_4 call_ended - failed not_found",
            "call_5 call_started look - -",
            "call_5 call_ended look failed validation",
            "call_6 call_started look - -",
            "call_7 call_started wipe - -",
            "call_7 decision wipe approved remembered",
            "call_7 call_ended wipe completed -",
            "call_6 call_ended look completed -",
        ]
    );
    let numbers: Vec<_> = lines.iter().map(|line| line["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=18).collect::<Vec<_>>());
    let nested = &lines[14];
    assert_eq!((&nested["caller"], &nested["extension"]), (&json!("cleaner"), &json!("cleaner")));
    assert!(lines.iter().all(|line| line["session"] == "s1" && line["at_ms"].is_u64()));
    // The same arguments have the same hash, and it is nobody's guess.
    assert_eq!(lines[0]["args_hash"], lines[4]["args_hash"]);
    assert_ne!(lines[0]["args_hash"], lines[6]["args_hash"]);
}

#[tokio::test]
async fn a_file_that_cannot_be_made_is_told_at_once() {
    let home = Home::new();
    let error = home.builder().audit(home.path().join("missing/audit.jsonl")).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}

/// Keeps what spans say: `NUMBER NAME=VALUE`, and `NUMBER closed`.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<String>>>, Arc<AtomicU64>);

struct Fields<'a>(&'a Spans, u64);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let line = format!("{} {}={value:?}", self.1, field.name());
        self.0.0.lock().unwrap().push(line);
    }
}

impl Subscriber for Spans {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let number = self.1.fetch_add(1, Ordering::Relaxed) + 1;
        span.record(&mut Fields(self, number));
        Id::from_u64(number)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        values.record(&mut Fields(self, span.into_u64()));
    }

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Fields(self, 0));
    }

    fn try_close(&self, span: Id) -> bool {
        self.0.lock().unwrap().push(format!("{} closed", span.into_u64()));
        true
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[tokio::test]
async fn each_call_is_a_span_and_nothing_that_was_said_stands_in_it() {
    let home = Home::new();
    let spans = Spans::default();
    let _guard = tracing::subscriber::set_default(spans.clone());
    // Another test may have been the first to call, in a thread where nobody listens; tracing asks such a place once,
    // and never again.
    let first = home.builder().start().await;
    first.call("nobody", "{}").await.unwrap_err();
    first.shutdown().await;
    tracing::callsite::rebuild_interest_cache();
    spans.0.lock().unwrap().clear();
    spans.1.store(0, Ordering::Relaxed);
    let decide = |_: ApprovalRequest| async { Ok(Decision::Once) };
    let host = home.builder().approver(decide).extension(cleaner()).start().await;
    let args = json!({ "path": SECRET }).to_string();
    host.call("wipe", &args).await.unwrap();
    host.call(SECRET, &args).await.unwrap_err();
    host.call("look", SECRET).await.unwrap_err();
    end(host).await;
    let lines = spans.0.lock().unwrap().clone();
    assert!(!lines.iter().any(|line| line.contains("planted")), "{lines:?}");
    assert_nowhere("planted", home.path());
    let of = |number: usize| -> Vec<&str> {
        let number = format!("{number} ");
        let told = lines.iter().filter_map(|line| line.strip_prefix(&number));
        told.filter(|line| !line.starts_with("duration_us=")).collect()
    };
    let (cleaner, status) =
        ("extension=\"cleaner\"", |status: &str| format!("status=\"{status}\""));
    let wiped = [
        "id=\"call_1\"",
        "tool=\"wipe\"",
        cleaner,
        cleaner,
        &status("completed"),
        "executed=true",
        "closed",
    ];
    assert_eq!(of(1), wiped);
    let failed = status("failed");
    let unknown =
        ["id=\"call_2\"", &failed, "executed=false", "error_type=\"not_found\"", "closed"];
    assert_eq!(of(2), unknown);
    assert!(of(3).contains(&"error_type=\"validation\""), "{lines:?}");
    assert_eq!(lines.iter().filter(|line| line.contains("duration_us=")).count(), 3);
}
