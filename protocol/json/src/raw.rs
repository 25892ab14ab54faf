//! JSON values that pass through as text.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Deserializer, Serialize, Serializer, ser};
use serde_json::value::RawValue;
use thiserror::Error;

use super::ends::Ends;
use super::read_string;
use super::scan::{EachMember, has_unpaired_surrogate, sole_value};
use super::scanner::{Surrogate, surrogate_at};
use crate::bytes::{find, find_either};
use crate::pointer::follow_by;

/// One JSON value as the text its author wrote: number text, key order and duplicate keys are
/// kept (`frm.raw`).
///
/// The text can always stand on the wire: it is valid JSON, holds no LF or CR, and no unpaired
/// surrogate escape.
#[derive(Clone)]
pub struct RawJson {
    text: Box<str>,
    /// Of arguments that came in a frame, where their values end.
    ends: Ends,
}

/// Text that is no JSON value.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("not a JSON value: {reason}")]
#[non_exhaustive]
pub struct RawJsonError {
    /// What the parser said, with line and column.
    pub reason: String,
}

impl RawJson {
    /// Checks a text and makes it fit for the wire: LF and CR between tokens are removed, an
    /// unpaired surrogate escape becomes `\ufffd`, white space around it goes.
    pub fn parse(text: &str) -> Result<Self, RawJsonError> {
        if let Some(value) = Self::parse_valid(text) {
            return Ok(value);
        }
        // It knows what is wrong, and where.
        let value: &RawValue = serde_json::from_str(text)
            .map_err(|error| RawJsonError { reason: error.to_string() })?;
        Ok(Self::of_valid(value.get()))
    }

    /// The same for whoever need not know what is wrong with a text: that takes longer than to see that
    /// something is.
    pub fn parse_valid(text: &str) -> Option<Self> {
        let (value, has_unpaired_surrogate) = sole_value(text)?;
        Some(Self::of_scanned(value, has_unpaired_surrogate))
    }

    /// The JSON text of a value that serde can write.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, RawJsonError> {
        match serde_json::to_string(value) {
            // A `RawValue` in it stands there as its author wrote it.
            Ok(text) => Ok(Self::of_valid(&text)),
            Err(error) => Err(RawJsonError { reason: error.to_string() }),
        }
    }

    /// A value that stands inside of another one, as [`RawJson::at`] hands it out: it has been checked.
    pub fn of_part(text: &str) -> Self {
        Self::of_text(text)
    }

    /// The value `{}`.
    pub fn empty_object() -> Self {
        Self::of_text("{}")
    }

    /// The value `null`.
    pub fn null() -> Self {
        Self::of_text("null")
    }

    /// The JSON text.
    pub fn get(&self) -> &str {
        &self.text
    }

    /// The JSON text, without a copy.
    pub fn into_string(self) -> String {
        self.text.into_string()
    }

    /// Reads the value into a type of the caller's.
    pub fn to<'a, T: Deserialize<'a>>(&'a self) -> serde_json::Result<T> {
        serde_json::from_str(&self.text)
    }

    /// The string at a JSON pointer (RFC 6901), `/city` for the member `city`; the value itself at
    /// an empty one. `None` when nothing stands there, or no string.
    ///
    /// It copies nothing but a string with escapes, so that a handler which wants one or two members
    /// needs no type for the whole.
    ///
    /// ```
    /// use extline_json::RawJson;
    ///
    /// let args = RawJson::parse(r#"{"city":"Berlin","days":[{"name":"to\u0064ay"}],"n":1}"#)?;
    /// assert_eq!(args.string("/city").as_deref(), Some("Berlin"));
    /// assert_eq!(args.string("/days/0/name").as_deref(), Some("today"));
    /// assert_eq!(args.string("/n"), None);
    /// # Ok::<(), extline_json::RawJsonError>(())
    /// ```
    pub fn string(&self, pointer: &str) -> Option<Cow<'_, str>> {
        read_string(self.at(pointer)?)
    }

    /// The JSON text at a JSON pointer, as its author wrote it; `None` when nothing stands there.
    ///
    /// ```
    /// use extline_json::RawJson;
    ///
    /// let args = RawJson::parse(r#"{"city":"to\u0064ay","days":[1e400]}"#)?;
    /// assert_eq!(args.at("/city"), Some(r#""to\u0064ay""#));
    /// assert_eq!(args.at("/days/0"), Some("1e400"));
    /// assert_eq!(args.at("/days/1"), None);
    /// # Ok::<(), extline_json::RawJsonError>(())
    /// ```
    pub fn at(&self, pointer: &str) -> Option<&str> {
        follow_by(&self.text, pointer, |value| self.members_of(value))
    }

    /// What is known of where its values end: whoever goes on with the text alone gives it to
    /// [`pointer::follow_known`](crate::pointer::follow_known).
    pub fn ends(&self) -> Ends {
        self.ends
    }

    /// Whether the value is an object.
    pub fn is_object(&self) -> bool {
        self.text.starts_with('{')
    }

    /// The members of a value in this text, one by one; `None` when it is no object.
    pub fn members_of<'t>(&self, value: &'t str) -> Option<EachMember<'t>> {
        EachMember::of_part(value, &self.text, self.ends)
    }

    fn of_valid(text: &str) -> Self {
        Self::of_scanned(text, has_unpaired_surrogate(text))
    }

    /// Valid text of which is known whether a surrogate in it is unpaired.
    pub fn of_scanned(text: &str, has_unpaired_surrogate: bool) -> Self {
        if has_unpaired_surrogate {
            Self::of_repaired(&repair_surrogates(text))
        } else {
            Self::of_repaired(text)
        }
    }

    /// Text that was checked before and whose surrogates are whole; only line ends may be wrong.
    pub fn of_repaired(text: &str) -> Self {
        Self::of_opened(text, Ends::default())
    }

    /// The same, when it is known where the values in it end.
    pub(super) fn of_opened(text: &str, ends: Ends) -> Self {
        if find_either(b'\n', b'\r', text.as_bytes()).is_none() {
            return Self { text: text.into(), ends };
        }
        // Inside a string a raw line end would not be valid JSON, so each stands between tokens.
        Self::of_text(text.replace(['\n', '\r'], ""))
    }

    fn of_text(text: impl Into<Box<str>>) -> Self {
        Self { text: text.into(), ends: Ends::default() }
    }
}

