//! Plays single cases, each in a process of its own, with all checks that bind the extension.

use std::sync::Mutex;

use extline_scenario::Failure;
use memchr::memchr_iter;

use super::contact::Contact;
use super::harness::caught;
use super::watch::Watch;
use super::{Options, Run, play, values};
use crate::case::{Case, Cited, Level, Process, builtin, era_of, mcp_cases};
use crate::conversation::{Era, Protocol, Survey};
use crate::report::{CaseReport, Evidence, Verdict};
use crate::target::{Setting, What};

/// An extension that was asked once what it is.
pub(crate) struct Alone<'a> {
    run: Run<'a>,
    /// The checks that must hold, by their cases.
    checks: Vec<&'static Case>,
}

/// What came of one case.
#[derive(Debug, Default)]
pub(crate) struct Played {
    /// The step that failed.
    pub(crate) failure: Option<(Failure, Evidence)>,
    /// The checks that failed, with the ids of their cases.
    pub(crate) checks: Vec<(String, Failure, Evidence)>,
    /// How many lines it was sent.
    pub(crate) sent: usize,
    /// How many it wrote.
    pub(crate) received: usize,
}

impl<'a> Alone<'a> {
    /// Starts the extension for the first time; `Err` says why there is nothing to play.
    pub(crate) fn contact(options: &'a Options) -> Result<Self, (Verdict, String)> {
        Self::spoken(options, Protocol::Extension)
    }

    /// The same for a server of MCP, in the first era that it speaks.
    pub(crate) fn server(options: &'a Options) -> Result<Self, (Verdict, String)> {
        let newer = || Self::spoken(options, Protocol::Mcp(Era::Discover));
        Self::spoken(options, Protocol::Mcp(Era::Initialize))
            .or_else(|why| newer().map_err(|_| why))
    }

    fn spoken(options: &'a Options, protocol: Protocol) -> Result<Self, (Verdict, String)> {
        let mut run = Run::new(options, protocol, Watch::default());
        match run.contact() {
            Contact::Made => {
                run.end_spare();
                let must = |case: &&Case| case.check.is_some() && case.level() == Level::Must;
                let cases = match protocol.era() {
                    None => builtin().values().collect::<Vec<_>>(),
                    Some(era) => mcp_cases().values().filter(|case| era_of(case) == era).collect(),
                };
                let checks = cases.into_iter().filter(must);
                let checks = checks.filter(|case| run.obstacle(case).is_none()).collect();
                Ok(Self { run, checks })
            }
            Contact::Failed(failed) => {
                let Failure { expected, got, .. } = failed.failure;
                let said = failed.evidence.stderr.last();
                let said = said.map(|line| format!("; the last line on its stderr: {line}"));
                let said = said.unwrap_or_default();
                let why = format!("first contact failed: expected {expected}, got {got}{said}");
                Err((Verdict::CouldNotRun, why))
            }
            Contact::Flooded(reason) => Err((Verdict::CouldNotRun, reason)),
            Contact::Impossible(verdict, reason) => Err((verdict, reason)),
        }
    }

    /// What it said about itself.
    pub(crate) fn survey(&self) -> &Survey {
        &self.run.survey
    }

    /// The case of a check.
    pub(crate) fn check(&self, id: &str) -> Option<&'static Case> {
        self.checks.iter().find(|case| case.id == id).copied()
    }

    /// Plays one; `Err` when there was no process to play it to.
    pub(crate) fn play(&mut self, case: &Case) -> Result<Played, (Verdict, String)> {
        caught(|| self.try_to_play(case))
            .unwrap_or_else(|fault| Err((Verdict::HarnessError, fault)))
    }

    fn try_to_play(&mut self, case: &Case) -> Result<Played, (Verdict, String)> {
        self.run.watch = Mutex::new(Watch::of(&self.checks));
        let raw = case.process == Process::Raw;
        let setting = Setting::default();
        let conversation = if raw { self.run.start(setting) } else { self.run.fresh(setting) };
        let mut conversation =
            conversation.map_err(|unstarted| (unstarted.verdict, unstarted.problem))?;
        let mark = if raw { 0 } else { conversation.seen().timeline().mark() };
        let values = values::values(self.run.options, &self.run.drawn, &self.run.survey, 0);
        let outcome = play::play(case, values, &mut conversation, &self.run.survey, 1);
        let records = conversation.seen().timeline().records();
        let lines = |what: &What| match what {
            What::Sent { bytes, .. } => memchr_iter(b'\n', bytes).count(),
            _ => 0,
        };
        let mut played = Played {
            sent: records.iter().map(|record| lines(&record.what)).sum(),
            received: conversation.frames().len(),
            ..Played::default()
        };
        if let Err((_, failure)) = outcome {
            let evidence = Evidence::of(conversation.seen().timeline(), mark);
            played.failure = Some((failure, evidence));
        }
        self.run.end(conversation, played.failure.is_some());
        let broken = self.checks.iter().filter_map(|case| {
            let check = case.check.as_ref()?;
            let CaseReport { failure, evidence, .. } = self.run.watch().verdict(case, check);
            Some((case.id.clone(), failure?, evidence.unwrap_or_default()))
        });
        played.checks = broken.collect();
        Ok(played)
    }
}
