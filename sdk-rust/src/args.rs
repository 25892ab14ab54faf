//! A tool's arguments: from JSON to the author's type, with the place of what is wrong.

use extline_protocol::frame::ErrorInfo;
use extline_protocol::{ArgsError, ArgsFailure, RawJson};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::{Path, Segment};

use crate::ToolError;

/// The arguments of a tool that takes none: an object, whatever is in it.
///
/// ```
/// use extline::prelude::*;
///
/// let clock = Tool::new("clock", "The time.", async |_: NoArgs, _| Ok("noon"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(description = "")] // What stands above is for authors, not for models.
pub struct NoArgs {}

/// Reads the arguments of a call.
///
/// # Errors
///
/// Kind `validation`; the field is the offending member itself, also for one that is missing.
pub(crate) fn decode<T: DeserializeOwned>(args: &RawJson) -> Result<T, ToolError> {
    read(args).map_err(|Unfit { pointer, reason }| wrong(pointer, &reason))
}

/// A value that is not of the author's type.
#[derive(Debug)]
pub(crate) struct Unfit {
    /// JSON pointer to the offending member itself, also to one that is missing.
    pub(crate) pointer: String,
    pub(crate) reason: String,
}

/// Reads a value of the author's type.
pub(crate) fn read<T: DeserializeOwned>(value: &RawJson) -> Result<T, Unfit> {
    if let Ok(decoded) = value.to() {
        return Ok(decoded);
    }
    // Slower, with the place of the mistake; and the last of duplicate keys wins here, where serde
    // itself would refuse them.
    let value: Value = value.to().map_err(|error| unfit(String::new(), &error.to_string()))?;
    serde_path_to_error::deserialize(value).map_err(|error| {
        let pointer = pointer_of(error.path());
        unfit(pointer, &error.inner().to_string())
    })
}

/// Arguments that do not match a schema, in the same words.
pub(crate) fn mismatch(mismatch: ArgsError) -> ToolError {
    wrong(mismatch.pointer, &mismatch.message)
}

/// `pointer` is where serde stopped: at the offending member, or at the parent of a missing one.
fn unfit(mut pointer: String, reason: &str) -> Unfit {
    let missing = reason.strip_prefix("missing field `").and_then(|rest| rest.split('`').next());
    if let Some(name) = missing {
        pointer.push_str(&segment_of(name));
        return Unfit { pointer, reason: ArgsFailure::missing().to_string() };
    }
    Unfit { pointer, reason: reason.to_owned() }
}

fn wrong(pointer: String, reason: &str) -> ToolError {
    let ErrorInfo { message, .. } = ErrorInfo::invalid_args(&pointer, reason);
    ToolError::validation(message).field(pointer)
}

fn pointer_of(path: &Path) -> String {
    path.iter()
        .map(|segment| match segment {
            Segment::Seq { index } => format!("/{index}"),
            Segment::Map { key: name } | Segment::Enum { variant: name } => segment_of(name),
            Segment::Unknown => String::new(),
        })
        .collect()
}

/// A member's name as a part of a JSON pointer.
fn segment_of(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Debug, Default, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Trip {
        city: String,
        #[serde(default)]
        days: u8,
        #[serde(default)]
        stops: Vec<Self>,
        #[serde(default)]
        notes: BTreeMap<String, u8>,
        #[serde(default)]
        by: By,
    }

    #[derive(Debug, Default, Deserialize, PartialEq)]
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    enum By {
        #[default]
        Foot,
        Train {
            class: u8,
        },
    }

    /// Kind, field and text of the mistake.
    fn mistake(args: &str) -> (String, String) {
        let error = decode::<Trip>(&RawJson::parse(args).unwrap()).unwrap_err();
        assert_eq!(error.kind().as_str(), "validation");
        (error.info().field.clone().unwrap(), error.to_string())
    }

    #[test]
    fn the_field_is_the_offending_member_itself() {
        for (args, field) in [
            ("{}", "/city"),
            (r#"{"city":7}"#, "/city"),
            (r#"{"city":"a","days":300}"#, "/days"),
            (r#"{"city":"a","days":"b"}"#, "/days"),
            (r#"{"city":"a","x":1}"#, "/x"),
            (r#"{"city":"a","a/b~c":1}"#, "/a~1b~0c"),
            (r#"{"city":"a","stops":[{"city":"b"},{}]}"#, "/stops/1/city"),
            (r#"{"city":"a","stops":[{"city":"b","y":0}]}"#, "/stops/0/y"),
            (r#"{"city":"a","stops":{}}"#, "/stops"),
            (r#"{"city":"a","notes":{"k/v":-1}}"#, "/notes/k~1v"),
            (r#"{"city":"a","by":{"train":{}}}"#, "/by/train/class"),
            (r#"{"city":"a","by":{"train":{"class":"first"}}}"#, "/by/train/class"),
            (r#"{"city":"a","by":"boat"}"#, "/by"),
            (r#"{"city":"a","by":{"train":{"class":1,"train":2}}}"#, "/by/train/train"),
            (r#"{"city":"a","stops":[{"stops":[]}]}"#, "/stops/0/city"),
        ] {
            assert_eq!(mistake(args).0, field, "{args}: {}", mistake(args).1);
        }
    }

    #[test]
    fn the_text_says_what_was_expected_and_where() {
        assert_eq!(mistake("{}").1, "invalid arguments: /city: required, and missing");
        assert_eq!(
            mistake(r#"{"city":"a","days":"b"}"#).1,
            "invalid arguments: /days: invalid type: string \"b\", expected u8"
        );
    }

    #[test]
    fn a_tool_without_arguments_tells_the_model_nothing_about_them() {
        assert_eq!(crate::schema_of::<NoArgs>().get(), r#"{"type":"object"}"#);
    }

    #[test]
    fn the_last_of_duplicate_keys_wins() {
        let args = RawJson::parse(r#"{"city":"a","city":"b"}"#).unwrap();
        assert_eq!(decode::<Trip>(&args).unwrap().city, "b");
    }
}
