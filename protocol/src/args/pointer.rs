//! JSON pointers (RFC 6901), and the way down to a value that becomes one when it is needed.

use std::borrow::Cow;

use crate::json::{Elements, Members};

/// The way from the outermost value down to one inside it. It lives on the stack of the walk, so
/// that only a failure pays for a pointer's text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path<'p> {
    last: Option<(&'p Self, Step<'p>)>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'p> {
    Member(&'p str),
    Element(usize),
}

impl<'p> Path<'p> {
    /// The outermost value itself.
    pub(super) const ROOT: Self = Self { last: None };

    /// The member of that name in the object this path leads to.
    pub(super) fn member(&'p self, name: &'p str) -> Self {
        Self { last: Some((self, Step::Member(name))) }
    }

    /// The element at that position in the array this path leads to.
    pub(super) fn element(&'p self, position: usize) -> Self {
        Self { last: Some((self, Step::Element(position))) }
    }

    /// The path as a JSON pointer.
    pub(super) fn pointer(&self) -> String {
        match self.last {
            None => String::new(),
            Some((parent, Step::Member(name))) => join(&parent.pointer(), name),
            Some((parent, Step::Element(at))) => join(&parent.pointer(), &at.to_string()),
        }
    }
}

/// The pointer of a member or element of what `pointer` leads to.
pub(super) fn join(pointer: &str, token: &str) -> String {
    format!("{pointer}/{}", token.replace('~', "~0").replace('/', "~1"))
}

/// The text of the value that a pointer leads to; of duplicate keys the last counts.
pub(super) fn follow<'t>(text: &'t str, pointer: &str) -> Option<&'t str> {
    pointer.split('/').skip(1).try_fold(text, |value, token| {
        if let Some(mut elements) = Elements::of(value) {
            return elements.nth(token.parse().ok()?);
        }
        let name = token.replace("~1", "/").replace("~0", "~");
        Members::of(value)?.last(&name).map(|member| member.value)
    })
}

/// The JSON pointer in the fragment of a URI reference (`#/a%20b`), its percent escapes resolved;
/// `None` when the reference is anything else.
pub(super) fn of_fragment(reference: &str) -> Option<Cow<'_, str>> {
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
    fn a_path_escapes_its_names() {
        let list = Path::ROOT.member("a/b~c");
        let element = list.element(3);
        assert_eq!(Path::ROOT.pointer(), "");
        assert_eq!(element.member("").pointer(), "/a~1b~0c/3/");
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
