//! Cases as scripts: what they send is what a host asks, what they expect is what is said.

use std::collections::BTreeSet;
use std::time::Duration;

use extline_scenario::{Values, expand, replace};
use serde_json::{Value, json};

use super::build::Builder;
use super::script::{Opening, Script, Step, cancelled_by};
use crate::case::{Case, Pipe, Text, Verb};

/// Placeholders for what a tester finds out about an extension that is there.
const FOUND: [&str; 5] = ["$tool", "$args", "$command", "$event", "$point"];

/// Adds what a case says. `Err` says what has no meaning without an extension.
pub(super) fn build(case: &Case, builder: &mut Builder) -> Result<(), String> {
    // A check looks on; it asks nothing and expects nothing.
    let values = if case.values.is_empty() { &[0][..] } else { &case.values };
    for value in values {
        let values = Values { value: *value, ..Values::default() };
        Reading { case, builder, values, batch: Vec::new() }.build()?;
    }
    Ok(())
}

struct Reading<'a> {
    case: &'a Case,
    builder: &'a mut Builder,
    values: Values,
    /// The ids of the newest line.
    batch: Vec<String>,
}

impl Reading<'_> {
    fn build(mut self) -> Result<(), String> {
        for (number, step) in self.case.steps.iter().enumerate() {
            let place = |why: String| format!("{}:{}: {why}", self.case.file, step.line);
            if let Some(name) = texts(&step.verb).find_map(found_in) {
                return Err(place(format!(
                    "{name} stands for what a tester finds in an extension; a mock has none: \
                     write what you mean"
                )));
            }
            match &step.verb {
                Verb::Line(text) => self.line(number, text),
                Verb::Frame(text) => {
                    let line = expand(text, &self.values_for(text));
                    self.builder.extension([&line[..], b"\n"].concat());
                }
                Verb::Each(text) => {
                    for id in self.batch.clone() {
                        let line = expand(text, &Values { id, ..self.values.clone() });
                        self.builder.extension([&line[..], b"\n"].concat());
                    }
                }
                Verb::Expect(text) => {
                    let line = answer(text, &self.values, number).map_err(place)?;
                    self.builder.extension(line);
                }
                Verb::Every(text) => {
                    for id in self.batch.clone() {
                        let values = Values { id, ..self.values.clone() };
                        let line = answer(text, &values, number).map_err(place)?;
                        self.builder.extension(line);
                    }
                }
                Verb::Stderr(text) => self.builder.step(Step::Stderr(replace(text, &self.values))),
                Verb::Wait(millis) | Verb::Aside(millis) => {
                    self.builder.wait(Duration::from_millis(*millis));
                }
                Verb::Exit(exits) => self.builder.ended(Some(exits.status.unwrap_or(0)), None),
                Verb::Close(Pipe::Stdin) | Verb::Signal(_) => self.builder.may_end(),
                Verb::Handshake(_) => self.builder.host(&json!({"type": "hello_ack"})),
                // What a tester does about a real process, or asks of any extension.
                _ => {}
            }
        }
        Ok(())
    }

    /// The host sends a line, or the same several times under other ids.
    fn line(&mut self, number: usize, text: &Text) {
        self.batch.clear();
        for time in 0..text.times {
            let case = &self.case.id;
            if text.template.contains("$id") {
                let fresh = || format!("{case}-{}-{number}-{time}", self.values.value);
                self.values.id = text.id.clone().unwrap_or_else(fresh);
                self.batch.push(self.values.id.clone());
            }
            // A line that is no frame, or one for nobody: every extension answers it alike.
            if text.template.contains("$ask") || text.template.contains("$unknown") {
                continue;
            }
            if let Ok(frame) = serde_json::from_slice::<Value>(&expand(text, &self.values)) {
                self.builder.host(&frame);
            }
        }
    }

    fn values_for(&self, text: &Text) -> Values {
        let id = text.id.clone().unwrap_or_else(|| self.values.id.clone());
        Values { id, ..self.values.clone() }
    }
}

/// The line of a frame of which a case names some members.
fn answer(text: &str, values: &Values, number: usize) -> Result<Vec<u8>, String> {
    let text = replace(text, values);
    let frame =
        serde_json::from_str(&text).map_err(|error| format!("{text} is no JSON: {error}"))?;
    Ok(format!("{}\n", whole(frame, number)).into_bytes())
}

