//! A schema made into what one provider takes.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use extline_json::pointer::{join, of_fragment};

use super::merge::{is_annotation, merge, types};
use super::note::{Note, NoteKind, Reason, Unrenderable};
use super::provider::Provider;
use super::tree::{Json, Object};
use crate::repair::MAX_DEPTH;

/// What is changed of a schema while it is rendered.
pub(super) struct Renderer<'a> {
    pub(super) provider: Provider,
    root: &'a Json,
    /// The schemas that references usually lead to, by their pointers.
    definitions: HashMap<String, &'a Json>,
    /// Bytes that may still be copied in place of references and into alternatives.
    budget: usize,
    /// The references whose targets are being written in their place.
    open: Vec<String>,
    /// The definitions that references lead to.
    used: HashSet<String>,
    /// Those of them that stay, and those that are still to be rendered.
    defined: HashSet<String>,
    to_define: Vec<String>,
    told: HashSet<(NoteKind, String, String)>,
    pub(super) notes: Vec<Note>,
    pub(super) count: super::openai::Count,
}

/// Where a schema stands.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    /// As a pointer into the schema that was given.
    pub(super) pointer: &'p str,
    /// Schemas around it.
    pub(super) depth: usize,
    /// Objects around it.
    pub(super) level: usize,
}

pub(super) type Rendering<T> = Result<T, Unrenderable>;

impl<'a> Renderer<'a> {
    pub(super) fn new(provider: Provider, root: &'a Json, bytes: usize) -> Self {
        let mut definitions = HashMap::new();
        for folder in ["$defs", "definitions"] {
            let all = root.as_object().and_then(|root| root.get(folder)?.as_object());
            for (name, schema) in all.into_iter().flat_map(|all| &all.0) {
                definitions.insert(join(&format!("/{folder}"), name), schema);
            }
        }
        Self {
            provider,
            root,
            definitions,
            budget: 2 * bytes,
            open: Vec::new(),
            used: HashSet::new(),
            defined: HashSet::new(),
            to_define: Vec::new(),
            told: HashSet::new(),
            notes: Vec::new(),
            count: super::openai::Count::default(),
        }
    }

    pub(super) fn note(&mut self, kind: NoteKind, pointer: &str, text: impl Into<String>) {
        let text = text.into();
        // What several references lead to is looked at for each.
        if self.told.insert((kind, pointer.to_owned(), text.clone())) {
            self.notes.push(Note { kind, pointer: pointer.to_owned(), text });
        }
    }

    /// The root as an object that is a type `object`, its reference followed and its `allOf` made one.
    pub(super) fn root(&mut self) -> Rendering<Object> {
        if self.root.is_null() {
            let typed = vec![("type".to_owned(), Json::text("object"))];
            return Ok(Object(typed));
        }
        let Some(root) = self.root.as_object() else {
            return Err(fail(
                Reason::RootType,
                "",
                "arguments are an object; write {\"type\": \"object\"}",
            ));
        };
        let mut root = root.clone();
        let is_checked = self.provider != Provider::Mistral;
        loop {
            if root.has("$ref") {
                root = self.inlined(root, Place { pointer: "", depth: 0, level: 0 })?.0;
            } else if is_checked && root.has("allOf") {
                root = self.together(root, "")?;
            } else {
                break;
            }
        }
        self.open.clear();
        let choice = ["anyOf", "oneOf"].into_iter().find(|it| is_checked && root.has(it));
        if let Some(choice) = choice {
            let text = format!(
                "{} takes no `{choice}` here; put the alternatives into one argument, or make one tool of each",
                self.provider
            );
            return Err(fail(Reason::RootChoices, "", text));
        }
        self.root_type(&mut root)?;
        let unfit = root.get("properties").and_then(Json::as_object).and_then(|properties| {
            properties.0.iter().find(|(name, _)| !self.provider.takes_property(name))
        });
        match unfit {
            Some((name, _)) => {
                let text = format!(
                    "{} takes no argument of that name; it has {}",
                    self.provider,
                    self.provider.properties()
                );
                Err(fail(Reason::PropertyName, &join("/properties", name), text))
            }
            None => Ok(root),
        }
    }

