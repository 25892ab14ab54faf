//! What a frame costs: bytes to frame, frame to bytes, and one call through a session.
//!
//! Goals: a small frame decoded in 300 ns, depth and surrogates looked at, and encoded in 150 ns;
//! long strings at 2 GB/s.

use std::hint::black_box;
use std::time::Instant;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use extline_protocol::frame::{AnyFrame, Content, ExtensionFrame, HostFrame, ToolResult};
use extline_protocol::{
    Decoder, ExtensionConfig, ExtensionEvent, ExtensionSession, Incoming, decode,
};

criterion_group!(benches, decoding, encoding, stepping);
criterion_main!(benches);

/// From the bytes of one line to the frame, as a session does it.
fn decoding(criterion: &mut Criterion) {
    let escapes = r#"line\n\t\"caf\u00e9\" \\ \ud83d\ude00 "#.repeat(4_096 / 38);
    let lines = [
        ("small", small_call()),
        ("escapes_4k", call_with(&escapes)),
        ("string_64k", call_with(&"x".repeat(64 * 1024))),
        ("string_1m", call_with(&"x".repeat(1024 * 1024))),
    ];
    let mut group = criterion.benchmark_group("decode");
    for (name, line) in lines {
        let mut decoder = Decoder::new(4 * 1024 * 1024);
        group.throughput(Throughput::Bytes(line.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                decoder.feed(black_box(line.as_bytes()));
                let line = decoder.next_line().expect("a whole line");
                match decode::<HostFrame>(&line) {
                    Incoming::Frame(frame) => frame,
                    Incoming::Unusable(unusable) => panic!("{unusable}"),
                }
            });
        });
    }
    group.finish();
}

fn encoding(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("encode");
    for (name, text) in [("small", "18 °C and clear".to_owned()), ("text_1m", "x".repeat(1 << 20))]
    {
        let frame = ExtensionFrame::from(result(&text));
        let mut out = Vec::new();
        frame.write_line(&mut out);
        group.throughput(Throughput::Bytes(out.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                out.clear();
                black_box(&frame).write_line(&mut out);
                black_box(out.len())
            });
        });
    }
    group.finish();
}

/// A tool call in, its result out.
fn stepping(criterion: &mut Criterion) {
    let now = Instant::now();
    let mut config = ExtensionConfig::new("bench", "1.0.0");
    let tool = r#"{"type":"register_tool","name":"weather","schema":{"type":"object"}}"#;
    let Incoming::Frame(ExtensionFrame::RegisterTool(tool)) = extline_protocol::decode_text(tool)
    else {
        panic!("{tool}")
    };
    config.registrations.tool(*tool).expect("the name is free");
    let mut session = ExtensionSession::new(config);
    session.handle_input(b"{\"type\":\"hello_ack\",\"protocol_version\":1}\n", now);
    let mut out = Vec::new();
    while session.poll_event().is_some() {}
    session.ready();
    session.poll_output(now, &mut out);

    let line = small_call();
    criterion.bench_function("session/tool_call", |bencher| {
        bencher.iter(|| {
            session.handle_input(black_box(line.as_bytes()), now);
            let Some(ExtensionEvent::ToolCall { key, .. }) = session.poll_event() else {
                panic!("no call")
            };
            let result = result("18 °C and clear");
            session.reply_tool(&key, result).expect("it is not answered yet");
            out.clear();
            session.poll_output(now, &mut out);
            black_box(out.len())
        });
    });
}

/// 216 bytes, LF included: about a hundred bytes of args, as in most calls.
fn small_call() -> String {
    let line = format!(
        "{{\"type\":\"tool_call\",\"id\":\"020014456544\",\"name\":\"weather\",\"args\":\
         {{\"city\":\"Berlin\",\"days\":3,\"note\":\"{}abcdefg\",\"units\":\"metric\"}}}}\n",
        "abcdefghi ".repeat(9)
    );
    assert_eq!(line.len(), 216);
    line
}

fn call_with(string: &str) -> String {
    format!(
        "{{\"type\":\"tool_call\",\"id\":\"7\",\"name\":\"x\",\"args\":{{\"s\":\"{string}\"}}}}\n"
    )
}

fn result(text: &str) -> ToolResult {
    ToolResult::new("020014456544".into(), vec![Content::text(text)])
}
