//! Sixteen bytes looked at together.
//!
//! Loops over single bytes become vector instructions where a compiler builds for speed. The libraries for
//! Python and Node are built for size, and there such loops took most of the time of a large call.

use std::ops::BitOr;

use wide::u8x16;

/// How many bytes a lane has.
pub(super) const LANE: usize = 16;

/// Sixteen bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane(u8x16);

/// Which of them are hit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hits(u8x16);

impl Lane {
    #[inline]
    pub(super) fn of(bytes: &[u8; LANE]) -> Self {
        Self(u8x16::new(*bytes))
    }

    /// Which are that byte.
    #[inline]
    pub(super) fn equal(self, byte: u8) -> Hits {
        Hits(self.0.cmp_eq(u8x16::splat(byte)))
    }

    /// Which are control characters, below U+0020.
    #[inline]
    pub(super) fn controls(self) -> Hits {
        Hits(self.0.min(u8x16::splat(0x1F)).cmp_eq(self.0))
    }
}

impl Hits {
    /// A bit for each, the lowest for the first.
    #[inline]
    pub(super) fn bits(self) -> u64 {
        u64::from(self.0.move_mask().cast_unsigned())
    }
}

impl BitOr for Hits {
    type Output = Self;

    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_told_at_every_place() {
        for byte in 0..=u8::MAX {
            for filler in [0_u8, 0x1F, 0x20, b'"', 0x7F, 0x80, 0xFF] {
                for at in 0..LANE {
                    let mut bytes = [filler; LANE];
                    bytes[at] = byte;
                    let expected = |is_hit: &dyn Fn(u8) -> bool| {
                        let places = bytes.iter().enumerate().filter(|(_, byte)| is_hit(**byte));
                        places.fold(0, |bits, (at, _)| bits | 1_u64 << at)
                    };
                    let lane = Lane::of(&bytes);
                    assert_eq!(lane.equal(byte).bits(), expected(&|it| it == byte));
                    assert_eq!(lane.controls().bits(), expected(&|it| it < 0x20));
                    let either = lane.equal(byte) | lane.equal(b'"');
                    assert_eq!(either.bits(), expected(&|it| it == byte || it == b'"'));
                }
            }
        }
    }
}
