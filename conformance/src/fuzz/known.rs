//! What the model of a host knows of an extension.

use extline_host::Manifest;
use serde_json::Value;

use crate::case::Binds;
use crate::check::surface;
use crate::conversation::{Callable, Canary, Era, Survey};
use crate::run::Options;

/// What the model of a host knows of an extension.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    /// It is held to the rules of SDKs.
    pub(super) sdk: bool,
    /// It is a kit, and may be called.
    pub(super) kit: bool,
    /// It answers calls of tools that nobody registered.
    pub(super) tools: bool,
    /// It has commands.
    pub(super) commands: bool,
    /// It answers commands that nobody registered.
    pub(super) answers_commands: bool,
    /// It answers a canary of any kind.
    pub(super) canary: bool,
    /// Its hello names `tool_cancel`.
    pub(super) cancel: bool,
    /// The events it subscribed to.
    pub(super) events: Vec<String>,
    /// The points it asked to be asked at.
    pub(super) points: Vec<String>,
    /// The tools that may be called, each with arguments that its author named, or that fit its schema.
    pub(super) samples: Vec<(String, String)>,
    /// It is a server of MCP, which is spoken to in this era.
    pub(super) server: Option<Era>,
    /// As a server: its revision has batches.
    pub(super) batches: bool,
}

impl Known {
    pub(super) fn of(options: &Options, survey: &Survey) -> Self {
        let sdk = options.binds == Binds::Sdk && survey.has_sdk();
        let names = |list: &str| survey.subscribed(list).map(str::to_owned).collect();
        let kit = options.kit && survey.hello["name"] == surface().name;
        let samples = options.calls.then(|| samples(options.program.manifest(), survey));
        Self {
            sdk,
            kit,
            tools: sdk || survey.canary == Canary::Tool,
            commands: sdk || !survey.commands.is_empty(),
            answers_commands: sdk || survey.canary == Canary::Command,
            canary: survey.canary != Canary::None,
            cancel: sdk || survey.names("tool_cancel"),
            events: names("events"),
            points: names("intercept"),
            samples: samples.unwrap_or_default(),
            server: None,
            batches: false,
        }
    }

    /// What is known of a server of MCP.
    pub(super) fn of_server(survey: &Survey, era: Era) -> Self {
        // What begins with a dollar would be taken for a placeholder of cases.
        let is_plain = |tool: &&Callable| !tool.params().contains('$');
        let usable = survey.callable.iter().filter(is_plain);
        let samples = usable.map(|tool| (tool.name.clone(), tool.args.clone())).collect();
        let batches = survey.version() < "2025-06-18";
        Self { samples, server: Some(era), batches, ..Self::default() }
    }
}

fn samples(manifest: Option<&Manifest>, survey: &Survey) -> Vec<(String, String)> {
    let Some(samples) = manifest.and_then(|manifest| manifest.samples.as_ref()) else {
        return Vec::new();
    };
    let names = survey.tools.iter().filter_map(|tool| tool["name"].as_str());
    let sample = |name: &str| {
        let args = samples.get(name).filter(|args: &&Value| args.is_object())?.to_string();
        // What begins with a dollar would be taken for a placeholder of cases.
        (!args.contains('$')).then(|| (name.to_owned(), args))
    };
    names.filter_map(sample).collect()
}
