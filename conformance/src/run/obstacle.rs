//! Which cases say nothing about an extension, and why.

use super::Run;
use crate::case::{Binds, Case, Cited, Need, Text, Verb};
use crate::check::surface;
use crate::conversation::{Canary, Protocol, Reaction, Survey};
use crate::report::Verdict;
use crate::target::{no_pipe_of, no_signal};

impl Run<'_> {
    /// Why a case says nothing about this extension.
    pub(super) fn obstacle(&self, case: &Case) -> Option<(Verdict, String)> {
        if let Some(why) = self.point.and_then(|point| no_pipe_of(point.conditions.pipe_bytes?)) {
            return Some((Verdict::NotApplicable, why));
        }
        let signals = case.steps.iter().filter_map(|step| match &step.verb {
            Verb::Signal(signal) => no_signal(*signal),
            _ => None,
        });
        if let Some(why) = signals.into_iter().next() {
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
        let leader = self.reports.iter().find(|report| case.behind.as_ref() == Some(&report.id));
        if let Some(leader) = leader.filter(|one| options.spares && one.failure.is_some()) {
            let why = format!("it could only fail as another does ({})", leader.id);
            return Some((Verdict::CouldNotRun, why));
        }
        case.needs.iter().find_map(|need| self.lacks(case, *need))
    }

    fn lacks(&self, case: &Case, need: Need) -> Option<(Verdict, String)> {
        let survey = &self.survey;
        let missing = |reason: &str| Some((Verdict::NotApplicable, reason.to_owned()));
        match need {
            Need::Older if survey.eras.len() > 1 => {
                missing("it speaks 2026-07-28 too, and may keep to that once it was asked for it")
            }
            Need::NoBatches if survey.version() < "2025-06-18" => {
                missing(&format!("its revision, {}, has batches", survey.version()))
            }
            Need::Prompts if survey.prompts.is_empty() => missing("it lists no prompt"),
            Need::Resources if survey.resources.is_empty() => missing("it lists no resource"),
            Need::Completions if survey.completes().is_none() => {
                missing("it declares no completions, or lists nothing that has them")
            }
            Need::Logging if !survey.declares("logging") => missing("it does not declare logging"),
            Need::ToolChanges if !survey.declares("tools/listChanged") => {
                missing("it does not declare tools.listChanged")
            }
            Need::Required if survey.refusing().is_none() => {
                missing("none of its tools requires an argument")
            }
            Need::Tool if survey.tools.is_empty() && survey.protocol.era().is_some() => {
                missing("it lists no tool")
            }
            Need::ToolCanary if self.may_ask(survey.unknown_tool) => None,
            Need::CommandCanary if self.may_ask(survey.unknown_command) => None,
            Need::Tool | Need::ToolCanary if survey.tools.is_empty() => {
                missing("it registers no tool")
            }
            Need::Tool if case.needs.contains(&Need::Calls) && self.may_call_no_tool() => {
                missing(match survey.protocol {
                    Protocol::Extension => {
                        "no tool may be called: \"samples\" in extension.json says with which arguments"
                    }
                    Protocol::Mcp(_) => "no arguments that fit the schema are known for any tool",
                })
            }
            Need::Command | Need::CommandCanary if survey.commands.is_empty() => {
                missing("it registers no command")
            }
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
                let what = match survey.protocol {
                    Protocol::Extension => "what the extension registered",
                    Protocol::Mcp(_) => "a tool of the server",
                };
                missing(&format!("it would call {what}; --call allows that"))
            }
            Need::Canary if survey.canary == Canary::Shutdown && !wants_answers(case) => None,
            Need::Canary if survey.canary.is_end() => Some(self.unasked(Survey::no_canary)),
            Need::ToolCanary => Some(self.unasked(Survey::no_tool_canary)),
            Need::CommandCanary => Some(self.unasked(Survey::no_command_canary)),
            _ => None,
        }
    }

    /// Whether calls are allowed, and there are arguments for no tool.
    fn may_call_no_tool(&self) -> bool {
        self.options.calls && self.survey.callable.is_empty()
    }

    /// Whether a name that nobody registered may be asked for again and again.
    fn may_ask(&self, reaction: Reaction) -> bool {
        reaction == Reaction::Error || self.options.calls && reaction == Reaction::Runs
    }

    /// Why an answer cannot be had: for want of a permission, or of the answer.
    fn unasked(&self, otherwise: fn(&Survey) -> String) -> (Verdict, String) {
        let runs = self.survey.runs_any_name().filter(|_| !self.options.calls);
        match runs {
            Some(reason) => (Verdict::NotApplicable, reason),
            None => (Verdict::CouldNotRun, otherwise(&self.survey)),
        }
    }
}

/// Whether a case looks at answers, besides the sign of life at its end.
fn wants_answers(case: &Case) -> bool {
    let asks = |text: &Text| text.template.contains("$ask");
    case.steps.iter().any(|step| match &step.verb {
        Verb::Line(text) | Verb::Raw(text) => asks(text),
        Verb::Canary(times) => *times > 1,
        Verb::Answer | Verb::Burst(_) | Verb::Settled(_) => true,
        Verb::Handshake(handshake) => {
            handshake.glued.as_ref().is_some_and(|text| text.contains("$ask"))
        }
        _ => false,
    })
}

impl Canary {
    /// It ends with the sign of life, or gives none.
    fn is_end(&self) -> bool {
        matches!(self, Self::Shutdown | Self::None)
    }
}
