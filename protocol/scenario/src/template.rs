//! Placeholders in the text of a step.

use crate::step::{Amount, Text};

/// What the placeholders stand for in one run of a case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// `$id`: the id of the newest call, as it stands between the quotes.
    pub id: String,
    /// `$ask`: a question that a living extension answers, with `$id` as its id.
    pub ask: String,
    /// The type of the frames that answer it: `tool_result` or `command_response`.
    pub answer: String,
    /// `$unknown`: a name that nobody registered.
    pub unknown: String,
    /// `$tool`: a tool that the extension registered.
    pub tool: String,
    /// `$args`: arguments for that tool.
    pub args: String,
    /// Each tool that can be called, with arguments for it.
    pub tools: Vec<(String, String)>,
    /// Each command that it registered.
    pub commands: Vec<String>,
    /// `$command`: a command that it registered.
    pub command: String,
    /// `$event`: an event it subscribed to.
    pub event: String,
    /// `$point`: an intercept point that it asked for.
    pub point: String,
    /// `$value`: the value of this run.
    pub value: u64,
    /// What else the protocol under test needs, each as `$meta` and what it stands for.
    pub more: Vec<(String, String)>,
}

/// The text with every placeholder replaced, `$pad` by as many bytes as make up the length.
pub fn expand(text: &Text, values: &Values) -> Vec<u8> {
    let amount = |amount: Option<Amount>| match amount {
        Some(Amount::Is(number)) => Some(number),
        Some(Amount::Value) => Some(values.value),
        None => None,
    };
    let depth = amount(text.depth).unwrap_or(1);
    let digits = amount(text.digits).unwrap_or(1);
    let mut expanded = replace(&text.template, values);
    expanded = expanded.replace("$nested", &nested(depth));
    expanded =
        expanded.replace("$digits", &"1234567890".repeat(size(digits) / 10 + 1)[..size(digits)]);
    if let Some(image) = amount(text.image) {
        expanded = expanded.replace("$image", &base64_of(size(image)));
    }
    if expanded.contains("$pad") {
        let wanted = size(amount(text.bytes).unwrap_or(0));
        let missing = wanted.saturating_sub(expanded.len() - "$pad".len());
        expanded = expanded.replacen("$pad", &"x".repeat(missing), 1);
    }
    expanded.into_bytes()
}

/// The text with the short placeholders replaced.
pub fn replace(text: &str, values: &Values) -> String {
    let value = values.value.to_string();
    let names = [
        // What holds others, and longer names, before the others.
        ("$ask", values.ask.as_str()),
        ("$unknown", &values.unknown),
        ("$command", &values.command),
        ("$event", &values.event),
        ("$point", &values.point),
        ("$value", &value),
        ("$tool", &values.tool),
        ("$args", &values.args),
        ("$id", &values.id),
    ];
    let more = values.more.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let mut replaced = text.to_owned();
    for (name, value) in more.chain(names) {
        if replaced.contains(name) {
            replaced = replaced.replace(name, value);
        }
    }
    replaced
}

/// The bytes that are given in hexadecimal; what is no digit only separates.
pub fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<_> = text.bytes().filter_map(|byte| (byte as char).to_digit(16)).collect();
    let bytes = digits.chunks(2).map(|pair| {
        let value = pair.iter().fold(0, |value, digit| value * 16 + digit);
        u8::try_from(value).unwrap_or_default()
    });
    bytes.collect()
}

/// So many bytes, 0 to 255 again and again, in standard base64 with padding.
fn base64_of(length: usize) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(length.div_ceil(3) * 4);
    for start in (0..length).step_by(3) {
        let byte = |at: usize| if at < length { (at % 256) as u64 } else { 0 };
        let bits = byte(start) << 16 | byte(start + 1) << 8 | byte(start + 2);
        // One byte takes two digits, two take three.
        let digits = 1 + (length - start).min(3);
        for digit in 0..4 {
            let value = (bits >> (18 - 6 * digit)) & 0x3F;
            let letter = ALPHABET[size(value)];
            text.push(if digit < digits { char::from(letter) } else { '=' });
        }
    }
    text
}

/// So many arrays, one in the other.
fn nested(depth: u64) -> String {
    format!("{}{}", "[".repeat(size(depth)), "]".repeat(size(depth)))
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Text {
        Text {
            template: text.to_owned(),
            id: None,
            bytes: None,
            depth: None,
            digits: None,
            image: None,
            times: 1,
            chunk: None,
            pause_ms: 0,
            each: None,
            same_ids: false,
        }
    }

    #[test]
    fn a_pad_makes_up_the_length() {
        let values = Values { id: "c-1".to_owned(), value: 40, ..Values::default() };
        let sized = Text { bytes: Some(Amount::Value), ..text(r#"{"id":"$id","pad":"$pad"}"#) };
        let line = expand(&sized, &values);
        assert_eq!(line.len(), 40);
        assert!(line.starts_with(br#"{"id":"c-1","pad":"xxxx"#));
        assert!(line.ends_with(b"x\"}"));
    }

    #[test]
    fn depth_and_digits_are_counted() {
        let values = Values { value: 3, ..Values::default() };
        let nested = Text { depth: Some(Amount::Is(2)), ..text("$nested") };
        assert_eq!(expand(&nested, &values), b"[[]]");
        let digits = Text { digits: Some(Amount::Value), ..text("-$digits.$value") };
        assert_eq!(expand(&digits, &values), b"-123.3");
    }

    #[test]
    fn an_image_is_base64_of_bytes_that_count() {
        let image = |size| {
            let text = Text { image: Some(Amount::Is(size)), ..text("$image") };
            String::from_utf8(expand(&text, &Values::default())).unwrap()
        };
        assert_eq!(["", "AA==", "AAE=", "AAEC"].map(str::to_owned), [0, 1, 2, 3].map(image));
        assert!(image(256).ends_with("/P3+/w=="), "{}", image(256));
    }

    #[test]
    fn hexadecimal_digits_are_bytes() {
        assert_eq!(unhex("7B ff 0a"), [0x7b, 0xff, 0x0a]);
    }

    #[test]
    fn a_name_that_begins_like_another_is_not_cut() {
        let values = Values {
            id: "7".to_owned(),
            unknown: "nobody".to_owned(),
            command: "clock".to_owned(),
            ..Values::default()
        };
        assert_eq!(replace("$unknown/$command/$id", &values), "nobody/clock/7");
    }
}
