//! How a value breaks its schema, in words a model can act on.

use std::fmt;

use crate::json::excerpt;

/// Longest list of allowed values or names in a message, in characters.
const LIST: usize = 400;

/// How a value breaks a rule of its schema, as one sentence: `must be a string, and is 5`.
///
/// Every validator of tool arguments takes its words from here, so that an SDK and a host say
/// the same about the same mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgsFailure(Words);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Words {
    MustBe { expected: String, found: String },
    Sentence(String),
}

impl ArgsFailure {
    /// A required member is not there.
    pub fn missing() -> Self {
        Self(Words::Sentence("required, and missing".to_owned()))
    }

    /// The value may not be there at all; `allowed` are the names that may, if they are known.
    pub fn not_allowed<'n>(allowed: impl IntoIterator<Item = &'n str>) -> Self {
        let names = list(allowed.into_iter().map(|name| format!("{name:?}")));
        Self(Words::Sentence(match names.as_str() {
            "" => "not allowed".to_owned(),
            names => format!("not allowed; allowed are {names}"),
        }))
    }

    /// The value `found`, in JSON, is of none of these JSON Schema types.
    pub fn types<'n>(types: impl IntoIterator<Item = &'n str>, found: &str) -> Self {
        let types: Vec<_> = types.into_iter().map(with_article).collect();
        Self::must_be(types.join(" or "), found)
    }

    /// The value `found`, in JSON, is none of these, in JSON (`enum`, `const`).
    pub fn values<T: AsRef<str>>(values: &[T], found: &str) -> Self {
        let values_text = list(values.iter().map(|value| excerpt(value.as_ref())));
        let expected = match values {
            [] => "absent".to_owned(),
            [_] => values_text,
            _ => format!("one of {values_text}"),
        };
        Self::must_be(expected, found)
    }

    /// The number `found` is on the wrong side of `limit`. `relation` is `at least`, `at most`,
    /// `more than` or `less than`.
    pub fn limit(relation: &str, limit: &str, found: &str) -> Self {
        Self::must_be(format!("{relation} {limit}"), found)
    }

    /// The value has too many or too few parts: `must be an array of at least 1 item, and is of
    /// 0`.
    pub fn size(kind: &str, relation: &str, limit: u64, unit: &str, found: usize) -> Self {
        let plural = if limit == 1 { "" } else { "s" };
        let expected = format!("{} of {relation} {limit} {unit}{plural}", with_article(kind));
        Self(Words::MustBe { expected, found: format!("of {found}") })
    }

    /// The value matches more than one alternative of a `oneOf`.
    pub fn ambiguous(matching: Option<usize>) -> Self {
        let matching = matching.map_or("several".to_owned(), |count| count.to_string());
        Self(Words::Sentence(format!(
            "must match exactly one of its alternatives, and matches {matching}"
        )))
    }

    /// The value `found`, in JSON, is not what the rest of the sentence says.
    pub fn must_be(expected: impl Into<String>, found: &str) -> Self {
        Self(Words::MustBe { expected: expected.into(), found: excerpt(found) })
    }

    /// Any other sentence.
    pub fn sentence(text: impl Into<String>) -> Self {
        Self(Words::Sentence(text.into()))
    }

    /// One failure that says what each alternative wanted of the same value: `must be a string or
    /// null, and is 5`.
    pub fn join(alternatives: &[Self]) -> Self {
        if let [first, others @ ..] = alternatives
            && others.iter().all(|other| other == first)
        {
            return first.clone();
        }
        let mut expectations: Vec<&str> = Vec::new();
        let mut same_value = None;
        for Self(words) in alternatives {
            match words {
                Words::MustBe { expected, found } if *same_value.get_or_insert(found) == found => {
                    if !expectations.contains(&expected.as_str()) {
                        expectations.push(expected);
                    }
                }
                _ => return Self::list_alternatives(alternatives.iter().map(ToString::to_string)),
            }
        }
        let found = same_value.cloned().unwrap_or_default();
        Self(Words::MustBe { expected: shorten(&expectations.join(" or ")), found })
    }

    /// A failure that lists what was wrong with each alternative, where they differ in what.
    pub fn list_alternatives(alternatives: impl Iterator<Item = String>) -> Self {
        let mut texts: Vec<String> = Vec::new();
        for text in alternatives {
            let text = shorten(&text);
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        let text = shorten(&texts.join("; or "));
        Self(Words::Sentence(format!("matches none of its alternatives: {text}")))
    }
}

impl fmt::Display for ArgsFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Words::Sentence(text) => formatter.write_str(text),
            // After a list a comma would read as one more of its parts.
            Words::MustBe { expected, found } if expected.contains(", ") => {
                write!(formatter, "must be {expected}; is {found}")
            }
            Words::MustBe { expected, found } => {
                write!(formatter, "must be {expected}, and is {found}")
            }
        }
    }
}

fn with_article(json_type: &str) -> String {
    match json_type {
        "null" => "null".to_owned(),
        "integer" | "array" | "object" => format!("an {json_type}"),
        _ => format!("a {json_type}"),
    }
}

fn list(parts: impl Iterator<Item = String>) -> String {
    shorten(&parts.collect::<Vec<_>>().join(", "))
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(LIST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_sentences() {
        let values = ["\"c\"", "\"f\""];
        for (failure, sentence) in [
            (ArgsFailure::missing(), "required, and missing"),
            (ArgsFailure::not_allowed([]), "not allowed"),
            (ArgsFailure::not_allowed(["a", "b"]), r#"not allowed; allowed are "a", "b""#),
            (ArgsFailure::types(["string"], "5"), "must be a string, and is 5"),
            (
                ArgsFailure::types(["integer", "null"], "\"x\""),
                "must be an integer or null, and is \"x\"",
            ),
            (ArgsFailure::values(&values, "\"k\""), r#"must be one of "c", "f"; is "k""#),
            (ArgsFailure::values(&values[..1], "1"), r#"must be "c", and is 1"#),
            (ArgsFailure::values::<&str>(&[], "1"), "must be absent, and is 1"),
            (ArgsFailure::limit("at least", "1", "0"), "must be at least 1, and is 0"),
            (
                ArgsFailure::size("array", "at least", 1, "item", 0),
                "must be an array of at least 1 item, and is of 0",
            ),
            (
                ArgsFailure::size("string", "at most", 3, "character", 9),
                "must be a string of at most 3 characters, and is of 9",
            ),
            (
                ArgsFailure::ambiguous(Some(2)),
                "must match exactly one of its alternatives, and matches 2",
            ),
        ] {
            assert_eq!(failure.to_string(), sentence);
        }
    }

    #[test]
    fn alternatives_about_one_value_become_one_sentence() {
        let text = ArgsFailure::types(["string"], "5");
        let null = ArgsFailure::types(["null"], "5");
        assert_eq!(
            ArgsFailure::join(&[text.clone(), null, text.clone()]).to_string(),
            "must be a string or null, and is 5"
        );
        assert_eq!(
            ArgsFailure::join(&[text, ArgsFailure::not_allowed([])]).to_string(),
            "matches none of its alternatives: must be a string, and is 5; or not allowed"
        );
    }

    #[test]
    fn long_lists_are_cut() {
        let values: Vec<_> = (0..1000).map(|n| n.to_string()).collect();
        let sentence = ArgsFailure::values(&values, "true").to_string();
        assert!(sentence.len() < 500, "{sentence}");
        assert!(sentence.ends_with("...; is true"), "{sentence}");
    }
}
