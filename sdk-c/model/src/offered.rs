//! The tools that a model was offered, as JSON.

use extline_json::{Elements, Members, RawJson, read_string};
use model::Offered;

use crate::given::Mistake;

/// Reads an array of names and of `{"name", "schema"}`.
pub(crate) fn tools(json: &str) -> Result<Vec<Offered>, Mistake> {
    let json = RawJson::parse(json).map_err(|error| wrong("", &error.to_string()))?;
    let elements = Elements::of(json.get()).ok_or_else(|| {
        wrong("", "expected an array of names, or of objects with name and schema")
    })?;
    elements.enumerate().map(|(at, element)| tool(element, at)).collect()
}

fn tool(element: &str, at: usize) -> Result<Offered, Mistake> {
    if let Some(name) = read_string(element) {
        return Ok(Offered::from(name));
    }
    let expected = "expected a name, or an object with name and schema";
    let members = Members::of(element).ok_or_else(|| wrong(&format!("/{at}"), expected))?;
    let name = members.last("name").and_then(|member| read_string(member.value));
    let name = name.ok_or_else(|| wrong(&format!("/{at}/name"), "expected a string"))?;
    match members.last("schema") {
        None => Ok(Offered::from(name)),
        Some(schema) => Offered::with_schema(name, schema.value)
            .map_err(|error| wrong(&format!("/{at}/schema"), &error.to_string())),
    }
}

fn wrong(pointer: &str, text: &str) -> Mistake {
    let place = if pointer.is_empty() { String::new() } else { format!("{pointer}: ") };
    Mistake::argument(format!("offered: {place}{text}"))
}
