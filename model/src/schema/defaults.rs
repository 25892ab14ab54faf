//! Defaults for parameters of a tool that say none.

use extline_json::{RawJson, depth};

use super::tree::Json;
use crate::repair::MAX_DEPTH;

/// The schema with these values as `default` of the parameters of their names. `values` is an object; a parameter that
/// is not there, or says a default of its own, stays as it is. All else does, in its order.
///
/// ```
/// use extline_model::{RawJson, with_defaults};
///
/// let schema = RawJson::parse(r#"{"properties":{"limit":{"type":"integer"}}}"#)?;
/// let shown = with_defaults(&schema, &RawJson::parse(r#"{"limit":10,"other":1}"#)?);
/// assert_eq!(shown.get(), r#"{"properties":{"limit":{"type":"integer","default":10}}}"#);
/// # Ok::<(), extline_model::RawJsonError>(())
/// ```
pub fn with_defaults(schema: &RawJson, values: &RawJson) -> RawJson {
    if depth(schema.get()) > MAX_DEPTH || depth(values.get()) > MAX_DEPTH {
        return schema.clone();
    }
    let (mut root, values) = (Json::of(schema.get()), Json::of(values.get()));
    let (Some(Json::Object(properties)), Some(values)) =
        (root.at_mut("/properties"), values.as_object())
    else {
        return schema.clone();
    };
    let mut has_changed = false;
    for (name, property) in &mut properties.0 {
        let Json::Object(property) = property else { continue };
        let Some(value) = values.get(name).filter(|_| property.get("default").is_none()) else {
            continue;
        };
        property.set("default", value.clone());
        has_changed = true;
    }
    if has_changed { RawJson::of_part(&root.write()) } else { schema.clone() }
}
