//! What may be answered to `tool.approval`, which is what an author's function says of a call.

use crate::frame::Tier;
use crate::json::{Field, FieldError, Members, RawJson, read_string};

/// The answer to `tool.approval` that an author's function gives, as it goes on the wire: `true` has the
/// person asked, `false` lets the call run, and an object says more. What is null in it is left out.
///
/// # Errors
/// Where it is no such answer (`tool.approval-failed`), and what must stand there.
///
/// ```
/// use extline_protocol::{RawJson, approval_answer};
///
/// let answer = |text| approval_answer(&RawJson::parse(text).unwrap());
/// assert_eq!(answer("false").unwrap().get(), r#"{"policy":"allow"}"#);
/// assert_eq!(answer(r#"{"reason":"why","tier":null}"#).unwrap().get(), r#"{"reason":"why"}"#);
/// let wrong = answer(r#"{"policy":"perhaps"}"#).unwrap_err();
/// assert_eq!(wrong.pointer, "/policy");
/// assert_eq!(wrong.expected, r#""allow", "deny" or "prompt""#);
/// ```
pub fn approval_answer(returned: &RawJson) -> Result<RawJson, FieldError> {
    let text = match returned.get() {
        "true" => r#"{"policy":"prompt"}"#,
        "false" => r#"{"policy":"allow"}"#,
        text => text,
    };
    let unexpected = || FieldError::unexpected("true, false or an object", text);
    let members = Members::of_valid(text).ok_or_else(unexpected)?;
    let mut answer = String::from("{");
    for member in members.iter().filter(|member| member.value != "null") {
        let name = member.key();
        check(&name, member.value).map_err(|error| error.below(&name))?;
        if answer.len() > 1 {
            answer.push(',');
        }
        for part in ["\"", &name, "\":", member.value] {
            answer.push_str(part);
        }
    }
    answer.push('}');
    Ok(RawJson::of_part(&answer))
}

/// Checks a member: these are all.
fn check(name: &str, value: &str) -> Result<(), FieldError> {
    match name {
        "policy" => word(value, &["allow", "deny", "prompt"], r#""allow", "deny" or "prompt""#),
        "tier" => word(value, Tier::KNOWN, r#""read", "write" or "exec""#),
        "key" | "reason" => String::read(value).map(drop),
        "details" => Vec::<String>::read(value).map(drop),
        _ => Err(FieldError::unexpected("policy, tier, key, reason or details", value)),
    }
}

fn word(value: &str, known: &[&str], expected: &'static str) -> Result<(), FieldError> {
    let is_known = read_string(value).is_some_and(|word| known.contains(&&*word));
    if is_known { Ok(()) } else { Err(FieldError::unexpected(expected, value)) }
}
