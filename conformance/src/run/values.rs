//! What the placeholders of a case stand for in this run.

use extline_host::Manifest;
use serde_json::Value;

use super::Options;
use crate::case::Values;
use crate::seed::Drawn;
use crate::survey::Survey;

pub(super) fn values(options: &Options, drawn: &Drawn, survey: &Survey, value: u64) -> Values {
    let name = |frames: &[Value]| {
        frames.first().and_then(|frame| frame["name"].as_str()).unwrap_or_default().to_owned()
    };
    let tool = name(&survey.tools);
    let sample = options.program.manifest().and_then(|manifest| sample(manifest, &tool));
    Values {
        unknown: drawn.unknown.clone(),
        args: sample.unwrap_or_else(|| "{}".to_owned()),
        tool,
        command: name(&survey.commands),
        event: survey.subscribed("events").next().unwrap_or_default().to_owned(),
        point: survey.subscribed("intercept").next().unwrap_or_default().to_owned(),
        value,
        ask: survey.canary.question("$id", &drawn.unknown),
        answer: survey.canary.answer_type().to_owned(),
        id: String::new(),
    }
}

/// The arguments that the manifest offers for a tool: `"samples": {"weather": {"city": "Rome"}}`.
fn sample(manifest: &Manifest, tool: &str) -> Option<String> {
    Some(manifest.other.get("samples")?.get(tool)?.to_string())
}
