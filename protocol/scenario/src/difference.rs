//! Where two values differ, member by member.

use serde_json::Value;

use crate::failure::excerpt;

/// How much of a value stands in a difference, in characters.
const EXCERPT: usize = 80;

/// Each place at which `got` is not what is wanted: `/content/0/text: expected "a", got "b"`. A
/// number equals one of the same value.
pub fn differences(wanted: &Value, got: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", wanted, got, &mut found);
    found
}

fn compare(pointer: &str, wanted: &Value, got: &Value, found: &mut Vec<String>) {
    match (wanted, got) {
        (Value::Object(wanted), Value::Object(got)) => {
            for (name, value) in wanted {
                let pointer = format!("{pointer}/{}", escaped(name));
                match got.get(name) {
                    Some(got) => compare(&pointer, value, got, found),
                    None => found.push(format!("{pointer}: missing, expected {}", short(value))),
                }
            }
            let more = got.iter().filter(|(name, _)| !wanted.contains_key(*name));
            found.extend(more.map(|(name, value)| {
                format!("{pointer}/{}: not expected, got {}", escaped(name), short(value))
            }));
        }
        (Value::Array(wanted), Value::Array(got)) => {
            for (at, value) in wanted.iter().enumerate() {
                let pointer = format!("{pointer}/{at}");
                match got.get(at) {
                    Some(got) => compare(&pointer, value, got, found),
                    None => found.push(format!("{pointer}: missing, expected {}", short(value))),
                }
            }
            let more = got.iter().enumerate().skip(wanted.len());
            found.extend(
                more.map(|(at, value)| {
                    format!("{pointer}/{at}: not expected, got {}", short(value))
                }),
            );
        }
        (Value::Number(one), Value::Number(other)) if one.as_f64() == other.as_f64() => {}
        _ if wanted == got => {}
        _ => {
            let place = if pointer.is_empty() { "the whole" } else { pointer };
            found.push(format!("{place}: expected {}, got {}", short(wanted), short(got)));
        }
    }
}

/// The bytes around the first one that differs; `None` when all are the same.
pub(crate) fn byte_difference(wanted: &[u8], got: &[u8]) -> Option<String> {
    const BEFORE: usize = 30;
    const AFTER: usize = 50;
    if wanted == got {
        return None;
    }
    let at = wanted.iter().zip(got).position(|(one, other)| one != other);
    let at = at.unwrap_or(wanted.len().min(got.len()));
    let around = |bytes: &[u8]| {
        let shown = &bytes[at.saturating_sub(BEFORE)..bytes.len().min(at + AFTER)];
        format!("...{}...", String::from_utf8_lossy(shown))
    };
    Some(format!(
        "byte {at} differs, of {}: expected {}, got {}",
        got.len(),
        around(wanted),
        around(got)
    ))
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn short(value: &Value) -> String {
    excerpt(value, EXCERPT)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_difference_has_its_place() {
        let wanted = json!({"a": [1, {"b/c": "x"}], "gone": 0, "same": 1});
        let got = json!({"a": [1.5, {"b/c": "y"}, 3], "new": null, "same": 1.0});
        let expected = [
            "/a/0: expected 1, got 1.5",
            "/a/1/b~1c: expected \"x\", got \"y\"",
            "/a/2: not expected, got 3",
            "/gone: missing, expected 0",
            "/new: not expected, got null",
        ];
        assert_eq!(differences(&wanted, &got), expected);
        assert_eq!(differences(&json!([1]), &json!([])), ["/0: missing, expected 1"]);
        assert_eq!(differences(&json!(1), &json!("1")), ["the whole: expected 1, got \"1\""]);
    }

    #[test]
    fn the_first_byte_that_differs_is_shown() {
        assert_eq!(byte_difference(b"same", b"same"), None);
        let difference = byte_difference(b"{\"a\":1}", b"{\"a\": 1}").unwrap();
        assert!(difference.starts_with("byte 5 differs, of 8: expected ...{\"a\":1}..."));
        assert!(byte_difference(b"ab", b"abc").unwrap().starts_with("byte 2 differs"));
    }
}
