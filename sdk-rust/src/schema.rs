//! JSON Schemas from Rust types, as models want to read them.

use extline_protocol::RawJson;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use schemars::transform::RestrictFormats;

/// The JSON Schema of a type's JSON form, doc comments as descriptions.
///
/// Made for models: everything inline (a recursive type keeps its `$ref`s), no `$schema`, no title
/// that only repeats the type's name, no number formats outside the standard such as `uint32`.
///
/// ```
/// use extline::schemars::JsonSchema;
///
/// #[derive(JsonSchema)]
/// struct Weather {
///     /// City name
///     city: String,
/// }
///
/// assert_eq!(
///     extline::schema_of::<Weather>().get(),
///     r#"{"properties":{"city":{"description":"City name","type":"string"}},"required":["city"],"type":"object"}"#
/// );
/// ```
pub fn schema_of<T: JsonSchema>() -> RawJson {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let settings = settings.with_transform(RestrictFormats::default());
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    // The formats were restricted by what `$schema` said, so it goes only now.
    schema.remove("$schema");
    if schema.get("title").and_then(|title| title.as_str()) == Some(&T::schema_name()) {
        schema.remove("title");
    }
    RawJson::from(schema.to_value())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Trip {
        /// Where to
        stops: Vec<Stop>,
        days: Option<u8>,
        #[schemars(with = "String", extend("format" = "date"))]
        from: (),
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Stop {
        city: String,
    }

    #[derive(JsonSchema)]
    #[schemars(title = "A tree")]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Tree {
        children: Vec<Self>,
    }

    #[test]
    fn a_nested_type_is_inline_and_without_noise() {
        let schema = schema_of::<Trip>();
        for noise in ["$schema", "$defs", "$ref", "title", "uint8"] {
            assert!(!schema.get().contains(noise), "{noise} in {schema}");
        }
        assert!(schema.get().contains(r#""description":"Where to""#), "{schema}");
        assert!(schema.get().contains(r#""format":"date""#), "{schema}");
    }

    #[test]
    fn a_recursive_type_ends_and_its_own_title_stays() {
        let schema = schema_of::<Tree>();
        assert!(schema.get().contains("$ref"), "{schema}");
        assert!(schema.get().contains("A tree"), "{schema}");
    }
}
