//! The fields of a form, and its schema: flat, as clients show no other (`requestedSchema`).

use extline_protocol::write_string;

use crate::entry::push_key;
use crate::revision::Revision;

/// One thing to fill in.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// Names it in the answer; no two have the same.
    pub(super) name: String,
    pub(super) title: String,
    pub(super) description: Option<String>,
    pub(super) kind: Kind,
    /// What stands there at first.
    pub(super) default: Option<String>,
}

/// What can be filled in.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// A yes or no.
    Flag,
    /// A text, which may be empty.
    Text,
    /// One of these.
    One(Vec<Choice>),
    /// Some of these, or none.
    Some(Vec<Choice>),
}

/// What can be chosen.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) value: String,
    /// How it is shown.
    pub(super) label: String,
}

impl Field {
    pub(super) fn new(name: &str, title: &str, kind: Kind) -> Self {
        let (name, title) = (name.to_owned(), title.to_owned());
        Self { name, title, description: None, kind, default: None }
    }

    /// What it is called in the answer for one of several choices, where there are no lists.
    pub(super) fn flag_name(&self, position: usize) -> String {
        format!("{}.{}", self.name, position + 1)
    }
}

/// Whether a form may have a list of choices; before there is a yes or no for each of them.
pub(super) fn has_lists(revision: Revision) -> bool {
    revision >= Revision::V2025_11_25
}

/// Appends the schema.
pub(super) fn write(fields: &[Field], revision: Revision, out: &mut Vec<u8>) {
    let mut required = Vec::new();
    out.extend_from_slice(b"{\"type\":\"object\",\"properties\":{");
    let mut separator: &[u8] = b"";
    let mut begin = |name: &str, out: &mut Vec<u8>| {
        out.extend_from_slice(std::mem::replace(&mut separator, b","));
        write_string(name, out);
        out.push(b':');
    };
    for field in fields {
        match &field.kind {
            Kind::Some(choices) if !has_lists(revision) => {
                for (position, choice) in choices.iter().enumerate() {
                    begin(&field.flag_name(position), out);
                    write_head("boolean", &format!("{}: {}", field.title, choice.label), out);
                    out.push(b'}');
                }
            }
            kind => {
                begin(&field.name, out);
                write_field(field, revision, out);
                if matches!(kind, Kind::Flag | Kind::One(_)) {
                    required.push(field.name.as_str());
                }
            }
        }
    }
    out.push(b'}');
    if !required.is_empty() {
        push_key(out, "required");
        write_list(required.into_iter(), out);
    }
    out.push(b'}');
}

fn write_field(field: &Field, revision: Revision, out: &mut Vec<u8>) {
    let kind = match field.kind {
        Kind::Flag => "boolean",
        Kind::Text | Kind::One(_) => "string",
        Kind::Some(_) => "array",
    };
    write_head(kind, &field.title, out);
    if let Some(description) = &field.description {
        push_key(out, "description");
        write_string(description, out);
    }
    match &field.kind {
        Kind::Flag | Kind::Text => {}
        Kind::One(choices) => write_choices(choices, revision, "oneOf", out),
        Kind::Some(choices) => {
            push_key(out, "items");
            out.extend_from_slice(b"{\"type\":\"string\"");
            write_choices(choices, revision, "anyOf", out);
            out.push(b'}');
        }
    }
    // Only these revisions know what stands there at first.
    if let Some(default) = field.default.as_ref().filter(|_| has_lists(revision)) {
        push_key(out, "default");
        match field.kind {
            Kind::Some(_) => write_list([default.as_str()].into_iter(), out),
            _ => write_string(default, out),
        }
    }
    out.push(b'}');
}

fn write_head(kind: &str, title: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"type\":");
    write_string(kind, out);
    push_key(out, "title");
    write_string(title, out);
}

/// Choices with labels of their own are written as each revision wants it.
fn write_choices(choices: &[Choice], revision: Revision, labelled: &str, out: &mut Vec<u8>) {
    let is_labelled = choices.iter().any(|choice| choice.label != choice.value);
    if is_labelled && has_lists(revision) {
        push_key(out, labelled);
        let mut separator = b'[';
        for choice in choices {
            out.push(std::mem::replace(&mut separator, b','));
            out.extend_from_slice(b"{\"const\":");
            write_string(&choice.value, out);
            push_key(out, "title");
            write_string(&choice.label, out);
            out.push(b'}');
        }
        out.push(b']');
        return;
    }
    push_key(out, "enum");
    write_list(choices.iter().map(|choice| choice.value.as_str()), out);
    if is_labelled {
        push_key(out, "enumNames");
        write_list(choices.iter().map(|choice| choice.label.as_str()), out);
    }
}

/// Appends a list of strings.
pub(super) fn write_list<'a>(texts: impl Iterator<Item = &'a str>, out: &mut Vec<u8>) {
    out.push(b'[');
    for (position, text) in texts.enumerate() {
        if position > 0 {
            out.push(b',');
        }
        write_string(text, out);
    }
    out.push(b']');
}
