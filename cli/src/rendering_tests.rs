//! What extensions register and say is rendered whatever it is: seeded values, each tried by all that
//! shows something.

use extline_protocol::{RawJson, is_hidden};
use fastrand::Rng;
use serde_json::{Map, Value};

use crate::arguments;
use crate::console::candidates;
use crate::frames::describe;
use crate::styled::Text;

const SEED: u64 = 16;
const ROUNDS: usize = 300;

/// Words of schemas and of terminals, and what is hard to measure or to cut.
const WORDS: [&str; 30] = [
    "properties",
    "type",
    "enum",
    "const",
    "anyOf",
    "oneOf",
    "items",
    "required",
    "description",
    "$ref",
    "$defs",
    "#/$defs/a",
    "a",
    "array",
    "string",
    "object",
    "",
    "\u{1b}[2J",
    "\u{9b}",
    "\r",
    "\n",
    "\u{202e}",
    "日本",
    "👨\u{200d}👩",
    "é",
    "\u{e0041}",
    "\"",
    "\\",
    "{",
    "\u{0}",
];

fn word(rng: &mut Rng) -> String {
    let pick = |rng: &mut Rng| WORDS[rng.usize(..WORDS.len())];
    match rng.u16(..500) {
        // Above what a width of `format!` may be.
        0 => pick(rng).repeat(70_000),
        1..150 => (0..rng.usize(..5)).map(|_| pick(rng)).collect(),
        _ => pick(rng).to_owned(),
    }
}

fn value(rng: &mut Rng, depth: usize) -> Value {
    match rng.u8(..if depth == 0 { 5 } else { 12 }) {
        0 => Value::Null,
        1 => rng.bool().into(),
        2 => rng.i64(..).into(),
        3..5 => word(rng).into(),
        5..7 => (0..rng.usize(..6)).map(|_| value(rng, depth - 1)).collect(),
        _ => Value::Object(object(rng, depth - 1)),
    }
}

fn object(rng: &mut Rng, depth: usize) -> Map<String, Value> {
    (0..rng.usize(..6)).map(|_| (word(rng), value(rng, depth))).collect()
}

/// Nothing that acts but styles, and no line without an end.
#[track_caller]
fn assert_shown(text: &Text) {
    let plain = anstream::adapter::strip_str(text.as_str()).to_string();
    let hidden = |it: char| is_hidden(it) && it != '\n' && it != '\t';
    assert!(!plain.contains(hidden), "{plain:?}");
    let styles = text.as_str().split('\u{1b}').skip(1);
    assert!(styles.into_iter().all(|it| it.starts_with('[')), "{text:?}");
}

#[test]
fn a_schema_is_rendered_whatever_it_is() {
    let mut rng = Rng::with_seed(SEED);
    for _ in 0..ROUNDS {
        let mut schema = object(&mut rng, 4);
        // So that most have arguments.
        schema.insert("properties".to_owned(), Value::Object(object(&mut rng, 4)));
        let schema = Value::Object(schema).to_string();
        for line in arguments::lines(&RawJson::parse(&schema).unwrap(), 6) {
            assert_shown(&line);
            assert!(line.as_str().len() < 100_000, "{} bytes in a line", line.as_str().len());
        }
        let typed =
            ["", "{", "{\"", "{\"a\":", "{\"a\":1,", "{\"a\":{", "{\"a\":["][rng.usize(..7)];
        candidates(&schema, typed, "");
    }
}

#[test]
fn a_property_name_or_an_enum_has_any_length() {
    let long = "x".repeat(70_000);
    let values: Vec<_> = (0..20_000).collect();
    let schema = serde_json::json!({"properties": {
        &long: {"type": "string", "description": long}, "short": {"enum": values}, "é": {"const": long},
    }});
    let lines = arguments::lines(&RawJson::parse(&schema.to_string()).unwrap(), 6);
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().any(|line| line.as_str().contains("... 70000 bytes")), "{lines:?}");
    assert!(lines.iter().all(|line| line.as_str().len() < 4000));
}

#[test]
fn a_record_of_a_trace_is_rendered_whatever_it_is() {
    let mut rng = Rng::with_seed(SEED);
    for _ in 0..ROUNDS {
        let line = if rng.bool() {
            let mut frame = object(&mut rng, 2);
            frame.insert("type".to_owned(), word(&mut rng).into());
            Value::Object(frame).to_string()
        } else {
            word(&mut rng)
        };
        let record = serde_json::json!({
            "t_us": rng.u64(..1 << 40), "dir": "e>h", "extension": word(&mut rng), "line": line,
        });
        // Terminals say that they have from 0 columns to 65,535.
        let columns = [0, 1, 2, 80, 65_535][rng.usize(..5)];
        assert_shown(&describe(&record.to_string(), columns));
        assert_shown(&describe(&line, columns));
        assert_shown(&Text::line(&line, columns));
        assert_shown(&Text::in_short_lines(&line));
    }
}
