//! A call's arguments as the agent writes them, and as extensions know them.

use serde_json::{Map, Value, json};

use super::dialects::{Argument, ToolName};

const EDITS: &str = "edits";
const OLD: &str = "oldText";
const NEW: &str = "newText";

/// The agent's arguments in the words of extensions. What is not in the table stays; where a name of
/// extensions is there too, the one that the agent reads wins, so that no other hides it.
pub(super) fn to_ours(tool: Option<&ToolName>, args: &Map<String, Value>) -> Map<String, Value> {
    let mut ours = args.clone();
    for argument in tool.map_or(&[][..], |tool| tool.args) {
        match *argument {
            Argument::Named(theirs, name) => {
                if let Some(value) = ours.remove(theirs) {
                    ours.insert(name.to_owned(), value);
                }
            }
            Argument::Milliseconds(name) => scale(&mut ours, name, |number| number / 1000.0),
            Argument::Edit(old, new) => {
                if let (Some(before), Some(after)) = (args.get(old), args.get(new)) {
                    ours.remove(old);
                    ours.remove(new);
                    ours.insert(EDITS.to_owned(), json!([{ OLD: before, NEW: after }]));
                }
            }
            Argument::Edits(old, new) => rename_edits(&mut ours, [(old, OLD), (new, NEW)]),
        }
    }
    ours
}

/// What extensions made of it, in the words of the agent; says what it has no word for.
pub(super) fn to_theirs(
    tool: Option<&ToolName>,
    ours: &Map<String, Value>,
    before: &Map<String, Value>,
) -> Result<Map<String, Value>, String> {
    let mut theirs = ours.clone();
    for argument in tool.map_or(&[][..], |tool| tool.args) {
        match *argument {
            // Of two names for one the agent's own in this call.
            Argument::Named(name, ours) if before.contains_key(name) => {
                if let Some(value) = theirs.remove(ours) {
                    theirs.insert(name.to_owned(), value);
                }
            }
            Argument::Named(..) => {}
            Argument::Milliseconds(name) => scale(&mut theirs, name, |number| number * 1000.0),
            Argument::Edit(old, new) => match theirs.remove(EDITS) {
                None => {}
                Some(Value::Array(edits)) if edits.len() == 1 => {
                    let edit = edits.first().unwrap_or(&Value::Null);
                    for (name, ours) in [(old, OLD), (new, NEW)] {
                        let text = edit.get(ours).cloned().unwrap_or_default();
                        theirs.insert(name.to_owned(), text);
                    }
                }
                Some(_) => {
                    return Err("it replaces one text in a call, and edits has several".to_owned());
                }
            },
            Argument::Edits(old, new) => rename_edits(&mut theirs, [(OLD, old), (NEW, new)]),
        }
    }
    Ok(theirs)
}

/// Whole numbers stay whole.
fn scale(args: &mut Map<String, Value>, name: &str, by: impl Fn(f64) -> f64) {
    let Some(number) = args.get(name).and_then(Value::as_f64).map(by) else { return };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it is whole, and within what a float counts"
    )]
    let scaled = if number.fract() == 0.0 && number.abs() < 9e15 {
        Value::from(number as i64)
    } else {
        Value::from(number)
    };
    args.insert(name.to_owned(), scaled);
}

fn rename_edits(args: &mut Map<String, Value>, names: [(&str, &str); 2]) {
    let edits = args.get_mut(EDITS).and_then(Value::as_array_mut);
    for edit in edits.into_iter().flatten().filter_map(Value::as_object_mut) {
        for (from, to) in names {
            if let Some(value) = edit.remove(from) {
                edit.insert(to.to_owned(), value);
            }
        }
    }
}