fn texts(verb: &Verb) -> impl Iterator<Item = &str> {
    let text = match verb {
        Verb::Line(text) | Verb::Frame(text) | Verb::Each(text) => Some(text.template.as_str()),
        Verb::Expect(text) | Verb::Every(text) | Verb::Stderr(text) => Some(text.as_str()),
        _ => None,
    };
    text.into_iter()
}

fn found_in(text: &str) -> Option<&'static str> {
    FOUND.into_iter().find(|name| text.contains(name))
}

/// What a case expects names what it cares for; the rest that a frame must have is added.
fn whole(mut frame: Value, number: usize) -> Value {
    let kind = frame["type"].as_str().unwrap_or_default().to_owned();
    for block in frame["content"].as_array_mut().into_iter().flatten() {
        if block.get("text").is_some() && block.get("type").is_none() {
            block["type"] = json!("text");
        }
    }
    if let Some(error) = frame["error"].as_object_mut() {
        let kind =
            error.get("kind").or(error.get("code")).cloned().unwrap_or_else(|| json!("error"));
        error.entry("message").or_insert(kind);
    }
    match kind.as_str() {
        "tool_result" if frame.get("content").is_none() => frame["content"] = json!([]),
        "call_tool" | "request" if frame.get("id").is_none() => {
            frame["id"] = json!(format!("mock-{number}"));
        }
        "register_tool" => {
            let members = [("description", json!("a mock")), ("schema", json!({"type": "object"}))];
            for (name, value) in members {
                if frame.get(name).is_none() {
                    frame[name] = value;
                }
            }
        }
        _ => {}
    }
    frame
}

/// Adds what cases leave out and every extension says: `hello`, what it offers, `ready`.
pub(super) fn complete(scripts: &mut Vec<Script>, name: &str) {
    let said = |kind: &str| -> Vec<Value> {
        let says = scripts.iter().flat_map(|script| &script.steps).filter_map(|step| match step {
            Step::Say(line) => serde_json::from_slice::<Value>(line).ok(),
            _ => None,
        });
        says.filter(|frame| frame["type"] == kind).collect()
    };
    let asked = |kind: &str, member: &str| -> BTreeSet<String> {
        let frames = scripts.iter().filter_map(Script::frame);
        let frames = frames.filter(|frame| frame["type"] == kind);
        frames.filter_map(|frame| frame[member].as_str().map(str::to_owned)).collect()
    };
    let mut offers = Vec::new();
    for (question, offer) in
        [("tool_call", "register_tool"), ("command_invoked", "register_command")]
    {
        let there: Vec<_> = said(offer).iter().map(|frame| frame["name"].clone()).collect();
        let missing = asked(question, "name").into_iter().filter(|it| !there.contains(&json!(it)));
        offers.extend(
            missing.map(|it| whole(json!({"type": offer, "name": it, "description": "a mock"}), 0)),
        );
    }
    let (events, points) = (asked("event", "event"), asked("event_intercept", "event"));
    if said("subscribe").is_empty() && !(events.is_empty() && points.is_empty()) {
        offers.push(json!({"type": "subscribe", "events": events, "intercept": points}));
    }
    let ready = said("ready").is_empty().then(|| json!({"type": "ready"}));
    let hello = said("hello").is_empty().then(|| {
        let cancels = scripts.iter().flat_map(|script| &script.steps).any(|step| {
            matches!(step, Step::Await(kinds, _) if kinds.iter().any(|it| cancelled_by(it).is_some()))
        });
        let mut capabilities = vec!["commands", "tools", "events", "panels"];
        capabilities.extend(cancels.then_some("tool_cancel"));
        json!({"type": "hello", "name": name, "version": "1.0.0", "capabilities": capabilities})
    });
    let mut start = Script::new(Opening::Start, "");
    start.steps.extend(hello.iter().map(say));
    scripts.insert(0, start);
    let mut acknowledged = Script::new(Opening::Acknowledged, "");
    acknowledged.steps.extend(offers.iter().map(say));
    // Before what the cases offer themselves; `ready` behind all of it.
    scripts.insert(1, acknowledged);
    let mut last = Script::new(Opening::Acknowledged, "");
    last.steps.extend(ready.iter().map(say));
    scripts.push(last);
}

fn say(frame: &Value) -> Step {
    Step::Say(format!("{frame}\n").into_bytes())
}
