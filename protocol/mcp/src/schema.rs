//! Schemas as clients take them: the root is an object, without alternatives.
//!
//! Claude Code drops every tool of a server when one schema has `anyOf`, `oneOf` or `allOf` at its root
//! (anthropics/claude-code#88049), and providers refuse a root that is no object. So what stands beside the
//! properties at the root is taken off. The tool itself still checks the whole schema.

use std::borrow::Cow;

use extline_protocol::pointer::follow;
use extline_protocol::{Elements, Members, RawJson, read_string, write_object, write_string};

/// Keywords that choose between schemas. What they say is not shown at the root.
const CHOICES: [&str; 9] = [
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "dependentRequired",
];

/// How many references are followed from the root.
pub(crate) const REFERENCES: usize = 8;

/// A schema for a list of tools.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) json: String,
    /// What was taken off its root.
    pub(crate) taken_off: Vec<&'static str>,
}

/// The schema of a tool's arguments. Fails where its root is no object: then no client can call it.
pub(crate) fn input(schema: &RawJson) -> Result<Shown, String> {
    if schema.get() == "null" {
        return Ok(Shown { json: "{\"type\":\"object\"}".to_owned(), taken_off: Vec::new() });
    }
    let root = root(schema.get());
    let Some(members) = Members::of(root) else {
        return Err("its schema is no JSON object".to_owned());
    };
    check_type(&members).map_err(|found| {
        format!("the root of its schema has the type {found}, and arguments are an object")
    })?;
    let is_followed = root.as_ptr() != schema.get().as_ptr();
    Ok(write(&members, is_followed.then(|| schema.get())))
}

/// The schema of a tool's structured result, where clients take it: its root is an object.
pub(crate) fn output(schema: &RawJson) -> Option<String> {
    let root = root(schema.get());
    let members = Members::of(root)?;
    let is_object = members.last("type").is_some_and(|member| member.value == "\"object\"");
    let is_plain = !members.iter().any(|member| CHOICES.contains(&&*member.key()));
    (is_object && is_plain).then(|| {
        let is_followed = root.as_ptr() != schema.get().as_ptr();
        write(&members, is_followed.then(|| schema.get())).json
    })
}

/// The schema that the root stands for, where that is a reference to one inside the same schema.
fn root(schema: &str) -> &str {
    let mut root = schema;
    for _ in 0..REFERENCES {
        let Some(members) = Members::of(root) else { break };
        let Some(reference) = members.last("$ref").and_then(|member| read_string(member.value))
        else {
            break;
        };
        let Some(next) = reference.strip_prefix('#').and_then(|pointer| follow(schema, pointer))
        else {
            break;
        };
        root = next;
    }
    root
}

