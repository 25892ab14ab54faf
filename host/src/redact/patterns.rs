//! What looks like a secret by itself.
//!
//! One automaton finds how such things begin; what stands there is read by hand. What was read is not read again, or
//! is short, so that the time is in proportion to the text.

use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, Input, MatchKind};

/// Names in front of a secret, as `password=...`; those with `-` and `_` are found by their last word too.
const NAMES: [&str; 12] = [
    "apikey",
    "api_key",
    "api-key",
    "accesskey",
    "access_key",
    "access-key",
    "private_key",
    "token",
    "password",
    "passwd",
    "passphrase",
    "secret",
];
/// How tokens of well-known services begin, and how they go on.
const TOKENS: [(&str, Token); 13] = [
    ("sk-", Token { least: 16, kind: Kind::Dashed, needs_digit: true }),
    ("AKIA", Token { least: 16, kind: Kind::Upper, needs_digit: false }),
    ("ASIA", Token { least: 16, kind: Kind::Upper, needs_digit: false }),
    ("ghp_", Token { least: 20, kind: Kind::Alphanumeric, needs_digit: false }),
    ("gho_", Token { least: 20, kind: Kind::Alphanumeric, needs_digit: false }),
    ("ghu_", Token { least: 20, kind: Kind::Alphanumeric, needs_digit: false }),
    ("ghs_", Token { least: 20, kind: Kind::Alphanumeric, needs_digit: false }),
    ("ghr_", Token { least: 20, kind: Kind::Alphanumeric, needs_digit: false }),
    ("github_pat_", Token { least: 20, kind: Kind::Dashed, needs_digit: false }),
    ("xox", Token { least: 10, kind: Kind::Dashed, needs_digit: true }),
    ("AIza", Token { least: 30, kind: Kind::Dashed, needs_digit: false }),
    ("glpat-", Token { least: 16, kind: Kind::Dashed, needs_digit: false }),
    ("eyJ", Token { least: 8, kind: Kind::Jwt, needs_digit: false }),
];
const SCHEMES: [&[u8]; 5] = [b"bearer", b"basic", b"token", b"digest", b"negotiate"];

pub(super) const PEM: &[u8] = b"-----BEGIN ";
const PEM_END: &[u8] = b"-----END ";

/// A text in quotes, and a token, end here at the latest.
const LONGEST: usize = 64 * 1024;

#[derive(Clone, Copy)]
struct Token {
    /// Characters behind the beginning.
    least: usize,
    kind: Kind,
    needs_digit: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Alphanumeric,
    Upper,
    /// With `-` and `_`.
    Dashed,
    /// Two or three parts with dots between them.
    Jwt,
}

/// Where secrets are: in order, and apart.
pub(super) fn find(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while let Some(begin) = automaton().find(Input::new(bytes).range(at..)) {
        let index = begin.pattern().as_usize();
        let secret = match index {
            0 => private_key(bytes, begin.start()),
            1 => bearer(bytes, begin.end()),
            2 => assigned(bytes, begin.end(), true),
            index => match TOKENS.get(index - 3) {
                Some((word, token)) => {
                    // The automaton does not tell upper from lower case.
                    let is_it = &bytes[begin.range()] == word.as_bytes();
                    is_it.then(|| token.read(bytes, begin.range())).flatten()
                }
                None => assigned(bytes, begin.end(), false),
            },
        };
        at = begin.start() + 1;
        if let Some(secret) = secret {
            at = secret.end.max(at);
            found.push(secret);
        }
    }
    found
}

/// Whether a member of that name holds a secret.
pub(super) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name == "authorization" || NAMES.iter().any(|secret| name.ends_with(secret))
}

/// Where a private key begins that does not end here.
pub(super) fn open_private_key(bytes: &[u8]) -> Option<usize> {
    let begins = memchr::memmem::rfind(bytes, PEM)?;
    let rest = &bytes[begins..];
    let is_open = memchr::memmem::find(rest, PEM_END).is_none();
    // As far as its first line has come, it may be one.
    let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
    (is_open && (line.len() == rest.len() || has(line, b"PRIVATE KEY"))).then_some(begins)
}

fn automaton() -> &'static AhoCorasick {
    static AUTOMATON: OnceLock<AhoCorasick> = OnceLock::new();
    AUTOMATON.get_or_init(|| {
        let first = ["-----BEGIN ", "bearer", "authorization"].into_iter();
        let tokens = TOKENS.iter().map(|(word, _)| *word);
        let words: Vec<&str> = first.chain(tokens).chain(NAMES).collect();
        let builder = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostLongest)
            .build(words);
        builder.unwrap_or_else(|_| unreachable!("the words are short"))
    })
}

