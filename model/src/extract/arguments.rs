//! The arguments of a call, from what a model wrote for them.

use extline_json::{Members, RawJson, read_string, write_string};

use super::Offered;
use crate::repair::{Fix, FixKind, Repaired, repair};

/// Arguments, and what was done to read them.
#[derive(Clone, Debug)]
pub(super) struct Arguments {
    pub(super) json: RawJson,
    pub(super) fixes: Vec<Fix>,
    pub(super) truncated: bool,
}

impl Arguments {
    pub(super) fn none() -> Self {
        Self { json: RawJson::empty_object(), fixes: Vec::new(), truncated: false }
    }

    /// Of JSON that is the arguments themselves.
    pub(super) fn of_text(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Ok(Self::none());
        }
        let Repaired { value, fixes, truncated, .. } = repair(text).map_err(|it| it.to_string())?;
        Self::of_value(value.get(), fixes, truncated)
    }

    /// Of a value in JSON that was read, which may be a string with the object in it.
    pub(super) fn of_value(
        value: &str,
        mut fixes: Vec<Fix>,
        truncated: bool,
    ) -> Result<Self, String> {
        let value = value.trim();
        if value == "null" {
            return Ok(Self { json: RawJson::empty_object(), fixes, truncated });
        }
        if value.starts_with('{') {
            return Ok(Self { json: RawJson::of_part(value), fixes, truncated });
        }
        let inner = read_string(value).ok_or("the arguments are no JSON object")?;
        if inner.trim().is_empty() {
            return Ok(Self { json: RawJson::empty_object(), fixes, truncated });
        }
        let inner = repair(&inner).map_err(|error| format!("the arguments: {error}"))?;
        if !inner.value.is_object() {
            return Err("the arguments are no JSON object".to_owned());
        }
        fixes.extend(inner.fixes);
        Ok(Self { json: inner.value, fixes, truncated: truncated || inner.truncated })
    }
}

/// Whether what the text was cut in may belong to the arguments: no more than the brackets around them
/// may be missing.
pub(super) fn cuts_arguments(repaired: &Repaired, brackets_around: usize) -> bool {
    let cuts = repaired.fixes.iter().filter(|fix| fix.kind.is_cut());
    let (closers, others): (Vec<_>, Vec<_>) = cuts.partition(|fix| fix.kind == FixKind::CutCloser);
    !others.is_empty() || closers.len() > brackets_around
}

/// Arguments that were written one by one, without types.
pub(super) struct Untyped<'o> {
    schema: Option<&'o RawJson>,
    json: Vec<u8>,
    fixes: Vec<Fix>,
}

impl<'o> Untyped<'o> {
    pub(super) fn of(offered: &'o [Offered], tool: &str) -> Self {
        let tool = offered.iter().find(|it| it.name == tool);
        let schema = tool.and_then(|tool| tool.schema.as_ref());
        Self { schema, json: vec![b'{'], fixes: Vec::new() }
    }

    pub(super) fn push(&mut self, name: &str, value: &str) {
        let kind = self.kind(name);
        let is_json = match &kind {
            Some(kind) => kind != "string" && RawJson::parse_valid(value).is_some(),
            None => RawJson::parse_valid(value).is_some_and(|value| !value.get().starts_with('"')),
        };
        if is_json {
            self.push_json(name, value.trim());
        } else if let Some(repaired) = as_python(kind.as_deref(), value.trim()) {
            self.push_json(name, repaired.value.get());
            self.fixes.extend(repaired.fixes);
        } else {
            self.push_string(name, value);
        }
    }

    pub(super) fn push_string(&mut self, name: &str, value: &str) {
        self.push_name(name);
        write_string(value, &mut self.json);
    }

    pub(super) fn push_json(&mut self, name: &str, value: &str) {
        self.push_name(name);
        self.json.extend_from_slice(value.as_bytes());
    }

    pub(super) fn finish(mut self, truncated: bool) -> Arguments {
        self.json.push(b'}');
        let json = RawJson::parse(&String::from_utf8_lossy(&self.json));
        let json = json.unwrap_or_else(|_| RawJson::empty_object());
        Arguments { json, fixes: self.fixes, truncated }
    }

    fn push_name(&mut self, name: &str) {
        if self.json.len() > 1 {
            self.json.push(b',');
        }
        write_string(name, &mut self.json);
        self.json.push(b':');
    }

    /// The type that the schema gives a parameter.
    fn kind(&self, name: &str) -> Option<String> {
        let properties = Members::of(self.schema?.at("/properties")?)?;
        let property = Members::of(properties.last(name)?.value)?;
        read_string(property.last("type")?.value).map(std::borrow::Cow::into_owned)
    }
}

/// A value as Python writes it: some templates do, of which models learn it.
fn as_python(kind: Option<&str>, value: &str) -> Option<Repaired> {
    let is_meant = match kind {
        Some("string") => false,
        Some("array") => value.starts_with('['),
        Some("object") => value.starts_with('{'),
        _ => matches!(value, "True" | "False" | "None"),
    };
    if is_meant { repair(value).ok() } else { None }
}
