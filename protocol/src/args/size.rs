//! How large a schema may be before anything is made of it.

use super::SchemaProblem;
use crate::limits::{SCHEMA_BYTES, SCHEMA_VALUES};

/// Refuses a schema that is over the limits of its text.
pub(super) fn check(document: &str) -> Result<(), SchemaProblem> {
    if document.len() > SCHEMA_BYTES {
        return Err(SchemaProblem::over("", SCHEMA_BYTES, "bytes"));
    }
    if values(document) > SCHEMA_VALUES {
        return Err(SchemaProblem::over("", SCHEMA_VALUES, "values"));
    }
    Ok(())
}

/// How many values stand in a text that is valid JSON, at most.
fn values(document: &str) -> usize {
    let mut values = 1;
    let mut in_string = false;
    let mut bytes = document.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => in_string = !in_string,
            b'\\' => drop(bytes.next()),
            b',' | b'[' | b'{' if !in_string => values += 1,
            _ => {}
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_over_the_text() {
        for (text, count) in
            [("1", 1), ("[]", 2), (r#"{"a":1,"b":[2,3]}"#, 5), (r#"["a,[{","\\",",\",[",1]"#, 5)]
        {
            assert_eq!(values(text), count, "{text}");
        }
    }

    #[test]
    fn a_schema_over_a_limit_is_told_the_limit() {
        let text = format!(r#"{{"title":"{}"}}"#, "x".repeat(SCHEMA_BYTES));
        assert_eq!(check(&text).unwrap_err().to_string(), "has more than 1048576 bytes");
        let text = format!("[{}1]", "1,".repeat(SCHEMA_VALUES));
        assert_eq!(check(&text).unwrap_err().to_string(), "has more than 100000 values");
    }
}
