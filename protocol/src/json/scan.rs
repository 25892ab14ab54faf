//! One pass over JSON text that is known to be valid: members, elements, depth, surrogates.
//!
//! The scanner trusts the syntax (`serde_json` has checked it) and only follows strings and
//! brackets, so a long string costs one `memchr2`. On text that was not checked it stays in
//! bounds and terminates, but what it returns means nothing.

use std::borrow::Cow;

use super::find::next_quote_or_backslash;

/// Members kept without an allocation; no frame of the protocol's base has more.
const INLINE_MEMBERS: usize = 12;

/// One member of an object, as spans of the text it stands in.
#[derive(Clone, Copy, Debug, Default)]
pub struct Member<'a> {
    key: &'a str,
    key_is_escaped: bool,
    /// The value's text, without white space around it.
    pub value: &'a str,
}

impl<'a> Member<'a> {
    /// Whether that is its key.
    pub fn is(&self, name: &str) -> bool {
        if self.key_is_escaped { unescape(self.key) == name } else { self.key == name }
    }

    /// The key with its escapes resolved.
    pub fn key(&self) -> Cow<'a, str> {
        if self.key_is_escaped { Cow::Owned(unescape(self.key)) } else { Cow::Borrowed(self.key) }
    }
}

/// The members of one object in wire order, duplicates included.
#[derive(Debug)]
pub struct Members<'a> {
    inline: [Member<'a>; INLINE_MEMBERS],
    spilled: Vec<Member<'a>>,
    count: usize,
    /// Objects and arrays open at once inside this object, itself included.
    pub depth: usize,
    /// A string in it holds half of a surrogate pair.
    pub unpaired_surrogate: bool,
}

impl<'a> Members<'a> {
    /// Splits an object; `None` when the text is not one.
    pub fn of(object: &'a str) -> Option<Self> {
        let mut scanner = Scanner::new(object);
        scanner.skip_white_space();
        if scanner.peek() != Some(b'{') {
            return None;
        }
        let mut members = Self {
            inline: [Member::default(); INLINE_MEMBERS],
            spilled: Vec::new(),
            count: 0,
            depth: 0,
            unpaired_surrogate: false,
        };
        scanner.open();
        loop {
            scanner.skip_separators();
            if scanner.peek() != Some(b'"') {
                break;
            }
            let (key, key_is_escaped) = scanner.string_body();
            scanner.skip_separators();
            let value = scanner.value();
            members.push(Member { key, key_is_escaped, value });
        }
        members.depth = scanner.deepest;
        members.unpaired_surrogate = scanner.unpaired_surrogate;
        Some(members)
    }

    /// All members in wire order.
    pub fn iter(&self) -> impl Iterator<Item = &Member<'a>> {
        self.inline[..self.count.min(INLINE_MEMBERS)].iter().chain(&self.spilled)
    }

    /// The last member of that name: of duplicate keys the last wins (`frm.duplicate-keys`).
    pub fn last(&self, name: &str) -> Option<&Member<'a>> {
        self.iter().filter(|member| member.is(name)).last()
    }

    fn push(&mut self, member: Member<'a>) {
        if self.count < INLINE_MEMBERS {
            self.inline[self.count] = member;
        } else {
            self.spilled.push(member);
        }
        self.count += 1;
    }
}

/// The elements of one array, as spans of its text.
#[derive(Debug)]
pub struct Elements<'a> {
    scanner: Scanner<'a>,
}

impl<'a> Elements<'a> {
    /// Splits an array; `None` when the text is not one.
    pub fn of(array: &'a str) -> Option<Self> {
        let mut scanner = Scanner::new(array);
        scanner.skip_white_space();
        (scanner.peek() == Some(b'[')).then(|| {
            scanner.open();
            Self { scanner }
        })
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.scanner.skip_separators();
        match self.scanner.peek() {
            None | Some(b']' | b'}') => None,
            Some(_) => Some(self.scanner.value()),
        }
    }
}

