//! What a client answers, held to what it was asked.

use std::borrow::Cow;

use extline_protocol::{Elements, Members, RawJson, read_string, write_string};

use super::form::{Choice, Field, Kind, has_lists, write_list};
use super::{Asks, Question, Shape, dismissed};
use crate::failure::cut;
use crate::revision::Revision;

/// The answer as the extension reads it, or what is wrong with it.
pub(super) fn of(question: &Question, result: &str, revision: Revision) -> Result<RawJson, String> {
    let members = Members::of_valid(result).ok_or("it is no object")?;
    let action = members.last("action").and_then(|it| read_string(it.value));
    match action.as_deref() {
        Some("accept") => {}
        Some("decline" | "cancel") => return Ok(dismissed("user")),
        Some(other) => return Err(format!("it has the action {}", cut(other))),
        None => return Err("it has no action".to_owned()),
    }
    let Asks::Form { fields, shape } = &question.asks else {
        return Ok(RawJson::of_part("{\"confirmed\":true}"));
    };
    let content = members.last("content").and_then(|it| Members::of_valid(it.value));
    let content = Content { members: content, revision };
    let mut out = Vec::new();
    match (shape, fields.as_slice()) {
        (Shape::Answers, fields) => write_answers(fields, &content, &mut out)?,
        (Shape::Confirmed, [field, ..]) => {
            let confirmed = content.flag(&field.name)?.ok_or_else(|| missing(&field.name))?;
            out.extend_from_slice(format!("{{\"confirmed\":{confirmed}}}").as_bytes());
        }
        (Shape::Value, [field, ..]) => {
            out.extend_from_slice(b"{\"value\":");
            write_string(content.values(field)?.first().map_or("", |it| it), &mut out);
            out.push(b'}');
        }
        (Shape::Values, [field, ..]) => {
            out.extend_from_slice(b"{\"values\":");
            write_list(content.values(field)?.iter().map(|it| &**it), &mut out);
            out.push(b'}');
        }
        (_, []) => return Err("nothing was asked".to_owned()),
    }
    let text = String::from_utf8_lossy(&out);
    RawJson::parse(&text).map_err(|error| error.to_string())
}

fn write_answers(fields: &[Field], content: &Content<'_>, out: &mut Vec<u8>) -> Result<(), String> {
    out.extend_from_slice(b"{\"answers\":");
    let mut separator = b'{';
    for field in fields {
        out.push(std::mem::replace(&mut separator, b','));
        write_string(&field.name, out);
        out.push(b':');
        write_list(content.values(field)?.iter().map(|it| &**it), out);
    }
    out.extend_from_slice(b"}}");
    Ok(())
}

/// What was filled in.
struct Content<'a> {
    members: Option<Members<'a>>,
    revision: Revision,
}

impl<'a> Content<'a> {
    fn member(&self, name: &str) -> Option<&'a str> {
        let member = self.members.as_ref()?.last(name)?;
        (member.value != "null").then_some(member.value)
    }

    fn flag(&self, name: &str) -> Result<Option<bool>, String> {
        match self.member(name) {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(other) => Err(format!("{name} has to be true or false, and is {}", cut(other))),
        }
    }

    /// What was chosen or written in one field.
    fn values(&self, field: &'a Field) -> Result<Vec<Cow<'a, str>>, String> {
        let Field { name, kind, .. } = field;
        let text = |value: &'a str| {
            let no_text = || format!("{name} has to be a text, and is {}", cut(value));
            read_string(value).ok_or_else(no_text)
        };
        match kind {
            Kind::Some(choices) if !has_lists(self.revision) => {
                let mut values = Vec::new();
                for (position, choice) in choices.iter().enumerate() {
                    if self.flag(&field.flag_name(position))? == Some(true) {
                        values.push(choice.value.as_str().into());
                    }
                }
                Ok(values)
            }
            Kind::Some(choices) => {
                let Some(list) = self.member(name) else { return Ok(Vec::new()) };
                let no_list = || format!("{name} has to be a list, and is {}", cut(list));
                let chosen = Elements::of(list).ok_or_else(no_list)?;
                let chosen = chosen.map(text).collect::<Result<Vec<_>, _>>()?;
                if let Some(unknown) = chosen.iter().find(|value| !is_offered(choices, value)) {
                    return Err(unknown_choice(name, unknown));
                }
                // In the order in which they were offered.
                let is_chosen = |choice: &&Choice| chosen.iter().any(|it| *it == choice.value);
                let chosen = choices.iter().filter(is_chosen);
                Ok(chosen.map(|choice| choice.value.as_str().into()).collect())
            }
            Kind::One(choices) => {
                let value = text(self.member(name).ok_or_else(|| missing(name))?)?;
                if !is_offered(choices, &value) {
                    return Err(unknown_choice(name, &value));
                }
                Ok(vec![value])
            }
            Kind::Text => Ok(vec![self.member(name).map_or(Ok(Cow::Borrowed("")), text)?]),
            Kind::Flag => {
                let is_yes = self.flag(name)?.ok_or_else(|| missing(name))?;
                Ok(vec![is_yes.to_string().into()])
            }
        }
    }
}

fn is_offered(choices: &[Choice], value: &str) -> bool {
    choices.iter().any(|choice| choice.value == value)
}

fn unknown_choice(name: &str, value: &str) -> String {
    format!("{name} is {}, which was not offered", cut(value))
}

fn missing(name: &str) -> String {
    format!("{name} is missing")
}
