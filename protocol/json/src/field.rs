//! How a value of a frame is read, written and described.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value, json};

use super::unescape::unescape;
use super::{
    Elements, Members, RawJson, depth, write_array, write_number, write_object, write_string,
};
use crate::bytes::find;
use crate::pointer::join;

/// A value that can be a member of a frame. `null` never reaches `read`: an absent and a `null`
/// member are the same (`frm.null`).
pub trait Field: Sized {
    /// Reads the value from its JSON text, which is known to be valid JSON.
    fn read(text: &str) -> Result<Self, FieldError>;

    /// Appends the value's canonical JSON text.
    fn write(&self, out: &mut Vec<u8>);

    /// Objects and arrays open at once in the value; 0 for a scalar.
    fn depth(&self) -> usize {
        0
    }

    /// The JSON Schema of the value.
    fn schema() -> Value;

    /// Whether it is `null`, and so is left out where it is optional (`frm.no-null`).
    fn is_null(&self) -> bool {
        false
    }
}

/// A member of a frame that is missing or of the wrong type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// JSON pointer of the member, from the frame's own object.
    pub pointer: String,
    /// What should stand there, as "a string".
    pub expected: &'static str,
    /// What stands there, shortened; `None` when nothing does.
    pub found: Option<String>,
}

impl FieldError {
    // Once for all members, here and below: what is seldom wrong must not be in each reader.
    /// A value that is not what its member should be.
    #[cold]
    #[inline(never)]
    pub fn unexpected(expected: &'static str, text: &str) -> Self {
        Self { pointer: String::new(), expected, found: Some(excerpt(text)) }
    }

    /// A required member that is absent or `null`.
    #[cold]
    #[inline(never)]
    pub fn missing(name: &str) -> Self {
        Self { pointer: String::new(), expected: "a value", found: None }.below(name)
    }

    /// The same error, seen from the object that holds the value under that name.
    #[must_use]
    #[cold]
    #[inline(never)]
    pub fn below(mut self, name: &str) -> Self {
        self.pointer.insert_str(0, &join("", name));
        self
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.pointer.is_empty() {
            write!(formatter, "{}: ", self.pointer)?;
        }
        match &self.found {
            Some(found) => write!(formatter, "expected {}, found {found}", self.expected),
            None => formatter.write_str("required, and missing"),
        }
    }
}

impl std::error::Error for FieldError {}

/// The beginning of a text, for an error message.
pub fn excerpt(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// Reads a member; `null` is as if it were not there.
pub fn read_member<T: Field>(name: &str, text: &str) -> Result<Option<T>, FieldError> {
    if text == "null" {
        return Ok(None);
    }
    T::read(text).map(Some).map_err(|error| error.below(name))
}

/// Reads what the last member of that name holds; the others need not even be of the right type
/// (`frm.duplicate-keys`).
pub fn read_last<T: Field>(name: &str, last: Option<&str>) -> Result<Option<T>, FieldError> {
    last.map_or(Ok(None), |text| read_member(name, text))
}

/// The string that a JSON text stands for; `None` when it is another value.
pub fn read_string(text: &str) -> Option<Cow<'_, str>> {
    let body = text.strip_prefix('"')?.strip_suffix('"')?;
    if find(b'\\', body.as_bytes()).is_none() {
        return Some(Cow::Borrowed(body));
    }
    Some(Cow::Owned(unescape(body)))
}

impl Field for String {
    fn read(text: &str) -> Result<Self, FieldError> {
        match read_string(text) {
            Some(string) => Ok(string.into_owned()),
            None => Err(FieldError::unexpected("a string", text)),
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        write_string(self, out);
    }

    fn schema() -> Value {
        json!({"type": "string"})
    }
}

impl Field for bool {
    fn read(text: &str) -> Result<Self, FieldError> {
        match text {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(FieldError::unexpected("true or false", text)),
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(if *self { b"true" } else { b"false" });
    }

    fn schema() -> Value {
        json!({"type": "boolean"})
    }
}

impl Field for u64 {
    fn read(text: &str) -> Result<Self, FieldError> {
        text.parse().map_err(|_| FieldError::unexpected("a whole number from 0", text))
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.to_string().as_bytes());
    }

    fn schema() -> Value {
        json!({"type": "integer", "minimum": 0})
    }
}

impl Field for i64 {
    fn read(text: &str) -> Result<Self, FieldError> {
        text.parse().map_err(|_| FieldError::unexpected("a whole number", text))
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.to_string().as_bytes());
    }

    fn schema() -> Value {
        json!({"type": "integer"})
    }
}

impl Field for f64 {
    fn read(text: &str) -> Result<Self, FieldError> {
        // Exact to the last bit, which serde_json's own reading is not. What is too large for an
        // f64 would become infinite.
        match text.parse::<Self>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(FieldError::unexpected("a number", text)),
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        write_number(*self, out);
    }

    fn schema() -> Value {
        json!({"type": "number"})
    }
}

impl Field for RawJson {
    fn read(text: &str) -> Result<Self, FieldError> {
        Ok(Self::of_repaired(text))
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.get().as_bytes());
    }

    fn depth(&self) -> usize {
        depth(self.get())
    }

    fn schema() -> Value {
        json!({})
    }

    fn is_null(&self) -> bool {
        self.get() == "null"
    }
}

impl<T: Field> Field for Vec<T> {
    fn read(text: &str) -> Result<Self, FieldError> {
        let elements =
            Elements::of(text).ok_or_else(|| FieldError::unexpected("an array", text))?;
        let read_element = |(at, element)| {
            T::read(element).map_err(|error: FieldError| error.below(&usize::to_string(&at)))
        };
        elements.enumerate().map(read_element).collect()
    }

    fn write(&self, out: &mut Vec<u8>) {
        write_array(self, out, T::write);
    }

    fn depth(&self) -> usize {
        1 + self.iter().map(T::depth).max().unwrap_or_default()
    }

    fn schema() -> Value {
        json!({"type": "array", "items": T::schema()})
    }
}

impl<T: Field> Field for BTreeMap<String, T> {
    fn read(text: &str) -> Result<Self, FieldError> {
        let members =
            Members::of_valid(text).ok_or_else(|| FieldError::unexpected("an object", text))?;
        let mut last = BTreeMap::new();
        for member in members.iter() {
            last.insert(member.key(), member.value);
        }
        let mut map = Self::new();
        for (name, text) in last {
            if let Some(value) = read_member(&name, text)? {
                map.insert(name.into_owned(), value);
            }
        }
        Ok(map)
    }

    fn write(&self, out: &mut Vec<u8>) {
        write_object(self, out, T::write);
    }

    fn depth(&self) -> usize {
        1 + self.values().map(T::depth).max().unwrap_or_default()
    }

    fn schema() -> Value {
        json!({"type": "object", "additionalProperties": T::schema()})
    }
}
