//! OpenAI's strict mode: every object lists its members, and every member has to be given.

use std::collections::HashSet;

use extline_json::pointer::join;

use super::merge::{is_annotation, types};
use super::note::{NoteKind, Reason, Unrenderable};
use super::provider::{
    OPENAI_CHARACTERS, OPENAI_ENUM_VALUES, OPENAI_LEVELS, OPENAI_LONG_ENUM, OPENAI_PROPERTIES,
};
use super::render::{Place, Renderer, Rendering, fail, inferred, type_of};
use super::tree::{Json, Object};

/// What is limited over a whole schema.
#[derive(Debug, Default)]
pub(super) struct Count {
    properties: usize,
    values: usize,
    characters: usize,
}

impl Renderer<'_> {
    /// A schema without references, `allOf` and `oneOf`.
    pub(super) fn openai(&mut self, mut schema: Object, place: Place<'_>) -> Rendering<Object> {
        let is_root = place.depth == 0;
        if !is_root {
            // What leads to one of these was written out.
            schema.remove("$defs");
            schema.remove("definitions");
        }
        if schema.has("anyOf") {
            return self.openai_choices(schema, place);
        }
        self.take_off_unknown(&mut schema, place.pointer);
        let kinds = self.openai_type(&mut schema, place.pointer)?;
        let has = |kind: &str| kinds.iter().any(|it| it == kind);
        self.openai_format(&mut schema, &kinds, place.pointer);
        self.openai_values(&schema, place.pointer)?;
        if has("object") {
            self.openai_object(&mut schema, place)?;
        }
        if has("array") {
            self.items(&mut schema, place)?;
        }
        if is_root {
            self.define(&mut schema)?;
        }
        Ok(schema)
    }

    fn openai_choices(&mut self, mut schema: Object, place: Place<'_>) -> Rendering<Object> {
        let branches = numbered(schema.remove("anyOf"));
        let (annotations, beside): (Vec<_>, Vec<_>) =
            schema.0.into_iter().partition(|(key, _)| is_annotation(key));
        let mut rendered = Object(annotations);
        self.take_off_unknown(&mut rendered, place.pointer);
        let branches = self.branches(branches, &Object(beside), place)?;
        rendered.set("anyOf", Json::List(branches));
        Ok(rendered)
    }

    /// Alternatives, rendered, each with what stands beside the list; the number of each is its place in that.
    pub(super) fn branches(
        &mut self,
        branches: Vec<(usize, Json)>,
        beside: &Object,
        place: Place<'_>,
    ) -> Rendering<Vec<Json>> {
        let list = join(place.pointer, "anyOf");
        if branches.is_empty() {
            let text = "a list of at least one schema should stand here";
            return Err(fail(Reason::NotASchema, &list, text));
        }
        if !beside.0.is_empty() {
            let text = "what stood beside the alternatives stands in each of them";
            self.note(NoteKind::Alternatives, place.pointer, text);
        }
        let branches = branches.into_iter().map(|(position, mut branch)| {
            if let Json::Object(branch) = &mut branch {
                self.spend(beside.size(), place.pointer)?;
                self.merge(branch, beside, place.pointer)?;
            }
            let pointer = join(&list, &position.to_string());
            let place = Place { pointer: &pointer, depth: place.depth + 1, level: place.level };
            self.schema(branch, place)
        });
        branches.collect()
    }

    fn openai_type(&mut self, schema: &mut Object, pointer: &str) -> Rendering<Vec<String>> {
        let said = schema.get("type").map(types).unwrap_or_default();
        if !said.is_empty() {
            return Ok(said.into_iter().map(str::to_owned).collect());
        }
        let kinds = inferred(schema);
        if kinds.is_empty() {
            return Err(self.untyped(pointer));
        }
        self.note(NoteKind::Typed, pointer, format!("the type `{}` was said", kinds.join("`, `")));
        schema.set_type(type_of(&kinds));
        Ok(kinds.into_iter().map(str::to_owned).collect())
    }

    fn openai_format(&mut self, schema: &mut Object, kinds: &[String], pointer: &str) {
        let Some(format) = schema.get("format") else { return };
        let format = format.as_text().unwrap_or_default();
        if !kinds.iter().any(|kind| self.provider.takes_format(kind, format)) {
            schema.remove("format");
            self.taken_off(pointer, "format");
        }
    }

    fn openai_object(&mut self, schema: &mut Object, place: Place<'_>) -> Rendering<()> {
        let is_root = place.depth == 0;
        let level = place.level + 1;
        if level > OPENAI_LEVELS {
            let text =
                format!("objects are nested more than {OPENAI_LEVELS} deep; make it flatter");
            return Err(fail(Reason::TooDeep, place.pointer, text));
        }
        let properties = match schema.take("properties") {
            Some(Json::Object(properties)) => properties,
            _ => Object::default(),
        };
        self.close(schema, !properties.0.is_empty() || is_root, place.pointer)?;
        self.count.properties += properties.0.len();
        limit(self.count.properties, OPENAI_PROPERTIES, "members of objects", place.pointer)?;
        let named: HashSet<String> = names(schema.get("required"));
        let mut rendered = Object::default();
        let mut missing = named.clone();
        for (name, property) in properties.0 {
            missing.remove(&name);
            self.characters(name.chars().count(), place.pointer)?;
            let pointer = join(&join(place.pointer, "properties"), &name);
            let place = Place { pointer: &pointer, depth: place.depth + 1, level };
            let property = self.schema(property, place)?;
            let property = if named.contains(&name) {
                property
            } else {
                self.note(
                    NoteKind::Required,
                    &pointer,
                    "it has to be given, and may be null in place of being left out",
                );
                nullable(property)
            };
            rendered.0.push((name, property));
        }
        let required = rendered.0.iter().map(|(name, _)| Json::text(name)).collect();
        if !missing.is_empty() {
            let text = "names in it that no member has were taken off";
            self.note(NoteKind::TakenOff, &join(place.pointer, "required"), text);
        }
        schema.set("properties", Json::Object(rendered));
        schema.set("required", Json::List(required));
        Ok(())
    }

    /// An object has no other members than those that are listed.
    fn close(&mut self, schema: &mut Object, has_members: bool, pointer: &str) -> Rendering<()> {
        let other = schema.get("additionalProperties");
        if other == Some(&Json::flag(false)) {
            return Ok(());
        }
        let is_any = other.is_none_or(|it| it == &Json::flag(true));
        if !(has_members && is_any) {
            let text = format!(
                "{} has no objects whose members are not listed; list them, or take a list of names and values",
                self.provider
            );
            return Err(fail(Reason::FreeForm, pointer, text));
        }
        schema.set("additionalProperties", Json::flag(false));
        self.note(
            NoteKind::Closed,
            pointer,
            "the object has no other members than those that are listed",
        );
        Ok(())
    }

    /// What a list holds.
    pub(super) fn items(&mut self, schema: &mut Object, place: Place<'_>) -> Rendering<()> {
        let pointer = join(place.pointer, "items");
        let items = match schema.get("items") {
            None => {
                let text = format!(
                    "nothing says what is in the list, and {} wants that; say it in `items`",
                    self.provider
                );
                return Err(fail(Reason::Untyped, place.pointer, text));
            }
            Some(Json::List(_)) => {
                let text = format!(
                    "{} has no schema for each place of a list; take an object",
                    self.provider
                );
                return Err(fail(Reason::Tuple, &pointer, text));
            }
            Some(items) => items.clone(),
        };
        let inner = Place { pointer: &pointer, depth: place.depth + 1, level: place.level };
        let items = self.schema(items, inner)?;
        schema.set("items", items);
        Ok(())
    }

    fn openai_values(&mut self, schema: &Object, pointer: &str) -> Rendering<()> {
        let values = schema.get("enum").and_then(Json::as_list).unwrap_or_default();
        self.count.values += values.len();
        limit(self.count.values, OPENAI_ENUM_VALUES, "values of enums", pointer)?;
        let characters = |value: &Json| value.as_text().map_or(0, |text| text.chars().count());
        let of_enum = values.iter().map(characters).sum();
        let (many, most) = OPENAI_LONG_ENUM;
        if values.len() > many {
            limit(of_enum, most, "characters in one enum", pointer)?;
        }
        self.characters(of_enum + schema.get("const").map_or(0, characters), pointer)
    }

    fn characters(&mut self, more: usize, pointer: &str) -> Rendering<()> {
        self.count.characters += more;
        limit(self.count.characters, OPENAI_CHARACTERS, "characters of names and values", pointer)
    }
}