/// What is known of a text beside it says nothing about the value.
impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for RawJson {}

impl Hash for RawJson {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl fmt::Debug for RawJson {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl fmt::Display for RawJson {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl Default for RawJson {
    /// `null`, the value that says nothing.
    fn default() -> Self {
        Self::null()
    }
}

/// Inside a larger JSON value it stands as its author wrote it.
impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value: &RawValue = serde_json::from_str(&self.text).map_err(ser::Error::custom)?;
        value.serialize(serializer)
    }
}

/// A member that is kept as it was written, in a type that is read from JSON.
impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Box::<RawValue>::deserialize(deserializer)?;
        Ok(Self::of_valid(value.get()))
    }
}

impl From<serde_json::Value> for RawJson {
    fn from(value: serde_json::Value) -> Self {
        Self::of_text(value.to_string())
    }
}

/// Replaces each unpaired surrogate escape by `\ufffd`, which is as long.
pub fn repair_surrogates(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut repaired = String::with_capacity(text.len());
    let mut copied = 0;
    let mut at = 0;
    while let Some(offset) = find(b'\\', &bytes[at..]) {
        let escape = at + offset;
        let surrogate = surrogate_at(bytes, escape);
        if surrogate == Some(Surrogate::Unpaired) {
            repaired.push_str(&text[copied..escape]);
            repaired.push_str("\\ufffd");
            copied = escape + 6;
        }
        at = match surrogate {
            Some(Surrogate::Pair) => escape + 12,
            Some(Surrogate::Unpaired) => escape + 6,
            Some(Surrogate::None) | None => (escape + 2).min(bytes.len()),
        };
    }
    repaired.push_str(&text[copied..]);
    repaired
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_is_read_where_a_pointer_leads() {
        let raw = RawJson::parse(r#"{"a":"x","b":{"c/d":["\n"]},"a":"y","n":null}"#).unwrap();
        assert_eq!(raw.string("/a").as_deref(), Some("y"), "of duplicates the last");
        assert_eq!(raw.string("/b/c~1d/0").as_deref(), Some("\n"));
        for nothing in ["", "/", "/b", "/n", "/b/c~1d/1", "/a/0", "/missing"] {
            assert_eq!(raw.string(nothing), None, "{nothing}");
        }
        assert_eq!(RawJson::parse(r#""itself""#).unwrap().string("").as_deref(), Some("itself"));
    }

    #[test]
    fn clean_text_passes_byte_for_byte() {
        let text = r#"{"n":1e400, "n":12345678901234567890,"s":"\u003c\ud83d\ude00" }"#;
        assert_eq!(RawJson::parse(text).unwrap().get(), text);
    }

    #[test]
    fn line_ends_between_tokens_go_and_escaped_ones_stay() {
        assert_eq!(RawJson::parse("{\r\n \"a\":\n\"\\n\"}\n").unwrap().get(), r#"{ "a":"\n"}"#);
    }

    #[test]
    fn unpaired_surrogates_are_replaced() {
        let raw =
            RawJson::parse(r#"["\ud800","\udc00x","\ud83d\ude00","\\ud800","\ud800\n"]"#).unwrap();
        assert_eq!(raw.get(), r#"["\ufffd","\ufffdx","\ud83d\ude00","\\ud800","\ufffd\n"]"#);
        assert!(raw.to::<serde_json::Value>().is_ok());
    }

    #[test]
    fn what_is_no_json_value_is_refused_with_the_place() {
        let error = RawJson::parse("{\"a\":}").unwrap_err().to_string();
        assert!(error.contains("column 6"), "{error}");
        assert!(RawJson::parse("1 2").is_err());
        assert!(RawJson::parse("").is_err());
    }
}
