//! The surface of a kit: what an extension that is made to be tested registers, in every language.

use std::sync::LazyLock;

use extline_scenario::differences;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::texts::packed;

/// The surface, as conformance/kit/surface.toml has it. docs/tester/kits.md says what it is for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Surface {
    /// The name in the `hello` of every kit.
    pub(crate) name: String,
    version: String,
    capabilities: Vec<String>,
    #[serde(rename = "tool")]
    tools: Vec<Tool>,
    #[serde(rename = "command")]
    commands: Vec<Command>,
    #[serde(rename = "method")]
    methods: Vec<Method>,
    subscribe: Value,
    // For those who write a kit.
    #[serde(rename = "events")]
    _events: Value,
    #[serde(rename = "intercept")]
    _intercept: Value,
    #[serde(rename = "panel")]
    _panel: Value,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tool {
    name: String,
    description: String,
    schema: String,
    #[serde(default = "nothing")]
    declares: String,
    #[serde(default)]
    derived: bool,
    #[serde(default)]
    sdk: bool,
    #[serde(rename = "does")]
    _does: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Command {
    name: String,
    description: String,
    usage: Option<String>,
    #[serde(rename = "does")]
    _does: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Method {
    name: String,
    #[serde(rename = "does")]
    _does: String,
}

/// One registration as a kit writes it.
#[derive(Debug)]
pub(crate) struct Registration {
    /// Where it stands in the surface: `/tools/echo`.
    pub(crate) pointer: String,
    /// Its canonical line.
    pub(crate) line: String,
    /// Its schema is the SDK's work.
    pub(crate) derived: bool,
    /// Only kits on an SDK have it.
    sdk: bool,
}

/// The surface of every kit.
pub(crate) fn surface() -> &'static Surface {
    static SURFACE: LazyLock<Surface> = LazyLock::new(|| {
        // The file is part of this crate; a test reads it.
        toml::from_str(packed("kit/surface.toml"))
            .unwrap_or_else(|error| unreachable!("conformance/kit/surface.toml: {error}"))
    });
    &SURFACE
}

impl Surface {
    /// Every registration, in order.
    pub(crate) fn registrations(&self) -> Vec<Registration> {
        let text = |text: &str| Value::from(text).to_string();
        let commands = self.commands.iter().map(|command| {
            let Command { name, description, usage, .. } = command;
            let usage = usage.as_deref().map(|usage| format!(",\"usage\":{}", text(usage)));
            let (quoted, description) = (text(name), text(description));
            let line = format!(
                r#"{{"type":"register_command","name":{quoted},"description":{description}{}}}"#,
                usage.unwrap_or_default()
            );
            registration(format!("/commands/{name}"), line)
        });
        let tools = self.tools.iter().map(|tool| {
            let Tool { name, description, schema, declares, derived, sdk, .. } = tool;
            let (quoted, description) = (text(name), text(description));
            let more = &declares[1..];
            let comma = if more == "}" { "" } else { "," };
            let line = format!(
                r#"{{"type":"register_tool","name":{quoted},"description":{description},"schema":{schema}{comma}{more}"#,
            );
            let (derived, sdk) = (*derived, *sdk);
            Registration { derived, sdk, ..registration(format!("/tools/{name}"), line) }
        });
        let lists = ["events", "intercept", "guards", "on_failure"];
        let lists = lists.map(|name| format!(r#","{name}":{}"#, self.subscribe[name]));
        let line = format!(r#"{{"type":"subscribe"{}}}"#, lists.concat());
        let subscribe = registration("/subscribe".to_owned(), line);
        commands.chain(tools).chain([subscribe]).collect()
    }

    /// Each place at which a kit's `hello` and registrations are not as they should be.
    pub(crate) fn differences(&self, hello: &Value, registered: &[&Value]) -> Vec<String> {
        let mut found = Vec::new();
        for (name, wanted) in [("name", &self.name), ("version", &self.version)] {
            let wanted = json!(wanted);
            let told = differences(&wanted, &hello[name]);
            found.extend(told.into_iter().map(|told| format!("/{name}{}", after_the_whole(&told))));
        }
        let names = |capability: &&String| {
            hello["capabilities"]
                .as_array()
                .is_some_and(|names| names.iter().any(|name| name == *capability))
        };
        let missing = self.capabilities.iter().filter(|capability| !names(capability));
        found.extend(missing.map(|name| format!("/capabilities: {name} is missing")));
        let methods: Vec<_> = self.methods.iter().map(|method| &method.name).collect();
        let told = differences(&json!(methods), &hello["methods"]);
        found.extend(told.into_iter().map(|told| format!("/methods{}", after_the_whole(&told))));
        let has_sdk = hello["sdk"].is_object();
        if has_sdk {
            let wanted = &self.subscribe["guards"];
            let told = differences(wanted, &hello["guards"]);
            found.extend(told.into_iter().map(|told| format!("/guards{}", after_the_whole(&told))));
        }
        let mut wanted = self.registrations();
        let got: Vec<(String, &Value)> =
            registered.iter().map(|frame| (pointer_of(frame), *frame)).collect();
        let has = |pointer: &str| got.iter().any(|(other, _)| other == pointer);
        wanted.retain(|one| has_sdk || !one.sdk || has(&one.pointer));
        for one in &wanted {
            let line: Value = serde_json::from_str(&one.line).unwrap_or_default();
            match got.iter().find(|(pointer, _)| *pointer == one.pointer) {
                None => found.push(format!("{}: missing", one.pointer)),
                Some((_, frame)) => found.extend(
                    differences(&line, frame).into_iter().map(|told| one.pointer.clone() + &told),
                ),
            }
        }
        let is_wanted = |pointer: &str| wanted.iter().any(|one| one.pointer == pointer);
        let more = got.iter().filter(|(pointer, _)| !is_wanted(pointer));
        found.extend(more.map(|(pointer, _)| format!("{pointer}: not in the surface")));
        if found.is_empty() {
            let out = wanted.iter().zip(&got).find(|(one, (pointer, _))| one.pointer != *pointer);
            found.extend(out.map(|(one, (pointer, _))| {
                format!("{pointer}: stands where {} does in the surface", one.pointer)
            }));
        }
        found
    }
}

fn registration(pointer: String, line: String) -> Registration {
    Registration { pointer, line, derived: false, sdk: false }
}

fn pointer_of(frame: &Value) -> String {
    let name = frame["name"].as_str().unwrap_or_default();
    match frame["type"].as_str() {
        Some("register_tool") => format!("/tools/{name}"),
        Some("register_command") => format!("/commands/{name}"),
        _ => "/subscribe".to_owned(),
    }
}

fn after_the_whole(told: &str) -> &str {
    told.strip_prefix("the whole").unwrap_or(told)
}

fn nothing() -> String {
    "{}".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello() -> Value {
        let methods: Vec<_> = surface().methods.iter().map(|method| &method.name).collect();
        let capabilities = &surface().capabilities;
        json!({"name": "extline-kit", "version": "1.0.0", "capabilities": capabilities, "methods": methods})
    }

    fn frames() -> Vec<Value> {
        let registrations = surface().registrations();
        registrations.iter().map(|one| serde_json::from_str(&one.line).unwrap()).collect()
    }

    #[test]
    fn a_kit_that_has_the_surface_does_not_differ() {
        let frames = frames();
        let registered: Vec<_> = frames.iter().collect();
        assert_eq!(surface().differences(&hello(), &registered), [""; 0]);
    }

    #[test]
    fn each_difference_is_told_with_its_place() {
        let mut frames = frames();
        let at = |name: &str, frames: &[Value]| {
            frames.iter().position(|frame| pointer_of(frame) == name).unwrap()
        };
        frames.remove(at("/tools/hold", &frames));
        frames.remove(at("/tools/stdout", &frames));
        let text = at("/tools/text", &frames);
        frames[text]["schema"]["properties"]["text"]["type"] = json!("number");
        frames.push(json!({"type": "register_tool", "name": "more"}));
        let mut hello = hello();
        hello["version"] = json!("2.0.0");
        let registered: Vec<_> = frames.iter().collect();
        let expected = [
            "/version: expected \"1.0.0\", got \"2.0.0\"",
            "/tools/text/schema/properties/text/type: expected \"string\", got \"number\"",
            "/tools/hold: missing",
            "/tools/more: not in the surface",
        ];
        assert_eq!(surface().differences(&hello, &registered), expected);
        // What only SDKs are asked is missing with one.
        hello["sdk"] = json!({"name": "x", "version": "1", "language": "x"});
        let found = surface().differences(&hello, &registered);
        assert!(found[1].starts_with("/guards: expected [\"tool_call\"], got"), "{found:?}");
        assert!(found.contains(&"/tools/stdout: missing".to_owned()), "{found:?}");
    }

    #[test]
    fn the_order_counts() {
        let mut frames = frames();
        frames.swap(0, 1);
        let registered: Vec<_> = frames.iter().collect();
        let expected = ["/commands/action: stands where /commands/echo does in the surface"];
        assert_eq!(surface().differences(&hello(), &registered), expected);
    }
}
