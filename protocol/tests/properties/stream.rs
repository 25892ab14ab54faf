//! Streams of bytes: what a peer may write, and how it may arrive.

use proptest::collection::vec;
use proptest::prelude::*;

/// Bytes with everything in them that a decoder must tell apart.
pub(crate) fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        3 => Just(b"\n".to_vec()),
        1 => Just(b"\r\n".to_vec()),
        1 => Just(b"\r".to_vec()),
        1 => Just(b" ".to_vec()),
        1 => Just(b"\xEF\xBB\xBF".to_vec()),
        1 => Just(b"\xE2\x80\xA8\xC2\x85".to_vec()),
        1 => Just(b"\xF0\x9F\x98".to_vec()),
        2 => Just(br#"{"type":"ready"}"#.to_vec()),
        2 => Just(br#"{"args":{"id":[1]},"id":"7","type":"tool_call"}"#.to_vec()),
        1 => Just(br#""\u0069d":"x\\""#.to_vec()),
        2 => vec(any::<u8>(), 0..12),
        2 => "[ -~]{0,30}".prop_map(String::into_bytes),
    ];
    let start = prop_oneof![Just(Vec::new()), Just(b"\xEF\xBB\xBF".to_vec())];
    (start, vec(piece, 0..20)).prop_map(|(start, pieces)| [start, pieces.concat()].concat())
}

/// The bytes in chunks of these sizes, over and over.
pub(crate) fn chunks<'a>(
    mut bytes: &'a [u8],
    sizes: &'a [usize],
) -> impl Iterator<Item = &'a [u8]> {
    let mut sizes = sizes.iter().cycle();
    std::iter::from_fn(move || {
        let size = (*sizes.next()?).min(bytes.len());
        let (chunk, rest) = bytes.split_at(size);
        bytes = rest;
        (!chunk.is_empty()).then_some(chunk)
    })
}
