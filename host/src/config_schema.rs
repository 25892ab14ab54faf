//! What the manifest of an extension says of its configuration: `config_schema`.

use extline_protocol::RawJson;
use extline_protocol::pointer::join;
use extline_schema::{SchemaError, ToolSchema, Violation};
use serde_json::{Map, Value, json};

/// The keyword of a member whose value is nobody else's business.
const SECRET: &str = "secret";
/// The member of a reference to a secret.
const REFERENCE: &str = "$secret";

/// The `config_schema` of a manifest, ready for use: a JSON Schema of an object, whose members may have a
/// `default`, and may be `secret`.
#[derive(Debug)]
pub struct ConfigSchema {
    document: Value,
    /// It without the members that are secrets, which nobody writes into a configuration.
    open: ToolSchema,
    secrets: Vec<Secret>,
}

/// A member that is a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Secret {
    path: Vec<String>,
    /// The object that it stands in requires it.
    is_required: bool,
}

/// A member of a configuration, as its schema describes it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Setting {
    /// Its key: the names on the way to it, with dots.
    pub key: String,
    /// Its schema.
    pub schema: Value,
    /// Its value is a secret.
    pub is_secret: bool,
}

impl ConfigSchema {
    /// Compiles the value of `config_schema`. An error has the pointer into it.
    pub fn compile(schema: &Value) -> Result<Self, SchemaError> {
        let refuse = |pointer: String, message: &str| SchemaError {
            pointer,
            message: message.to_owned(),
            is_too_large: false,
        };
        if !schema.is_object() {
            return Err(refuse(String::new(), "must be an object, as {\"type\": \"object\"}"));
        }
        // As it was written, so that a pointer leads to the place.
        ToolSchema::compile(&schema.clone().into())?;
        let mut secrets = Vec::new();
        let open = without_secrets(schema, &mut Vec::new(), &mut secrets);
        for secret in &secrets {
            let at = pointer_in_schema(&secret.path);
            let member = schema.pointer(&at);
            if member.is_some_and(|member| member.get("default").is_some()) {
                let message = "a secret has no default: that would be in the hands of everybody";
                return Err(refuse(join(&at, "default"), message));
            }
        }
        if let Some(at) = misplaced_secret(&open, String::new()) {
            let message = "a secret stands in the properties of the configuration or of an object \
                           in it, and nowhere else";
            return Err(refuse(at, message));
        }
        let open = ToolSchema::compile(&open.into())?;
        Ok(Self { document: schema.clone(), open, secrets })
    }

    /// The schema as it was written.
    pub fn document(&self) -> &Value {
        &self.document
    }

    /// Every member that can be set on its own, in the order of their keys.
    pub fn settings(&self) -> Vec<Setting> {
        let mut settings = Vec::new();
        list(&self.document, "", &mut settings);
        settings
    }

    /// The schema of a member by its key; `None` where the schema says nothing of it.
    pub fn setting(&self, key: &str) -> Option<Setting> {
        let schema = key
            .split('.')
            .try_fold(&self.document, |schema, name| schema.get("properties")?.get(name))?;
        let is_secret = is_secret(schema);
        Some(Setting { key: key.to_owned(), schema: schema.clone(), is_secret })
    }

    /// Whether a configuration may have a member there: the schema names it, or says that others may stand
    /// there. One that says nothing of others lets a typing error pass, so here that does not count.
    pub(crate) fn may_have(&self, path: &[String]) -> bool {
        let mut schema = &self.document;
        for name in path {
            if let Some(member) = schema.get("properties").and_then(|it| it.get(name)) {
                schema = member;
                continue;
            }
            let others = schema.get("additionalProperties");
            return others.is_some_and(|it| *it != Value::Bool(false))
                || schema.get("patternProperties").is_some()
                || schema.get("properties").is_none();
        }
        true
    }

    /// The types that the schema names for a member; none where it does not say.
    pub(crate) fn types(&self, path: &[String]) -> Vec<String> {
        let found = path
            .iter()
            .try_fold(&self.document, |schema, name| schema.get("properties")?.get(name));
        match found.and_then(|schema| schema.get("type")) {
            Some(Value::String(one)) => vec![one.clone()],
            Some(Value::Array(types)) => {
                types.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            // Of plain choices the first says it.
            _ => match found.and_then(|schema| schema.get("enum")).and_then(Value::as_array) {
                Some(choices) if choices.iter().all(Value::is_string) => vec!["string".to_owned()],
                _ => Vec::new(),
            },
        }
    }

    /// The keys of the secrets.
    pub fn secrets(&self) -> impl Iterator<Item = String> + '_ {
        self.secrets.iter().map(|secret| secret.path.join("."))
    }

    /// Fills in what has a `default` and is not there.
    pub(crate) fn fill(&self, config: &mut Map<String, Value>) {
        fill(&self.document, config);
    }

