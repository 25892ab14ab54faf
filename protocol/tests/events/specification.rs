//! The tables of docs/protocol/specification.md, and names in the way of a language.

/// The cells of the table whose first line begins so.
pub(crate) fn rows<'a>(text: &'a str, header: &str) -> Vec<Vec<&'a str>> {
    let (_, table) = text.split_once(header).unwrap();
    let lines = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    lines.map(|line| line.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// What stands between back quotes.
pub(crate) fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Without what stands in brackets, which says how a field is written.
pub(crate) fn without_brackets(text: &str) -> String {
    let mut parts = text.split(" (");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |whole, part| whole + part.split_once(')').unwrap().1)
}

/// `tool_id` as `toolId`.
pub(crate) fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |whole, part| whole + &capital(part))
}

/// `turn_end` as `TurnEnd`.
pub(crate) fn pascal(name: &str) -> String {
    name.split('_').map(capital).collect()
}

/// With a capital letter in front, where it begins with a letter.
pub(crate) fn capital(text: &str) -> String {
    let (head, tail) = text.split_at(text.len().min(1));
    head.to_uppercase() + tail
}

pub(crate) fn read(path: &str) -> String {
    let path = crate::root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
