//! The drafts of JSON Schema, and what each keyword is to this validator.

use super::value::{MemberList, member, string};

/// The draft a schema is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Draft6,
    Draft7,
    Draft201909,
    /// Also when the schema does not say.
    Draft202012,
    /// Older, or not one of JSON Schema's own: the host decides.
    Other,
}

/// What becomes of a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Checked,
    /// It says nothing about which values pass.
    Annotation,
    /// It says which values pass, and is left to the host.
    Unchecked,
    /// No keyword of JSON Schema: a host will not know it either.
    Unknown,
}

impl Dialect {
    /// The draft named by `$schema`.
    pub(super) fn of(document: &MemberList<'_>) -> Self {
        let Some(draft) = member(document, "$schema") else { return Self::Draft202012 };
        let draft = string(draft).unwrap_or_default();
        match draft
            .trim_end_matches('#')
            .trim_start_matches("https://")
            .trim_start_matches("http://")
        {
            "json-schema.org/draft/2020-12/schema" => Self::Draft202012,
            "json-schema.org/draft/2019-09/schema" => Self::Draft201909,
            "json-schema.org/draft-07/schema" => Self::Draft7,
            "json-schema.org/draft-06/schema" => Self::Draft6,
            _ => Self::Other,
        }
    }

    /// Whether the keywords beside a `$ref` mean nothing.
    pub(super) fn ref_stands_alone(self) -> bool {
        matches!(self, Self::Draft6 | Self::Draft7)
    }

    /// What a keyword is, in a schema with these keywords.
    pub(super) fn role(self, keyword: &str, keywords: &MemberList<'_>) -> Role {
        let has = |name| member(keywords, name).is_some();
        let is_tuple = || member(keywords, "items").is_some_and(|items| items.starts_with('['));
        match keyword {
            // What the others leave over can be told only by who checks the others.
            "items" if self == Self::Draft202012 && has("prefixItems") => Role::Unchecked,
            "items" if self != Self::Draft202012 && is_tuple() => Role::Unchecked,
            "additionalProperties" if has("patternProperties") => Role::Unchecked,

            "$ref"
            | "$defs"
            | "definitions"
            | "type"
            | "enum"
            | "const"
            | "properties"
            | "required"
            | "additionalProperties"
            | "items"
            | "minimum"
            | "maximum"
            | "exclusiveMinimum"
            | "exclusiveMaximum"
            | "minLength"
            | "maxLength"
            | "minItems"
            | "maxItems"
            | "minProperties"
            | "maxProperties"
            | "anyOf"
            | "oneOf"
            | "allOf" => Role::Checked,

            // Some hosts check these two in the drafts where that is allowed.
            "contentEncoding" | "contentMediaType" if self.ref_stands_alone() => Role::Unchecked,
            "pattern"
            | "multipleOf"
            | "uniqueItems"
            | "contains"
            | "prefixItems"
            | "additionalItems"
            | "unevaluatedItems"
            | "patternProperties"
            | "propertyNames"
            | "dependencies"
            | "dependentRequired"
            | "dependentSchemas"
            | "unevaluatedProperties"
            | "not"
            | "if"
            | "$dynamicRef"
            | "$recursiveRef" => Role::Unchecked,

            // The last four mean nothing without the keywords beside them, which are reported;
            // `discriminator` is OpenAPI's hint which branch of a `oneOf` to look at.
            "$schema" | "$id" | "id" | "$anchor" | "$dynamicAnchor" | "$recursiveAnchor"
            | "$vocabulary" | "$comment" | "title" | "description" | "default" | "examples"
            | "deprecated" | "readOnly" | "writeOnly" | "format" | "contentEncoding"
            | "contentMediaType" | "contentSchema" | "discriminator" | "then" | "else"
            | "minContains" | "maxContains" => Role::Annotation,
            _ if keyword.starts_with("x-") => Role::Annotation,
            _ => Role::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::value::members;

    #[test]
    fn the_draft_is_read_from_schema() {
        for (schema, dialect) in [
            ("\"https://json-schema.org/draft/2020-12/schema\"", Dialect::Draft202012),
            ("\"https://json-schema.org/draft/2019-09/schema#\"", Dialect::Draft201909),
            ("\"http://json-schema.org/draft-07/schema#\"", Dialect::Draft7),
            ("\"http://json-schema.org/draft-06/schema\"", Dialect::Draft6),
            ("\"http://json-schema.org/draft-04/schema#\"", Dialect::Other),
            ("\"https://example.com/mine\"", Dialect::Other),
            ("7", Dialect::Other),
        ] {
            let document = format!("{{\"$schema\":{schema}}}");
            assert_eq!(Dialect::of(&members(&document).unwrap()), dialect, "{schema}");
        }
        assert_eq!(Dialect::of(&Vec::new()), Dialect::Draft202012);
    }

    #[test]
    fn what_depends_on_unchecked_keywords_is_unchecked() {
        let role = |dialect: Dialect, keyword: &str, schema: &str| {
            dialect.role(keyword, &members(schema).unwrap())
        };
        let tuple = r#"{"prefixItems": [], "items": {}}"#;
        assert_eq!(role(Dialect::Draft202012, "items", tuple), Role::Unchecked);
        assert_eq!(role(Dialect::Draft7, "items", r#"{"items": [{}]}"#), Role::Unchecked);
        assert_eq!(role(Dialect::Draft7, "items", r#"{"items": {}}"#), Role::Checked);
        let patterns = r#"{"patternProperties": {}, "additionalProperties": false}"#;
        assert_eq!(role(Dialect::Draft202012, "additionalProperties", patterns), Role::Unchecked);
        assert_eq!(role(Dialect::Draft202012, "x-order", "{}"), Role::Annotation);
        assert_eq!(role(Dialect::Draft202012, "requried", "{}"), Role::Unknown);
    }
}
