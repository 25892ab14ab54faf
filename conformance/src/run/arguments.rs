//! Arguments for the tools that an author allows to be called: those of the manifest, or some that fit
//! the schema.

use extline_protocol::RawJson;
use extline_schema::ToolSchema;
use serde_json::{Map, Value, json};

use super::Options;
use crate::conversation::{Callable, Protocol, Survey};

/// How deep a value is made.
const DEEPEST: u32 = 16;
/// How many items or characters are made at most.
const MOST: u64 = 1000;

/// Finds out which tools can be called, and with which arguments. Where the manifest has samples, these
/// are all that is called, also where they are wrong: they tell what may be.
pub(super) fn find_callable(options: &Options, survey: &mut Survey) {
    let samples = options.program.manifest().and_then(|manifest| manifest.samples.as_ref());
    let (mut callable, wrong) = match samples {
        Some(samples) => sampled(samples, survey),
        None => (without_samples(survey), Vec::new()),
    };
    callable.truncate(super::values::most(options));
    (survey.callable, survey.wrong_samples) = (callable, wrong);
}

fn tools(survey: &Survey) -> impl Iterator<Item = (&str, &Value)> {
    let member = if survey.protocol == Protocol::Extension { "schema" } else { "inputSchema" };
    survey.tools.iter().filter_map(move |tool| Some((tool["name"].as_str()?, &tool[member])))
}

fn without_samples(survey: &Survey) -> Vec<Callable> {
    let with_arguments = |(name, schema): (&str, &Value)| {
        Some(Callable { name: name.to_owned(), args: made(schema)?, is_sample: false })
    };
    tools(survey).filter_map(with_arguments).collect()
}

/// The tools that have a sample, and what is wrong with the samples of others.
fn sampled(samples: &Map<String, Value>, survey: &Survey) -> (Vec<Callable>, Vec<String>) {
    let misfit = |name: &str, args: &Value| {
        let Some((_, schema)) = tools(survey).find(|(tool, _)| *tool == name) else {
            let names: Vec<_> = tools(survey).map(|(name, _)| name).collect();
            return Some(format!(
                "/samples/{name}: it registers no such tool: {}",
                names.join(", ")
            ));
        };
        let raw = RawJson::parse(&args.to_string()).ok()?;
        let violation = compiled(schema)?.validate(&raw).err()?;
        Some(format!("/samples/{name}{}: {}", violation.pointer, violation.message))
    };
    let wrong: Vec<_> = samples.iter().filter_map(|(name, args)| misfit(name, args)).collect();
    let fitting = tools(survey).filter_map(|(name, _)| {
        let args = samples.get(name).filter(|args| misfit(name, args).is_none())?;
        Some(Callable { name: name.to_owned(), args: args.to_string(), is_sample: true })
    });
    (fitting.collect(), wrong)
}

fn compiled(schema: &Value) -> Option<ToolSchema> {
    let raw = RawJson::parse(&schema.to_string()).ok()?;
    ToolSchema::compile(&raw).ok()
}

/// Arguments that fit the schema; `None` where none were found.
pub(super) fn made(schema: &Value) -> Option<String> {
    let compiled = compiled(schema)?;
    let value = value(schema, schema, 0).unwrap_or_else(|| json!({}));
    let fits = |value: &Value| {
        RawJson::parse(&value.to_string()).is_ok_and(|args| compiled.validate(&args).is_ok())
    };
    let made = [value, json!({})].into_iter().find(|value| value.is_object() && fits(value))?;
    Some(made.to_string())
}

/// The smallest value that the schema seems to want; `root` has what `$ref` names.
fn value(schema: &Value, root: &Value, depth: u32) -> Option<Value> {
    if depth > DEEPEST {
        return None;
    }
    let given = [&schema["const"], &schema["default"], &schema["examples"][0], &schema["enum"][0]];
    if let Some(given) = given.into_iter().find(|value| !value.is_null()) {
        return Some(given.clone());
    }
    if let Some(place) = schema["$ref"].as_str().and_then(|place| place.strip_prefix('#')) {
        return value(root.pointer(place)?, root, depth + 1);
    }
    for choice in ["anyOf", "oneOf", "allOf"] {
        if let Some(choices) = schema[choice].as_array().filter(|_| schema["type"].is_null()) {
            return choices.iter().find_map(|choice| value(choice, root, depth + 1));
        }
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
        kind => kind.as_str(),
    };
    Some(match kind.unwrap_or("object") {
        "object" => Value::Object(members(schema, root, depth)?),
        "array" => {
            let least = schema["minItems"].as_u64().unwrap_or_default().min(MOST);
            let item = || value(&schema["items"], root, depth + 1);
            Value::Array((0..least).map(|_| item()).collect::<Option<_>>()?)
        }
        "string" => json!(text(schema)),
        kind @ ("integer" | "number") => number(schema, kind == "integer"),
        "boolean" => json!(false),
        _ => Value::Null,
    })
}

