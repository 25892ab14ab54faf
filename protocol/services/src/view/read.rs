//! A view as it comes over the wire: read, checked, and made of a template.

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::{BYTES, Cell, Line, Pair, View};

const KINDS: [&str; 6] = ["table", "diff", "markdown", "lines", "keyvalue", "meter"];

const CELL: &str = "a cell is a text, a number, true, false, null, or {text, style}";
const LINE: &str = "a line is a text, {text, style}, or a list of these";

/// Bytes that the arguments of a call may add to its view.
const INSERTED: usize = BYTES;

/// Reads a view from its JSON text. The error says what is wrong, with a JSON pointer to the place where there is one.
///
/// ```
/// use extline_services::view;
///
/// let shown = view::read(r#"{"kind":"meter","value":3,"max":4}"#).unwrap();
/// assert_eq!(shown.lines(), 1);
/// let fault = view::read(r#"{"kind":"table","columns":["a"],"rows":[[1,2]]}"#).unwrap_err();
/// assert_eq!(fault, "/rows/0: it has 2 cells, and the table 1 columns");
/// ```
pub fn read(text: &str) -> Result<View, String> {
    if text.len() > BYTES {
        return Err(format!("it has {} bytes, at most {BYTES} are shown", text.len()));
    }
    let value = serde_json::from_str(text).map_err(|error| format!("it is no JSON: {error}"))?;
    let view = view_of(value)?;
    view.check()?;
    Ok(view)
}

/// Reads a view that is a member of something else.
pub(crate) fn checked<'de, D: Deserializer<'de>>(from: D) -> Result<Option<View>, D::Error> {
    let Some(value) = Option::<Value>::deserialize(from)? else { return Ok(None) };
    let view = read(&value.to_string());
    view.map(Some).map_err(|fault| D::Error::custom(format!("view: {fault}")))
}

/// The view of a call: in each text of `template`, JSON text of a view, `{name}` stands for the member of that name of
/// the arguments, a JSON object. A text of them stands as it is, anything else as JSON, and what is absent as nothing.
///
/// ```
/// use extline_services::view;
///
/// let template = r#"{"kind":"lines","lines":["read {path} {from}"]}"#;
/// let shown = view::call_view(template, r#"{"path":"a.txt"}"#).unwrap();
/// assert_eq!(shown, view::read(r#"{"kind":"lines","lines":["read a.txt "]}"#).unwrap());
/// ```
pub fn call_view(template: &str, args: &str) -> Result<View, String> {
    check_call_view(template)?;
    let mut value = serde_json::from_str(template).map_err(|error| error.to_string())?;
    let args: Map<String, Value> = serde_json::from_str(args).map_err(|error| error.to_string())?;
    let mut room = INSERTED;
    fill(&mut value, &args, &mut room);
    // What arguments make longer is cut where it is laid out.
    view_of(value)
}

/// What is wrong with a template of [`call_view`].
pub fn check_call_view(template: &str) -> Result<(), String> {
    read(template).map(drop)
}

fn view_of(value: Value) -> Result<View, String> {
    let Some(members) = value.as_object() else {
        return Err("a view is an object, as view.lines and its like make it".to_owned());
    };
    let kind = members.get("kind").and_then(Value::as_str).unwrap_or_default();
    if !KINDS.contains(&kind) {
        let kinds = KINDS.join(", ");
        return Err(format!("/kind: {kind:?} is no kind of view; there are {kinds}"));
    }
    let misplaced = misplaced(members);
    serde_json::from_value(value).map_err(|error| misplaced.unwrap_or_else(|| error.to_string()))
}

/// The first member of a list that is not what it should be: serde does not say where that is.
fn misplaced(members: &Map<String, Value>) -> Option<String> {
    let list = |name: &str| members.get(name).and_then(Value::as_array);
    let rows = list("rows").into_iter().flatten().enumerate();
    let in_rows = rows.filter_map(|(at, row)| {
        let Some(cells) = row.as_array() else {
            return Some(format!("/rows/{at}: a row is a list of cells"));
        };
        wrong::<Cell>(&format!("/rows/{at}"), cells, CELL)
    });
    in_rows
        .chain(
            list("columns")
                .and_then(|them| wrong::<String>("/columns", them, "a column is a text")),
        )
        .chain(list("lines").and_then(|them| wrong::<Line>("/lines", them, LINE)))
        .chain(list("pairs").and_then(|them| {
            wrong::<Pair>("/pairs", them, "a pair is {key, value}: a text and a cell")
        }))
        .next()
}

