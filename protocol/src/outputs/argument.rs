//! One more argument in a schema.

use std::borrow::Cow;

use crate::json::{EachMember, RawJson, write_string};

/// Where what is said of arguments may stand beside the properties.
const ELSEWHERE: [&str; 4] = ["$ref", "oneOf", "anyOf", "allOf"];
/// What keeps an argument out that is not listed beside it.
const CLOSED: [&str; 3] = ["$ref", "additionalProperties", "unevaluatedProperties"];

/// The schema with one more argument, by its name and its own schema; or why it cannot have it.
pub(super) fn add(schema: &RawJson, name: &str, argument: &str) -> Result<RawJson, &'static str> {
    let mut members = members_of(schema.get());
    // A branch that is open lets the argument pass as it is.
    let is_closed = |(key, value): &Named<'_>| {
        ELSEWHERE.contains(&&**key)
            && (key == "$ref" || CLOSED.iter().any(|word| value.contains(word)))
    };
    if members.iter().any(is_closed) {
        return Err(
            "its arguments are closed in a branch or behind a `$ref`: write them out at the root",
        );
    }
    let place = members.iter().position(|member| member.0 == "properties");
    let before = place.map(|place| members.remove(place).1);
    let mut properties = before.as_deref().map(members_of).unwrap_or_default();
    if properties.iter().any(|property| property.0 == name) {
        return Err("the tool has an argument `output` of its own: rename it");
    }
    properties.push((name.into(), argument.into()));
    members.push(("properties".into(), object_of(&properties).into_string().into()));
    Ok(object_of(&members))
}

/// The members of an object, by their names; none of another value.
pub(super) fn members_of(object: &str) -> Vec<Named<'_>> {
    let mut members = Vec::new();
    for member in EachMember::of_valid(object).into_iter().flatten() {
        members.push((member.key(), Cow::Borrowed(member.value)));
    }
    members
}

/// A name and a JSON text.
pub(super) type Named<'a> = (Cow<'a, str>, Cow<'a, str>);

/// An object of these members.
pub(super) fn object_of(members: &[Named<'_>]) -> RawJson {
    let mut out = vec![b'{'];
    for (name, value) in members {
        if out.len() > 1 {
            out.push(b',');
        }
        write_string(name, &mut out);
        out.push(b':');
        out.extend_from_slice(value.as_bytes());
    }
    out.push(b'}');
    RawJson::of_part(&String::from_utf8_lossy(&out))
}
