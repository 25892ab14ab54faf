//! What a JSON value is, read from its text without building it.

use std::borrow::Cow;
use std::collections::HashMap;

use super::number::Decimal;
use crate::RawJson;
use crate::json::{EachMember, Elements, Field};

/// Objects up to this many members are searched for duplicate keys by comparing them all.
const FEW_MEMBERS: usize = 16;

/// The string a JSON text stands for; `None` when it is no string.
pub(super) fn string(text: &str) -> Option<Cow<'_, str>> {
    let body = text.strip_prefix('"')?.strip_suffix('"')?;
    if body.contains('\\') {
        String::read(text).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(body))
    }
}

/// Whether a JSON text is a number's.
pub(super) fn is_number(text: &str) -> bool {
    text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
}

/// Whether a number's text stands for a whole number; `1.0` does.
pub(super) fn is_whole(number: &str) -> bool {
    !number.contains(['.', 'e', 'E']) || Decimal::read(number).is_whole()
}

/// The members of one object: names with their escapes resolved, and the text of the values.
pub(super) type MemberList<'t> = Vec<(Cow<'t, str>, &'t str)>;

/// The value of the member of that name.
pub(super) fn member<'t>(members: &MemberList<'t>, name: &str) -> Option<&'t str> {
    members.iter().find(|(key, _)| key == name).map(|(_, value)| *value)
}

/// The members of an object that count, in the order of the text; `None` when the text is no object.
// Inlined into the recursion of a check, the scanner's buffer would fill the stack.
#[inline(never)]
pub(super) fn members(text: &str) -> Option<MemberList<'_>> {
    EachMember::of_valid(text).map(those_that_count)
}

/// The same of a value in `args`.
#[inline(never)]
pub(super) fn members_in<'t>(args: &RawJson, value: &'t str) -> Option<MemberList<'t>> {
    args.members_of(value).map(those_that_count)
}

/// Of duplicate keys the last (`frm.duplicate-keys`).
fn those_that_count(members: EachMember<'_>) -> MemberList<'_> {
    let all: Vec<_> = members.map(|member| (member.key(), member.value)).collect();
    if all.len() <= FEW_MEMBERS {
        let repeated = |at: usize| all[at + 1..].iter().any(|later| later.0 == all[at].0);
        if !(0..all.len()).any(repeated) {
            return all;
        }
    }
    let last: HashMap<_, _> = all.iter().enumerate().map(|(at, (key, _))| (key, at)).collect();
    let counts = |(at, member): (usize, &(Cow<'_, str>, _))| last[&member.0] == at;
    let kept = all.iter().enumerate().filter(|&member| counts(member));
    kept.map(|(_, member)| member.clone()).collect()
}

/// Whether two texts stand for the same value: numbers by what they are worth, strings by their
/// characters, objects whatever the order of their members.
pub(super) fn equal(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    if is_number(one) && is_number(other) {
        return Decimal::read(one) == Decimal::read(other);
    }
    match (string(one), string(other)) {
        (Some(one), Some(other)) => return one == other,
        (None, None) => {}
        _ => return false,
    }
    if let (Some(one), Some(other)) = (members(one), members(other)) {
        let in_other = |(name, value): &(Cow<'_, str>, &str)| {
            other.iter().any(|(key, text)| key == name && equal(value, text))
        };
        return one.len() == other.len() && one.iter().all(in_other);
    }
    if let (Some(one), Some(other)) = (Elements::of(one), Elements::of(other)) {
        let (one, other): (Vec<_>, Vec<_>) = (one.collect(), other.collect());
        return one.len() == other.len() && one.iter().zip(other).all(|(a, b)| equal(a, b));
    }
    // Two kinds of value, or two different words.
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equality_is_that_of_json_values() {
        for (one, same) in [
            ("null", "null"),
            ("1", "1.0"),
            ("0.1", "1e-1"),
            ("31.245270191439438", "31.2452701914394380"),
            (r#""aé""#, r#""\u0061\u00e9""#),
            (r#"[1,{"b":[],"a":2}]"#, r#"[1.0, {"a": 2, "\u0062": [ ]}]"#),
            (r#"{"a":2}"#, r#"{"a":1,"a":2}"#),
        ] {
            assert!(equal(one, same) && equal(same, one), "{one} is {same}");
        }
        for (one, other) in [
            ("null", "0"),
            ("true", "false"),
            ("true", "1"),
            ("1", "\"1\""),
            ("9007199254740993", "9007199254740992"),
            ("\"a\"", "\"A\""),
            ("[1,2]", "[2,1]"),
            ("[1]", "[1,1]"),
            ("[]", "{}"),
            (r#"{"a":1}"#, r#"{"a":1,"b":2}"#),
            (r#"{"a":1}"#, r#"{"b":1}"#),
            (r#"{"a":1}"#, r#"{"a":1,"a":2}"#),
        ] {
            assert!(!equal(one, other) && !equal(other, one), "{one} is not {other}");
        }
    }

    #[test]
    fn of_duplicate_keys_the_last_counts() {
        let keys = |text: &str| -> Vec<_> {
            let members = members(text).unwrap();
            members.iter().map(|(key, value)| format!("{key}={value}")).collect()
        };
        assert_eq!(keys(r#"{"a":1,"b":2,"\u0061":3}"#), ["b=2", "a=3"]);
        let many = (0..40).map(|n| format!("\"k{}\":{n}", n % 20)).collect::<Vec<_>>().join(",");
        let kept = keys(&format!("{{{many}}}"));
        assert_eq!(kept.len(), 20);
        assert_eq!(kept[0], "k0=20");
    }

    #[test]
    fn whole_numbers_are_told_by_their_text() {
        for (number, whole) in [
            ("5", true),
            ("1.0", true),
            ("1e2", true),
            ("123456789012345678901234567890", true),
            ("0.5", false),
            ("1E-2", false),
        ] {
            assert_eq!(is_whole(number), whole, "{number}");
        }
    }
}
