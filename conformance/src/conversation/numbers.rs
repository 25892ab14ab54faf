//! Numbers that no double can hold, as `1e400`: valid JSON, which an extension may pass on as it came
//! (`frm.raw`).

use std::borrow::Cow;

/// What stands in their place. Whoever compares such numbers has to look at the bytes.
const LARGEST: &str = "1.7976931348623157e308";

/// The text of valid JSON with each of these numbers replaced by the largest one there is.
pub(crate) fn within_doubles(text: &str) -> Cow<'_, str> {
    let mut within = String::new();
    let (mut done, mut at) = (0, 0);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = end_of_string(bytes, at),
            b'0'..=b'9' => {
                let is_number =
                    |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
                let length = bytes[at..].iter().take_while(|byte| is_number(byte)).count();
                let number = &text[at..at + length];
                if number.parse::<f64>().is_ok_and(f64::is_infinite) {
                    within.push_str(&text[done..at]);
                    within.push_str(LARGEST);
                    done = at + length;
                }
                at += length;
            }
            _ => at += 1,
        }
    }
    if done == 0 { Cow::Borrowed(text) } else { Cow::Owned(within + &text[done..]) }
}

/// Behind the string that starts there.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_beyond_all_doubles_are_replaced() {
        for (text, expected) in [
            (r#"{"a":[1,-2.5e3,1e308],"b":"1e400"}"#, r#"{"a":[1,-2.5e3,1e308],"b":"1e400"}"#),
            (r#"{"a":1e400}"#, r#"{"a":1.7976931348623157e308}"#),
            (
                r#"["\"1e999",-1E+999,{"\\":9e999}]"#,
                r#"["\"1e999",-1.7976931348623157e308,{"\\":1.7976931348623157e308}]"#,
            ),
        ] {
            assert_eq!(within_doubles(text), expected);
            serde_json::from_str::<serde_json::Value>(expected).unwrap();
        }
        let frame = crate::conversation::parse(br#"{"type":"tool_result","n":-1e400}"#, true);
        assert_eq!(frame.unwrap()["n"], f64::MIN);
        let long = format!("[{}]", "9".repeat(400));
        assert_eq!(within_doubles(&long), format!("[{LARGEST}]"));
    }
}
