//! Schemas that hold together, made one.

use super::tree::{Json, Object};

/// Keywords that say nothing about which values fit.
const ANNOTATIONS: [&str; 11] = [
    "description",
    "title",
    "default",
    "examples",
    "example",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$comment",
    "$schema",
    "$id",
];

pub(super) fn is_annotation(keyword: &str) -> bool {
    ANNOTATIONS.contains(&keyword)
}

/// Adds what `more` says to `schema`, whose own annotations stay. Fails with the keyword that both have and
/// that cannot be made one.
pub(super) fn merge(schema: &mut Object, more: &Object) -> Result<(), String> {
    for (key, value) in &more.0 {
        let Some(own) = schema.get(key) else {
            schema.set(key, value.clone());
            continue;
        };
        if own == value || is_annotation(key) {
            continue;
        }
        let both = match key.as_str() {
            "properties" | "$defs" | "definitions" => both_members(own, value)?,
            "required" => union(own, value),
            "type" => both_types(own, value),
            _ => None,
        };
        schema.set(key, both.ok_or_else(|| key.clone())?);
    }
    Ok(())
}

/// The members of both; those of one name hold together.
fn both_members(one: &Json, other: &Json) -> Result<Option<Json>, String> {
    let (Some(one), Some(other)) = (one.as_object(), other.as_object()) else { return Ok(None) };
    let mut both = one.clone();
    for (name, schema) in &other.0 {
        match (both.get(name), schema) {
            (None, _) => both.set(name, schema.clone()),
            (Some(own), schema) if own == schema => {}
            (Some(Json::Object(own)), Json::Object(schema)) => {
                let mut own = own.clone();
                merge(&mut own, schema)?;
                both.set(name, Json::Object(own));
            }
            _ => return Ok(None),
        }
    }
    Ok(Some(Json::Object(both)))
}

fn union(one: &Json, other: &Json) -> Option<Json> {
    let mut all = one.as_list()?.to_vec();
    for name in other.as_list()? {
        if !all.contains(name) {
            all.push(name.clone());
        }
    }
    Some(Json::List(all))
}

/// The types that fit both.
fn both_types(one: &Json, other: &Json) -> Option<Json> {
    let (one, other) = (types(one), types(other));
    let fits =
        |kind: &&str| other.contains(kind) || (*kind == "integer" && other.contains(&"number"));
    let mut both: Vec<_> = one.iter().copied().filter(fits).collect();
    let narrowed =
        |kind: &&str| *kind == "integer" && one.contains(&"number") && !both.contains(kind);
    both.extend(other.iter().copied().filter(narrowed).collect::<Vec<_>>());
    match both.as_slice() {
        [] => None,
        [only] => Some(Json::text(only)),
        several => Some(Json::List(several.iter().map(|kind| Json::text(kind)).collect())),
    }
}

/// What `type` says: one, several, or none.
pub(super) fn types(kind: &Json) -> Vec<&str> {
    match kind {
        Json::Text(kind) => vec![kind.as_str()],
        Json::List(kinds) => kinds.iter().filter_map(Json::as_text).collect(),
        _ => Vec::new(),
    }
}
