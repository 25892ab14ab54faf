//! What the placeholders of a case stand for in this run.

use serde_json::Value;

use super::Options;
use crate::case::Values;
use crate::conversation::{Drawn, Survey};

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
    }
}

/// How many of the tools and commands that are registered are called in one case: a kit has cases of its
/// own for the rest.
pub(super) fn most(options: &Options) -> usize {
    if options.kit { 1 } else { usize::MAX }
}