/// Objects and arrays open at once in a JSON text; 0 for a scalar.
pub(crate) fn depth(text: &str) -> usize {
    scan_whole(text).deepest
}

/// Whether a string in the text holds a `\ud800`-style escape without its other half.
pub(crate) fn has_unpaired_surrogate(text: &str) -> bool {
    scan_whole(text).unpaired_surrogate
}

fn scan_whole(text: &str) -> Scanner<'_> {
    let mut scanner = Scanner::new(text);
    scanner.skip_white_space();
    scanner.value();
    scanner
}

fn unescape(body: &str) -> String {
    // The body was cut out of valid JSON; only half a surrogate can still be wrong with it.
    serde_json::from_str(&format!("\"{body}\"")).unwrap_or_else(|_| body.to_owned())
}

#[derive(Debug)]
struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    open: usize,
    deepest: usize,
    unpaired_surrogate: bool,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, bytes: text.as_bytes(), at: 0, open: 0, deepest: 0, unpaired_surrogate: false }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_white_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn skip_separators(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n' | b',' | b':')) {
            self.at += 1;
        }
    }

    fn open(&mut self) {
        self.at += 1;
        self.open += 1;
        self.deepest = self.deepest.max(self.open);
    }

    /// The value that starts here, whatever it is; stands behind it afterwards.
    fn value(&mut self) -> &'a str {
        let start = self.at;
        match self.peek() {
            Some(b'"') => self.string(),
            Some(b'{' | b'[') => self.container(),
            _ => self.scalar(),
        }
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn scalar(&mut self) {
        let start = self.at;
        while !matches!(
            self.peek(),
            None | Some(b',' | b'}' | b']' | b':' | b' ' | b'\t' | b'\r' | b'\n')
        ) {
            self.at += 1;
        }
        // Unchecked text could stand still here for ever.
        if self.at == start && self.at < self.bytes.len() {
            self.at += 1;
        }
    }

    fn container(&mut self) {
        let outside = self.open;
        loop {
            match self.peek() {
                None => break,
                Some(b'"') => self.string(),
                Some(b'{' | b'[') => self.open(),
                Some(b'}' | b']') => {
                    self.at += 1;
                    self.open = self.open.saturating_sub(1);
                    if self.open <= outside {
                        break;
                    }
                }
                Some(_) => self.at += 1,
            }
        }
    }

    fn string(&mut self) {
        self.string_body();
    }

    /// Skips a string; its text between the quotes, and whether that holds escapes.
    fn string_body(&mut self) -> (&'a str, bool) {
        self.at += 1;
        let start = self.at;
        let mut escaped = false;
        loop {
            match next_quote_or_backslash(self.bytes, self.at) {
                None => {
                    self.at = self.bytes.len();
                    return (self.text.get(start..).unwrap_or_default(), escaped);
                }
                Some(end) if self.bytes[end] == b'"' => {
                    self.at = end + 1;
                    return (self.text.get(start..end).unwrap_or_default(), escaped);
                }
                Some(backslash) => {
                    escaped = true;
                    self.at = backslash;
                    self.escape();
                }
            }
        }
    }

    fn escape(&mut self) {
        if self.bytes.get(self.at + 1) != Some(&b'u') {
            self.at += 2;
            return;
        }
        match surrogate_at(self.bytes, self.at) {
            Surrogate::None => self.at += 6,
            Surrogate::Pair => self.at += 12,
            Surrogate::Unpaired => {
                self.unpaired_surrogate = true;
                self.at += 6;
            }
        }
    }
}

/// What a `\u` escape is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Surrogate {
    None,
    Pair,
    Unpaired,
}

