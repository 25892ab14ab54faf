//! Another description for a parameter of a tool.

use extline_json::{RawJson, depth};

use super::tree::Json;
use crate::repair::MAX_DEPTH;

/// The schema with other descriptions where these JSON pointers lead, `/properties/city` for a parameter; those
/// that lead to no object are left out. All else stays as it was, in its order.
///
/// ```
/// use extline_model::{RawJson, with_descriptions};
///
/// let schema = RawJson::parse(r#"{"properties":{"city":{"type":"string","description":"City"}}}"#)?;
/// let described = with_descriptions(&schema, [("/properties/city", "Name of the city, in English")]);
/// assert_eq!(
///     described.get(),
///     r#"{"properties":{"city":{"type":"string","description":"Name of the city, in English"}}}"#
/// );
/// # Ok::<(), extline_model::RawJsonError>(())
/// ```
pub fn with_descriptions<'a>(
    schema: &RawJson,
    descriptions: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> RawJson {
    let mut descriptions = descriptions.into_iter().peekable();
    if descriptions.peek().is_none() || depth(schema.get()) > MAX_DEPTH {
        return schema.clone();
    }
    let mut root = Json::of(schema.get());
    let mut has_changed = false;
    for (pointer, text) in descriptions {
        if let Some(Json::Object(found)) = root.at_mut(pointer) {
            found.set("description", Json::text(text));
            has_changed = true;
        }
    }
    if has_changed { RawJson::of_part(&root.write()) } else { schema.clone() }
}
