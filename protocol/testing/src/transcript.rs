//! Every frame, both ways.

use std::fmt;

/// How many lines stand in a failure.
const TAIL_LINES: usize = 12;
/// How many characters of each.
const TAIL_LINE: usize = 200;

/// Who sent a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The host.
    Host,
    /// The extension.
    Extension,
}

impl Side {
    /// Its name: `host` or `extension`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Extension => "extension",
        }
    }
}

/// One line as it went, without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Who sent it.
    pub side: Side,
    /// The line; what is no UTF-8 in it is replaced.
    pub json: String,
}

impl fmt::Display for Line {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:9} > {}", self.side.name(), self.json)
    }
}

/// The lines in their order.
#[derive(Debug, Default)]
pub struct Transcript {
    lines: Vec<Line>,
    /// The beginning of a line, of each side.
    begun: [Vec<u8>; 2],
}

impl Transcript {
    /// Takes in what went, whole lines or not.
    pub fn add(&mut self, side: Side, bytes: &[u8]) {
        let begun = &mut self.begun[side as usize];
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            begun.extend_from_slice(piece);
            if begun.pop_if(|last| *last == b'\n').is_some() {
                let json = String::from_utf8_lossy(begun).into_owned();
                self.lines.push(Line { side, json });
                begun.clear();
            }
        }
    }

    /// All of them.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The end of it, as it stands in a failure.
    pub fn tail(&self) -> String {
        let left_out = self.lines.len().saturating_sub(TAIL_LINES);
        let mut tail = match left_out {
            0 => "the frames:".to_owned(),
            count => format!("the last frames, after {count} others:"),
        };
        for line in &self.lines[left_out..] {
            let line = line.to_string();
            tail.push_str("\n  ");
            match line.char_indices().nth(TAIL_LINE) {
                None => tail.push_str(&line),
                Some((end, _)) => tail.extend([&line[..end], "..."]),
            }
        }
        tail
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_put_together_from_pieces_of_each_side() {
        let mut transcript = Transcript::default();
        transcript.add(Side::Host, b"{\"a\":");
        transcript.add(Side::Extension, b"\xff\n{}");
        transcript.add(Side::Host, b"1}\n\n");
        let lines: Vec<_> = transcript.lines().iter().map(ToString::to_string).collect();
        assert_eq!(lines, ["extension > \u{fffd}", "host      > {\"a\":1}", "host      > "]);
        assert_eq!(
            transcript.tail(),
            "the frames:\n  extension > \u{fffd}\n  host      > {\"a\":1}\n  host      > "
        );
    }

    #[test]
    fn a_tail_is_short() {
        let mut transcript = Transcript::default();
        for _ in 0..15 {
            transcript.add(Side::Host, "ü".repeat(500).as_bytes());
            transcript.add(Side::Host, b"\n");
        }
        let tail = transcript.tail();
        let lines: Vec<_> = tail.lines().collect();
        assert_eq!(lines[0], "the last frames, after 3 others:");
        assert_eq!(lines.len(), 13);
        assert_eq!(lines[1], format!("  host      > {}...", "ü".repeat(188)));
    }
}