/// Classifies the `\uXXXX` that starts at `at`.
pub(super) fn surrogate_at(bytes: &[u8], at: usize) -> Surrogate {
    match hex_escape(bytes, at) {
        Some(0xD800..=0xDBFF) => match hex_escape(bytes, at + 6) {
            Some(0xDC00..=0xDFFF) => Surrogate::Pair,
            _ => Surrogate::Unpaired,
        },
        Some(0xDC00..=0xDFFF) => Surrogate::Unpaired,
        _ => Surrogate::None,
    }
}

fn hex_escape(bytes: &[u8], at: usize) -> Option<u16> {
    let escape = bytes.get(at..at + 6)?;
    if escape[0] != b'\\' || escape[1] != b'u' {
        return None;
    }
    escape[2..].iter().try_fold(0_u16, |code, digit| {
        let digit = char::from(*digit).to_digit(16)?;
        Some(code << 4 | u16::try_from(digit).ok()?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<(String, String)> {
        let members = Members::of(text).unwrap();
        members.iter().map(|m| (m.key().into_owned(), m.value.to_owned())).collect()
    }

    #[test]
    fn members_are_spans_in_wire_order() {
        let found = split(r#" { "a" : 1 ,"b":"x\"}", "c":{"d":[1,{}]},"e":[ ] , "f":null}"#);
        let expected =
            [("a", "1"), ("b", r#""x\"}""#), ("c", r#"{"d":[1,{}]}"#), ("e", "[ ]"), ("f", "null")];
        assert_eq!(found, expected.map(|(k, v)| (k.to_owned(), v.to_owned())));
    }

    #[test]
    fn keys_are_unescaped_and_the_last_duplicate_wins() {
        let members = Members::of(r#"{"\u0074ype":"x","type":"y"}"#).unwrap();
        assert_eq!(members.last("type").unwrap().value, r#""y""#);
        assert_eq!(members.iter().next().unwrap().key(), "type");
    }

    #[test]
    fn more_members_than_fit_inline_are_kept() {
        let text = format!(
            "{{{}}}",
            (0..40).map(|n| format!("\"k{n}\":{n}")).collect::<Vec<_>>().join(",")
        );
        let members = Members::of(&text).unwrap();
        assert_eq!(members.iter().count(), 40);
        assert_eq!(members.last("k39").unwrap().value, "39");
    }

    #[test]
    fn depth_counts_open_brackets_outside_strings() {
        assert_eq!(depth("5"), 0);
        assert_eq!(depth(r#"{"a":"[[[["}"#), 1);
        assert_eq!(depth(r#"{"a":[{}],"b":[]}"#), 3);
        assert_eq!(Members::of(r#"{"a":[{}]}"#).unwrap().depth, 3);
        assert_eq!(depth(&format!("{}{}", "[".repeat(129), "]".repeat(129))), 129);
    }

    #[test]
    fn half_a_surrogate_pair_is_seen() {
        assert!(has_unpaired_surrogate(r#""\ud800""#));
        assert!(has_unpaired_surrogate(r#"["\udc00\ud800"]"#));
        assert!(has_unpaired_surrogate(r#"{"\ud83d":1}"#));
        assert!(!has_unpaired_surrogate(r#""\ud83d\ude00""#));
        assert!(!has_unpaired_surrogate(r#""\\ud800""#));
    }

    #[test]
    fn elements_are_spans() {
        let found: Vec<_> = Elements::of(r#" [1, "a,b" ,[2,3],{"x":1}] "#).unwrap().collect();
        assert_eq!(found, ["1", r#""a,b""#, "[2,3]", r#"{"x":1}"#]);
        assert_eq!(Elements::of("[]").unwrap().count(), 0);
        assert!(Elements::of("{}").is_none());
    }

    #[test]
    fn unchecked_text_ends() {
        for text in
            ["{", "{\"", "{\"a", "{\"a\":", "{:::", "[}", "{\"a\"]", "[\\", "\"\\", "\"\\u12"]
        {
            if let Some(members) = Members::of(text) {
                members.iter().count();
            }
            if let Some(elements) = Elements::of(text) {
                elements.count();
            }
            depth(text);
        }
    }
}