    /// All that does not fit, in the order of the text.
    pub(crate) fn violations(&self, config: &RawJson) -> Vec<Violation> {
        self.open.violations(config)
    }

    /// The secrets that stand in a configuration, where none may: by pointer and key.
    pub(crate) fn written_secrets(&self, config: &Map<String, Value>) -> Vec<(String, String)> {
        let written = self.secrets.iter().filter(|secret| {
            secret.path.split_last().is_some_and(|(last, way)| {
                object_at(config, way).is_some_and(|object| object.contains_key(last))
            })
        });
        written.map(|secret| (pointer_of(&secret.path), secret.path.join("."))).collect()
    }

    /// Writes a reference in the place of each secret that is set. Returns those that are missing, by
    /// pointer and key.
    pub(crate) fn refer(
        &self,
        config: &mut Map<String, Value>,
        is_set: impl Fn(&str) -> bool,
    ) -> Vec<(String, String)> {
        let mut missing = Vec::new();
        for secret in &self.secrets {
            let key = secret.path.join(".");
            let Some((last, way)) = secret.path.split_last() else { continue };
            if is_set(&key) {
                let object = way.iter().try_fold(&mut *config, |object, name| {
                    let below = object.entry(name.clone()).or_insert_with(|| json!({}));
                    below.as_object_mut()
                });
                if let Some(object) = object {
                    object.insert(last.clone(), json!({ REFERENCE: key }));
                }
            } else if secret.is_required && object_at(config, way).is_some() {
                missing.push((pointer_of(&secret.path), key));
            }
        }
        missing
    }
}

fn is_secret(schema: &Value) -> bool {
    schema.get(SECRET).is_some_and(|it| *it == Value::Bool(true))
}

fn pointer_of(path: &[String]) -> String {
    path.iter().fold(String::new(), |at, name| join(&at, name))
}

fn pointer_in_schema(path: &[String]) -> String {
    path.iter().fold(String::new(), |at, name| join(&join(&at, "properties"), name))
}

fn object_at<'a>(config: &'a Map<String, Value>, way: &[String]) -> Option<&'a Map<String, Value>> {
    way.iter().try_fold(config, |object, name| object.get(name)?.as_object())
}

fn without_secrets(schema: &Value, way: &mut Vec<String>, found: &mut Vec<Secret>) -> Value {
    let mut open = schema.clone();
    let Some(properties) = open.get_mut("properties").and_then(Value::as_object_mut) else {
        return open;
    };
    let mut secret_names = Vec::new();
    for (name, member) in properties.iter_mut() {
        way.push(name.clone());
        if is_secret(member) {
            secret_names.push(name.clone());
            let required = schema.get("required").and_then(Value::as_array);
            let is_required = required.is_some_and(|names| names.contains(&json!(name)));
            found.push(Secret { path: way.clone(), is_required });
        } else {
            *member = without_secrets(member, way, found);
        }
        way.pop();
    }
    properties.retain(|name, _| !secret_names.contains(name));
    if let Some(required) = open.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| !secret_names.iter().any(|secret| name == secret));
    }
    open
}

/// The pointer of a secret that is left, at a place where nobody could set it.
fn misplaced_secret(schema: &Value, at: String) -> Option<String> {
    const SCHEMAS: [&str; 9] = [
        "items",
        "additionalProperties",
        "unevaluatedProperties",
        "contains",
        "not",
        "if",
        "then",
        "else",
        "propertyNames",
    ];
    const LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
    const MAPS: [&str; 5] =
        ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
    let members = schema.as_object()?;
    if is_secret(schema) {
        return Some(at);
    }
    members.iter().find_map(|(keyword, value)| {
        let below = join(&at, keyword);
        match value {
            value if SCHEMAS.contains(&keyword.as_str()) => misplaced_secret(value, below),
            Value::Array(list) if LISTS.contains(&keyword.as_str()) => {
                let mut numbered = list.iter().enumerate();
                numbered.find_map(|(n, it)| misplaced_secret(it, join(&below, &n.to_string())))
            }
            Value::Object(map) if MAPS.contains(&keyword.as_str()) => {
                map.iter().find_map(|(name, it)| misplaced_secret(it, join(&below, name)))
            }
            _ => None,
        }
    })
}

/// Defaults go into objects that are there; one that is absent is made where all that it requires has
/// a default.
fn fill(schema: &Value, config: &mut Map<String, Value>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    for (name, member) in properties.iter().filter(|(_, member)| !is_secret(member)) {
        match config.get_mut(name) {
            Some(Value::Object(below)) => fill(member, below),
            Some(_) => {}
            None => {
                if let Some(default) = member.get("default") {
                    config.insert(name.clone(), default.clone());
                    if let Some(Value::Object(below)) = config.get_mut(name) {
                        fill(member, below);
                    }
                } else if let Some(made) = made_of_defaults(member) {
                    config.insert(name.clone(), Value::Object(made));
                }
            }
        }
    }
}

