//! Small changes to an input, the same ones for the same seed.

/// A xorshift generator: no dependency, and the same numbers on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        // A state of 0 would stay 0.
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `bound`, which is not 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).expect("a length fits");
        usize::try_from(self.next() % bound).expect("it is below a length")
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// What makes a difference to a decoder or a session.
const DICTIONARY: &[&[u8]] = &[
    b"\n",
    b"\r\n",
    b"\r",
    b"\xEF\xBB\xBF",
    b"\xFF",
    b"\xE2\x80",
    b"\0",
    b"\x7f",
    b" ",
    b",",
    b":",
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b"\\",
    b"\\u",
    b"\\ud800",
    b"\\udc00",
    b"\\u0000",
    b"\\\"",
    b"null",
    b"true",
    b"0",
    b"-1",
    b"1e400",
    b"01",
    b"1.",
    b"\\x",
    b"\x01",
    b"18446744073709551616",
    b"{}",
    b"[]",
    b"\"\"",
    b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    b"\"type\":",
    b"\"id\":",
    b"\"id\":\"1\"",
    b"\"id\":\"7\"",
    b"\"args\":{\"a\":1,\"a\":2}",
    b"\"tool_call\"",
    b"\"tool_result\"",
    b"\"event_intercept\"",
    b"\"request\"",
    b"\"call_tool\"",
    b"{\"type\":\"shutdown\"}\n",
    b"!hold\n",
    b"!answer\n",
    b"!call\n",
    b"!cancel\n",
    b"\n---\n",
    b"!wait 1000\n",
];

/// Longest input that is made; longer ones only take longer.
const LONGEST: usize = 4_000;

/// One to four changes.
pub(crate) fn mutate(input: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=random.below(4) {
        change(&mut bytes, other, random);
    }
    bytes.truncate(LONGEST);
    bytes
}

fn change(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    let end = (at + random.below(24)).min(bytes.len());
    match random.below(8) {
        0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        1 => bytes.insert(at, random.next().to_le_bytes()[0]),
        2 => drop(bytes.drain(at..end)),
        3 | 4 => {
            let token = *random.pick(DICTIONARY);
            bytes.splice(at..at, token.iter().copied());
        }
        5 => {
            let copied = bytes[at..end].to_vec();
            bytes.splice(end..end, copied);
        }
        6 => bytes.truncate(at),
        _ => {
            let lines: Vec<_> = other.split_inclusive(|byte| *byte == b'\n').collect();
            bytes.splice(at..end, random.pick(&lines).iter().copied());
        }
    }
}
