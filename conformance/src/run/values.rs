//! What the placeholders of a case stand for in this run.

use extline_host::Manifest;
use serde_json::Value;

use super::Options;
use crate::case::Values;
use crate::seed::Drawn;
use crate::survey::Survey;

pub(super) fn values(options: &Options, drawn: &Drawn, survey: &Survey, value: u64) -> Values {
    let names = |frames: &[Value]| -> Vec<String> {
        frames.iter().filter_map(|frame| frame["name"].as_str().map(str::to_owned)).collect()
    };
    let first = |names: Vec<String>| names.into_iter().next().unwrap_or_default();
    let tools = names(&survey.tools);
    let manifest = options.program.manifest();
    let sample = |tool: &String| Some((tool.clone(), sample(manifest?, tool)?));
    // A tool whose arguments the author named goes before one that gets none.
    let (tool, args) =
        tools.iter().find_map(sample).unwrap_or_else(|| (first(tools), "{}".to_owned()));
    Values {
        unknown: drawn.unknown.clone(),
        args,
        tool,
        command: first(names(&survey.commands)),
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
