//! Values that a host may pass on: text of every kind, numbers, objects, as JSON text.

use fastrand::Rng;

/// Pieces of strings as they stand between the quotes of JSON, each whole.
const PIECES: [&str; 22] = [
    "a",
    "Z",
    "7",
    " ",
    "-",
    "é",
    "日本",
    "😀",
    "\u{2028}",
    "\u{85}",
    "\u{feff}",
    r"\n",
    r"\t",
    r#"\""#,
    r"\\",
    r"\/",
    r"\u0000",
    r"\u001f",
    r"\u00e9",
    r"\ud83d\ude00",
    "{",
    "]",
];
/// What numbers can look like, those that every language keeps exactly.
const NUMBERS: [&str; 10] = [
    "0",
    "1",
    "-1",
    "42",
    "9007199254740991",
    "-9007199254740991",
    "1.5",
    "-0.25",
    "1e-7",
    "3.5e20",
];
/// What numbers can look like beside these.
const ODD_NUMBERS: [&str; 8] = [
    "-0",
    "1.0",
    "1E2",
    "18446744073709551615",
    "-9223372036854775808",
    "123456789012345678901234567890",
    "0.1000000000000000055511151231257827",
    "2.2250738585072014e-308",
];
/// What ids can look like before their number.
const IDS: [&str; 9] = ["", "", "", "f-", "0", "é", "😀", r"\u0041", r#"\"\\ "#];

/// A string as it stands between the quotes.
pub(super) fn text(chance: &mut Rng) -> String {
    let count = if chance.u8(0..20) == 0 { chance.u32(50..400) } else { chance.u32(0..8) };
    (0..count).map(|_| one(chance, &PIECES)).collect()
}

/// An id as it stands between the quotes, which no other number has.
pub(super) fn id(chance: &mut Rng, number: u32) -> String {
    let long = if chance.u8(0..30) == 0 { "x".repeat(300) } else { String::new() };
    format!("{}{long}{number}", one(chance, &IDS))
}

/// An object. `exact` keeps to what every language gives back as it is.
pub(super) fn object(chance: &mut Rng, exact: bool) -> String {
    composed(chance, 4, exact, true)
}

fn composed(chance: &mut Rng, depth: u32, exact: bool, object: bool) -> String {
    let parts = (0..chance.u32(0..5)).map(|number| {
        let value = value(chance, depth - 1, exact);
        // Numbered: no key stands twice, which languages may tell apart.
        if object { format!("\"{}{number}\":{value}", text(chance)) } else { value }
    });
    let parts: Vec<_> = parts.collect();
    let (open, close) = if object { ('{', '}') } else { ('[', ']') };
    format!("{open}{}{close}", parts.join(","))
}

fn value(chance: &mut Rng, depth: u32, exact: bool) -> String {
    match chance.u8(0..10) {
        0 | 1 if depth > 0 => composed(chance, depth, exact, true),
        2 | 3 if depth > 0 => composed(chance, depth, exact, false),
        4 => "null".to_owned(),
        5 => chance.bool().to_string(),
        6 if !exact => one(chance, &ODD_NUMBERS).to_owned(),
        6 | 7 => one(chance, &NUMBERS).to_owned(),
        _ => format!("\"{}\"", text(chance)),
    }
}

/// A value of any kind, also one that no field of a frame takes.
pub(super) fn any(chance: &mut Rng) -> String {
    value(chance, 3, false)
}

/// A line that is no frame, without its LF.
pub(super) fn junk(chance: &mut Rng) -> Vec<u8> {
    const LINES: [&[u8]; 26] = [
        b"",
        b" ",
        b"\t\t",
        b"\r",
        b"null",
        b"true",
        b"7",
        b"\"text\"",
        b"[]",
        b"[{\"type\":\"shutdown\"}]",
        b"{}",
        b"{\"type\":null}",
        b"{\"type\":7}",
        b"{\"type\":\"\"}",
        b"{\"type\":[\"shutdown\"]}",
        b"{\"id\":\"1\"}",
        b"{",
        b"}",
        b"{\"type\":\"event\",",
        b"{'type':'event'}",
        b"Starting server...",
        b"\xef\xbb\xbf",
        b"\xff\xfe\x00",
        b"\x00",
        b"NaN",
        b"{\"type\":\"event\",\"event\":\"turn_start\"}}",
    ];
    if chance.u8(0..4) > 0 {
        return LINES[index(chance, LINES.len())].to_vec();
    }
    let length = chance.u32(1..60);
    (0..length).map(|_| chance.u8(..)).filter(|byte| *byte != b'\n').collect()
}

/// One of several.
pub(super) fn one<'a>(chance: &mut Rng, several: &[&'a str]) -> &'a str {
    several[index(chance, several.len())]
}

/// A place among so many. The same on every machine, whatever the size of its words.
pub(super) fn index(chance: &mut Rng, count: usize) -> usize {
    let count = u32::try_from(count).unwrap_or(u32::MAX).max(1);
    usize::try_from(chance.u32(0..count)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn objects_are_json_and_no_text_holds_a_placeholder_of_cases() {
        let mut chance = Rng::with_seed(1);
        for number in 0..2000 {
            let object = object(&mut chance, number % 2 == 0);
            let value: Value = serde_json::from_str(&object).unwrap_or_else(|error| {
                panic!("{error}: {object}");
            });
            assert!(value.is_object() && !object.contains('$'), "{object}");
            serde_json::from_str::<Value>(&any(&mut chance)).unwrap();
            assert!(!junk(&mut chance).contains(&b'\n'));
        }
    }
}
