//! A JSON text as a tree whose members keep their order: models read a schema from its beginning.

use std::collections::HashSet;

use extline_json::{EachMember, Elements, read_string, write_array, write_object, write_string};

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Object(Object),
    List(Vec<Self>),
    Text(String),
    /// A number, `true`, `false` or `null`, as it was written.
    Other(String),
}

/// The members of an object; each name stands once.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Object(pub(super) Vec<(String, Json)>);

impl Json {
    /// Reads a text that is valid JSON and not nested too deep for the stack.
    pub(super) fn of(text: &str) -> Self {
        if let Some(members) = EachMember::of_valid(text) {
            let members = members.map(|it| (it.key().into_owned(), Self::of(it.value)));
            Self::Object(Object::of(members.collect()))
        } else if let Some(elements) = Elements::of(text) {
            Self::List(elements.map(Self::of).collect())
        } else if let Some(string) = read_string(text) {
            Self::Text(string.into_owned())
        } else {
            Self::Other(text.to_owned())
        }
    }

    pub(super) fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    pub(super) fn flag(flag: bool) -> Self {
        Self::Other(flag.to_string())
    }

    pub(super) fn null() -> Self {
        Self::Other("null".to_owned())
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self, Self::Other(text) if text == "null")
    }

    pub(super) fn as_object(&self) -> Option<&Object> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    pub(super) fn as_list(&self) -> Option<&[Self]> {
        if let Self::List(list) = self { Some(list) } else { None }
    }

    pub(super) fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The value that a JSON pointer leads to.
    pub(super) fn at(&self, pointer: &str) -> Option<&Self> {
        pointer.split('/').skip(1).try_fold(self, |value, token| match value {
            Self::Object(object) => object.get(&token.replace("~1", "/").replace("~0", "~")),
            Self::List(list) => list.get(token.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// The same, to be changed.
    pub(super) fn at_mut(&mut self, pointer: &str) -> Option<&mut Self> {
        pointer.split('/').skip(1).try_fold(self, |value, token| match value {
            Self::Object(Object(members)) => {
                let name = token.replace("~1", "/").replace("~0", "~");
                members.iter_mut().find(|(key, _)| *key == name).map(|(_, value)| value)
            }
            Self::List(list) => list.get_mut(token.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// About how many bytes its text has.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Object(object) => object.size(),
            Self::List(list) => 2 + list.iter().map(|it| it.size() + 1).sum::<usize>(),
            Self::Text(text) => text.len() + 2,
            Self::Other(text) => text.len(),
        }
    }

    pub(super) fn write(&self) -> String {
        let mut out = Vec::new();
        self.write_to(&mut out);
        // Only whole strings were written.
        String::from_utf8_lossy(&out).into_owned()
    }

    fn write_to(&self, out: &mut Vec<u8>) {
        match self {
            Self::Object(Object(members)) => {
                let members = members.iter().map(|(name, value)| (name, value));
                write_object(members, out, Self::write_to);
            }
            Self::List(list) => write_array(list, out, Self::write_to),
            Self::Text(text) => write_string(text, out),
            Self::Other(text) => out.extend_from_slice(text.as_bytes()),
        }
    }
}

impl Object {
    /// Of names that stand twice the last counts.
    fn of(mut members: Vec<(String, Json)>) -> Self {
        let mut names = HashSet::new();
        let is_last: Vec<bool> =
            members.iter().rev().map(|(name, _)| names.insert(name.clone())).collect();
        if names.len() < members.len() {
            let mut is_last = is_last.into_iter().rev();
            members.retain(|_| is_last.next().unwrap_or(true));
        }
        Self(members)
    }

    pub(super) fn get(&self, name: &str) -> Option<&Json> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// The text of a member, where it is one.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_text()
    }

    /// Puts a member where it stood, or behind the others.
    pub(super) fn set(&mut self, name: &str, value: Json) {
        match self.0.iter_mut().find(|(key, _)| key == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    pub(super) fn remove(&mut self, name: &str) -> Option<Json> {
        let position = self.0.iter().position(|(key, _)| key == name)?;
        Some(self.0.remove(position).1)
    }

    /// Says the type, where it stood, or before all else.
    pub(super) fn set_type(&mut self, kind: Json) {
        if self.has("type") {
            self.set("type", kind);
        } else {
            self.0.insert(0, ("type".to_owned(), kind));
        }
    }

    /// Takes the value of a member whose place is kept for the one that is set instead.
    pub(super) fn take(&mut self, name: &str) -> Option<Json> {
        let (_, value) = self.0.iter_mut().find(|(key, _)| key == name)?;
        Some(std::mem::replace(value, Json::null()))
    }

    pub(super) fn size(&self) -> usize {
        2 + self.0.iter().map(|(name, value)| name.len() + 4 + value.size()).sum::<usize>()
    }
}
