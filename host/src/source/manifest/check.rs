//! All that is wrong in an `extension.json`, held against the table of what may stand in it.

use std::fmt::{self, Display, Formatter};

use extline_protocol::pointer::join;
use serde::Serialize;
use serde_json::{Map, Value};

use super::place::{Places, line_and_column};
use super::shape::{MEMBERS, Member, Shape};
use crate::config_schema::ConfigSchema;
use crate::nearest::nearest;

/// Members that are not read, with a near one that is, and without.
const MISSPELT: &str = "manifest.member.misspelt";
const UNKNOWN: &str = "manifest.member.unknown";

/// How bad something in a manifest is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Severity {
    /// The extension is not started.
    Error,
    /// It is started, and probably not as its author meant it.
    Warning,
}

/// One thing that is wrong in a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ManifestFault {
    /// What it is, for programs: `manifest.args.type`. It does not change from version to version.
    pub code: String,
    /// How bad it is.
    pub severity: Severity,
    /// JSON pointer of the value, or of the one that is missing; `""` for the whole.
    pub pointer: String,
    /// Its line, from 1; `None` where the file has no text.
    pub line: Option<usize>,
    /// Its column in that line, from 1, in characters.
    pub column: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: String,
}

impl ManifestFault {
    /// Whether it is a member that is not read.
    pub fn is_of_member(&self) -> bool {
        [MISSPELT, UNKNOWN].contains(&&*self.code)
    }

    /// Whether it is a member that is not read, and probably a misspelt one.
    pub fn is_misspelt(&self) -> bool {
        self.code == MISSPELT
    }
}

impl Display for ManifestFault {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self { pointer, message, remedy, .. } = self;
        let between = if pointer.is_empty() || message.starts_with("is ") { " " } else { ": " };
        let place = if pointer.is_empty() { "" } else { pointer };
        write!(formatter, "{place}{between}{message}: {remedy}")
    }
}

/// Holds members against the table. In the order of the table, and what is unknown behind it.
pub(super) fn check(text: &str, members: &Map<String, Value>) -> Vec<ManifestFault> {
    let mut check = Check { text, places: Places::of(text), faults: Vec::new() };
    check.members("", MEMBERS, members);
    check.doubles();
    check.faults
}

struct Check<'t> {
    text: &'t str,
    places: Places,
    faults: Vec<ManifestFault>,
}

