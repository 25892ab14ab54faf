//! What every line that a session writes must be.

use extline_protocol::frame::AnyFrame;
use extline_protocol::{Incoming, decode_text};

/// The frames of what a session wrote: whole lines, known types, canonical, within the limits.
pub(crate) fn frames<F: AnyFrame>(output: &[u8], limit: usize) -> Vec<F> {
    let output = std::str::from_utf8(output).expect("output is UTF-8");
    assert!(output.is_empty() || output.ends_with('\n'), "half a line: {output}");
    let frame = |line: &str| {
        assert!(line.len() <= limit, "a line of {} bytes, over {limit}", line.len());
        let Incoming::Frame(frame) = decode_text::<F>(line) else { panic!("no frame: {line}") };
        assert!(F::TYPES.contains(&frame.frame_type()), "an unknown frame: {line}");
        assert_eq!(written(&frame), line, "not canonical");
        frame
    };
    // Not `lines`, which would hide a CR before the LF.
    output.split_terminator('\n').map(frame).collect()
}

/// A frame's line without its LF.
pub(crate) fn written<F: AnyFrame>(frame: &F) -> String {
    let mut bytes = Vec::new();
    frame.write_line(&mut bytes);
    assert_eq!(bytes.pop(), Some(b'\n'));
    String::from_utf8(bytes).expect("a line is UTF-8")
}