/// The type of a root may be absent, `object`, or several with `object` among them.
fn check_type(members: &Members<'_>) -> Result<(), Cow<'static, str>> {
    let Some(found) = members.last("type") else { return Ok(()) };
    let is_object = |value: &str| value == "\"object\"";
    let among = Elements::of(found.value).is_some_and(|mut types| types.any(is_object));
    if is_object(found.value) || among { Ok(()) } else { Err(found.value.to_owned().into()) }
}

/// The root with `type` first, and the definitions of `whole` where the root was found by a reference.
fn write(members: &Members<'_>, whole: Option<&str>) -> Shown {
    let mut taken_off = Vec::new();
    let mut out = b"{\"type\":\"object\"".to_vec();
    let mut properties = None;
    for member in members.iter() {
        let key = member.key();
        // Of duplicate keys the last counts.
        let is_last = members.last(&key).is_some_and(|last| std::ptr::eq(last.value, member.value));
        if !is_last || matches!(&*key, "type" | "$schema" | "$ref" | "$id") {
            continue;
        }
        if let Some(choice) = CHOICES.iter().find(|choice| **choice == key) {
            taken_off.push(*choice);
        } else if key == "properties" {
            properties = Some(member.value);
        } else {
            push(&mut out, &key, member.value);
        }
    }
    write_properties(&mut out, properties, members);
    if let Some(whole) = whole.and_then(Members::of) {
        for name in ["$defs", "definitions"] {
            if let Some(member) = whole.last(name).filter(|_| members.last(name).is_none()) {
                push(&mut out, name, member.value);
            }
        }
    }
    out.push(b'}');
    Shown { json: String::from_utf8_lossy(&out).into_owned(), taken_off }
}

/// The properties of the root, and those that only its alternatives have, so that a model sees them all.
fn write_properties(out: &mut Vec<u8>, properties: Option<&str>, root: &Members<'_>) {
    let own = properties.and_then(Members::of);
    let mut all: Vec<(Cow<'_, str>, &str)> = Vec::new();
    if let Some(own) = &own {
        all.extend(own.iter().map(|member| (Cow::Owned(member.key().into_owned()), member.value)));
    }
    for name in ["anyOf", "oneOf", "allOf"] {
        let Some(branches) = root.last(name).and_then(|member| Elements::of(member.value)) else {
            continue;
        };
        for branch in branches {
            let found = Members::of(branch).and_then(|it| it.last("properties").map(|it| it.value));
            let Some(of_branch) = found.and_then(Members::of) else { continue };
            for member in of_branch.iter() {
                let key = member.key();
                if !all.iter().any(|(known, _)| *known == key) {
                    all.push((Cow::Owned(key.into_owned()), member.value));
                }
            }
        }
    }
    if properties.is_none() && all.is_empty() {
        return;
    }
    out.extend_from_slice(b",\"properties\":");
    write_object(all, out, |value, out| out.extend_from_slice(value.as_bytes()));
}

fn push(out: &mut Vec<u8>, key: &str, value: &str) {
    out.push(b',');
    write_string(key, out);
    out.push(b':');
    out.extend_from_slice(value.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(schema: &str) -> Result<Shown, String> {
        input(&RawJson::parse(schema).unwrap())
    }

    fn json(schema: &str) -> String {
        shown(schema).unwrap().json
    }

    #[test]
    fn a_root_says_that_it_is_an_object() {
        assert_eq!(json("null"), r#"{"type":"object"}"#);
        assert_eq!(json("{}"), r#"{"type":"object"}"#);
        assert_eq!(
            json(
                r#"{"$schema":"http://json-schema.org/draft-07/schema#","required":["a"],"properties":{"a":{}},"type":["object","null"]}"#
            ),
            r#"{"type":"object","required":["a"],"properties":{"a":{}}}"#
        );
    }

    #[test]
    fn alternatives_at_the_root_are_taken_off_and_their_properties_kept() {
        let found = shown(
            r#"{"properties":{"a":{"type":"string"}},"anyOf":[{"properties":{"a":{},"b":{"type":"integer"}}},{"required":["a"]}],"not":{}}"#,
        )
        .unwrap();
        assert_eq!(found.taken_off, ["anyOf", "not"]);
        assert_eq!(
            found.json,
            r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}}}"#
        );
    }

    #[test]
    fn a_reference_at_the_root_is_followed_inside_the_schema() {
        let schema = r##"{"$ref":"#/$defs/A","$defs":{"A":{"type":"object","properties":{"b":{"$ref":"#/$defs/B"}}},"B":{"type":"string"}}}"##;
        assert_eq!(
            json(schema),
            r##"{"type":"object","properties":{"b":{"$ref":"#/$defs/B"}},"$defs":{"A":{"type":"object","properties":{"b":{"$ref":"#/$defs/B"}}},"B":{"type":"string"}}}"##
        );
        assert_eq!(
            json(r##"{"$ref":"#","properties":{}}"##),
            r#"{"type":"object","properties":{}}"#
        );
    }

    #[test]
    fn what_is_no_object_is_refused_with_what_it_is() {
        assert!(shown(r#"{"type":"string"}"#).unwrap_err().contains("\"string\""));
        assert!(shown("true").is_err());
    }

    #[test]
    fn an_output_schema_is_shown_where_its_root_is_an_object() {
        let output = |text: &str| output(&RawJson::parse(text).unwrap());
        assert_eq!(output(r#"{"type":"array"}"#), None);
        assert_eq!(output(r#"{"type":"object","anyOf":[]}"#), None);
        assert_eq!(
            output(r#"{"type":"object","properties":{}}"#).as_deref(),
            Some(r#"{"type":"object","properties":{}}"#)
        );
    }
}