/// `-----BEGIN RSA PRIVATE KEY-----` up to the line of its end, or the end of all.
fn private_key(bytes: &[u8], begin: usize) -> Option<Range<usize>> {
    let rest = &bytes[begin..];
    let head = &rest[..rest.len().min(80)];
    let title = memchr::memmem::find(&head[PEM.len()..], b"-----")? + PEM.len();
    if !has(&head[..title], b"PRIVATE KEY") {
        return None;
    }
    let Some(end) = memchr::memmem::find(rest, PEM_END) else { return Some(begin..bytes.len()) };
    let tail = &rest[end + PEM_END.len()..];
    let tail = &tail[..tail.len().min(80)];
    let closed = memchr::memmem::find(tail, b"-----").map_or(tail.len(), |at| at + 5);
    Some(begin..begin + end + PEM_END.len() + closed)
}

/// `Bearer abc...`.
fn bearer(bytes: &[u8], end: usize) -> Option<Range<usize>> {
    let start = skip(bytes, end, |byte| matches!(byte, b' ' | b'\t' | b'+'));
    let is_apart = start > end;
    let end = run(bytes, start, |byte| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte));
    (is_apart && end - start >= 8 && looks_random(&bytes[start..end])).then_some(start..end)
}

/// What stands behind a name: `=abc`, `: abc`, `": "abc"`, `\":\"abc\"`.
fn assigned(bytes: &[u8], end: usize, has_scheme: bool) -> Option<Range<usize>> {
    let (closed, at) = quote(bytes, end);
    let at = skip(bytes, at, is_blank);
    let at = match bytes.get(at) {
        Some(b'=') if bytes.get(at + 1) == Some(&b'>') => at + 2,
        Some(b'=' | b':') => at + 1,
        _ => return None,
    };
    let value = skip(bytes, at, is_blank);
    let (opened, mut start) = quote(bytes, value);
    if has_scheme {
        start = scheme(bytes, start);
    }
    if let Some(mark) = opened {
        let end = closing(bytes, start, mark);
        return (end - start >= 4).then_some(start..end);
    }
    // A number, null or an object of JSON.
    if closed.is_some_and(|mark| mark.byte == b'"') {
        return None;
    }
    let end = run(bytes, start, |byte| {
        !byte.is_ascii_whitespace() && byte >= b' ' && !b"\"'\\,;&()[]{}<>".contains(&byte)
    });
    let secret = &bytes[start..end];
    // `token: expected a string` is prose.
    let is_prose = value > at && !has_scheme && !looks_random(secret);
    (secret.len() >= 6 && !is_prose && secret != b"***").then_some(start..end)
}

/// Letters and digits in one, or more of it than a word has.
fn looks_random(text: &[u8]) -> bool {
    let has_digit = text.iter().any(u8::is_ascii_digit);
    (text.len() >= 8 && has_digit) || text.len() >= 20
}

/// Behind `Bearer ` and its like.
fn scheme(bytes: &[u8], at: usize) -> usize {
    let word = run(bytes, at, |byte| byte.is_ascii_alphabetic());
    let is_scheme = SCHEMES.iter().any(|scheme| bytes[at..word].eq_ignore_ascii_case(scheme));
    let behind = skip(bytes, word, |byte| byte == b' ');
    if is_scheme && behind > word { behind } else { at }
}

/// A quote, and how many backslashes stand before it.
#[derive(Clone, Copy)]
struct Quote {
    byte: u8,
    escapes: usize,
}

impl Quote {
    /// Whether it is the end, with so many backslashes before it. Each pair of them, doubled for each text around this
    /// one, stands for a backslash of the text.
    fn is_closed_by(self, escapes: usize) -> bool {
        escapes < self.escapes || (escapes - self.escapes).is_multiple_of(2 * (self.escapes + 1))
    }
}

fn quote(bytes: &[u8], at: usize) -> (Option<Quote>, usize) {
    let behind = skip(bytes, at, |byte| byte == b'\\');
    match bytes.get(behind) {
        Some(byte @ (b'"' | b'\'')) => {
            (Some(Quote { byte: *byte, escapes: behind - at }), behind + 1)
        }
        _ => (None, at),
    }
}

/// The end of a text in quotes: the same quote, with no more backslashes before it than the first has; else the end
/// of the line.
fn closing(bytes: &[u8], start: usize, mark: Quote) -> usize {
    let mut escapes = 0;
    let most = bytes.len().min(start + LONGEST);
    for (at, byte) in bytes[start..most].iter().enumerate() {
        match *byte {
            b'\\' => escapes += 1,
            b'\n' => return start + at,
            byte if byte == mark.byte && mark.is_closed_by(escapes) => {
                return start + at - escapes.min(mark.escapes);
            }
            _ => escapes = 0,
        }
    }
    char_end(bytes, most)
}