fn members(schema: &Value, root: &Value, depth: u32) -> Option<Map<String, Value>> {
    let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    let member = |name: &Value| {
        let name = name.as_str()?;
        let schema = schema["properties"].get(name).cloned().unwrap_or_else(|| json!({}));
        Some((name.to_owned(), value(&schema, root, depth + 1)?))
    };
    required.iter().map(member).collect()
}

fn text(schema: &Value) -> String {
    let text = match schema["format"].as_str().unwrap_or_default() {
        "date" => "2026-01-31",
        "time" => "12:30:00Z",
        "date-time" => "2026-01-31T12:30:00Z",
        "duration" => "PT1M",
        "email" => "someone@example.com",
        "hostname" => "example.com",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "uri" | "url" | "uri-reference" => "https://example.com",
        "uuid" => "123e4567-e89b-12d3-a456-426614174000",
        _ => "text",
    };
    let [least, most] = ["minLength", "maxLength"].map(|name| schema[name].as_u64());
    let least = usize::try_from(least.unwrap_or_default().min(MOST)).unwrap_or_default();
    let most = most.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
    let padding = "x".repeat(least.saturating_sub(text.len()));
    (text.to_owned() + &padding).chars().take(most).collect()
}

fn number(schema: &Value, is_whole: bool) -> Value {
    let bound = |name: &str| schema[name].as_f64();
    let least = bound("minimum").or_else(|| bound("exclusiveMinimum").map(|bound| bound + 1.0));
    let most = bound("maximum").or_else(|| bound("exclusiveMaximum").map(|bound| bound - 1.0));
    let number = 1.0_f64.max(least.unwrap_or(1.0)).min(most.unwrap_or(f64::INFINITY));
    if !is_whole {
        return json!(number);
    }
    let step = bound("multipleOf").filter(|step| *step >= 1.0).unwrap_or(1.0);
    // What no whole number of 64 bits can be is the schema's own mistake.
    #[expect(clippy::cast_possible_truncation, reason = "it saturates")]
    let whole = ((number / step).ceil() * step) as i64;
    json!(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn makes(schema: &Value, wanted: &Value) {
        let made = made(schema).unwrap_or_else(|| panic!("nothing was made for {schema}"));
        assert_eq!(serde_json::from_str::<Value>(&made).unwrap(), *wanted);
    }

    #[test]
    fn what_is_required_is_made_and_nothing_else() {
        let schema = json!({
            "type": "object", "required": ["city", "days", "unit", "at", "tags", "near"],
            "properties": {
                "city": {"type": "string", "minLength": 6}, "days": {"type": "integer", "minimum": 3},
                "unit": {"enum": ["C", "F"]}, "at": {"type": ["null", "string"], "format": "date"},
                "tags": {"type": "array", "minItems": 1, "items": {"type": "boolean"}},
                "near": {"$ref": "#/$defs/place"}, "quiet": {"type": "boolean"},
            },
            "$defs": {"place": {"anyOf": [{"type": "number", "exclusiveMaximum": 1}]}},
        });
        let wanted = json!({
            "city": "textxx", "days": 3, "unit": "C", "at": "2026-01-31", "tags": [false], "near": 0.0,
        });
        makes(&schema, &wanted);
        makes(&json!({"type": "object"}), &json!({}));
        makes(&json!({}), &json!({}));
    }

    #[test]
    fn what_does_not_fit_is_not_made() {
        let pattern = json!({
            "type": "object", "required": ["id"],
            "properties": {"id": {"type": "string", "pattern": "^[0-9]{9}$"}},
        });
        assert_eq!(made(&pattern), None);
        let endless = json!({"type": "object", "required": ["next"],
            "properties": {"next": {"$ref": "#"}}});
        assert_eq!(made(&endless), None);
        assert_eq!(made(&json!({"type": "objekt"})), None);
    }
}
