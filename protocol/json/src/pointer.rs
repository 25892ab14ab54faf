//! JSON pointers (RFC 6901), to a value in a text and from it.

use std::borrow::Cow;

use crate::{EachMember, Elements, Ends};

/// The pointer to a value that is a part of `text`.
pub fn pointer_to(value: &str, text: &str) -> String {
    let target = value.as_ptr().addr();
    let holds_target =
        |part: &str| (0..part.len()).contains(&target.wrapping_sub(part.as_ptr().addr()));
    let mut pointer = String::new();
    let mut at = text;
    while at.as_ptr().addr() != target {
        let child = match (EachMember::of_valid(at), Elements::of(at)) {
            (Some(mut members), _) => {
                let member = members.find(|member| holds_target(member.value));
                member.map(|member| (member.key(), member.value))
            }
            (_, Some(elements)) => {
                let element = elements.enumerate().find(|(_, element)| holds_target(element));
                element.map(|(position, element)| (position.to_string().into(), element))
            }
            _ => None,
        };
        let Some((token, part)) = child else { break };
        pointer = join(&pointer, &token);
        at = part;
    }
    pointer
}

/// The pointer of a member or element of what `pointer` leads to.
pub fn join(pointer: &str, token: &str) -> String {
    format!("{pointer}/{}", token.replace('~', "~0").replace('/', "~1"))
}

/// The text of the value that a pointer leads to in a text that is valid JSON; of duplicate keys the last counts.
pub fn follow<'t>(text: &'t str, pointer: &str) -> Option<&'t str> {
    follow_by(text, pointer, EachMember::of_valid)
}

/// The same in the text of a [`RawJson`](crate::RawJson) whose ends are known.
pub fn follow_known<'t>(text: &'t str, ends: Ends, pointer: &str) -> Option<&'t str> {
    follow_by(text, pointer, |value| EachMember::of_part(value, text, ends))
}

/// The same by a way to the members of each object.
pub fn follow_by<'t>(
    text: &'t str,
    pointer: &str,
    members_of: impl Fn(&'t str) -> Option<EachMember<'t>>,
) -> Option<&'t str> {
    pointer.split('/').skip(1).try_fold(text, |value, token| {
        let Some(members) = members_of(value) else {
            return Elements::of(value)?.nth(token.parse().ok()?);
        };
        let name = name_of(token);
        members.filter(|member| member.is(&name)).last().map(|member| member.value)
    })
}

/// The name that a token of a pointer stands for.
fn name_of(token: &str) -> Cow<'_, str> {
    if token.contains('~') {
        Cow::Owned(token.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(token)
    }
}

/// The JSON pointer in the fragment of a URI reference (`#/a%20b`), its percent escapes resolved;
/// `None` when the reference is anything else.
pub fn of_fragment(reference: &str) -> Option<Cow<'_, str>> {
    let pointer = reference.strip_prefix('#')?;
    if !pointer.contains('%') {
        return (pointer.is_empty() || pointer.starts_with('/')).then_some(Cow::Borrowed(pointer));
    }
    let mut bytes = Vec::with_capacity(pointer.len());
    let mut rest = pointer.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        rest = after;
    }
    let pointer = String::from_utf8(bytes).ok()?;
    pointer.starts_with('/').then_some(Cow::Owned(pointer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_again_by_its_pointer() {
        let text = r#"{"a":[0, {"b/c~d": {"": [[]]}}],"a/b":2}"#;
        for pointer in
            ["", "/a", "/a/0", "/a/1/b~1c~0d", "/a/1/b~1c~0d/", "/a/1/b~1c~0d//0", "/a~1b"]
        {
            let value = follow(text, pointer).unwrap();
            assert_eq!(pointer_to(value, text), pointer);
        }
    }

    #[test]
    fn a_pointer_is_followed_into_the_text() {
        let text = r#"{"a":1,"b":[0,{"c/d~e":"x"}],"a":{"":2}}"#;
        for (pointer, value) in
            [("", text), ("/a", "{\"\":2}"), ("/a/", "2"), ("/b/1/c~1d~0e", "\"x\"")]
        {
            assert_eq!(follow(text, pointer), Some(value), "{pointer}");
        }
        for nowhere in ["/c", "/b/2", "/b/x", "/b/0/0"] {
            assert_eq!(follow(text, nowhere), None, "{nowhere}");
        }
    }

    #[test]
    fn only_local_pointers_are_read_from_a_fragment() {
        assert_eq!(of_fragment("#").unwrap(), "");
        assert_eq!(of_fragment("#/$defs/a").unwrap(), "/$defs/a");
        assert_eq!(of_fragment("#/a%20b/c%25d/%C3%A9").unwrap(), "/a b/c%d/é");
        for other in ["", "#name", "other.json#/a", "https://example.com", "#/a%2", "#/%zz", "#%41"]
        {
            assert_eq!(of_fragment(other), None, "{other}");
        }
    }
}
