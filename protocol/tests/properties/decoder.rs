//! Bytes in any chunking: the same lines, and the limit to the byte.

use extline_protocol::frame::HostFrame;
use extline_protocol::{Decoder, Head, Incoming, Line, TooLong, decode};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::strategies::host_frame;
use crate::{line_of, stream};

proptest! {
    #![proptest_config(crate::cases(500))]

    #[test]
    fn any_chunking_gives_the_same_lines(
        bytes in stream::bytes(),
        sizes in vec(1_usize..40, 1..8),
        limit in 0_usize..60,
    ) {
        let expected = split_by_hand(&bytes, limit);
        prop_assert_eq!(&lines(limit, bytes.chunks(bytes.len().max(1))), &expected);
        prop_assert_eq!(&lines(limit, bytes.chunks(1)), &expected);
        prop_assert_eq!(&lines(limit, stream::chunks(&bytes, &sizes)), &expected);
        prop_assert_eq!(&lines_read(limit, &bytes, &sizes), &expected);
    }

    #[test]
    fn any_chunking_gives_the_same_frames(
        frames in vec(host_frame(), 0..5),
        sizes in vec(1_usize..400, 1..8),
    ) {
        let bytes: Vec<u8> = frames.iter().flat_map(|frame| line_of(frame).into_bytes()).collect();
        let mut decoder = Decoder::new(bytes.len());
        let mut found = Vec::new();
        for chunk in stream::chunks(&bytes, &sizes) {
            decoder.feed(chunk);
            while let Some(line) = decoder.next_line() {
                found.push(decode::<HostFrame>(&line));
            }
        }
        let expected: Vec<_> = frames.into_iter().map(Incoming::Frame).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn a_line_of_the_limit_passes_and_one_byte_more_does_not(
        limit in 1_usize..3_000,
        chunk in 1_usize..4_000,
    ) {
        let bytes = format!("{}\n{}\nx\n", "a".repeat(limit), "b".repeat(limit + 1));
        let too_long = TooLong { head: Head::default(), bytes: limit + 1, limit };
        let expected =
            [Line::Text("a".repeat(limit).into()), Line::TooLong(too_long), Line::Text("x".into())];
        prop_assert_eq!(lines(limit, bytes.as_bytes().chunks(chunk)), expected);
    }
}

/// The lines of a stream that is there as a whole.
fn split_by_hand(bytes: &[u8], limit: usize) -> Vec<Line<'static>> {
    let mut pieces: Vec<_> = bytes.split(|byte| *byte == b'\n').collect();
    if pieces.last().is_some_and(|piece| piece.is_empty()) {
        pieces.pop();
    }
    let line = |(at, piece): (usize, &[u8])| {
        if piece.len() > limit {
            let head = Head::of(&String::from_utf8_lossy(piece));
            return Some(Line::TooLong(TooLong { head, bytes: piece.len(), limit }));
        }
        let piece = piece.strip_suffix(b"\r").unwrap_or(piece);
        let bom: &[u8] = if at == 0 { b"\xEF\xBB\xBF" } else { b"" };
        let piece = piece.strip_prefix(bom).unwrap_or(piece);
        let blank = piece.iter().all(u8::is_ascii_whitespace);
        (!blank).then(|| Line::Text(String::from_utf8_lossy(piece).into_owned().into()))
    };
    pieces.into_iter().enumerate().filter_map(line).collect()
}

fn lines<'a>(limit: usize, chunks: impl Iterator<Item = &'a [u8]>) -> Vec<Line<'static>> {
    let mut decoder = Decoder::new(limit);
    let mut found = Vec::new();
    for chunk in chunks {
        decoder.feed(chunk);
        while let Some(line) = decoder.next_line() {
            found.push(owned(line));
        }
    }
    found.extend(decoder.finish().map(owned));
    assert!(decoder.finish().is_none() && decoder.partial_bytes() == 0);
    found
}

/// As a driver reads: into the decoder's own space.
fn lines_read(limit: usize, mut bytes: &[u8], sizes: &[usize]) -> Vec<Line<'static>> {
    let mut decoder = Decoder::new(limit);
    let mut found = Vec::new();
    for size in sizes.iter().cycle() {
        let space = decoder.space();
        let count = (*size).min(space.len()).min(bytes.len());
        space[..count].copy_from_slice(&bytes[..count]);
        decoder.advance(count);
        bytes = &bytes[count..];
        while let Some(line) = decoder.next_line() {
            found.push(owned(line));
        }
        if bytes.is_empty() {
            break;
        }
    }
    found.extend(decoder.finish().map(owned));
    found
}

fn owned(line: Line<'_>) -> Line<'static> {
    match line {
        Line::Text(text) => Line::Text(text.into_owned().into()),
        Line::TooLong(line) => Line::TooLong(line),
    }
}
