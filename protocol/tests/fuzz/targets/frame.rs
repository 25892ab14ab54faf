//! A line as a frame of either direction: what is read is written so that it is read again.

use extline_protocol::frame::{AnyFrame, ExtensionFrame, HostFrame};
use extline_protocol::{Head, Incoming, Members, Problem, Unusable, decode_text};
use serde_json::value::RawValue;

use super::wire::written;

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let is_object = |value: &RawValue| value.get().starts_with('{');
    let expected = serde_json::from_str::<&RawValue>(&text).is_ok_and(is_object);
    assert_eq!(Members::of(&text).is_some(), expected, "what serde_json takes for an object");
    let is_object_to_the_decoder = !matches!(
        decode_text::<HostFrame>(&text),
        Incoming::Unusable(Unusable {
            problem: Problem::NotAnObject { .. } | Problem::Malformed { .. },
            ..
        })
    );
    assert_eq!(is_object_to_the_decoder, expected, "what the decoder takes for an object");
    check::<HostFrame>(&text);
    check::<ExtensionFrame>(&text);
}

fn check<F: AnyFrame + PartialEq + std::fmt::Debug>(text: &str) {
    match decode_text::<F>(text) {
        Incoming::Frame(frame) => {
            assert_eq!(Head::of(text).frame_type.as_deref(), Some(frame.frame_type()));
            let line = written(&frame);
            assert!(!line.contains(['\n', '\r']), "a line end stands in {line}");
            assert_eq!(decode_text(&line), Incoming::Frame(frame));
        }
        Incoming::Unusable(unusable) => {
            assert!(unusable.to_string().len() < 1_000, "{unusable}");
            if let Problem::NotAnObject { .. } = unusable.problem {
                assert_eq!((unusable.head.frame_type, unusable.head.id), (None, None));
            }
        }
    }
}
