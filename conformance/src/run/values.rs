//! What the placeholders of a case stand for in this run.

use serde_json::Value;

use super::Options;
use crate::case::Values;
use crate::conversation::{Drawn, Era, Survey};

pub(super) fn values(options: &Options, drawn: &Drawn, survey: &Survey, value: u64) -> Values {
    let names = |frames: &[Value]| -> Vec<String> {
        frames.iter().filter_map(|frame| frame["name"].as_str().map(str::to_owned)).collect()
    };
    let first = |names: Vec<String>| names.into_iter().next().unwrap_or_default();
    let tools = names(&survey.tools);
    // A tool that can be called goes before one whose arguments nobody knows.
    let known = survey.callable.first().map(|tool| (tool.name.clone(), tool.args.clone()));
    let (tool, args) = known.unwrap_or_else(|| (first(tools), "{}".to_owned()));
    let mut commands = names(&survey.commands);
    commands.truncate(most(options));
    let callable = survey.callable.iter();
    Values {
        unknown: drawn.unknown.clone(),
        args,
        tool,
        tools: callable.map(|tool| (tool.name.clone(), tool.args.clone())).collect(),
        commands,
        command: first(names(&survey.commands)),
        event: survey.subscribed("events").next().unwrap_or_default().to_owned(),
        point: survey.subscribed("intercept").next().unwrap_or_default().to_owned(),
        value,
        ask: survey.canary.question("$id", &drawn.unknown),
        answer: survey.canary.answer_type().to_owned(),
        id: String::new(),
        more: survey.protocol.era().map(|era| more(era, survey)).unwrap_or_default(),
    }
}

/// What a case for MCP servers needs beside that.
fn more(era: Era, survey: &Survey) -> Vec<(String, String)> {
    let text = |value: &Value| {
        let text = Value::from(value.as_str().unwrap_or_default()).to_string();
        text[1..text.len() - 1].to_owned()
    };
    let refusing = survey.refusing();
    let [required, wrong] = match refusing {
        Some((tool, args)) => [text(&Value::from(tool)), args],
        None => [String::new(), "{}".to_owned()],
    };
    let (reference, argument) = survey.completes().unwrap_or_default();
    let first =
        |entries: &[Value], member: &str| text(&entries.first().unwrap_or(&Value::Null)[member]);
    [
        ("$meta", era.meta().to_owned()),
        ("$version", survey.version().to_owned()),
        ("$required", required),
        ("$wrong", wrong),
        ("$prompt", first(&survey.prompts, "name")),
        ("$resource", first(&survey.resources, "uri")),
        ("$reference", reference.to_string()),
        ("$argument", text(&Value::from(argument))),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

/// How many of the tools and commands that are registered are called in one case: a kit has cases of its
/// own for the rest.
pub(super) fn most(options: &Options) -> usize {
    if options.kit { 1 } else { usize::MAX }
}
