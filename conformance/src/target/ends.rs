//! The first and the last part of a stream that may never end.

use std::collections::VecDeque;

/// How much is kept of each part.
const EACH: usize = 128 * 1024;

/// The first and the last part of a stream; what lies between them is only counted.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    first: Vec<u8>,
    last: VecDeque<u8>,
    left_out: usize,
}

impl Ends {
    /// What came next.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let (first, rest) = bytes.split_at(bytes.len().min(EACH - self.first.len()));
        self.first.extend_from_slice(first);
        let newest = &rest[rest.len().saturating_sub(EACH)..];
        let too_many = (self.last.len() + newest.len()).saturating_sub(EACH);
        self.last.drain(..too_many);
        self.last.extend(newest);
        self.left_out += too_many + (rest.len() - newest.len());
    }

    /// All that is kept, decoded as well as can be, with a line that says what is not.
    pub(crate) fn text(&self) -> String {
        let mut bytes = self.first.clone();
        if self.left_out > 0 {
            bytes.extend(format!("\n({} bytes are left out here)\n", self.left_out).into_bytes());
        }
        bytes.extend(&self.last);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_stream_is_kept_whole() {
        let mut ends = Ends::default();
        ends.push(b"one\n");
        ends.push(&vec![b'x'; EACH]);
        ends.push(b"two\n");
        assert_eq!(ends.text(), format!("one\n{}two\n", "x".repeat(EACH)));
    }

    #[test]
    fn of_a_long_one_the_middle_is_left_out_and_counted() {
        let mut ends = Ends::default();
        ends.push(b"first\n");
        for _ in 0..10 {
            ends.push(&vec![b'-'; EACH - 1]);
        }
        ends.push(b"\nlast");
        let text = ends.text();
        assert!(text.starts_with("first\n---") && text.ends_with("---\nlast"));
        let left_out = 6 + 10 * (EACH - 1) + 5 - 2 * EACH;
        assert!(text.contains(&format!("-\n({left_out} bytes are left out here)\n-")));
        assert!(ends.first.capacity() + ends.last.capacity() <= 5 * EACH);
    }
}
