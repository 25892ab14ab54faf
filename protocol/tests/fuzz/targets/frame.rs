//! A line as a frame of either direction: what is read is written so that it is read again.

use extline_protocol::frame::{AnyFrame, ExtensionFrame, HostFrame};
use extline_protocol::{Head, Incoming, Problem, decode_text};

use super::wire::written;

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
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
