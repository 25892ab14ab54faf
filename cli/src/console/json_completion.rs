//! What a tool's schema offers for the JSON that is being typed.

use extline_protocol::Members;
use serde_json::Value;

use crate::console::cursor::{Cursor, Expected, Step};

/// One way to go on: what is shown of it, and what takes the place of the word being typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) shown: String,
    pub(crate) text: String,
}

impl Candidate {
    pub(crate) fn new(shown: impl Into<String>, text: impl Into<String>) -> Self {
        Self { shown: shown.into(), text: text.into() }
    }
}

/// The ways to go on at the end of `typed`, and where in it the word begins that they replace.
/// `rest` stands behind the cursor: a member in it is not offered again.
pub(crate) fn candidates(schema: &str, typed: &str, rest: &str) -> (usize, Vec<Candidate>) {
    let cursor = Cursor::at_end_of(typed);
    let word = &typed[cursor.start..];
    let root = Schema { text: schema, root: schema };
    let outwards = cursor.path.len().saturating_sub(1);
    let found = match cursor.expected {
        Expected::Value if typed.trim().is_empty() => vec![skeleton(root)],
        Expected::Value => root.below(&cursor.path).map(Schema::values).unwrap_or_default(),
        Expected::Colon => vec![Candidate::new(":", ":")],
        Expected::Name => {
            let object = root.below(&cursor.path[..outwards]);
            let mut found = object.map(|it| it.names(&cursor, rest)).unwrap_or_default();
            if cursor.names.is_empty() && object.is_some_and(|it| it.required().is_empty()) {
                found.push(Candidate::new("}", "}"));
            }
            found
        }
        Expected::Next if cursor.path.last() == Some(&Step::Element) => {
            vec![Candidate::new(",", ", "), Candidate::new("]", "]")]
        }
        Expected::Next => root
            .below(&cursor.path[..outwards])
            .map(|object| object.next(&cursor, rest))
            .unwrap_or_default(),
        Expected::Nothing => Vec::new(),
    };
    let fitting = found.into_iter().filter(|it| it.text.starts_with(word));
    (cursor.start, fitting.collect())
}

/// An object with all that is required, to be filled in.
fn skeleton(schema: Schema) -> Candidate {
    let required = schema.required();
    if required.is_empty() {
        let text = if schema.properties().is_empty() { "{}" } else { "{" };
        return Candidate::new(text, text);
    }
    let members = required.iter().map(|name| {
        let value = schema.property(name).map_or_else(|| "\"\"".to_owned(), Schema::placeholder);
        format!("{}: {value}", Value::from(name.as_str()))
    });
    let text = format!("{{{}}}", members.collect::<Vec<_>>().join(", "));
    Candidate::new(text.clone(), text)
}

/// A schema in its document.
#[derive(Clone, Copy)]
struct Schema<'a> {
    text: &'a str,
    root: &'a str,
}

impl<'a> Schema<'a> {
    /// The schema of what a path leads to.
    fn below(self, path: &[Step]) -> Option<Self> {
        path.iter().try_fold(self, |schema, step| match step {
            Step::Member(name) => schema.property(name),
            Step::Element => schema.keyword("items").map(|items| schema.at(items)),
        })
    }

    fn at(self, text: &'a str) -> Self {
        Self { text, root: self.root }
    }

