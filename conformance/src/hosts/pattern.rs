//! What is wanted of a frame or of a driver's answer.

use extline_scenario::is_like_by;
use serde_json::Value;

/// A member that must not be there.
const ABSENT: &str = "~~absent";
/// Any array.
const LIST: &str = "~~list";
/// A number of at least so much stands behind it.
const LEAST: &str = "~~";

/// Whether a value has all that is wanted. Members that are not wanted may be there, elements of an
/// array may not. A string `~word` wants a string with that word in it, in any case; `~` any string;
/// `~~list` any array, `~~7` a number of at least 7, `~~absent` no such member.
pub(super) fn is_like(found: &Value, wanted: &Value) -> bool {
    is_like_by(Some(found), wanted, &says)
}

fn says(found: Option<&Value>, wanted: &str) -> Option<bool> {
    match found {
        None => Some(wanted == ABSENT),
        Some(Value::Array(_)) => Some(wanted == LIST),
        Some(Value::Number(found)) => {
            let least = wanted.strip_prefix(LEAST)?.parse::<f64>().ok()?;
            Some(found.as_f64()? >= least)
        }
        Some(Value::String(found)) => {
            let word = wanted.strip_prefix('~')?.to_lowercase();
            Some(found.to_lowercase().contains(&word))
        }
        Some(_) => None,
    }
}

/// Whether an array has an element that is like the wanted one.
pub(super) fn has(found: &Value, wanted: &Value) -> bool {
    found.as_array().is_some_and(|found| found.iter().any(|found| is_like(found, wanted)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_are_searched_and_the_rest_is_compared() {
        let found = json!({"error": {"code": "timeout", "message": "It did not Answer"}, "n": 1});
        assert!(is_like(&found, &json!({"error": {"message": "~did not answer"}})));
        assert!(is_like(&found, &json!({"error": {"code": "~"}})));
        assert!(!is_like(&found, &json!({"n": "~"})));
        assert!(!is_like(&found, &json!({"error": {"message": "did not"}})));
        assert!(is_like(&found, &json!({"n": "~~1", "x": "~~absent"})));
        assert!(
            !is_like(&found, &json!({"n": "~~2"})) && !is_like(&found, &json!({"n": "~~absent"}))
        );
        assert!(is_like(&json!({"a": []}), &json!({"a": "~~list"})));
        assert!(has(&json!([1, {"a": 2}]), &json!({"a": 2})));
        assert!(!has(&json!([]), &json!({})) && !has(&json!({}), &json!({})));
    }
}
