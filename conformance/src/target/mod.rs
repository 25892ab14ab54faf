//! The process under test, seen from the host's ends of its pipes.
//!
//! One thread drives it: [`Target::pump`] waits once for whatever happens first, and moves bytes
//! both ways. Nothing here knows frames; [`Timeline`] keeps all that was seen.

mod driven;
mod ends;
mod group;
mod lines;
mod outgoing;
mod process;
mod stalls;
mod timeline;
#[cfg(unix)]
mod unix;
mod weight;
#[cfg(windows)]
mod windows;

pub use extline_scenario::Signal;

pub(crate) use self::driven::Target;
#[cfg(unix)]
pub(crate) use self::ends::Ends;
#[cfg(unix)]
pub(crate) use self::group::Group;
pub(crate) use self::group::is_stopped;
pub use self::group::stop_all;
pub(crate) use self::lines::lines_of;
#[cfg(unix)]
pub(crate) use self::process::{is_busy, processor_time};
pub(crate) use self::stalls::Stalls;
pub(crate) use self::system::{no_pipe_of, no_signal};
pub(crate) use self::timeline::{Record, Timeline, What};
#[cfg(unix)]
use self::unix as system;
pub use self::weight::weight;
#[cfg(windows)]
use self::windows as system;

/// How one process is started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Setting {
    /// Its surroundings.
    pub(crate) conditions: Conditions,
    /// Its stdin is at its end from the start.
    pub(crate) stdin_at_end: bool,
}

/// What a reason begins with that says what the system cannot give.
pub(crate) const LACKING: &str = "this system makes no";

/// What surrounds a process besides what it is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Conditions {
    /// Where writes to it are cut that do not say so themselves.
    pub(crate) cutting: Cutting,
    /// Variables of its environment.
    pub(crate) locale: &'static [(&'static str, &'static str)],
    /// How many bytes its pipes hold, where they are not as the system makes them.
    pub(crate) pipe_bytes: Option<usize>,
    /// Its stdout is read little by little.
    pub(crate) slow_reader: bool,
}

/// Where writes are cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Cutting {
    /// Nowhere.
    #[default]
    Whole,
    /// Behind each byte at the beginning and the end of what is written, and now and then between;
    /// the next byte is written when the one before was read.
    Bytes,
    /// In the middle of each character that is not ASCII, and behind each backslash.
    Characters,
    /// Nowhere, and what is written one after the other goes out together, once something is
    /// waited for.
    Joined,
}

impl Cutting {
    /// So many bytes are written one by one, first and last; between them goes a prime number, so
    /// that the cuts fall anywhere.
    const FIRST: usize = 1024;
    const LAST: usize = 64;
    const BETWEEN: usize = 997;

    /// How many bytes the next write has, of those from `written` on.
    pub(crate) fn next(self, bytes: &[u8], written: usize) -> usize {
        let rest = bytes.len() - written;
        match self {
            Self::Whole | Self::Joined => rest,
            Self::Bytes if written < Self::FIRST || rest <= Self::LAST => 1,
            Self::Bytes => (rest - Self::LAST).min(Self::BETWEEN),
            Self::Characters => {
                let ends = |pair: &[u8]| pair[0] == b'\\' || pair[1] & 0xC0 == 0x80;
                let cut = bytes[written..].windows(2).position(ends);
                cut.map_or(rest, |at| at + 1)
            }
        }
    }

    /// Whether a cut waits until what came before it was read.
    pub(crate) fn is_cut(self) -> bool {
        matches!(self, Self::Bytes | Self::Characters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(cutting: Cutting, bytes: &[u8]) -> Vec<usize> {
        let mut pieces = Vec::new();
        while pieces.iter().sum::<usize>() < bytes.len() {
            pieces.push(cutting.next(bytes, pieces.iter().sum()));
        }
        pieces
    }

    #[test]
    fn cuts_fall_within_characters_and_escapes() {
        assert_eq!(pieces(Cutting::Characters, "aéb".as_bytes()), [2, 2]);
        assert_eq!(pieces(Cutting::Characters, "😀".as_bytes()), [1, 1, 1, 1]);
        assert_eq!(pieces(Cutting::Characters, br"x\u00e9y"), [2, 6]);
        assert_eq!(pieces(Cutting::Joined, b"abc"), [3]);
    }

    #[test]
    fn a_long_write_is_cut_into_bytes_at_both_ends() {
        let pieces = pieces(Cutting::Bytes, &[b'x'; 5000]);
        assert_eq!(pieces[..1024], [1; 1024]);
        assert_eq!(pieces[1024..1028], [997, 997, 997, 5000 - 1024 - 64 - 3 * 997]);
        assert_eq!(pieces[pieces.len() - 64..], [1; 64]);
    }
}
