//! Faults of the tester itself: they say nothing about the extension, and are never held against
//! it.

use std::any::Any;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::LazyLock;

use extline_protocol::RawJson;
use extline_schema::ToolSchema;

use crate::texts::packed;

/// The schema of every frame of a host.
static FRAMES: LazyLock<ToolSchema> = LazyLock::new(|| {
    let document = RawJson::parse(packed("host-frames.json"));
    // The file is part of this project; a test compiles it. A link in this crate leads to it, for what is outside
    // of it is not in its package.
    let document = document.unwrap_or_else(|error| unreachable!("{error}"));
    ToolSchema::compile(&document).unwrap_or_else(|error| unreachable!("{error}"))
});

/// Does something of the tester's own; `Err` is the panic it ended in, in words.
pub(crate) fn caught<T>(act: impl FnOnce() -> T) -> Result<T, String> {
    // What a panic left half done is thrown away: the case, and the process it ran in.
    panic::catch_unwind(AssertUnwindSafe(act)).map_err(|payload| in_words(&*payload))
}

fn in_words(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    format!("the tester panicked: {}", text.unwrap_or("no message"))
}

/// Whether each of these lines, which the tester writes as a host, is a host's frame.
pub(crate) fn check_frames<'a>(lines: impl IntoIterator<Item = &'a str>) -> Result<(), String> {
    lines.into_iter().try_for_each(|line| match problem_of(line) {
        Some(why) => Err(format!("the tester would send what no host sends: {why}: {line}")),
        None => Ok(()),
    })
}

/// Why a line is no frame of a host.
pub(crate) fn problem_of(line: &str) -> Option<String> {
    match RawJson::parse(line) {
        Err(error) => Some(error.to_string()),
        Ok(frame) => FRAMES.validate(&frame).err().map(|violation| violation.to_string()),
    }
}

/// Whether a start failed for want of something that this machine gives to the tester: processes,
/// descriptors, memory.
pub(crate) fn is_out_of_resources(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        let starved = [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE];
        Errno::from_io_error(error).is_some_and(|number| starved.contains(&number))
    }
    #[cfg(not(unix))]
    {
        error.kind() == io::ErrorKind::OutOfMemory
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_s_frames_pass_and_others_do_not() {
        check_frames([r#"{"type":"shutdown"}"#]).unwrap();
        let error = check_frames([r#"{"type":"shutdown""#]).unwrap_err();
        assert!(error.starts_with("the tester would send what no host sends: "), "{error}");
        check_frames([r#"{"type":"tool_call","id":"1"}"#]).unwrap_err();
        check_frames([r#"{"type":"hello","name":"x","version":"1"}"#]).unwrap_err();
    }

    #[test]
    fn a_panic_is_told_in_its_words() {
        assert_eq!(caught(|| 3), Ok(3));
        let number = 7;
        let words = caught(|| assert!(number == 8, "seven is {number}"));
        assert_eq!(words, Err("the tester panicked: seven is 7".to_owned()));
    }
}