    fn root_type(&mut self, root: &mut Object) -> Rendering<()> {
        let found = root.get("type").map(types);
        match found.as_deref() {
            Some(["object"]) => return Ok(()),
            None => self.note(NoteKind::Typed, "", "the type `object` was said"),
            Some(several) if several.contains(&"object") => {
                self.note(
                    NoteKind::Typed,
                    "/type",
                    "arguments are always an object: the other types were taken off",
                );
            }
            Some(_) => {
                let text = "arguments are an object; make them members of one, as {\"value\": ...}";
                return Err(fail(Reason::RootType, "/type", text));
            }
        }
        root.set_type(Json::text("object"));
        Ok(())
    }

    /// A schema below the root, or a definition.
    pub(super) fn schema(&mut self, schema: Json, place: Place<'_>) -> Rendering<Json> {
        if place.depth > MAX_DEPTH {
            let text = format!("schemas are nested more than {MAX_DEPTH} deep; make it flatter");
            return Err(fail(Reason::TooDeep, place.pointer, text));
        }
        let object = match schema {
            Json::Object(object) if !object.0.is_empty() => object,
            Json::Object(_) => return Err(self.untyped(place.pointer)),
            Json::Other(text) if text == "true" => return Err(self.untyped(place.pointer)),
            Json::Other(text) if text == "false" => {
                let text = "no value fits `false`; leave the argument out";
                return Err(fail(Reason::NoValue, place.pointer, text));
            }
            _ => {
                let text = "a schema should stand here: an object";
                return Err(fail(Reason::NotASchema, place.pointer, text));
            }
        };
        if object.has("$ref") {
            if let Some(kept) = self.kept_reference(&object, place.pointer) {
                return Ok(kept);
            }
            let (object, pointer) = self.inlined(object, place)?;
            let place = Place { pointer: &pointer, depth: place.depth + 1, ..place };
            let rendered = self.schema(Json::Object(object), place);
            self.open.pop();
            return rendered;
        }
        let mut object = self.together(object, place.pointer)?;
        if object.has("$ref") {
            // One of the schemas that hold together is a reference.
            let place = Place { depth: place.depth + 1, ..place };
            return self.schema(Json::Object(object), place);
        }
        self.one_choice(&mut object, place.pointer)?;
        match self.provider {
            Provider::Google => self.google(object, place).map(Json::Object),
            _ => self.openai(object, place).map(Json::Object),
        }
    }

    /// A reference that the provider follows itself: OpenAI one to a definition, or to the root.
    fn kept_reference(&mut self, schema: &Object, pointer: &str) -> Option<Json> {
        if self.provider != Provider::OpenAi {
            return None;
        }
        let target = of_fragment(schema.text("$ref")?)?.into_owned();
        if !(target.is_empty() || self.definitions.contains_key(&target)) {
            return None;
        }
        let mut beside = schema.clone();
        let reference = beside.remove("$ref")?;
        let reference = Object(vec![("$ref".to_owned(), reference)]);
        // Nothing may stand beside it.
        if !beside.0.iter().all(|(key, _)| matches!(key.as_str(), "description" | "title")) {
            return None;
        }
        if !target.is_empty() && self.defined.insert(target.clone()) {
            self.used.insert(target.clone());
            self.to_define.push(target);
        }
        if beside.0.is_empty() {
            return Some(Json::Object(reference));
        }
        beside.set("anyOf", Json::List(vec![Json::Object(reference)]));
        self.note(
            NoteKind::Alternatives,
            pointer,
            "the reference became the only one of `anyOf`, since nothing may stand beside it",
        );
        Some(Json::Object(beside))
    }

