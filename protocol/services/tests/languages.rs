//! The shapes of the methods as types of Python and TypeScript, which are written from the JSON Schemas: a new
//! method is declared once (`make generate`).

use std::collections::BTreeMap;
use std::path::Path;

use extline_services::view::View;
use extline_services::{EXTENSION_METHODS, METHODS};
use serde_json::{Map, Value};

#[test]
fn the_types_of_python_are_up_to_date() {
    hold(Language::Python, "sdk-python/python/extline/_services.py");
}

#[test]
fn the_types_of_typescript_are_up_to_date() {
    hold(Language::TypeScript, "sdk-node/ts/services.ts");
}

fn hold(language: Language, file: &str) {
    let text = Types::of_all(language).file();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    if std::env::var_os("EXTLINE_GENERATE").is_some() {
        std::fs::write(path, text).unwrap();
        return;
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(committed == text, "{file} differs from protocol/services: run `make generate`");
}

/// Words of Python that methods have as members.
const KEYWORDS: [&str; 1] = ["from"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Python,
    TypeScript,
}

/// Types by their names, each with its text.
struct Types {
    language: Language,
    texts: BTreeMap<String, String>,
    /// What the names of the types begin with that the method at hand uses.
    prefix: String,
    /// Name on the wire, parameters, result.
    methods: Vec<(&'static str, String, String)>,
}

impl Types {
    fn of_all(language: Language) -> Self {
        // A view is of no method alone.
        let (texts, prefix, methods) = (BTreeMap::new(), "View".to_owned(), Vec::new());
        let mut all = Self { language, texts, prefix, methods };
        let view = Value::from(schemars::schema_for!(View));
        all.add("View", &view, &view);
        for method in METHODS.iter().chain(EXTENSION_METHODS) {
            let name = pascal(method.name);
            // `ui.confirm` has types of `Ui`.
            all.prefix = pascal(method.name.split('.').next().unwrap());
            let params = Value::from((method.params)());
            let result = Value::from((method.result)());
            all.add(&name, &params, &params);
            let answer = format!("{name}Answer");
            all.add(&answer, &result, &result);
            if let Some(part) = method.part {
                let part = Value::from(part());
                all.add(&format!("{name}Part"), &part, &part);
            }
            let is_hosts = METHODS.iter().any(|it| it.name == method.name);
            all.methods.extend(is_hosts.then_some((method.name, name, answer)));
        }
        all
    }

    /// Adds a type, and those that it names.
    fn add(&mut self, name: &str, schema: &Value, root: &Value) {
        if self.texts.contains_key(name) {
            return;
        }
        // Its place is taken, should it name itself.
        self.texts.insert(name.to_owned(), String::new());
        let text = match variants(schema, root) {
            Some(variants) => self.one_of(name, schema, &variants, root),
            None => self.object(name, schema, root),
        };
        self.texts.insert(name.to_owned(), text);
    }

    fn object(&mut self, name: &str, schema: &Value, root: &Value) -> String {
        let about = about(schema);
        let required: Vec<_> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut members = Vec::new();
        for (member, of) in properties(schema) {
            let (kind, is_needed) = (self.expression(of, root), required.contains(&member));
            members.push(match (self.language, is_needed) {
                (Language::Python, true) => format!("    {member}: {kind}\n"),
                (Language::Python, false) => format!("    {member}: NotRequired[{kind}]\n"),
                (Language::TypeScript, _) => {
                    let optional = if is_needed { "" } else { "?" };
                    // One that is undefined is not there.
                    let kind = if is_needed { kind } else { format!("{kind} | undefined") };
                    format!("  /** {} */\n  {member}{optional}: {kind};\n", self::about(of))
                }
            });
        }
        let has_keyword = properties(schema).any(|(member, _)| KEYWORDS.contains(&member));
        let members = members.concat();
        match self.language {
            // A class cannot have such a member.
            Language::Python if has_keyword => {
                let members = members.lines().map(|line| {
                    let (member, kind) = line.trim().split_once(": ").unwrap();
                    format!("    \"{member}\": \"{kind}\",\n")
                });
                let members: String = members.collect();
                format!("#: {about}\n{name} = TypedDict(\"{name}\", {{\n{members}}})\n")
            }
            Language::Python if members.is_empty() => {
                format!("class {name}(TypedDict):\n    \"\"\"{about}\"\"\"\n")
            }
            Language::Python => {
                format!("class {name}(TypedDict):\n    \"\"\"{about}\"\"\"\n\n{members}")
            }
            Language::TypeScript if members.is_empty() => {
                format!("/** {about} */\nexport type {name} = Record<string, never>;\n")
            }
            Language::TypeScript => {
                format!("/** {about} */\nexport interface {name} {{\n{members}}}\n")
            }
        }
    }

    /// Python reads an answer by `get`, so that one has the members of all of its variants.
    fn one_of(&mut self, name: &str, schema: &Value, variants: &[Value], root: &Value) -> String {
        let about = about(schema);
        let are_objects = variants.iter().all(|it| it["type"] == "object");
        if self.language == Language::Python && are_objects {
            let mut members = BTreeMap::<&str, Vec<String>>::new();
            for (member, of) in variants.iter().flat_map(properties) {
                let (kind, kinds) = (self.expression(of, root), members.entry(member).or_default());
                if !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            }
            let lines = members
                .iter()
                .map(|(member, kinds)| format!("    {member}: {}\n", kinds.join(" | ")));
            let lines: String = lines.collect();
            return format!(
                "class {name}(TypedDict, total=False):\n    \"\"\"{about}\"\"\"\n\n{lines}"
            );
        }
        let kinds: Vec<_> = variants
            .iter()
            .map(|variant| match variant["type"].as_str() {
                Some("object") => self.inline(name, variant, root),
                _ => self.expression(variant, root),
            })
            .collect();
        match self.language {
            Language::Python if variants.iter().all(|it| it["const"].is_string()) => {
                let words: Vec<_> = variants.iter().map(|it| it["const"].to_string()).collect();
                format!("#: {about}\n{name}: TypeAlias = Literal[{}]\n", words.join(", "))
            }
            Language::Python => {
                format!("#: {about}\n{name}: TypeAlias = \"{}\"\n", kinds.join(" | "))
            }
            Language::TypeScript => {
                format!("/** {about} */\nexport type {name} = {};\n", kinds.join(" | "))
            }
        }
    }

    /// An object within a type that is one of several: of Python's it has a name of its own.
    fn inline(&mut self, name: &str, schema: &Value, root: &Value) -> String {
        if self.language == Language::Python {
            let name = format!("{name}Object");
            self.add(&name, schema, root);
            return name;
        }
        let required: Vec<_> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let members: Vec<_> = properties(schema)
            .map(|(member, of)| {
                let kind = self.expression(of, root);
                if required.contains(&member) {
                    format!("{member}: {kind}")
                } else {
                    format!("{member}?: {kind} | undefined")
                }
            })
            .collect();
        format!("{{ {} }}", members.join("; "))
    }

    fn expression(&mut self, schema: &Value, root: &Value) -> String {
        if let Some(name) = schema["$ref"].as_str().and_then(|it| it.strip_prefix("#/$defs/")) {
            // Those of a view are there already.
            let called =
                if name == "View" { name.to_owned() } else { format!("{}{name}", self.prefix) };
            self.add(&called, &root["$defs"][name], root);
            return called;
        }
        // A schema that only describes takes anything.
        let says = schema.as_object().map(|it| it.keys().any(|name| name != "description"));
        if *schema == Value::Bool(true) || says == Some(false) {
            let anything = if self.language == Language::Python { "Any" } else { "unknown" };
            return anything.to_owned();
        }
        if let Some(variants) = schema["anyOf"].as_array() {
            let variants: Vec<_> = variants.iter().map(|it| self.expression(it, root)).collect();
            return variants.join(" | ");
        }
        if let Some(word) = schema["const"].as_str() {
            return match self.language {
                Language::Python => format!("Literal[\"{word}\"]"),
                Language::TypeScript => format!("\"{word}\""),
            };
        }
        let kinds: Vec<&str> = match &schema["type"] {
            Value::String(kind) => vec![kind],
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            other => panic!("no type is known for {other}: {schema}"),
        };
        let kinds: Vec<_> = kinds.into_iter().map(|kind| self.kind(kind, schema, root)).collect();
        kinds.join(" | ")
    }

    fn kind(&mut self, kind: &str, schema: &Value, root: &Value) -> String {
        let is_python = self.language == Language::Python;
        match kind {
            "string" if is_python => "str".to_owned(),
            "string" => "string".to_owned(),
            "boolean" if is_python => "bool".to_owned(),
            "boolean" => "boolean".to_owned(),
            "integer" if is_python => "int".to_owned(),
            "number" if is_python => "float".to_owned(),
            "integer" | "number" => "number".to_owned(),
            "null" if is_python => "None".to_owned(),
            "null" => "null".to_owned(),
            "array" => {
                let element = self.expression(&schema["items"], root);
                match self.language {
                    Language::Python => format!("list[{element}]"),
                    Language::TypeScript if element.contains(' ') => {
                        format!("readonly ({element})[]")
                    }
                    Language::TypeScript => format!("readonly {element}[]"),
                }
            }
            "object" => {
                let value = self.expression(&schema["additionalProperties"], root);
                match self.language {
                    Language::Python => format!("dict[str, {value}]"),
                    Language::TypeScript => format!("Readonly<Record<string, {value}>>"),
                }
            }
            other => panic!("no type is known for {other}"),
        }
    }

    fn file(&self) -> String {
        let types: Vec<_> = self.texts.values().map(String::as_str).collect();
        match self.language {
            Language::Python => format!(
                "\"\"\"What a host may serve by request, and an extension, as types for checkers: nothing imports this when it runs.\n\n\
                 Written from protocol/services by `make generate`, never by hand.\n\"\"\"\n\n\
                 from __future__ import annotations\n\n\
                 from typing import Any, Literal\n\n\
                 from typing_extensions import NotRequired, TypeAlias, TypedDict\n\n\n{}",
                types.join("\n\n")
            ),
            Language::TypeScript => {
                let methods = self.methods.iter().map(|(name, params, result)| {
                    format!("  \"{name}\": {{ params: {params}; result: {result} }};\n")
                });
                format!(
                    "/**\n * What a host may serve by request, and an extension.\n *\n * Written from protocol/services by \
                     `make generate`, never by hand.\n */\n\n{}\n\
                     /** Each method that a host serves, with what it is asked with and what it answers. */\n\
                     export interface Services {{\n{}}}\n",
                    types.join("\n"),
                    methods.collect::<String>()
                )
            }
        }
    }
}

/// The variants of a schema that is one of several, those of variants among them.
fn variants(schema: &Value, root: &Value) -> Option<Vec<Value>> {
    let list = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array())?;
    let followed = list.iter().flat_map(|variant| {
        let variant = match variant["$ref"].as_str().and_then(|it| it.strip_prefix("#/$defs/")) {
            Some(name) => &root["$defs"][name],
            None => variant,
        };
        variants(variant, root).unwrap_or_else(|| vec![variant.clone()])
    });
    Some(followed.collect())
}

fn properties(schema: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let members = schema["properties"].as_object();
    members.into_iter().flat_map(Map::iter).map(|(name, of)| (name.as_str(), of))
}

fn about(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().replace('\n', " ")
}

/// `ui.confirm` is `UiConfirm`.
fn pascal(name: &str) -> String {
    let words = name.split(['.', '_']).map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_uppercase() + rest
    });
    words.collect()
}
