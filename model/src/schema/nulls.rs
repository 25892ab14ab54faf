//! Arguments that a model gave by a schema in which all has to be given.

use std::collections::HashSet;

use extline_json::pointer::of_fragment;
use extline_json::{RawJson, depth};

use super::merge::types;
use super::tree::{Json, Object};
use crate::repair::MAX_DEPTH;

/// Schemas that are looked at for one value.
const SCHEMAS: usize = 64;

/// The arguments without those members that are null, may be left out by the tool's own schema, and may not be
/// null by it.
///
/// OpenAI's strict mode has the model give every member, null in place of leaving one out
/// ([`NoteKind::Required`](super::NoteKind::Required)). Where nothing is to be taken out, and where values are
/// nested more than [`MAX_DEPTH`] deep, the arguments are as they were.
pub fn without_nulls(schema: &RawJson, args: &RawJson) -> RawJson {
    if depth(schema.get()) > MAX_DEPTH
        || depth(args.get()) > MAX_DEPTH
        || !args.get().contains("null")
    {
        return args.clone();
    }
    let (root, given) = (Json::of(schema.get()), Json::of(args.get()));
    let taken = Walk { root: &root }.value(&[&root], given.clone());
    if taken == given { args.clone() } else { RawJson::of_part(&taken.write()) }
}

struct Walk<'a> {
    root: &'a Json,
}

impl<'a> Walk<'a> {
    fn value(&self, schemas: &[&'a Json], value: Json) -> Json {
        let schemas = self.all(schemas);
        match value {
            Json::Object(Object(members)) => {
                let members = members.into_iter().filter_map(|(name, value)| {
                    let of_it = schemas
                        .iter()
                        .filter_map(|it| it.get("properties")?.as_object()?.get(&name));
                    let of_it: Vec<_> = of_it.collect();
                    if value.is_null()
                        && !of_it.is_empty()
                        && self.may_be_left_out(&schemas, &name, &of_it)
                    {
                        return None;
                    }
                    Some((name, self.value(&of_it, value)))
                });
                Json::Object(Object(members.collect()))
            }
            Json::List(values) => {
                let items: Vec<_> = schemas.iter().filter_map(|it| it.get("items")).collect();
                Json::List(values.into_iter().map(|value| self.value(&items, value)).collect())
            }
            other => other,
        }
    }

    fn may_be_left_out(&self, schemas: &[&'a Object], name: &str, of_it: &[&'a Json]) -> bool {
        let requires = |schema: &&Object| {
            let names = schema.get("required").and_then(Json::as_list).unwrap_or_default();
            names.iter().any(|it| it.as_text() == Some(name))
        };
        !schemas.iter().any(requires) && !of_it.iter().any(|schema| self.may_be_null(schema))
    }

    fn may_be_null(&self, schema: &'a Json) -> bool {
        if schema == &Json::flag(true) {
            return true;
        }
        let all = self.all(&[schema]);
        let is_open = |it: &&Object| {
            !["type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf"]
                .iter()
                .any(|key| it.has(key))
        };
        all.iter().any(|it| {
            it.get("type").is_some_and(|kind| types(kind).contains(&"null"))
                || it
                    .get("enum")
                    .and_then(Json::as_list)
                    .is_some_and(|it| it.iter().any(Json::is_null))
                || it.get("const").is_some_and(Json::is_null)
        }) || (all.len() == 1 && all.iter().all(is_open))
    }

    /// The schemas, what they refer to, and what their lists of schemas hold.
    fn all(&self, schemas: &[&'a Json]) -> Vec<&'a Object> {
        let mut all = Vec::new();
        let mut seen = HashSet::new();
        let mut open = schemas.to_vec();
        while let Some(schema) = open.pop() {
            let Some(object) = schema.as_object() else { continue };
            if all.len() == SCHEMAS || !seen.insert(std::ptr::from_ref(object)) {
                continue;
            }
            all.push(object);
            let target = object.text("$ref").and_then(of_fragment);
            open.extend(target.and_then(|target| self.root.at(&target)));
            for list in ["allOf", "anyOf", "oneOf"] {
                open.extend(object.get(list).and_then(Json::as_list).unwrap_or_default());
            }
        }
        all
    }
}
