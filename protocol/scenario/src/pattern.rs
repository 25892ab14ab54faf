//! Frames and what is wanted of them.

use serde_json::Value;

/// Whether the frame has all members that are wanted, with the same values. Members that are not
/// wanted may be there; elements of an array may not.
pub(crate) fn is_like(frame: &Value, wanted: &Value) -> bool {
    is_like_by(Some(frame), wanted, &|_, _| None)
}

/// The same where some texts that are wanted mean more than themselves: `says` has whether such a one
/// is met by what is there in its place, if anything.
pub fn is_like_by(
    found: Option<&Value>,
    wanted: &Value,
    says: &impl Fn(Option<&Value>, &str) -> Option<bool>,
) -> bool {
    match (found, wanted) {
        (Some(Value::Object(found)), Value::Object(wanted)) => {
            wanted.iter().all(|(name, value)| is_like_by(found.get(name), value, says))
        }
        (Some(Value::Array(found)), Value::Array(wanted)) => {
            found.len() == wanted.len()
                && found
                    .iter()
                    .zip(wanted)
                    .all(|(found, wanted)| is_like_by(Some(found), wanted, says))
        }
        (found, Value::String(text)) => says(found, text).unwrap_or(found == Some(wanted)),
        (found, wanted) => found == Some(wanted),
    }
}

/// An id as it stands between the quotes, without its escapes; `None` when it is no JSON.
pub(crate) fn id_of(text: &str) -> Option<Value> {
    serde_json::from_str(&format!("\"{text}\"")).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_that_are_not_wanted_may_be_there_and_elements_may_not() {
        let frame = json!({"type": "tool_result", "content": [{"type": "text", "text": "x"}]});
        assert!(is_like(&frame, &json!({"type": "tool_result"})));
        assert!(is_like(&frame, &json!({"content": [{"text": "x"}]})));
        assert!(!is_like(&frame, &json!({"content": []})));
        assert!(!is_like(&frame, &json!({"content": [{"text": "y"}]})));
        assert!(!is_like(&frame, &json!({"is_error": false})));
    }

    #[test]
    fn an_id_is_compared_without_its_escapes() {
        assert_eq!(id_of(r"x\u00e9"), Some(json!("xé")));
        assert_eq!(id_of("\""), None);
    }
}
