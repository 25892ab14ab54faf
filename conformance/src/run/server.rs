//! MCP servers: which eras one speaks, first contact with it, and the run in each of them.

use std::panic;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use extline_scenario::Failure;
use serde_json::{Value, json};

use super::arguments::find_callable;
use super::contact::{Contact, FailedContact, failed_to_start, measured_pace};
use super::spare::{self, Used};
use super::{Options, Progress, Run, Watch, played};
use crate::case::{Binds, Case, Need, era_of, is_played_once};
use crate::conversation::{
    Canary, Conversation, Era, HELLO, NOBODY, PERSON, Protocol, SOFT, Survey, request,
};
use crate::report::{CaseReport, Evidence, Head, Report};
use crate::target::Setting;

/// A server that answered `initialize` is given so much for `server/discover`, and as many times as long as
/// it took before.
const PROBE: Duration = Duration::from_secs(1);
const TIMES: u32 = 3;
/// How long an answer to a call that was cancelled is waited for.
const AFTER_CANCEL: Duration = Duration::from_millis(300);

/// Runs the cases for MCP servers that are of an era which the server speaks, of those in `eras`, and reports
/// all of them in the given order. Where it speaks none, the cases of the first one say why.
pub fn run_server(
    options: &Options,
    eras: &[Era],
    cases: &[&Case],
    progress: &mut (dyn FnMut(Progress<'_>) + Send),
) -> Report {
    let began = Instant::now();
    let mut run = Run::new(options, Protocol::Mcp(Era::Initialize), Watch::default());
    // Where one era alone is played, the other one matters to few cases.
    let wants_all = eras.len() > 1 || cases.iter().any(|case| case.needs.contains(&Need::Older));
    let mut opened = run.opened(if wants_all { &Era::ALL } else { eras });
    let spoken: Vec<_> = opened.iter().map(|(era, ..)| *era).collect();
    let mut played_in: Vec<_> = eras.iter().copied().filter(|era| spoken.contains(era)).collect();
    if played_in.is_empty() {
        played_in.extend(eras.first());
    }
    let is_played = |case: &&Case| {
        let again = played_in.len() > 1 && is_played_once(case) && era_of(case) != played_in[0];
        case.is_own() || played_in.contains(&era_of(case)) && !again
    };
    let cases: Vec<_> = cases.iter().copied().filter(is_played).collect();
    let head = Head { binds: Binds::Server, ..options.head(cases.len()) };
    progress(Progress::Planned(&head));
    let first = played_in.first().copied().unwrap_or(Era::Initialize);
    let of_eras = played_in.into_iter().map(|era| {
        // An author's own cases are of no era.
        let is_of = |case: &&Case| if case.is_own() { era == first } else { era_of(case) == era };
        let own: Vec<_> = cases.iter().copied().filter(is_of).collect();
        let at = opened.iter().position(|(one, ..)| *one == era);
        let opened = at.map(|at| opened.swap_remove(at));
        (era, own, Greeted { eras: spoken.clone(), opened })
    });
    let (mut reports, survey) = played_in_eras(options, of_eras.collect(), progress);
    reports.sort_by_key(|report| cases.iter().position(|case| case.id == report.id));
    let stale = options.baseline.stale(&reports);
    Report { head, cases: reports, survey, stale, took: began.elapsed() }
}

/// The cases of an era, and what is known of the server.
type OfEra<'a> = (Era, Vec<&'a Case>, Greeted);

/// What comes of the cases of each era, and what is known of the server in the last of them. Two eras are played
/// side by side: that the server works beside itself was seen when it was begun with in both.
fn played_in_eras(
    options: &Options,
    of_eras: Vec<OfEra<'_>>,
    progress: &mut (dyn FnMut(Progress<'_>) + Send),
) -> (Vec<CaseReport>, Survey) {
    let progress = Mutex::new(progress);
    // What is played once is played in the first of them, which takes the most time.
    let first = of_eras.first().map(|(era, ..)| *era);
    let play = |(era, cases, greeted): OfEra<'_>| {
        let at_once = if first == Some(era) { options.at_once } else { 1 };
        let options = Options { at_once, ..options.clone() };
        let mut told =
            |it: Progress<'_>| progress.lock().unwrap_or_else(PoisonError::into_inner)(it);
        played(&options, Protocol::Mcp(era), greeted, &cases, &mut told)
    };
    let play = &play;
    let of_each: Vec<_> = thread::scope(|scope| {
        let begun: Vec<_> =
            of_eras.into_iter().map(|of_era| scope.spawn(move || play(of_era))).collect();
        begun.into_iter().map(ScopedJoinHandle::join).collect()
    });
    let mut reports = Vec::new();
    let mut survey = Survey::default();
    for of_era in of_each {
        // What goes wrong in a case is caught where that is played.
        let (own, of_era) = of_era.unwrap_or_else(|fault| panic::resume_unwind(fault));
        reports.extend(own);
        survey = of_era;
    }
    (reports, survey)
}

/// What is known of a server before a run in one era.
#[derive(Default)]
pub(super) struct Greeted {
    /// The eras that it speaks.
    pub(super) eras: Vec<Era>,
    /// A process that was begun with in this era.
    pub(super) opened: Option<Opened>,
}

/// A process that was begun with, and what it said of itself.
pub(super) type Opened = (Era, Conversation, Value);

impl Run<'_> {
    /// A process for each of these eras that a server speaks.
    fn opened(&mut self, eras: &[Era]) -> Vec<Opened> {
        let mut within = HELLO;
        let mut opened = Vec::new();
        // All are started before the first is spoken to: one starts while another is waited for.
        let started: Vec<_> = eras
            .iter()
            .map_while(|era| {
                self.survey.protocol = Protocol::Mcp(*era);
                self.start(Setting::default()).ok().map(|conversation| (*era, conversation))
            })
            .collect();
        for (era, mut conversation) in started {
            let began = Instant::now();
            if let Ok(result) = conversation.open(era, era.revision(), PERSON, within) {
                opened.push((era, conversation, result));
                within = within.min(PROBE + TIMES * began.elapsed());
            } else {
                // What says nothing to one of them hardly does to the other.
                within = within.min(PROBE * TIMES);
                self.end(conversation, false);
            }
        }
        opened
    }

    /// First contact with a server: what it is, what it lists, and how long an answer takes.
    pub(super) fn greet(&mut self, era: Era) -> Contact {
        let opened = self.opened.take().map(|(_, conversation, result)| (conversation, result));
        let (mut conversation, result) = match opened.map_or_else(|| self.begun(era), Ok) {
            Ok(begun) => begun,
            Err(contact) => return *contact,
        };
        self.survey.hello = result;
        for (capability, method, member) in [
            ("tools", "tools/list", "tools"),
            ("prompts", "prompts/list", "prompts"),
            ("resources", "resources/list", "resources"),
            ("resources", "resources/templates/list", "resourceTemplates"),
        ] {
            if !self.survey.declares(capability) {
                continue;
            }
            let listed = conversation.listed(era, method, member);
            match member {
                "tools" => self.survey.tools = listed,
                "prompts" => self.survey.prompts = listed,
                "resources" => self.survey.resources = listed,
                _ => self.survey.templates = listed,
            }
        }
        self.survey.canary = match era {
            Era::Discover => Canary::Discover,
            Era::Initialize => self.question(&mut conversation),
        };
        self.survey.pace = self
            .options
            .pace
            .unwrap_or_else(|| measured_pace(&mut conversation, &self.survey.canary));
        if self.watch().wants("rests") || self.watch().wants("stays") {
            conversation.rest();
        }
        if let Some(flood) = conversation.seen().flood() {
            let flooded = Contact::Flooded(format!("first contact failed: {flood}"));
            self.end(conversation, false);
            return flooded;
        }
        self.keep(conversation, Used::Little);
        if self.options.calls {
            find_callable(self.options, &mut self.survey);
            self.call_tools(era);
        }
        Contact::Made
    }

    /// A process that was begun with, and what it said of itself; `Err` is why there is none.
    fn begun(&self, era: Era) -> Result<(Conversation, Value), Box<Contact>> {
        let started = self.start(Setting::default());
        let mut conversation = started.map_err(|failed| Box::new(failed_to_start(failed)))?;
        match conversation.open(era, era.revision(), PERSON, HELLO) {
            Ok(result) => Ok((conversation, result)),
            Err(failure) => Err(Box::new(self.no_contact(conversation, failure))),
        }
    }

    /// What a server of the older era is asked to see whether it lives: `ping`, or where it does not answer that,
    /// which a case tells, the list of its tools.
    fn question(&self, conversation: &mut Conversation) -> Canary {
        let (id, lists) = (conversation.fresh_id(), !self.survey.tools.is_empty());
        let question = Canary::Ping.question(&id, "");
        // An error is an answer too, but in the midst of cases it would be taken for one to them.
        let answers = conversation.ask(&id, &question, "ping", SOFT).is_ok();
        if !answers && lists { Canary::Tools } else { Canary::Ping }
    }

    /// Shows the checks what they look at, where no case that was played did.
    pub(super) fn show(&self, era: Era) {
        let lacks = |check: &str| self.watch().lacks(check);
        if era == Era::Initialize && lacks("mcp-version-echo") {
            self.play(|conversation| {
                // Whatever comes is looked at.
                let _ = conversation.open(era, "1999-01-01", NOBODY, HELLO);
            });
        }
        let asked = ["mcp-same-version", "mcp-same-tools", "mcp-error-codes", "mcp-reserved-codes"];
        if asked.into_iter().any(lacks) {
            self.play_ready(|conversation| {
                for method in ["tools/list", "tools/list", "extline/nobody"] {
                    let id = conversation.fresh_id();
                    let line = request(&id, method, era.meta());
                    // Whatever comes is looked at.
                    let _ = conversation.ask(&id, &line, method, SOFT);
                }
            });
        }
        let completes = self.survey.completes().filter(|_| lacks("mcp-completions"));
        if let Some((reference, argument)) = completes {
            self.play_ready(|conversation| {
                let id = conversation.fresh_id();
                let argument = json!({"name": argument, "value": ""});
                let params = format!(r#""ref":{reference},"argument":{argument},{}"#, era.meta());
                let line = request(&id, "completion/complete", &params);
                let _ = conversation.ask(&id, &line, "completion/complete", SOFT);
            });
        }
        if lacks("mcp-memory") {
            self.weigh(era);
        }
        let call = self.survey.callable.first().filter(|_| lacks("mcp-after-cancel"));
        if let Some(tool) = call {
            self.play_ready(|conversation| {
                let id = conversation.fresh_id();
                let params = format!("{},{}", tool.params(), era.meta());
                conversation.send(&request(&id, "tools/call", &params));
                conversation.cancel(&id);
                let _ = conversation.canary(&self.survey.canary, 1, SOFT, None);
                conversation.listen(AFTER_CANCEL);
            });
        }
    }

    /// Measures whether a process holds on to what it is sent.
    fn weigh(&self, era: Era) {
        let at_hand = self.at_hand(&spare::IN_ORDER);
        let Ok(mut conversation) = at_hand.map_or_else(|| self.fresh(Setting::default()), Ok)
        else {
            return;
        };
        conversation.measure_growth(era);
        self.end(conversation, false);
    }

    fn play(&self, act: impl FnOnce(&mut Conversation)) {
        let Ok(mut conversation) = self.start(Setting::default()) else { return };
        act(&mut conversation);
        self.end(conversation, false);
    }

    fn play_ready(&self, act: impl FnOnce(&mut Conversation)) {
        let Ok(mut conversation) = self.fresh(Setting::default()) else { return };
        act(&mut conversation);
        self.end(conversation, false);
    }

    fn no_contact(&self, conversation: Conversation, failure: Failure) -> Contact {
        let evidence = Evidence::of(conversation.seen().timeline(), 0);
        self.end(conversation, true);
        Contact::Failed(Box::new(FailedContact { failure, evidence, cause: None }))
    }
}
