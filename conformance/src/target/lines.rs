//! The lines of what went over a pipe.

use std::iter::once;

use memchr::memchr_iter;

/// What stands between the LFs, and behind the last one, which may be nothing.
///
/// A frame may have megabytes, so an LF is looked for at many bytes at a time.
pub(crate) fn lines_of(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut begin = 0;
    memchr_iter(b'\n', bytes).chain(once(bytes.len())).map(move |end| {
        let line = &bytes[begin..end];
        begin = end + 1;
        line
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_what_split_gives() {
        for text in ["", "\n", "a", "a\n", "a\nbc", "\n\na\n\n"] {
            let bytes = text.as_bytes();
            assert!(lines_of(bytes).eq(bytes.split(|byte| *byte == b'\n')), "{text:?}");
        }
    }
}
