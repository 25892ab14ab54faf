//! JSON pointers, and where in the text of a document they lead.

use extline_protocol::{Elements, Members};

/// Where a pointer leads in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place<'t> {
    /// The text of the value; `None` when nothing stands there.
    pub(crate) value: Option<&'t str>,
    /// Where the value begins, in bytes. What is missing belongs at the end of the object that
    /// should hold it.
    pub(crate) at: usize,
}

/// What a sentence about the value that `pointer` leads to begins with.
pub(crate) fn prefix(pointer: &str) -> String {
    if pointer.is_empty() { String::new() } else { format!("{pointer}: ") }
}

/// Follows a pointer; of duplicate keys the last counts.
pub(crate) fn follow<'t>(text: &'t str, pointer: &str) -> Place<'t> {
    let mut value = text;
    for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        match child(value, &token) {
            Some(child) => value = child,
            None => return Place { value: None, at: offset(text, value) + value.len() - 1 },
        }
    }
    Place { value: Some(value), at: offset(text, value) }
}

fn child<'t>(value: &'t str, token: &str) -> Option<&'t str> {
    match Members::of(value) {
        Some(members) => members.last(token).map(|member| member.value),
        None => Elements::of(value)?.nth(token.parse().ok()?),
    }
}

/// Where a part of a text begins in it.
fn offset(text: &str, part: &str) -> usize {
    part.as_ptr().addr() - text.as_ptr().addr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_lead_to_the_text_of_values() {
        let text = r#"{"a":[1,{"b/c~d":"x"}],"a/b":2,"e":1,"e":[3]}"#;
        for (pointer, value) in
            [("", text), ("/a/0", "1"), ("/a/1/b~1c~0d", "\"x\""), ("/a~1b", "2"), ("/e", "[3]")]
        {
            let place = follow(text, pointer);
            assert_eq!(place.value, Some(value), "{pointer}");
            assert!(text[place.at..].starts_with(value), "{pointer}");
        }
    }

    #[test]
    fn what_is_missing_belongs_at_the_end_of_its_object() {
        let text = r#"{"a":{"b":1},"c":2}"#;
        assert_eq!(follow(text, "/x"), Place { value: None, at: 18 });
        assert_eq!(follow(text, "/a/x"), Place { value: None, at: 11 });
        assert_eq!(follow(text, "/a/x/y"), Place { value: None, at: 11 });
    }
}
