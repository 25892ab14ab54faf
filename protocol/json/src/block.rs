//! Text as bits, 64 bytes at a time: which are quotes, which are backslashes, which begin an escape.
//!
//! Text of a model has something to escape every dozen bytes. Looking for one after the other means
//! as many searches as there are, and a wrong guess of the processor at the end of each; here most
//! steps depend on the length alone.

use super::lane::{Hits, LANE, Lane};

/// How many bytes a block has.
pub(super) const BLOCK: usize = 64;

/// A bit for each of the next 64 bytes from `at` on that is hit, the lowest for the first.
#[inline]
pub(super) fn bits(bytes: &[u8], at: usize, find: impl Fn(Lane) -> Hits) -> u64 {
    match bytes[at..].first_chunk() {
        Some(block) => block_bits(block, find),
        None => last_bits(bytes, at, find),
    }
}

#[inline]
fn block_bits(block: &[u8; BLOCK], find: impl Fn(Lane) -> Hits) -> u64 {
    let (lanes, _) = block.as_chunks::<LANE>();
    lanes.iter().rev().fold(0, |bits, lane| bits << LANE | find(Lane::of(lane)).bits())
}

/// The same where fewer than 64 are left. It is needed once a string, so each caller need not have it.
#[inline(never)]
fn last_bits(bytes: &[u8], at: usize, find: impl Fn(Lane) -> Hits) -> u64 {
    let left = &bytes[at..];
    let mut block = [0; BLOCK];
    block[..left.len()].copy_from_slice(left);
    block_bits(&block, find) & !(u64::MAX << left.len())
}

/// Tells the backslashes that begin an escape from those that are escaped themselves, from block to
/// block of one string.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Escapes {
    /// The first byte of the next block is escaped: 1 or 0.
    first_is_escaped: u64,
}

impl Escapes {
    /// Of the next block of the string, by its backslashes: what begins an escape, and what is
    /// escaped.
    #[inline]
    pub(super) fn next(&mut self, backslashes: u64) -> (u64, u64) {
        const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
        // In each row of backslashes every second one begins an escape. Subtracting the row from the
        // odd places lets a borrow run along it, which leaves just those at the right places,
        // wherever the row starts.
        let can_begin = backslashes & !self.first_is_escaped;
        let rows = (can_begin << 1 | ODD).wrapping_sub(can_begin) ^ ODD;
        let escaped = rows ^ (backslashes | self.first_is_escaped);
        let begin = rows & backslashes;
        self.first_is_escaped = begin >> 63;
        (begin, escaped)
    }
}

/// The bits of a word, from the lowest on, as places in a text from `at` on.
#[inline]
pub(super) fn places(mut bits: u64, at: usize) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (bits != 0).then(|| at + bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        place
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What begins an escape and what is escaped, found one by one.
    fn escapes(text: &[u8]) -> (Vec<usize>, Vec<usize>) {
        let (mut begin, mut escaped) = (Vec::new(), Vec::new());
        let mut at = 0;
        while at < text.len() {
            if text[at] == b'\\' {
                begin.push(at);
                escaped.push(at + 1);
                at += 1;
            }
            at += 1;
        }
        (begin, escaped)
    }

    #[test]
    fn every_byte_is_told_at_every_place() {
        for length in [1, 7, 8, 63, 64, 65, 130] {
            for at in 0..length {
                let mut text = vec![b'x'; length];
                text[at] = b'y';
                for from in 0..length {
                    let found: Vec<_> =
                        places(bits(&text, from, |lane| lane.equal(b'y')), from).collect();
                    let is_near = (from..from + BLOCK).contains(&at);
                    assert_eq!(found, Vec::from_iter(is_near.then_some(at)), "{at} from {from}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn rows_of_backslashes_are_paired_across_blocks(text in r"(\\{0,70}a{0,3}){1,8}a") {
            let text = text.as_bytes();
            let mut escapes_of = Escapes::default();
            let (mut begin, mut escaped) = (Vec::new(), Vec::new());
            for at in (0..text.len()).step_by(BLOCK) {
                let next = escapes_of.next(bits(text, at, |lane| lane.equal(b'\\')));
                begin.extend(places(next.0, at));
                escaped.extend(places(next.1, at));
            }
            prop_assert_eq!((begin, escaped), escapes(text));
        }
    }
}
