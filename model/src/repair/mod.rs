//! JSON as models write it, made valid.

mod error;
mod fix;
mod look_ahead;
mod reader;
mod scalar;
mod space;
mod string;
mod surroundings;

use extline_json::{RawJson, depth};

pub use error::{RepairError, RepairErrorKind};
pub use fix::{Fix, FixKind, Fixes, MAX_FIXES};

use fix::Place;
use reader::Stop;
use surroundings::find;

/// Objects and arrays open at once; as many as a frame of the wire may have.
pub const MAX_DEPTH: usize = 128;

/// A value that was read, and what had to be changed for it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repaired {
    /// The value. Of valid JSON it is the text as it was written, so numbers keep their digits; of
    /// two members of one name both are kept, of which readers take the last.
    pub value: RawJson,
    /// What was changed, in the order of the text; empty where it was valid JSON.
    pub fixes: Vec<Fix>,
    /// How many fixes there were beyond the [`MAX_FIXES`] that are listed.
    pub unlisted: usize,
    /// Whether the text ended before the value did, so that there may have been more of it: an
    /// object, array or string was not closed.
    pub truncated: bool,
}

/// Reads one JSON value from what a model wrote, and mends it where it is no valid JSON.
///
/// Valid JSON passes as it is. In other text strings are told from what stands between them first, so
/// that nothing in a string is changed but what JSON does not allow there. Text around the value is
/// left out; a value inside of another is never taken for the whole. What several values could be
/// meant by is refused.
///
/// The time is linear in the length of the text. There is no input it panics on.
///
/// ```
/// use extline_model::{FixKind, repair};
///
/// let cut = repair(r#"{"path": "a.txt", "content": "package ma"#)?;
/// assert_eq!(cut.value.get(), r#"{"path":"a.txt","content":"package ma"}"#);
/// assert!(cut.truncated);
/// assert_eq!(cut.fixes[0].kind, FixKind::CutString);
///
/// let error = repair(r#"{"a": 1} {"a": 2}"#).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 1, column 10: a second JSON value begins here; write exactly one"
/// );
/// # Ok::<(), extline_model::RepairError>(())
/// ```
pub fn repair(text: &str) -> Result<Repaired, RepairError> {
    let RepairedValue { value, fixes, truncated } = repair_value(text)?;
    Ok(Repaired { value, fixes: fixes.list(text), unlisted: fixes.unlisted(), truncated })
}

/// A value that was read, whose fixes nobody has asked for yet.
#[derive(Clone, Debug)]
pub struct RepairedValue {
    /// As [`Repaired::value`].
    pub value: RawJson,
    /// What was changed, for [`Fixes::list`].
    pub fixes: Fixes,
    /// As [`Repaired::truncated`].
    pub truncated: bool,
}

/// The same as [`repair`] for whoever mostly takes the value alone: what was changed is listed when it is asked
/// for.
pub fn repair_value(text: &str) -> Result<RepairedValue, RepairError> {
    if let Some(value) = RawJson::parse_valid(text) {
        if depth(value.get()) > MAX_DEPTH {
            return Err(error(text, Stop { kind: RepairErrorKind::TooDeep, at: 0 }));
        }
        return Ok(RepairedValue { value, fixes: Fixes::default(), truncated: false });
    }
    let found = find(text, &mut 0).map_err(|stop| error(text, stop))?;
    // What was written is valid JSON. Were it not, that would be said in place of handing it out.
    let value = RawJson::parse_valid(&found.json)
        .ok_or_else(|| error(text, Stop { kind: RepairErrorKind::NoValue, at: 0 }))?;
    Ok(RepairedValue { value, fixes: found.fixes, truncated: found.truncated })
}

fn error(text: &str, Stop { kind, at }: Stop) -> RepairError {
    let (line, column) = Place::new(text).of(at);
    RepairError { kind, offset: at, line, column }
}

#[cfg(test)]
mod tests;