fn wrong<T: DeserializeOwned>(pointer: &str, list: &[Value], should: &str) -> Option<String> {
    let is_wrong = |value: &Value| serde_json::from_value::<T>(value.clone()).is_err();
    let at = list.iter().position(is_wrong)?;
    Some(format!("{pointer}/{at}: {should}"))
}

/// Puts the arguments into each text.
fn fill(value: &mut Value, args: &Map<String, Value>, room: &mut usize) {
    match value {
        Value::String(text) => *text = filled(text, args, room),
        Value::Array(list) => list.iter_mut().for_each(|value| fill(value, args, room)),
        // A kind and a style are words, which hold no braces.
        Value::Object(members) => members.values_mut().for_each(|value| fill(value, args, room)),
        _ => {}
    }
}

fn filled(template: &str, args: &Map<String, Value>, room: &mut usize) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once('{') {
        text.push_str(before);
        let named = behind.split_once('}').filter(|(name, _)| is_name(name));
        let Some((name, behind)) = named else {
            // It is a brace and no more.
            text.push('{');
            rest = behind;
            continue;
        };
        let value = match args.get(name) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
        };
        let end = (0..=value.len().min(*room)).rev().find(|at| value.is_char_boundary(*at));
        let inserted = &value[..end.unwrap_or(0)];
        *room -= inserted.len();
        text.push_str(inserted);
        rest = behind;
    }
    text + rest
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|it| it.is_ascii_alphanumeric() || "_-".contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let said = |text: &str| read(text).unwrap_err();
        assert_eq!(
            said(r#"{"kind":"chart"}"#),
            "/kind: \"chart\" is no kind of view; there are table, diff, markdown, lines, keyvalue, meter"
        );
        assert_eq!(said("[]"), "a view is an object, as view.lines and its like make it");
        assert_eq!(said(r#"{"kind":"lines","lines":["a",7]}"#), format!("/lines/1: {LINE}"));
        let styled = r#"{"kind":"lines","lines":[{"text":"a","style":["pink"]}]}"#;
        assert_eq!(said(styled), format!("/lines/0: {LINE}"));
        let cells = r#"{"kind":"table","columns":["a"],"rows":[["x"],[[]]]}"#;
        assert_eq!(said(cells), format!("/rows/1/0: {CELL}"));
        assert_eq!(said(r#"{"kind":"diff"}"#), "missing field `text`");
        assert_eq!(said(r#"{"kind":"meter","value":1,"max":0}"#), "/max: it is more than 0");
        let long = format!(r#"{{"kind":"markdown","text":"{}"}}"#, "\\n".repeat(201));
        assert_eq!(said(&long), "it has 201 lines, at most 200 are shown");
        let large = format!(r#"{{"kind":"markdown","text":"{}"}}"#, "x".repeat(BYTES));
        assert_eq!(said(&large), "it has 16413 bytes, at most 16384 are shown");
    }

    #[test]
    fn arguments_stand_as_text_and_never_as_more() {
        let template = r#"{"kind":"lines","lines":[["{a} {b}",{"text":"{c}{none}","style":["bold"]}],"{ x } {"]}"#;
        let view = call_view(template, r#"{"a":"\",{}","b":{"n":1},"c":2.50}"#).unwrap();
        let written = serde_json::to_value(&view).unwrap();
        assert_eq!(written["lines"][0][0], "\",{} {\"n\":1}");
        assert_eq!(written["lines"][0][1]["text"], "2.5");
        assert_eq!(written["lines"][1], "{ x } {");
        let args = format!(r#"{{"a":"{}"}}"#, "ä".repeat(20_000));
        let View::Lines { lines, .. } = call_view(template, &args).unwrap() else { panic!() };
        let Line::Several(spans) = &lines[0] else { panic!() };
        assert_eq!(spans[0], super::super::Span::Text("ä".repeat(8192) + " "));
    }
}