    /// A keyword's value, here or where a `$ref` inside the document points.
    fn keyword(self, name: &str) -> Option<&'a str> {
        let members = Members::of(self.text)?;
        if let Some(member) = members.last(name) {
            return Some(member.value);
        }
        let target: String = serde_json::from_str(members.last("$ref")?.value).ok()?;
        let definition = target.strip_prefix("#/$defs/")?;
        let definitions = Members::of(Members::of(self.root)?.last("$defs")?.value)?;
        let target = Members::of(definitions.last(definition)?.value)?;
        Some(target.last(name)?.value)
    }

    /// Names and schemas of the properties, in the schema's own order.
    fn properties(self) -> Vec<(String, Self)> {
        let Some(members) = self.keyword("properties").and_then(Members::of) else {
            return Vec::new();
        };
        members.iter().map(|it| (it.key().into_owned(), self.at(it.value))).collect()
    }

    fn property(self, name: &str) -> Option<Self> {
        let members = Members::of(self.keyword("properties")?)?;
        Some(self.at(members.last(name)?.value))
    }

    fn required(self) -> Vec<String> {
        let required = self.keyword("required");
        required.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    fn is_a(self, kind: &str) -> bool {
        let value = self.keyword("type").and_then(|text| serde_json::from_str(text).ok());
        match value.unwrap_or_default() {
            Value::String(one) => one == kind,
            Value::Array(several) => several.iter().any(|one| one == kind),
            _ => false,
        }
    }

    /// The values that it names, as JSON.
    fn named(self) -> Vec<String> {
        let parse = |text: &str| serde_json::from_str::<Vec<Value>>(text).unwrap_or_default();
        if let Some(value) = self.keyword("const") {
            return vec![value.to_owned()];
        }
        if let Some(values) = self.keyword("enum") {
            return parse(values).iter().map(ToString::to_string).collect();
        }
        let alternatives = ["anyOf", "oneOf"].into_iter().filter_map(|name| self.keyword(name));
        let alternatives = alternatives.flat_map(|text| parse(text).into_iter());
        let named = alternatives.flat_map(|it| {
            let text = it.to_string();
            Schema { text: &text, root: self.root }.named()
        });
        named.collect()
    }

    /// How a value may begin.
    fn values(self) -> Vec<Candidate> {
        let mut values = self.named();
        if values.is_empty() {
            values.extend(self.keyword("default").map(str::to_owned));
            let beginnings = [
                ("boolean", &["true", "false"][..]),
                ("null", &["null"]),
                ("string", &["\""]),
                ("object", &["{"]),
                ("array", &["["]),
            ];
            for (kind, texts) in beginnings {
                if self.is_a(kind) {
                    values.extend(texts.iter().map(|text| (*text).to_owned()));
                }
            }
            // `""` begins as any other string does.
            values.dedup();
            values.retain(|value| value != "\"\"");
        }
        values.into_iter().map(|value| Candidate::new(value.clone(), value)).collect()
    }

    /// What stands for a value until it is filled in.
    fn placeholder(self) -> String {
        let named = self.named().into_iter().next();
        if let Some(value) = named.or_else(|| self.keyword("default").map(str::to_owned)) {
            return value;
        }
        let of_kind = [("boolean", "false"), ("array", "[]"), ("object", "{}"), ("null", "null")];
        let number = self.is_a("integer") || self.is_a("number");
        let found = of_kind.into_iter().find(|(kind, _)| self.is_a(kind)).map(|(_, text)| text);
        found.unwrap_or(if number { "0" } else { "\"\"" }).to_owned()
    }

    /// The members that an object has not yet.
    fn names(self, cursor: &Cursor, rest: &str) -> Vec<Candidate> {
        let missing = self.properties().into_iter().filter(|(name, _)| {
            let written = Value::from(name.as_str()).to_string();
            !cursor.names.contains(name) && !rest.contains(&format!("{written}:"))
        });
        let candidate = |(name, schema): (String, Schema)| {
            let is_free_text = schema.is_a("string") && schema.named().is_empty();
            let begin = if is_free_text { "\"" } else { "" };
            let text = format!("{}: {begin}", Value::from(name.as_str()));
            Candidate::new(name, text)
        };
        missing.map(candidate).collect()
    }

    /// Behind a member: another one, or the end once all that is required is there.
    fn next(self, cursor: &Cursor, rest: &str) -> Vec<Candidate> {
        let further = self.names(cursor, rest).into_iter();
        let mut found: Vec<_> = further
            .map(|it| Candidate::new(format!(", {}", it.shown), format!(", {}", it.text)))
            .collect();
        if self.required().iter().all(|name| cursor.names.contains(name)) {
            found.push(Candidate::new("}", "}"));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r##"{"type":"object","required":["city","days"],"properties":{
        "city":{"type":"string"},
        "units":{"$ref":"#/$defs/Units"},
        "days":{"type":"integer"},
        "exact":{"type":"boolean"},
        "at":{"type":"array","items":{"type":"object","properties":{
            "hour":{"oneOf":[{"const":"noon"},{"const":"night"}]}}}}},
        "$defs":{"Units":{"enum":["c","f"]}}}"##;

    fn texts(typed: &str) -> Vec<String> {
        candidates(SCHEMA, typed, "").1.into_iter().map(|it| it.text).collect()
    }

    #[test]
    fn nothing_typed_offers_what_is_required() {
        assert_eq!(texts(""), [r#"{"city": "", "days": 0}"#]);
        let first = |schema| candidates(schema, "", "").1.remove(0).text;
        assert_eq!(first(r#"{"type":"object"}"#), "{}");
        assert_eq!(first(r#"{"properties":{"a":{}}}"#), "{");
        assert_eq!(
            first(r#"{"required":["a","b"],"properties":{"a":{"enum":["x"]},"b":{"default":7}}}"#),
            r#"{"a": "x", "b": 7}"#
        );
    }

    #[test]
    fn names_that_are_there_are_not_offered_again() {
        assert_eq!(texts("{\"c"), ["\"city\": \""]);
        assert_eq!(
            texts("{\"city\":\"x\", "),
            ["\"units\": ", "\"days\": ", "\"exact\": ", "\"at\": "]
        );
        let behind = candidates(SCHEMA, "{\"city\":\"x\", \"d", ", \"days\": 3}");
        assert_eq!(behind.1, []);
    }

    #[test]
    fn values_come_from_the_schema_also_through_a_reference() {
        assert_eq!(texts("{\"units\":"), ["\"c\"", "\"f\""]);
        assert_eq!(
            candidates(SCHEMA, "{\"units\": \"f", ""),
            (10, vec![Candidate::new("\"f\"", "\"f\"")])
        );
        assert_eq!(texts("{\"exact\":t"), ["true"]);
        assert_eq!(texts("{\"days\":"), Vec::<String>::new());
        assert_eq!(texts("{\"at\":"), ["["]);
        assert_eq!(texts("{\"at\":[{\"hour\":\"n"), ["\"noon\"", "\"night\""]);
    }

    #[test]
    fn the_end_is_offered_once_all_that_is_required_is_there() {
        assert!(!texts("{\"city\":\"x\"").contains(&"}".to_owned()));
        assert!(texts("{\"city\":\"x\",\"days\":1 ").contains(&"}".to_owned()));
        assert_eq!(texts("{\"at\":[{\"hour\":\"noon\"}"), [", ", "]"]);
        assert_eq!(texts("{\"at\":[{\"hour\":\"noon\""), ["}"]);
        assert_eq!(texts("{\"city\":\"x\",\"days\":1}"), Vec::<String>::new());
    }
}
