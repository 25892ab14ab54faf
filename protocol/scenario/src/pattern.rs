//! Frames and what is wanted of them.

use serde_json::Value;

/// Whether the frame has all members that are wanted, with the same values. Members that are not
/// wanted may be there; elements of an array may not.
pub(crate) fn is_like(frame: &Value, wanted: &Value) -> bool {
    match (frame, wanted) {
        (Value::Object(frame), Value::Object(wanted)) => wanted
            .iter()
            .all(|(name, value)| frame.get(name).is_some_and(|found| is_like(found, value))),
        (Value::Array(frame), Value::Array(wanted)) => {
            frame.len() == wanted.len()
                && frame.iter().zip(wanted).all(|(frame, wanted)| is_like(frame, wanted))
        }
        _ => frame == wanted,
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