    /// What a reference leads to in its place, with what stands beside it, and the pointer of that. It is
    /// left in `open` for whoever renders it.
    fn inlined(&mut self, mut schema: Object, place: Place<'_>) -> Rendering<(Object, String)> {
        let reference = schema.remove("$ref");
        let reference = reference.as_ref().and_then(Json::as_text).unwrap_or_default();
        let Some(target) = of_fragment(reference).map(Cow::into_owned) else {
            let text = format!(
                "the reference {reference:?} leads out of the schema; copy what it should lead to into $defs"
            );
            return Err(fail(Reason::Reference, place.pointer, text));
        };
        let found = self.definitions.get(&target).copied().or_else(|| self.root.at(&target));
        let Some(found) = found else {
            let text = format!("the reference {reference:?} leads nowhere in the schema");
            return Err(fail(Reason::Reference, place.pointer, text));
        };
        if (target.is_empty() && place.depth > 0) || self.open.contains(&target) {
            let text = format!(
                "the reference {reference:?} leads back to itself and cannot be written out; \
                 unroll it as deep as arguments go"
            );
            return Err(fail(Reason::Recursion, place.pointer, text));
        }
        self.spend(found.size(), place.pointer)?;
        self.used.insert(target.clone());
        let text = format!("what {reference:?} leads to stands in its place");
        self.note(NoteKind::Inlined, place.pointer, text);
        let Some(found) = found.as_object() else {
            // `true` says nothing, and `false` nothing that fits.
            return if found == &Json::flag(true) {
                self.open.push(target.clone());
                Ok((schema, target))
            } else {
                Err(fail(Reason::NotASchema, &target, "a schema should stand here: an object"))
            };
        };
        self.merge(&mut schema, found, place.pointer)?;
        self.open.push(target.clone());
        Ok((schema, target))
    }

    /// The schema with those of its `allOf` made one.
    fn together(&mut self, mut schema: Object, pointer: &str) -> Rendering<Object> {
        while let Some(all) = schema.remove("allOf") {
            let Some(all) = all.as_list() else {
                let text = "a list of schemas should stand here";
                return Err(fail(Reason::NotASchema, &join(pointer, "allOf"), text));
            };
            for each in all {
                let Some(each) = each.as_object() else {
                    if each == &Json::flag(true) {
                        continue;
                    }
                    let text = "a schema should stand here: an object";
                    return Err(fail(Reason::NotASchema, &join(pointer, "allOf"), text));
                };
                self.merge(&mut schema, each, pointer)?;
            }
            self.note(NoteKind::Merged, pointer, "the schemas of `allOf` became one");
        }
        Ok(schema)
    }

    /// `oneOf` as `anyOf`, beside which the provider takes none.
    fn one_choice(&mut self, schema: &mut Object, pointer: &str) -> Rendering<()> {
        let Some(position) = schema.0.iter().position(|(key, _)| key == "oneOf") else {
            return Ok(());
        };
        if schema.has("anyOf") {
            let text = format!(
                "{} takes one list of alternatives, and here are `oneOf` and `anyOf`",
                self.provider
            );
            return Err(fail(Reason::Conflict, pointer, text));
        }
        "anyOf".clone_into(&mut schema.0[position].0);
        self.note(
            NoteKind::Alternatives,
            pointer,
            "`oneOf` became `anyOf`: that only one may fit is not said",
        );
        Ok(())
    }

    /// Adds what another schema says.
    pub(super) fn merge(
        &mut self,
        schema: &mut Object,
        more: &Object,
        pointer: &str,
    ) -> Rendering<()> {
        merge(schema, more).map_err(|keyword| {
            let text = format!(
                "schemas that hold together say `{keyword}` twice, and {} takes one; write it once",
                self.provider
            );
            fail(Reason::Conflict, pointer, text)
        })
    }

    /// Counts bytes that are copied.
    pub(super) fn spend(&mut self, bytes: usize, pointer: &str) -> Rendering<()> {
        if let Some(rest) = self.budget.checked_sub(bytes) {
            self.budget = rest;
            return Ok(());
        }
        let text = format!(
            "with its references and alternatives written out for {}, the schema would be more than twice as \
             large; make it smaller, or two tools of it",
            self.provider
        );
        Err(fail(Reason::TooLarge, pointer, text))
    }

    /// Takes off what the provider does not take.
    pub(super) fn take_off_unknown(&mut self, schema: &mut Object, pointer: &str) {
        let known = self.provider.keywords();
        let (kept, taken): (Vec<_>, Vec<_>) = std::mem::take(&mut schema.0)
            .into_iter()
            .partition(|(key, _)| known.contains(&key.as_str()));
        schema.0 = kept;
        for (key, _) in taken {
            self.taken_off(pointer, &key);
        }
    }

