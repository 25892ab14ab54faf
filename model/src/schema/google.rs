//! Google's function declarations: a subset of OpenAPI 3.0, with one type for each value and no references.

use extline_json::pointer::join;

use super::merge::types;
use super::note::{NoteKind, Reason};
use super::openai::{names, numbered};
use super::render::{Place, Renderer, Rendering, fail, inferred, types_of};
use super::tree::{Json, Object};

/// Characters of the values that a description tells where no enum may.
const TOLD: usize = 500;

impl Renderer<'_> {
    /// A schema without references, `allOf` and `oneOf`.
    pub(super) fn google(&mut self, mut schema: Object, place: Place<'_>) -> Rendering<Object> {
        // What leads to one of these was written out.
        schema.remove("$defs");
        schema.remove("definitions");
        if schema.has("anyOf") {
            return self.google_choices(schema, place);
        }
        self.google_const(&mut schema, place.pointer);
        self.take_off_unknown(&mut schema, place.pointer);
        let mut kinds: Vec<String> = schema
            .get("type")
            .map(types)
            .unwrap_or_default()
            .into_iter()
            .map(str::to_owned)
            .collect();
        if kinds.is_empty() {
            kinds = inferred(&schema).into_iter().map(str::to_owned).collect();
            if kinds.is_empty() {
                return Err(self.untyped(place.pointer));
            }
            self.note(
                NoteKind::Typed,
                place.pointer,
                format!("the type `{}` was said", kinds.join("`, `")),
            );
        }
        if kinds.iter().any(|kind| kind == "null") {
            kinds.retain(|kind| kind != "null");
            self.nullable(&mut schema, place.pointer);
        }
        match kinds.as_slice() {
            [] => Err(self.only_null(place.pointer)),
            [kind] => self.google_typed(schema, kind, place),
            several => {
                // One of each; a value that does not fit its type is refused by the host.
                let of_each = several
                    .iter()
                    .map(|kind| Json::Object(Object(vec![("type".to_owned(), Json::text(kind))])));
                let of_each = Json::List(of_each.collect());
                schema.remove("type");
                self.note(NoteKind::Alternatives, place.pointer, "several types became `anyOf`");
                schema.set("anyOf", of_each);
                self.google_choices(schema, place)
            }
        }
    }

    fn google_choices(&mut self, mut schema: Object, place: Place<'_>) -> Rendering<Object> {
        let mut branches = numbered(schema.remove("anyOf"));
        let count = branches.len();
        branches.retain(|(_, branch)| !is_only_null(branch));
        if branches.len() < count {
            if branches.is_empty() {
                return Err(self.only_null(place.pointer));
            }
            self.nullable(&mut schema, place.pointer);
        }
        if let [(_, Json::Object(only))] = branches.as_mut_slice() {
            // Its own annotations are nearer to what is meant than those around it.
            let mut only = std::mem::take(only);
            self.merge(&mut only, &schema, place.pointer)?;
            let place = Place { depth: place.depth + 1, ..place };
            return match self.schema(Json::Object(only), place)? {
                Json::Object(rendered) => Ok(rendered),
                _ => Err(self.untyped(place.pointer)),
            };
        }
        // Where `anyOf` stands, nothing else may.
        let branches = self.branches(branches, &schema, place)?;
        Ok(Object(vec![("anyOf".to_owned(), Json::List(branches))]))
    }

    fn google_typed(
        &mut self,
        mut schema: Object,
        kind: &str,
        place: Place<'_>,
    ) -> Rendering<Object> {
        schema.set_type(Json::text(kind));
        self.google_enum(&mut schema, kind, place.pointer);
        if let Some(format) = schema.get("format") {
            let format = format.as_text().unwrap_or_default();
            if !self.provider.takes_format(kind, format) {
                schema.remove("format");
                self.taken_off(place.pointer, "format");
            }
        }
        if kind == "array" {
            self.items(&mut schema, place)?;
        } else if schema.remove("items").is_some() {
            self.taken_off(place.pointer, "items");
        }
        if kind == "object" {
            self.google_object(&mut schema, place)?;
        } else {
            for keyword in ["properties", "required"] {
                if schema.remove(keyword).is_some() {
                    self.taken_off(place.pointer, keyword);
                }
            }
        }
        Ok(schema)
    }

    fn google_object(&mut self, schema: &mut Object, place: Place<'_>) -> Rendering<()> {
        let named = names(schema.get("required"));
        let mut missing = named.clone();
        let mut rendered = Object::default();
        if let Some(Json::Object(properties)) = schema.get("properties").cloned() {
            for (name, property) in properties.0 {
                missing.remove(&name);
                let pointer = join(&join(place.pointer, "properties"), &name);
                let inner =
                    Place { pointer: &pointer, depth: place.depth + 1, level: place.level + 1 };
                let property = self.schema(property, inner)?;
                rendered.0.push((name, property));
            }
        }
        if !missing.is_empty() {
            let known = rendered.0.iter().filter(|(name, _)| named.contains(name));
            let known: Vec<_> = known.map(|(name, _)| Json::text(name)).collect();
            let text = "names in it that no member has were taken off";
            self.note(NoteKind::TakenOff, &join(place.pointer, "required"), text);
            schema.set("required", Json::List(known));
        }
        if schema.has("properties") {
            schema.set("properties", Json::Object(rendered));
        }
        Ok(())
    }

    /// A constant as the only value of an enum.
    fn google_const(&mut self, schema: &mut Object, pointer: &str) {
        let Some(value) = schema.remove("const") else { return };
        let text = "the constant became the only value of `enum`";
        self.note(NoteKind::Alternatives, &join(pointer, "const"), text);
        schema.set("enum", Json::List(vec![value]));
    }

    /// Only strings may be listed; of other values the description tells.
    fn google_enum(&mut self, schema: &mut Object, kind: &str, pointer: &str) {
        let Some(Json::List(mut values)) = schema.get("enum").cloned() else {
            if schema.remove("enum").is_some() {
                self.taken_off(pointer, "enum");
            }
            return;
        };
        let count = values.len();
        values.retain(|value| !value.is_null());
        if values.len() < count {
            self.nullable(schema, pointer);
        }
        if kind == "string" && types_of(&values) == ["string"] {
            schema.set("enum", Json::List(values));
            return;
        }
        schema.remove("enum");
        let told: Vec<_> = values.iter().map(Json::write).collect();
        let told = format!("One of: {}.", told.join(", "));
        let text = if told.chars().count() <= TOLD {
            let description = match schema.text("description") {
                Some(own) if !own.is_empty() => format!("{own} {told}"),
                _ => told,
            };
            schema.set("description", Json::Text(description));
            "only strings may be listed: the description tells the values, and the host still checks them"
        } else {
            "only strings may be listed: the list was taken off, and the host still checks it"
        };
        self.note(NoteKind::TakenOff, &join(pointer, "enum"), text);
    }

    fn nullable(&mut self, schema: &mut Object, pointer: &str) {
        schema.set("nullable", Json::flag(true));
        self.note(NoteKind::Nullable, pointer, "that it may be null is said by `nullable`");
    }

    fn only_null(&self, pointer: &str) -> super::note::Unrenderable {
        let text = format!("{} has no type for null alone; leave the argument out", self.provider);
        fail(Reason::NoValue, pointer, text)
    }
}

fn is_only_null(schema: &Json) -> bool {
    let Some(schema) = schema.as_object() else { return false };
    schema.get("type").is_some_and(|kind| types(kind) == ["null"])
        || schema.get("const").is_some_and(Json::is_null)
}
