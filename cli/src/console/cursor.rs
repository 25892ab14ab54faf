//! Where the cursor stands in JSON that is half typed.

/// What may come next at the end of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// A value, perhaps begun.
    Value,
    /// The name of a member, perhaps begun, or the end of an empty object.
    Name,
    /// The colon behind a name.
    Colon,
    /// A comma or the end of what the value is in.
    Next,
    /// Nothing: the text is complete, or no JSON.
    Nothing,
}

/// One step from the outermost value inwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Member(String),
    Element,
}

/// Where the end of a text stands in the value that it begins.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) expected: Expected,
    /// Where the word that is being typed begins; the end of the text when none is.
    pub(crate) start: usize,
    /// From the outermost value to the one that is being typed.
    pub(crate) path: Vec<Step>,
    /// The names that the innermost object has already.
    pub(crate) names: Vec<String>,
}

/// An object or array that is still open.
enum Open {
    Object { name: String, names: Vec<String> },
    Array,
}

impl Cursor {
    /// Reads what is typed so far.
    pub(crate) fn at_end_of(text: &str) -> Self {
        let mut open: Vec<Open> = Vec::new();
        let mut expected = Expected::Value;
        let mut at = 0;
        let mut start = text.len();
        while let Some(first) = text[at..].chars().next() {
            if first.is_whitespace() {
                at += first.len_utf8();
                continue;
            }
            let (end, complete) = word(text, at);
            if !complete {
                start = at;
                break;
            }
            let word = &text[at..end];
            expected = match (expected, word, open.last_mut()) {
                (Expected::Value, "{", _) => {
                    open.push(Open::Object { name: String::new(), names: Vec::new() });
                    Expected::Name
                }
                (Expected::Value, "[", _) => {
                    open.push(Open::Array);
                    Expected::Value
                }
                (Expected::Value | Expected::Next, "]", Some(Open::Array))
                | (Expected::Name | Expected::Next, "}", Some(Open::Object { .. })) => {
                    open.pop();
                    after_value(&open)
                }
                (Expected::Name, name, Some(Open::Object { name: current, names }))
                    if name.starts_with('"') =>
                {
                    *current = serde_json::from_str(name).unwrap_or_default();
                    names.push(current.clone());
                    Expected::Colon
                }
                (Expected::Colon, ":", _) | (Expected::Next, ",", Some(Open::Array)) => {
                    Expected::Value
                }
                (Expected::Next, ",", Some(Open::Object { .. })) => Expected::Name,
                (Expected::Value, value, _) if !value.starts_with([',', ':', '}', ']']) => {
                    after_value(&open)
                }
                _ => Expected::Nothing,
            };
            at = end;
        }
        let names = match open.last() {
            Some(Open::Object { names, .. }) => names.clone(),
            _ => Vec::new(),
        };
        let inwards = open.into_iter().map(|open| match open {
            Open::Object { name, .. } => Step::Member(name),
            Open::Array => Step::Element,
        });
        Self { expected, start, path: inwards.collect(), names }
    }
}

fn after_value(open: &[Open]) -> Expected {
    if open.is_empty() { Expected::Nothing } else { Expected::Next }
}

/// Where the word that begins at `at` ends, and whether it is whole: a number or a literal at the
/// end of the text is not, as more of it may follow.
fn word(text: &str, at: usize) -> (usize, bool) {
    let rest = &text[at..];
    if rest.starts_with(['{', '}', '[', ']', ',', ':']) {
        return (at + 1, true);
    }
    if !rest.starts_with('"') {
        let ends = |it: char| it.is_whitespace() || "{}[],:\"".contains(it);
        let length = rest.find(ends);
        let literal = ["true", "false", "null"].contains(&rest);
        return (at + length.unwrap_or(rest.len()), length.is_some() || literal);
    }
    let mut escaped = false;
    for (offset, character) in rest.char_indices().skip(1) {
        match character {
            '"' if !escaped => return (at + offset + 1, true),
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    (text.len(), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Expected, word: &str, path: &str, names: &[&str]) {
        let cursor = Cursor::at_end_of(text);
        assert_eq!((cursor.expected, &text[cursor.start..]), (expected, word), "{text}");
        let step = |step: &Step| match step {
            Step::Member(name) => format!("/{name}"),
            Step::Element => "/*".to_owned(),
        };
        assert_eq!(cursor.path.iter().map(step).collect::<String>(), path, "{text}");
        assert_eq!(cursor.names, names, "{text}");
    }

    #[test]
    fn every_place_is_told() {
        use Expected::{Colon, Name, Next, Nothing, Value};
        check("", Value, "", "", &[]);
        check("{", Name, "", "/", &[]);
        check("{ \"ci", Name, "\"ci", "/", &[]);
        check("{\"city\"", Colon, "", "/city", &["city"]);
        check("{\"city\":", Value, "", "/city", &["city"]);
        check("{\"city\": \"Ber", Value, "\"Ber", "/city", &["city"]);
        check("{\"city\":\"a \\\" } b\"", Next, "", "/city", &["city"]);
        check("{\"city\":\"x\",", Name, "", "/city", &["city"]);
        check("{\"n\":12", Value, "12", "/n", &["n"]);
        check("{\"n\":true", Next, "", "/n", &["n"]);
        check("{\"n\":12 ", Next, "", "/n", &["n"]);
        check("{\"a\":[{\"b\":1},{", Name, "", "/a/*/", &[]);
        check("{\"a\":[{\"b\":1}], \"c\":[", Value, "", "/c/*", &[]);
        check("{}", Nothing, "", "", &[]);
        check("{\"a\":{}}", Nothing, "", "", &[]);
    }

    #[test]
    fn what_is_no_json_asks_for_nothing() {
        for text in ["{,", "]", "{\"a\" 1 ", "{\"a\":}", "[1 2 "] {
            assert_eq!(Cursor::at_end_of(text).expected, Expected::Nothing, "{text}");
        }
    }
}