    pub(super) fn taken_off(&mut self, pointer: &str, keyword: &str) {
        let what = if is_annotation(keyword) {
            "was taken off"
        } else {
            "was taken off: the host still checks it, and the model does not see it"
        };
        let text = format!("`{keyword}` {what}, since {} does not take it", self.provider);
        self.note(NoteKind::TakenOff, &join(pointer, keyword), text);
    }

    /// The definitions that references still lead to, rendered, as they stood in the root.
    pub(super) fn define(&mut self, root: &mut Object) -> Rendering<()> {
        let mut rendered = HashMap::new();
        while let Some(pointer) = self.to_define.pop() {
            let Some(definition) = self.definitions.get(&pointer).copied() else { continue };
            let place = Place { pointer: &pointer, depth: 1, level: 0 };
            let definition = self.schema(definition.clone(), place)?;
            rendered.insert(pointer, definition);
        }
        for folder in ["$defs", "definitions"] {
            let Some(Json::Object(Object(all))) = root.get(folder) else { continue };
            let names: Vec<_> = all.iter().map(|(name, _)| name.clone()).collect();
            let kept = names.into_iter().filter_map(|name| {
                let definition = rendered.remove(&join(&format!("/{folder}"), &name))?;
                Some((name, definition))
            });
            let kept = Object(kept.collect());
            if kept.0.is_empty() {
                root.remove(folder);
            } else {
                root.set(folder, Json::Object(kept));
            }
        }
        Ok(())
    }

    /// Tells of definitions that no argument leads to.
    pub(super) fn tell_unused(&mut self) {
        for folder in ["$defs", "definitions"] {
            let pointer = format!("/{folder}");
            let inside = format!("{pointer}/");
            let is_unused = |it: &&String| it.starts_with(&inside) && !self.used.contains(*it);
            if self.definitions.keys().any(|it| is_unused(&it)) {
                let text = "definitions that no argument leads to were taken off";
                self.note(NoteKind::TakenOff, &pointer, text);
            }
        }
    }

    pub(super) fn untyped(&self, pointer: &str) -> Unrenderable {
        let text = format!(
            "nothing says what this is, and {} wants the type of each value; say its type",
            self.provider
        );
        fail(Reason::Untyped, pointer, text)
    }
}

pub(super) fn fail(reason: Reason, pointer: &str, text: impl Into<String>) -> Unrenderable {
    Unrenderable { reason, pointer: pointer.to_owned(), text: text.into() }
}

/// The types of some values, each once.
pub(super) fn types_of(values: &[Json]) -> Vec<&'static str> {
    let mut kinds = Vec::new();
    for value in values {
        let kind = match value {
            Json::Text(_) => "string",
            Json::Object(_) => "object",
            Json::List(_) => "array",
            Json::Other(text) if text == "null" => "null",
            Json::Other(text) if text == "true" || text == "false" => "boolean",
            Json::Other(text) if text.bytes().all(|it| it.is_ascii_digit() || it == b'-') => {
                "integer"
            }
            Json::Other(_) => "number",
        };
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds
}

/// The type of a schema that does not say it, where that follows from the rest.
pub(super) fn inferred(schema: &Object) -> Vec<&'static str> {
    if let Some(values) = schema.get("enum").and_then(Json::as_list) {
        types_of(values)
    } else if let Some(value) = schema.get("const") {
        types_of(std::slice::from_ref(value))
    } else if schema.has("properties") {
        vec!["object"]
    } else if schema.has("items") {
        vec!["array"]
    } else if ["pattern", "minLength", "maxLength"].iter().any(|it| schema.has(it)) {
        vec!["string"]
    } else {
        Vec::new()
    }
}

pub(super) fn type_of(kinds: &[&str]) -> Json {
    match kinds {
        [only] => Json::text(only),
        several => Json::List(several.iter().map(|kind| Json::text(kind)).collect()),
    }
}
