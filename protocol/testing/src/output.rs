//! Results held to the schemas that their tools declared.

use extline_schema::ToolSchema;

use crate::frames::raw;
use crate::host::Mistake;

/// What is wrong with a structured result by the `output_schema` of its tool, as `/celsius: must be a
/// number, and is "16"`; `None` where nothing is. Both are JSON text.
///
/// # Errors
///
/// The schema is none, or one of the texts is no JSON.
pub(crate) fn output_problem(schema: &str, value: &str) -> Result<Option<String>, Mistake> {
    let schema = ToolSchema::compile(&raw(schema)?)
        .map_err(|problem| Mistake::of(format_args!("the output schema: {problem}")))?;
    Ok(schema.validate(&raw(value)?).err().map(|violation| violation.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str =
        r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;

    #[test]
    fn a_result_matches_or_is_told_by_its_place() {
        assert_eq!(output_problem(SCHEMA, r#"{"n":1}"#).unwrap(), None);
        let wrong = output_problem(SCHEMA, r#"{"n":"1"}"#).unwrap();
        assert_eq!(wrong.unwrap(), r#"/n: must be an integer, and is "1""#);
    }

    #[test]
    fn a_schema_that_is_none_is_the_tests_mistake() {
        let error = output_problem(r#"{"type":"objekt"}"#, "{}").unwrap_err();
        assert!(error.to_string().starts_with("the output schema: "), "{error}");
        assert!(output_problem("[]", "{}").is_err());
    }
}