fn limit(found: usize, most: usize, what: &str, pointer: &str) -> Result<(), Unrenderable> {
    if found <= most {
        return Ok(());
    }
    let text = format!("a schema may have {most} {what}; make it smaller, or two tools of it");
    Err(fail(Reason::TooLarge, pointer, text))
}

/// The schemas of a list with their places in it; none where it is no list.
pub(super) fn numbered(branches: Option<Json>) -> Vec<(usize, Json)> {
    match branches {
        Some(Json::List(branches)) => branches.into_iter().enumerate().collect(),
        _ => Vec::new(),
    }
}

pub(super) fn names(required: Option<&Json>) -> HashSet<String> {
    let names = required.and_then(Json::as_list).unwrap_or_default();
    names.iter().filter_map(Json::as_text).map(str::to_owned).collect()
}

/// The schema of the same values and null.
fn nullable(schema: Json) -> Json {
    let Json::Object(mut schema) = schema else { return schema };
    let null = || Json::Object(Object(vec![("type".to_owned(), Json::text("null"))]));
    if let Some(Json::List(branches)) = schema.get("anyOf") {
        let mut branches = branches.clone();
        let is_null = |it: &Json| it.as_object().is_some_and(may_be_null);
        if !branches.iter().any(is_null) {
            branches.push(null());
        }
        schema.set("anyOf", Json::List(branches));
        return Json::Object(schema);
    }
    if may_be_null(&schema) {
        return Json::Object(schema);
    }
    if schema.has("$ref") || schema.has("const") {
        let branches = vec![Json::Object(schema), null()];
        return Json::Object(Object(vec![("anyOf".to_owned(), Json::List(branches))]));
    }
    let kinds = schema.get("type").map(types).unwrap_or_default();
    let kinds: Vec<_> = kinds.into_iter().chain(["null"]).collect();
    let kinds = type_of(&kinds);
    schema.set("type", kinds);
    if let Some(Json::List(values)) = schema.get("enum") {
        let mut values = values.clone();
        values.push(Json::null());
        schema.set("enum", Json::List(values));
    }
    Json::Object(schema)
}

fn may_be_null(schema: &Object) -> bool {
    let is_typed = schema.get("type").is_some_and(|kind| types(kind).contains(&"null"));
    is_typed
        && schema.get("enum").and_then(Json::as_list).is_none_or(|it| it.iter().any(Json::is_null))
}