impl Check<'_> {
    fn members(&mut self, at: &str, known: &[Member], members: &Map<String, Value>) {
        for member in known {
            let pointer = join(at, member.name);
            match members.get(member.name).filter(|value| !value.is_null()) {
                Some(value) => self.value(&pointer, member.shape, value),
                None if member.is_required => self.missing(&pointer, member),
                None => {}
            }
        }
        let names = || known.iter().map(|member| member.name);
        for name in members.keys().filter(|name| names().all(|known| known != *name)) {
            if !is_for_others(name) {
                self.unknown(&join(at, name), nearest(name, names()));
            }
        }
    }

    fn value(&mut self, pointer: &str, shape: Shape, value: &Value) {
        match (shape, value) {
            (Shape::Any, _)
            | (Shape::Text | Shape::Number, Value::String(_))
            | (Shape::Flag | Shape::All(_), Value::Bool(_))
            | (Shape::Map, Value::Object(_)) => {}
            (Shape::Ruled(rule), Value::String(text)) => {
                if let Err((message, remedy)) = rule.check(text) {
                    self.error(pointer, "invalid", message, &remedy);
                }
            }
            (Shape::Choice(choices), Value::String(text)) => {
                self.choice(pointer, choices, text);
            }
            (Shape::Number, Value::Number(number)) if number.as_u64().is_some_and(|it| it > 0) => {}
            (Shape::All(list), Value::Array(_)) => self.value(pointer, *list, value),
            (Shape::List(element), Value::Array(elements)) => {
                for (index, value) in elements.iter().enumerate() {
                    self.value(&join(pointer, &index.to_string()), *element, value);
                }
            }
            (Shape::Object(known) | Shape::Short(known), Value::Object(members)) => {
                self.members(pointer, known, members);
            }
            (Shape::Short([first, ..]), Value::String(_)) => {
                self.value(pointer, first.shape, value);
            }
            (Shape::Schema, _) => self.schema(pointer, value),
            _ => {
                let message = format!("expected {}, found {}", expected(shape), kind_of(value));
                self.error(pointer, "type", message, "correct the value");
            }
        }
    }

    fn choice(&mut self, pointer: &str, choices: &[&'static str], text: &str) {
        if !choices.contains(&text) {
            let meant = nearest(text, choices.iter().copied());
            let remedy = meant.map_or_else(
                || format!("write one of {}", choices.join(", ")),
                |meant| format!("did you mean {meant:?}?"),
            );
            let message = format!("{text:?} is none of {}", choices.join(", "));
            self.error(pointer, "invalid", message, &remedy);
        }
    }

    fn schema(&mut self, pointer: &str, value: &Value) {
        if let Err(error) = ConfigSchema::compile(value) {
            let remedy = "write a JSON Schema of an object, as {\"type\": \"object\", \"properties\": \
                          {\"url\": {\"type\": \"string\"}}}";
            let pointer = format!("{pointer}{}", error.pointer);
            self.put(&pointer, "manifest.config_schema.invalid", error.message, remedy);
        }
    }

    fn missing(&mut self, pointer: &str, member: &Member) {
        let remedy = match pointer {
            "/name" => super::shape::NAME_REMEDY.to_owned(),
            _ => format!("write its {:?}", member.name),
        };
        self.error(pointer, "missing", "required, and missing or empty".to_owned(), &remedy);
    }

    fn unknown(&mut self, pointer: &str, meant: Option<&str>) {
        let (code, remedy) = match meant {
            Some(meant) => (MISSPELT, format!("did you mean {meant:?}?")),
            None => (
                UNKNOWN,
                "take it out, or begin its name with x- if it is for somebody else".to_owned(),
            ),
        };
        let (severity, message) =
            if pointer.starts_with("/permissions/") || meant == Some("permissions") {
                (Severity::Error, "is not read, so nothing would be held to it")
            } else {
                (Severity::Warning, "is not read")
            };
        let at = self.places.name(pointer);
        self.fault(severity, at, code, pointer, message.to_owned(), remedy);
    }

    fn doubles(&mut self) {
        for (pointer, at) in std::mem::take(&mut self.places.doubles) {
            let message = "it stands here twice, and the last one counts".to_owned();
            let remedy = "take one of the two out".to_owned();
            self.fault(Severity::Warning, at, "manifest.member.twice", &pointer, message, remedy);
        }
    }

    /// An error whose code is made of the members that lead to it.
    fn error(&mut self, pointer: &str, kind: &str, message: String, remedy: &str) {
        let is_index = |token: &&str| token.bytes().all(|byte| byte.is_ascii_digit());
        let tokens = pointer.split('/').skip(1).filter(|token| !is_index(token));
        let code = ["manifest"].into_iter().chain(tokens).chain([kind]);
        let code = code.collect::<Vec<_>>().join(".");
        self.put(pointer, &code, message, remedy);
    }

    fn put(&mut self, pointer: &str, code: &str, message: String, remedy: &str) {
        let at = self.places.value(pointer);
        self.fault(Severity::Error, at, code, pointer, message, remedy.to_owned());
    }

    fn fault(
        &mut self,
        severity: Severity,
        at: usize,
        code: &str,
        pointer: &str,
        message: String,
        remedy: String,
    ) {
        let (line, column) = line_and_column(self.text, at);
        self.faults.push(ManifestFault {
            code: code.to_owned(),
            severity,
            pointer: pointer.to_owned(),
            line: Some(line),
            column: Some(column),
            message,
            remedy,
        });
    }
}

/// `$schema`, and names that begin with `x-`, are for others, by custom.
fn is_for_others(name: &str) -> bool {
    name.starts_with("x-") || name.starts_with('$')
}

fn expected(shape: Shape) -> &'static str {
    match shape {
        Shape::Text | Shape::Ruled(_) | Shape::Choice(_) => "a string",
        Shape::Flag => "true or false",
        Shape::Number => "a whole number from 1",
        Shape::List(Shape::Text | Shape::Ruled(_)) => "a list of strings",
        Shape::List(_) => "a list of objects",
        Shape::Short(_) => "a string or an object",
        Shape::All(_) => "true, false or a list of strings",
        Shape::Object(_) | Shape::Map | Shape::Schema => "an object",
        Shape::Any => "anything",
    }
}

pub(super) fn kind_of(value: &Value) -> String {
    match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::String(text) => format!("the string {text:?}"),
        other => other.to_string(),
    }
}
