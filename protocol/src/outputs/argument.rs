//! One more argument in a schema.

use std::borrow::Cow;

use crate::json::{EachMember, Elements, RawJson, write_string};

/// Where the branches of a schema stand, of which some or all hold beside it.
const BRANCHES: [&str; 3] = ["oneOf", "anyOf", "allOf"];

/// The schema with one more argument, by its name and its own schema; or why it cannot have it.
pub(super) fn add(schema: &RawJson, name: &str, argument: &str) -> Result<RawJson, String> {
    add_below(schema.get(), name, argument, true)
}

/// Adds it at the root, and in branches that are closed to names that they do not list.
fn add_below(schema: &str, name: &str, argument: &str, is_root: bool) -> Result<RawJson, String> {
    let Some(members) = EachMember::of_valid(schema) else { return Ok(RawJson::of_part(schema)) };
    let members: Vec<_> = members.map(|member| (member.key(), member.value)).collect();
    let has = |name: &str| members.iter().any(|(key, _)| key == name);
    if has("$ref") {
        let mistake = "the arguments stand behind a `$ref`: write their properties out at the root";
        return Err(mistake.to_owned());
    }
    let adds = is_root || has("additionalProperties") || has("unevaluatedProperties");
    let mut made = Vec::new();
    let mut properties = "{}";
    for (key, value) in &members {
        match &**key {
            "properties" if adds => properties = value,
            key if BRANCHES.contains(&key) => {
                let branches = Elements::of(value).into_iter().flatten();
                let branches = branches.map(|branch| add_below(branch, name, argument, false));
                let branches = branches.collect::<Result<Vec<_>, _>>()?;
                let branches: Vec<_> = branches.iter().map(RawJson::get).collect();
                made.push((Cow::Owned(key.to_owned()), format!("[{}]", branches.join(","))));
            }
            _ => made.push((key.clone(), (*value).to_owned())),
        }
    }
    if adds {
        let known = || EachMember::of_valid(properties).into_iter().flatten();
        if known().any(|property| property.is(name)) {
            return Err(format!("the tool has an argument `{name}` of its own: rename it"));
        }
        let known = known().map(|property| (property.key(), property.value));
        let properties = object_of(known.chain([(name.into(), argument)]));
        made.push(("properties".into(), properties.into_string()));
    }
    Ok(object_of(made.iter().map(|(key, value)| (Cow::Borrowed(&**key), value.as_str()))))
}

/// An object of these members.
pub(super) fn object_of<'a>(members: impl Iterator<Item = (Cow<'a, str>, &'a str)>) -> RawJson {
    let mut out = vec![b'{'];
    for (name, value) in members {
        if out.len() > 1 {
            out.push(b',');
        }
        write_string(&name, &mut out);
        out.push(b':');
        out.extend_from_slice(value.as_bytes());
    }
    out.push(b'}');
    RawJson::of_part(&String::from_utf8_lossy(&out))
}