fn made_of_defaults(schema: &Value) -> Option<Map<String, Value>> {
    let mut made = Map::new();
    fill(schema, &mut made);
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let is_whole = required.filter_map(Value::as_str).all(|name| made.contains_key(name));
    (!made.is_empty() && is_whole).then_some(made)
}

fn list(schema: &Value, above: &str, settings: &mut Vec<Setting>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    for (name, member) in properties {
        let key = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
        let is_secret = is_secret(member);
        let has_members =
            member.get("properties").and_then(Value::as_object).is_some_and(|it| !it.is_empty());
        if has_members && !is_secret {
            list(member, &key, settings);
        } else {
            settings.push(Setting { key, schema: member.clone(), is_secret });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(schema: &Value) -> ConfigSchema {
        ConfigSchema::compile(schema).unwrap()
    }

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn defaults_fill_what_is_absent_at_every_depth() {
        let schema = schema(&json!({"type": "object", "properties": {
            "url": {"type": "string", "default": "https://x"},
            "retry": {"type": "object", "properties": {"times": {"default": 3}, "wait": {}}},
            "proxy": {"type": "object", "required": ["host"],
                      "properties": {"host": {}, "port": {"default": 80}}},
        }}));
        let filled = |value: Value| {
            let mut config = object(&value);
            schema.fill(&mut config);
            Value::Object(config)
        };
        assert_eq!(filled(json!({})), json!({"url": "https://x", "retry": {"times": 3}}));
        assert_eq!(
            filled(json!({"url": "y", "retry": {"times": 1}, "proxy": {"host": "p"}})),
            json!({"url": "y", "retry": {"times": 1}, "proxy": {"host": "p", "port": 80}})
        );
        assert_eq!(filled(json!({"url": null}))["url"], Value::Null);
    }

    #[test]
    fn secrets_are_references_and_missing_ones_are_named() {
        let schema = schema(&json!({"type": "object", "additionalProperties": false,
            "required": ["auth", "key"], "properties": {
            "key": {"type": "string", "secret": true},
            "auth": {"type": "object", "required": ["token"],
                     "properties": {"token": {"type": "string", "secret": true}}},
            "other": {"type": "string", "secret": true},
        }}));
        assert_eq!(schema.secrets().collect::<Vec<_>>(), ["auth.token", "key", "other"]);
        let mut config = object(&json!({"auth": {}}));
        let missing = schema.refer(&mut config, |key| key == "auth.token");
        assert_eq!(missing, [("/key".to_owned(), "key".to_owned())]);
        assert_eq!(Value::Object(config), json!({"auth": {"token": {"$secret": "auth.token"}}}));
        let written = schema.written_secrets(&object(&json!({"auth": {"token": "x"}})));
        assert_eq!(written, [("/auth/token".to_owned(), "auth.token".to_owned())]);
        let valid = schema.violations(&json!({"auth": {}}).into());
        assert!(valid.is_empty(), "{valid:?}");
    }

    #[test]
    fn a_schema_that_cannot_be_used_is_told_with_its_place() {
        let error = |value: Value| {
            let error = ConfigSchema::compile(&value).unwrap_err();
            (error.pointer, error.message)
        };
        assert_eq!(error(json!([])).0, "");
        let (pointer, _) = error(json!({"properties": {"a": {"type": "text"}}}));
        assert_eq!(pointer, "/properties/a/type");
        let secret = json!({"secret": true});
        assert_eq!(error(json!({"items": secret})).0, "/items");
        assert_eq!(
            error(json!({"properties": {"a": {"anyOf": [{}, secret]}}})).0,
            "/properties/a/anyOf/1"
        );
        let (pointer, message) =
            error(json!({"properties": {"a": {"secret": true, "default": "x"}}}));
        assert_eq!(pointer, "/properties/a/default");
        assert!(message.starts_with("a secret has no default"));
        // A member that is called so is none.
        assert!(ConfigSchema::compile(&json!({"properties": {"secret": true}})).is_ok());
    }

    #[test]
    fn every_member_has_a_key() {
        let schema = schema(&json!({"properties": {
            "b": {"type": "object", "properties": {"c": {"type": "integer"}, "d": {"secret": true}}},
            "a": {"type": "object"},
        }}));
        let keys = schema.settings().into_iter().map(|it| (it.key, it.is_secret));
        assert_eq!(
            keys.collect::<Vec<_>>(),
            [("a".to_owned(), false), ("b.c".to_owned(), false), ("b.d".to_owned(), true)]
        );
        assert_eq!(schema.setting("b.c").unwrap().schema, json!({"type": "integer"}));
        assert_eq!(schema.setting("b.x"), None);
    }
}
