//! The recorded transcripts of a real zot (traces/README.md) through both sessions: the host's side
//! through an `ExtensionSession`, the extension's through a `HostSession`. No frame is unknown,
//! none is lost, and only what is wrong in a recording is reported.

mod extension;
mod host;
mod recordings;
mod trace;

use std::collections::BTreeMap;

use extline_protocol::frame::{AnyFrame, ExtensionFrame, HostFrame};
use extline_protocol::{Incoming, decode_text};
use serde_json::Value;

use trace::{Side, What};

/// How often each frame type occurs.
type Counts = BTreeMap<String, usize>;

/// What one session made of one side of a recording.
#[derive(Debug, Default, PartialEq, Eq)]
struct Replay {
    /// Frames that came out as events, by type.
    arrived: Counts,
    /// What was reported.
    notices: Vec<String>,
    /// The lines that the session wrote where it stood in for the recorded host.
    written: Vec<String>,
}

/// What is reported of a recording beyond its frames.
struct Expected {
    of_host_frames: &'static [&'static str],
    of_extension_frames: &'static [&'static str],
    /// Lines of the extension that are no frame, or whose frame has no place.
    lost: &'static [(&'static str, usize)],
}

const NOTHING: Expected = Expected { of_host_frames: &[], of_extension_frames: &[], lost: &[] };

fn expected(trace: &str) -> Expected {
    match trace {
        "01-handshake"
        | "03-events"
        | "04-intercept"
        | "05-notify"
        | "06-abort"
        | "07a-exit-mid-call"
        | "07b-stdout-closed-mid-call"
        | "08a-ignores-shutdown"
        | "08b-ignores-eof"
        | "08c-host-sigterm"
        | "10-tui"
        | "11-reload"
        | "11-reload-start2"
        | "12a-chain"
        | "12b-chain"
        | "13-large-frames" => NOTHING,
        // An answer to an unknown id, and a second answer.
        "02-tool-calls" => Expected {
            of_extension_frames: &[
                "ignored an answer to tool_call nope: nobody waits for it",
                "ignored an answer to tool_call 4: nobody waits for it",
            ],
            lost: &[("tool_result", 2)],
            ..NOTHING
        },
        // The recorded interceptor never answered; our session does, before the host goes on.
        "04b-intercept-timeout" => Expected {
            of_host_frames: &["tool_call did not decide on tool_call in time: blocked"],
            ..NOTHING
        },
        "09-junk" => Expected {
            of_extension_frames: &[
                "skipped a line: not JSON (expected value at line 1 column 1): starting up...",
                "skipped a frame of the unknown type \"frobnicate\"",
                "skipped a line: not JSON (EOF while parsing an object at line 1 column 16): \
                 {\"type\":\"notify\"",
                "skipped a line: not a JSON object: [1,2]",
                "skipped a line: not a JSON object: null",
                "skipped a line: a frame without a \"type\": {}",
                "skipped a line: a frame without a \"type\": {\"type\":5}",
                "skipped a line: notify: /id: expected a non-empty string, found 7",
                "skipped a line: tool_result: /content: expected an array, found \"a string\"",
                "skipped a line: register_tool: /name: expected a string, found 5",
                "ignored hello: it came before",
                "skipped a frame of the unknown type \"error\"",
                "ignored an answer to tool_call $ID: nobody waits for it",
            ],
            // The second hello, and the answer to "$ID".
            lost: &[("hello", 1), ("tool_result", 1)],
            ..NOTHING
        },
        other => panic!("the trace {other} is new: say above what is reported of it"),
    }
}

#[test]
fn each_frame_of_a_real_host_arrives() {
    for trace in recordings::all() {
        let replay = extension::replay(&trace);
        assert_eq!(replay.arrived, trace.counts::<HostFrame>(Side::Host), "{}", trace.name);
        assert_eq!(replay.notices, expected(&trace.name).of_host_frames, "{}", trace.name);
    }
}

#[test]
fn each_frame_of_a_recorded_extension_arrives() {
    for trace in recordings::all() {
        let replay = host::replay(&trace);
        let Expected { of_extension_frames, lost, .. } = expected(&trace.name);
        let mut counts = trace.counts::<ExtensionFrame>(Side::Extension);
        for (frame_type, count) in lost {
            *counts.get_mut(*frame_type).unwrap() -= count;
        }
        assert_eq!(replay.notices, of_extension_frames, "{}", trace.name);
        assert_eq!(replay.arrived, counts, "{}", trace.name);
    }
}

/// A session like that zot, which is told to do what it did, writes the same lines, in the same
/// order and byte for byte, but for the ids.
#[test]
fn a_session_like_that_zot_writes_each_of_its_frames_again() {
    for trace in recordings::all() {
        let written = host::replay(&trace).written;
        assert_eq!(written, trace.lines(Side::Host).collect::<Vec<_>>(), "{}", trace.name);
    }
}

/// A zot escapes `<`, `>` and `&` in strings, we do not; apart from that the bytes are the same.
#[test]
fn each_frame_of_a_real_host_is_written_as_it_came() {
    for trace in recordings::all() {
        for text in trace.lines(Side::Host) {
            let Incoming::Frame(frame) = decode_text::<HostFrame>(text) else {
                panic!("{}: {text} is no frame", trace.name)
            };
            let mut line = Vec::new();
            frame.write_line(&mut line);
            let line = String::from_utf8(line).unwrap();
            if !text.contains("\\u00") {
                assert_eq!(line, format!("{text}\n"));
            }
            let [written, read]: [Value; 2] =
                [&line, text].map(|text| serde_json::from_str(text).unwrap());
            assert_eq!(written, read, "{}", trace.name);
        }
    }
}

#[test]
fn every_recording_has_both_sides() {
    for trace in recordings::all() {
        for side in [Side::Host, Side::Extension] {
            assert!(trace.lines(side).count() > 0, "{}: nothing from {side:?}", trace.name);
        }
        let exits = trace.records.iter().filter(|record| record.what == What::Exit).count();
        assert_eq!(exits, 1, "{}: the process ends once", trace.name);
    }
}