impl Token {
    fn read(self, bytes: &[u8], word: Range<usize>) -> Option<Range<usize>> {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if word.start > 0 && is_part(bytes[word.start - 1]) {
            return None;
        }
        let end = run(bytes, word.end, |byte| match self.kind {
            Kind::Alphanumeric => byte.is_ascii_alphanumeric(),
            Kind::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Kind::Dashed | Kind::Jwt => is_part(byte),
        });
        let rest = &bytes[word.end..end];
        let has_digit = rest.iter().any(u8::is_ascii_digit);
        if rest.len() < self.least || (self.needs_digit && !has_digit) {
            return None;
        }
        if self.kind == Kind::Jwt {
            let part = |at: usize| {
                let is_next = bytes.get(at) == Some(&b'.');
                let end = run(bytes, at + 1, is_part);
                (is_next && end > at + 8).then_some(end)
            };
            let second = part(end)?;
            return Some(word.start..part(second).unwrap_or(second));
        }
        Some(word.start..end)
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn has(bytes: &[u8], word: &[u8]) -> bool {
    memchr::memmem::find(bytes, word).is_some()
}

/// So many at most: what is between a name and its value.
fn skip(bytes: &[u8], at: usize, is_it: impl Fn(u8) -> bool) -> usize {
    const MOST: usize = 16;
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take(MOST).take_while(|byte| is_it(**byte)).count()
}

fn run(bytes: &[u8], at: usize, is_it: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let length = rest.iter().take(LONGEST).take_while(|byte| is_it(**byte)).count();
    char_end(bytes, at + length)
}

/// Not in the middle of a character of UTF-8.
fn char_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::super::Redactor;

    #[test]
    fn what_looks_like_a_secret_is_taken_out() {
        let redactor = Redactor::default();
        let digits = "0123456789abcdefghijABCDEFGHIJ012345";
        for (text, redacted) in [
            ("Authorization: Bearer abc123def456", "Authorization: Bearer ***"),
            ("authorization: Basic dXNlcjpwYXNz", "authorization: Basic ***"),
            ("-H 'Authorization: token abcdefgh1'", "-H 'Authorization: token ***'"),
            ("{\"api_key\":\"abcdef\",\"a\":1}", "{\"api_key\":\"***\",\"a\":1}"),
            ("{\"apiKey\": \"abcdef\"}", "{\"apiKey\": \"***\"}"),
            (r#"{"m":"{\"token\":\"a\\\"bcd\"}"}"#, r#"{"m":"{\"token\":\"***\"}"}"#),
            ("api_key=\"a b c d\" x", "api_key=\"***\" x"),
            ("{'password': 'hunter2'}", "{'password': '***'}"),
            ("PASSWORD=hunter2 x", "PASSWORD=*** x"),
            ("GITHUB_TOKEN=abcdef", "GITHUB_TOKEN=***"),
            ("https://x/?access_token=abcdef&q=1", "https://x/?access_token=***&q=1"),
            ("token => abc1234567", "token => ***"),
            ("\"message\":\"password=hunter2\\nand\"", "\"message\":\"password=***\\nand\""),
        ] {
            assert_eq!(redactor.text(text), redacted);
        }
        for begin in [
            "sk-",
            "sk-ant-",
            "ghp_",
            "gho_",
            "ghu_",
            "ghs_",
            "ghr_",
            "github_pat_",
            "xoxb-",
            "AIza",
            "glpat-",
        ] {
            let text = format!("key {begin}{digits}.");
            assert_eq!(redactor.text(&text), "key ***.", "{text}");
        }
        assert_eq!(redactor.text("AKIAIOSFODNN7EXAMPLE;"), "***;");
        let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlMTIz";
        assert_eq!(redactor.text(&format!("<{jwt}>")), "<***>");
        let pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----";
        assert_eq!(redactor.text(&format!("a\n{pem}\nb")), "a\n***\nb");
        assert_eq!(redactor.text("a -----BEGIN PRIVATE KEY-----\nMIIE"), "a ***");
    }

    #[test]
    fn words_stay() {
        let redactor = Redactor::default();
        for text in [
            "unexpected token: identifier",
            "{\"max_token\": 100000, \"token\": null, \"password\": {\"type\": \"string\"}}",
            "{\"required\":[\"token\",\"password\"],\"name\":\"secret.get\"}",
            "the bearer of this letter",
            "task-based-and-risk-averse-things-1234567",
            "sk-learn-is-a-library-of-python",
            "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
            "write \"permissions\": {\"env\": [\"API_KEY\"]} in extension.json",
            "extline secret set weather API_KEY",
            "give it a value with --env API_KEY=VALUE",
            "eyJust a word",
        ] {
            assert_eq!(redactor.text(text), text);
        }
    }
}
