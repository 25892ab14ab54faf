//! What was found as JSON, for the command and for bindings.

use extline_json::write_string;

use crate::extract::{Call, Envelope, Extracted, Refused};
use crate::repair::{Fix, RepairError, Repaired};
use crate::schema::{Note, Rendered, Unrenderable};

impl Repaired {
    /// `{"value", "fixes", "unlisted", "truncated"}`; a fix is `{"kind", "offset", "line", "column",
    /// "found", "text"}`.
    pub fn to_json(&self) -> String {
        let mut object = Object::new();
        object.raw("value", self.value.get());
        object.list("fixes", &self.fixes, fix);
        object.raw("unlisted", &self.unlisted.to_string());
        object.flag("truncated", self.truncated);
        object.finish()
    }
}

impl RepairError {
    /// `{"kind", "offset", "line", "column", "text"}`.
    pub fn to_json(&self) -> String {
        let mut object = Object::new();
        object.text("kind", self.kind.as_str());
        object.place(self.offset, self.line, self.column);
        object.text("text", &self.to_string());
        object.finish()
    }
}

impl Extracted {
    /// `{"calls", "remaining", "envelope", "repaired", "truncated", "refused"}`; a call is `{"name",
    /// "arguments", "id", "envelope", "start", "end", "fixes", "truncated"}`, and what was refused is
    /// `{"envelope", "start", "reason"}`.
    pub fn to_json(&self) -> String {
        let mut object = Object::new();
        object.list("calls", &self.calls, call);
        object.text("remaining", &self.remaining);
        object.optional("envelope", self.envelope.map(Envelope::as_str));
        object.flag("repaired", self.repaired);
        object.flag("truncated", self.truncated);
        object.list("refused", &self.refused, refused);
        object.finish()
    }
}

impl Rendered {
    /// `{"schema", "notes"}`; a note is `{"kind", "pointer", "text"}`.
    pub fn to_json(&self) -> String {
        let mut object = Object::new();
        object.raw("schema", self.schema.get());
        object.list("notes", &self.notes, note);
        object.finish()
    }
}

impl Unrenderable {
    /// `{"kind", "pointer", "text"}`; the text is the whole sentence, with the place.
    pub fn to_json(&self) -> String {
        let mut object = Object::new();
        object.text("kind", self.reason.as_str());
        object.text("pointer", &self.pointer);
        object.text("text", &self.to_string());
        object.finish()
    }
}

fn fix(fix: &Fix) -> String {
    let mut object = Object::new();
    object.text("kind", fix.kind.as_str());
    object.place(fix.offset, fix.line, fix.column);
    object.text("found", &fix.found);
    object.text("text", &fix.to_string());
    object.finish()
}

fn call(call: &Call) -> String {
    let mut object = Object::new();
    object.text("name", &call.name);
    object.raw("arguments", call.arguments.get());
    object.optional("id", call.id.as_deref());
    object.text("envelope", call.envelope.as_str());
    object.raw("start", &call.start.to_string());
    object.raw("end", &call.end.to_string());
    object.list("fixes", &call.fixes, fix);
    object.flag("truncated", call.truncated);
    object.finish()
}

fn note(note: &Note) -> String {
    let mut object = Object::new();
    object.text("kind", note.kind.as_str());
    object.text("pointer", &note.pointer);
    object.text("text", &note.text);
    object.finish()
}

fn refused(refused: &Refused) -> String {
    let mut object = Object::new();
    object.text("envelope", refused.envelope.as_str());
    object.raw("start", &refused.start.to_string());
    object.text("reason", &refused.reason);
    object.finish()
}

/// A JSON object that is being written.
struct Object(Vec<u8>);

impl Object {
    fn new() -> Self {
        Self(vec![b'{'])
    }

    fn raw(&mut self, name: &str, json: &str) {
        if self.0.len() > 1 {
            self.0.push(b',');
        }
        write_string(name, &mut self.0);
        self.0.push(b':');
        self.0.extend_from_slice(json.as_bytes());
    }

    fn text(&mut self, name: &str, text: &str) {
        self.optional(name, Some(text));
    }

    fn optional(&mut self, name: &str, text: Option<&str>) {
        self.raw(name, if text.is_some() { "" } else { "null" });
        if let Some(text) = text {
            write_string(text, &mut self.0);
        }
    }

    fn flag(&mut self, name: &str, flag: bool) {
        self.raw(name, if flag { "true" } else { "false" });
    }

    fn place(&mut self, offset: usize, line: usize, column: usize) {
        self.raw("offset", &offset.to_string());
        self.raw("line", &line.to_string());
        self.raw("column", &column.to_string());
    }

    fn list<T>(&mut self, name: &str, items: &[T], json: fn(&T) -> String) {
        let items: Vec<_> = items.iter().map(json).collect();
        self.raw(name, &format!("[{}]", items.join(",")));
    }

    fn finish(mut self) -> String {
        self.0.push(b'}');
        String::from_utf8_lossy(&self.0).into_owned()
    }
}
