//! Bytes in any chunking: the same lines, none over the limit.

use extline_protocol::{Decoder, Line};

/// The first byte sets the limit, the second the size of the chunks, the rest is the stream.
pub(crate) fn run(data: &[u8]) {
    let [limit, chunk, stream @ ..] = data else { return };
    let limit = usize::from(*limit) * 4;
    let whole = lines(limit, std::iter::once(stream));
    let in_chunks = lines(limit, stream.chunks(usize::from(*chunk) + 1));
    assert_eq!(whole, in_chunks);
}

fn lines<'a>(limit: usize, chunks: impl Iterator<Item = &'a [u8]>) -> Vec<Line<'static>> {
    let mut decoder = Decoder::new(limit);
    let mut found = Vec::new();
    for chunk in chunks {
        decoder.feed(chunk);
        while let Some(line) = decoder.next_line() {
            found.push(checked(line, limit));
        }
    }
    found.extend(decoder.finish().map(|line| checked(line, limit)));
    assert_eq!(decoder.finish(), None);
    found
}

fn checked(line: Line<'_>, limit: usize) -> Line<'static> {
    match line {
        Line::Text(text) => {
            // U+FFFD takes three bytes, and stands for one at least.
            assert!(text.len() <= 3 * limit && !text.contains('\n') && !text.is_empty());
            Line::Text(text.into_owned().into())
        }
        Line::TooLong(line) => {
            assert!(line.bytes > limit && line.limit == limit);
            Line::TooLong(line)
        }
    }
}
