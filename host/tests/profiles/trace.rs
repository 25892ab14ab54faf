//! Traces: what a host writes down, and that a reader gets it back.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use extline_host::Trace;
use extline_host::protocol::trace::{self, Record, Side, Stream, What};
use extline_host::protocol::{Profile, RawJson};
use extline_schema::ToolSchema;
use serde_json::json;

use crate::scripted::{Stage, end, ok, recordings, start, tool};

/// The events and the types of the lines, in order.
fn shape(records: &[Record]) -> Vec<String> {
    let shape = |record: &Record| match &record.what {
        What::Line { from, line } => {
            let frame: serde_json::Value = serde_json::from_slice(&line.bytes).unwrap();
            let arrow = if *from == Side::Host { "H>" } else { "E>" };
            format!("{arrow} {}", frame["type"].as_str().unwrap())
        }
        What::Spawn { argv, pid } => format!("spawn {} {}", argv.len(), pid.is_some()),
        What::Begin { format, host, profile } => format!("trace {format} {host} {profile}"),
        other => format!("{other:?}"),
    };
    records.iter().map(shape).collect()
}

#[tokio::test]
async fn every_line_both_ways_is_written_down_with_what_happens_around_them() {
    let script = json!({"start": start(&[tool("say")]), "on": {"tool_call": [ok()]}});
    let stage = Stage::new(Profile::spec()).with("x", &script);
    let host = stage.start().await;
    host.call("say", "{\"m\":\"<\u{e9}>\"}").await.unwrap();
    end(host).await;
    let records = stage.trace();
    let mut shapes = shape(&records);
    // The report follows `ready` whenever all extensions are.
    shapes.retain(|shape| shape != "H> registered");
    // What the extension writes at once and the answer to its first line cross.
    let acknowledged = shapes.iter().position(|shape| shape == "H> hello_ack").unwrap();
    assert!((3..6).contains(&acknowledged), "{shapes:?}");
    shapes.remove(acknowledged);
    // The end of stdin and the last words cross.
    let last: Vec<_> = shapes.drain(7..).collect();
    assert_eq!(
        shapes,
        [
            "trace 1 test-agent 9.9 spec",
            "spawn 4 true",
            "E> hello",
            "E> register_tool",
            "E> ready",
            "H> tool_call",
            "E> tool_result",
        ]
    );
    assert_eq!(last[0], "H> shutdown");
    assert_eq!(last.last().unwrap(), "Exit { code: Some(0), signal: None }");
    for event in ["Eof(Stdin)", "E> shutdown_ack", "Eof(Stdout)"] {
        assert_eq!(last.iter().filter(|it| *it == event).count(), 1, "{event} in {last:?}");
    }
    assert!(records.is_sorted_by_key(|record| record.at));
    assert!(records[1..].iter().all(|record| record.extension.as_deref() == Some("x")));
    let args = "\"args\":{\"m\":\"<\u{e9}>\"}";
    assert!(stage.sent("x").iter().any(|line| line.contains(args)), "byte for byte");
}

#[tokio::test]
async fn a_process_that_does_not_end_by_itself_is_seen_to_be_killed() {
    let script = json!({"start": start(&[]), "on": {"shutdown": []}, "eof": [{"sleep": 60}],
                        "ignore_sigterm": true});
    let stage = Stage::new(Profile::spec()).with("x", &script);
    end(stage.start().await).await;
    let events: Vec<_> = stage.trace().into_iter().map(|record| record.what).collect();
    let at = |event: &What| events.iter().position(|it| it == event).expect("it happened");
    let order = [
        What::Eof(Stream::Stdin),
        What::Signal("SIGTERM".to_owned()),
        What::Signal("SIGKILL".to_owned()),
        What::Exit { code: None, signal: Some("SIGKILL".to_owned()) },
    ];
    assert!(order.iter().is_sorted_by_key(at), "{events:?}");
}

#[tokio::test]
async fn a_trace_is_there_as_soon_as_an_extension_has_failed() {
    let script = json!({"start": [{"raw": "\u{7f}not a frame"}, {"exit": 3}]});
    let stage = Stage::new(Profile::spec()).with("x", &script);
    let host = stage.start_anyway().await;
    let has_it = |record: &Record| matches!(&record.what, What::Line { line, .. } if line.text() == "\u{7f}not a frame");
    assert!(stage.trace().iter().any(has_it));
    end(host).await;
}

#[test]
fn only_its_owner_may_read_a_trace() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t");
    drop(Trace::create(&path).unwrap());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

/// The schema in docs/ describes what this host writes, and what was recorded of a zot.
#[tokio::test]
async fn every_record_is_what_the_schema_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/protocol/trace.schema.json");
    let schema = RawJson::parse(&fs::read_to_string(folder).unwrap()).unwrap();
    let schema = ToolSchema::compile(&schema).unwrap();
    let check = |name: &str, text: &str| {
        for (at, line) in text.lines().enumerate() {
            let checked = schema.validate(&RawJson::parse(line).unwrap());
            assert!(checked.is_ok(), "{name}:{}: {checked:?}", at + 1);
        }
    };
    let script = json!({"start": start(&[tool("big")]), "on": {"tool_call": [ok()]}});
    let stage = Stage::new(Profile::zot_0_1_62()).with("x", &script);
    let host = stage.start().await;
    host.call("big", &json!({"data": "x".repeat(40_000)}).to_string()).await.unwrap();
    end(host).await;
    check("trace", &fs::read_to_string(stage.folder().join("trace.ndjson")).unwrap());

    let mut recorded = 0;
    for entry in fs::read_dir(recordings()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.ends_with(".ndjson") && !name.contains(".rpc") {
            let text = fs::read_to_string(&path).unwrap();
            check(&name, &text);
            trace::read(&name, &text).unwrap();
            recorded += 1;
        }
    }
    assert!(recorded >= 18, "{recorded}");
    for wrong in [
        r#"{"dir":"os","event":"exit"}"#,
        r#"{"t_us":1,"dir":"os","event":"eof"}"#,
        r#"{"t_us":1,"dir":"h>e"}"#,
        r#"{"t_us":1,"dir":"h>e","line":"a","line_b64":"YQ=="}"#,
    ] {
        assert!(schema.validate(&RawJson::parse(wrong).unwrap()).is_err(), "{wrong}");
        assert!(Record::parse(wrong).is_err(), "{wrong}");
    }
}
