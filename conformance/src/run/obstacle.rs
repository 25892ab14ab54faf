//! Which cases say nothing about an extension, and why.

use super::Run;
use crate::case::{Case, Cited, Need};
use crate::clause::Binds;
use crate::report::Verdict;
use crate::surface::surface;
use crate::survey::{Canary, Reaction};
use crate::target::no_pipe_of;

impl Run<'_> {
    /// Why a case says nothing about this extension.
    pub(super) fn obstacle(&self, case: &Case) -> Option<(Verdict, String)> {
        if let Some(why) = self.point.and_then(|point| no_pipe_of(point.conditions.pipe_bytes?)) {
            return Some((Verdict::NotApplicable, why));
        }
        let binds = case.binds();
        let options = self.options;
        let by_hand = options.kit && !self.survey.has_sdk();
        let spared = by_hand || options.binds == Binds::Extension;
        if binds == Binds::Host || binds == Binds::Sdk && spared {
            let clause = case.clause().map(|clause| clause.id.as_str()).unwrap_or_default();
            let why = if by_hand { "its hello names none" } else { "--level sdk runs it" };
            return Some((Verdict::NotApplicable, format!("{clause} binds SDKs; {why}")));
        }
        case.needs.iter().find_map(|need| self.lacks(*need))
    }

    fn lacks(&self, need: Need) -> Option<(Verdict, String)> {
        let survey = &self.survey;
        let missing = |reason: &str| Some((Verdict::NotApplicable, reason.to_owned()));
        match need {
            Need::ToolCanary if survey.unknown_tool == Reaction::Error => None,
            Need::Tool | Need::ToolCanary if survey.tools.is_empty() => {
                missing("it registers no tool")
            }
            Need::Command if survey.commands.is_empty() => missing("it registers no command"),
            Need::Event if survey.subscribed("events").next().is_none() => {
                missing("it subscribes to no event")
            }
            Need::Intercept if survey.subscribed("intercept").next().is_none() => {
                missing("it intercepts nothing")
            }
            Need::Panels if !survey.names("panels") => missing("its hello does not name panels"),
            Need::Cancel if !survey.names("tool_cancel") => {
                missing("its hello does not name tool_cancel")
            }
            Need::Manifest if self.options.program.manifest().is_none() => {
                missing("it has no manifest")
            }
            Need::Kit if !self.options.kit => missing("it is for kits; --level kit runs it"),
            Need::Kit if survey.hello["name"] != surface().name => {
                let (name, kit) = (&survey.hello["name"], &surface().name);
                let reason = format!("it is no kit: its hello names {name}, a kit's {kit:?}");
                Some((Verdict::CouldNotRun, reason))
            }
            Need::Calls if !self.options.calls => {
                missing("it would call what the extension registered; --call allows that")
            }
            Need::Canary if survey.canary == Canary::None => {
                Some((Verdict::CouldNotRun, survey.no_canary()))
            }
            Need::ToolCanary => Some((Verdict::CouldNotRun, survey.no_tool_canary())),
            _ => None,
        }
    }
}
