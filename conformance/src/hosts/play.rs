//! Plays a case: step by step, each waits for its own thing.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use extline_scenario::{Text, Values, expand, unhex};
use serde_json::{Value, json};

use super::act;
use super::driver::DriverAnswer;
use super::pattern::{has, is_like};
use super::stage::Stage;
use crate::case::host::{Extension, Script};
use crate::case::host::{Request, Step, Verb, Wants};
use crate::conversation::{Patience, seconds};
use extline_scenario::{Failure, Outcome};

/// Pause between two questions of the same kind to the driver.
const AGAIN: Duration = Duration::from_millis(20);
/// How much of an answer is shown.
const EXCERPT: usize = 300;

/// Why a case was not played to its end.
pub(super) enum Stop {
    /// The host does not do as it should.
    Failed(Failure),
    /// The driver cannot do what the case needs.
    Unsupported(String),
    /// Something else went wrong.
    Impossible(String),
}

/// A case that is being played.
pub(super) struct Play<'a> {
    pub(super) stage: &'a mut Stage,
    pub(super) script: &'a Script,
    /// Words for `$name`s: the ids of frames.
    names: BTreeMap<String, String>,
    /// Requests whose answers are waited for later, and when they were asked.
    asked: BTreeMap<String, (Vec<u64>, Instant)>,
    /// When an extension last wrote something.
    wrote: Option<Instant>,
    /// The host's end was brought about by the case itself.
    pub(super) killed: bool,
    /// How long a healthy host may take.
    pub(super) soft: Duration,
}

/// Plays a case.
pub(super) fn play(stage: &mut Stage, script: &Script, soft: Duration) -> Result<(), Stop> {
    let (names, asked) = (BTreeMap::new(), BTreeMap::new());
    let mut play = Play { stage, script, names, asked, wrote: None, killed: false, soft };
    let start = play.stage.start_request();
    let began = Instant::now();
    let number = play.stage.driver.ask(start, &mut play.stage.log, true);
    play.asked.insert("start".to_owned(), (vec![number], began));
    if script.ready {
        for extension in script.extensions.iter().filter(|one| !one.silent && one.exec.is_none()) {
            act::handshake(&mut play, extension)?;
        }
        play.started()?;
    }
    script.steps.iter().try_for_each(|step| play.step(step))
}

impl Play<'_> {
    /// Waits until the host has started.
    fn started(&mut self) -> Result<(), Stop> {
        let wants = Wants::default();
        self.answered("start", &wants, &Limits::of(None, 0, Duration::from_secs(20)))
    }

    fn step(&mut self, step: &Step) -> Result<(), Stop> {
        let outcome = self.step_or_failure(step);
        match (outcome, &step.or_na) {
            (Err(Stop::Failed(_)), Some(reason)) => Err(Stop::Unsupported(reason.clone())),
            (outcome, _) => outcome,
        }
    }

    fn step_or_failure(&mut self, step: &Step) -> Result<(), Stop> {
        let mut limits = Limits::of(step.within_ms, step.from_ms, self.soft);
        limits.since = self.wrote.filter(|_| step.since_line);
        let at = self.index(step);
        match &step.verb {
            Verb::Do(request) => self.request(request, &limits),
            Verb::Ask(request) => self.ask(request, &limits),
            Verb::Answer { name, wants } => self.answered(name, wants, &limits),
            Verb::Unanswered(name) => self.unanswered(name),
            Verb::Handshake => act::handshake(self, &self.script.extensions[at].clone()),
            Verb::Line(text) | Verb::Raw(text) | Verb::Hex(text) => {
                let pause = Duration::from_millis(text.pause_ms);
                let chunk = text.chunk.unwrap_or(usize::MAX);
                let bytes = self.bytes(&step.verb, text);
                self.wrote = Some(Instant::now());
                act::write(self, at, bytes, chunk, pause)
            }
            Verb::Frame { like, name } => act::frame(self, at, like, name, &limits),
            Verb::Next { like, name } => act::next(self, at, like, name, &limits),
            Verb::Each { like, count, distinct } => {
                let ids = act::each(self, at, like, *count, &limits)?;
                if *distinct { Self::distinct(&ids) } else { Ok(()) }
            }
            Verb::Never(like) => act::never(self, at, like),
            Verb::Stderr { words, times } => act::complain(self, at, words, *times, &limits),
            Verb::Puppet(action) => act::action(self, at, *action),
            Verb::Eof => act::eof(self, at, &limits),
            Verb::Gone => act::gone(self, at, &limits),
            Verb::ChildGone => act::child_gone(self, at, &limits),
            Verb::Starts(count) => act::starts(self, at, *count, &limits),
            Verb::Runs => act::runs(self, at, &limits),
            Verb::Host(signal) => {
                act::signal(self, *signal);
                Ok(())
            }
            Verb::Wait(time) => {
                let until = Instant::now() + Duration::from_millis(*time);
                while self.stage.pump(until) {}
                Ok(())
            }
        }
    }

    /// What an extension writes.
    fn bytes(&self, verb: &Verb, text: &Text) -> Vec<u8> {
        let template = self.named(&text.template);
        let once = |template: String| {
            let text = Text { template, ..text.clone() };
            match verb {
                Verb::Hex(_) => unhex(&text.template),
                Verb::Line(_) => [expand(&text, &Values::default()), b"\n".to_vec()].concat(),
                _ => expand(&text, &Values::default()),
            }
        };
        if text.times > 1 && template.contains("$n") {
            let numbered = |number: u64| once(template.replace("$n", &number.to_string()));
            return (0..text.times).flat_map(numbered).collect();
        }
        once(template).repeat(usize::try_from(text.times).unwrap_or(usize::MAX))
    }

    /// That no id is there twice.
    fn distinct(ids: &[String]) -> Result<(), Stop> {
        let mut seen = BTreeSet::new();
        let twice = ids.iter().find(|id| !seen.insert(*id));
        let wrong = |id| wrong("an id of its own for each".to_owned(), format!("{id} twice"));
        twice.map_or(Ok(()), |id| Err(wrong(id)))
    }

    /// The extension that a step is about.
    fn index(&self, step: &Step) -> usize {
        let who = step.who.as_ref();
        let found = who.and_then(|who| self.stage.puppets.iter().position(|it| it.name == *who));
        found.unwrap_or_default()
    }

    /// The extension of that number, as its case has it.
    pub(super) fn extension(&self, at: usize) -> &Extension {
        &self.script.extensions[at]
    }

    pub(super) fn name(&mut self, name: &str, word: String) {
        self.names.insert(name.to_owned(), word);
    }

    /// The text with its `$name`s replaced, longer names before those that they begin with; `$kib`
    /// is a text of 1,024 letters, `$mib` one of 1,048,576. For clients of MCP, whose ids may be numbers, the quotes
    /// around a name go with it.
    pub(super) fn named(&self, text: &str) -> String {
        let mut text = text.replace("$kib", &"x".repeat(1024));
        if text.contains("$mib") {
            text = text.replace("$mib", &"x".repeat(1024 * 1024));
        }
        for (name, word) in self.names.iter().rev() {
            if self.script.is_for_clients() {
                text = text.replace(&format!("\"${name}\""), word);
            } else {
                text = text.replace(&format!("${name}"), word);
            }
        }
        text
    }

    fn request(&mut self, request: &Request, limits: &Limits) -> Result<(), Stop> {
        let began = Instant::now();
        let mut numbers = Vec::new();
        for number in 0..request.times {
            let text = self.named(&request.text).replace("$n", &number.to_string());
            let mut value = parsed(&text)?;
            if let Some(call) = value.get("call").and_then(Value::as_str) {
                // Which call is meant is said by the number of its request.
                let numbers = self.asked.get(call).map(|(numbers, _)| numbers.clone());
                value["call"] = json!(numbers.and_then(|numbers| numbers.first().copied()));
            }
            let shown = request.times < 5;
            numbers.push(self.stage.driver.ask(value, &mut self.stage.log, shown));
        }
        let name = request.name.clone().unwrap_or_else(|| " newest".to_owned());
        self.asked.insert(name.clone(), (numbers, began));
        if request.name.is_some() {
            return Ok(());
        }
        self.answered(&name, &request.wants, limits)
    }

    /// Asks until the answer is as wanted.
    fn ask(&mut self, request: &Request, limits: &Limits) -> Result<(), Stop> {
        let value = parsed(&self.named(&request.text))?;
        let began = Instant::now();
        let mut patience = Patience::new(Instant::now() + limits.within);
        let mut first = true;
        loop {
            let number = self.stage.driver.ask(value.clone(), &mut self.stage.log, first);
            first = false;
            let expected = || self_expects(&request.wants, &value);
            let answer = self.wait(self.soft.max(limits.within), expected, |play| {
                play.stage.driver.answer(number)
            })?;
            let found = value_of(answer.1, &value)?;
            let Err(expected) = self.meets(&request.wants, &found, 0) else {
                self.stage.log.say(format!("driver answers {}", excerpt(&found)));
                return limits.not_before(began, answer.0);
            };
            let again = Instant::now() + AGAIN;
            while self.stage.pump(again) {}
            if Instant::now() >= patience.until && !patience.has_more(&self.stage.driver) {
                let expected = format!("{expected} within {}", seconds(limits.within));
                return Err(wrong(expected, excerpt(&found)));
            }
        }
    }

    /// Waits for what came of a request.
    fn answered(&mut self, name: &str, wants: &Wants, limits: &Limits) -> Result<(), Stop> {
        let Some((numbers, began)) = self.asked.get(name).cloned() else {
            return Err(Stop::Impossible(format!("the case asks nothing that it calls {name}")));
        };
        for (at, number) in numbers.iter().enumerate() {
            let expected = || format!("{} to {name}", self_expects(wants, &Value::Null));
            let (came, answer) =
                self.wait(limits.within, expected, |play| play.stage.driver.answer(*number))?;
            let found = value_of(answer, &json!({"op": name.trim()}))?;
            if at < 3 {
                self.stage.log.say(format!("driver answers {}", excerpt(&found)));
            }
            if let Err(expected) = self.meets(wants, &found, at) {
                return Err(wrong(expected, excerpt(&found)));
            }
            limits.not_before(began, came)?;
        }
        Ok(())
    }

    fn unanswered(&mut self, name: &str) -> Result<(), Stop> {
        self.stage.pump(Instant::now());
        let numbers = self.asked.get(name).map(|(numbers, _)| numbers.clone()).unwrap_or_default();
        let answers: Vec<_> =
            numbers.iter().filter_map(|number| self.stage.driver.answer(*number)).collect();
        let Some((_, answer)) = answers.into_iter().next() else { return Ok(()) };
        let found = value_of(answer, &json!({"op": name}))?;
        Err(wrong(format!("no answer to {name} yet"), excerpt(&found)))
    }

    /// Whether an answer is as wanted; `Err` says what was wanted.
    fn meets(&self, wants: &Wants, found: &Value, number: usize) -> Result<(), String> {
        let number = number.to_string();
        let pattern = |text: &String| {
            let text = self.named(text).replace("$n", &number);
            serde_json::from_str(&text).unwrap_or(Value::Null)
        };
        let refused = |meets: bool, what: String| if meets { Ok(()) } else { Err(what) };
        if let Some(text) = &wants.gives {
            refused(is_like(found, &pattern(text)), text.clone())?;
        }
        if let Some(text) = &wants.has {
            refused(has(found, &pattern(text)), format!("an element like {text}"))?;
        }
        if let Some(text) = &wants.lacks {
            refused(!has(found, &pattern(text)), format!("no element like {text}"))?;
        }
        if let Some(text) = &wants.without {
            refused(!found.to_string().contains(text), format!("nothing of {text}"))?;
        }
        Ok(())
    }

    /// Waits until there is something.
    pub(super) fn wait<T>(
        &mut self,
        within: Duration,
        expected: impl Fn() -> String,
        mut look: impl FnMut(&mut Self) -> Option<T>,
    ) -> Result<T, Stop> {
        let mut patience = Patience::new(Instant::now() + within);
        loop {
            if let Some(found) = look(self) {
                return Ok(found);
            }
            self.nothing_refused()?;
            if !self.killed && self.stage.driver.exit().is_some() {
                // What it wrote before it ended is in the pipe still.
                while self.stage.driver.stdout.is_some() {
                    let log = &mut self.stage.log;
                    self.stage.driver.read(log);
                }
                if let Some(found) = look(self) {
                    return Ok(found);
                }
                let exit = self.stage.driver.exit().map(ToString::to_string).unwrap_or_default();
                let got = format!("the driver ended ({exit})");
                let expected = expected();
                return Err(Stop::Failed(Failure { expected, got, outcome: Outcome::Died }));
            }
            if !self.stage.pump(patience.until) && !patience.has_more(&self.stage.driver) {
                if crate::target::is_stopped() {
                    return Err(Stop::Impossible("the run was stopped".to_owned()));
                }
                let expected = format!("{} within {}", expected(), seconds(within));
                let got = "nothing of the kind".to_owned();
                return Err(Stop::Failed(Failure { expected, got, outcome: Outcome::Silent }));
            }
        }
    }

    /// That the driver refused nothing, and did not fail to start the host.
    fn nothing_refused(&self) -> Result<(), Stop> {
        if let Some(why) = self.stage.driver.refusal() {
            return Err(Stop::Unsupported(format!("the driver does not support it: {why}")));
        }
        let start = self.asked.get("start").and_then(|(numbers, _)| numbers.first());
        let answer = start.and_then(|number| self.stage.driver.answer(*number));
        match answer {
            Some((_, answer)) => value_of(answer, &json!({"op": "start"})).map(|_| ()),
            None => Ok(()),
        }
    }
}

/// That something came which is not as it should be.
pub(super) fn wrong(expected: String, got: String) -> Stop {
    Stop::Failed(Failure { expected, got, outcome: Outcome::Wrong })
}

/// When something may come.
pub(super) struct Limits {
    pub(super) within: Duration,
    from: Duration,
    /// In place of the request.
    since: Option<Instant>,
}

impl Limits {
    pub(super) fn of(within_ms: Option<u64>, from_ms: u64, soft: Duration) -> Self {
        let within = within_ms.map_or(soft, Duration::from_millis);
        Self { within, from: Duration::from_millis(from_ms), since: None }
    }

    /// That it did not come too early.
    pub(super) fn not_before(&self, began: Instant, came: Instant) -> Result<(), Stop> {
        let took = came.saturating_duration_since(self.since.unwrap_or(began));
        if took >= self.from {
            return Ok(());
        }
        Err(Stop::Failed(Failure {
            expected: format!("it after {} at the earliest", seconds(self.from)),
            got: format!("it after {}", seconds(took)),
            outcome: Outcome::Wrong,
        }))
    }
}

fn self_expects(wants: &Wants, request: &Value) -> String {
    let Wants { gives, has, lacks, .. } = wants;
    let wanted = gives.as_ref().or(has.as_ref()).or(lacks.as_ref());
    match (wanted, request["op"].as_str()) {
        (Some(wanted), Some(op)) => format!("{wanted} as the answer to {op}"),
        (Some(wanted), None) => format!("{wanted} as the answer"),
        (None, Some(op)) => format!("an answer to {op}"),
        (None, None) => "an answer".to_owned(),
    }
}

fn value_of(answer: DriverAnswer, request: &Value) -> Result<Value, Stop> {
    let op = request["op"].as_str().unwrap_or_default();
    match answer {
        DriverAnswer::Value(value) => Ok(value),
        DriverAnswer::Unsupported(why) => {
            Err(Stop::Unsupported(format!("the driver does not support {op}: {why}")))
        }
        DriverAnswer::Error(why) => {
            Err(Stop::Impossible(format!("the driver failed in {op}: {why}")))
        }
    }
}

fn parsed(text: &str) -> Result<Value, Stop> {
    let error = |error| Stop::Impossible(format!("the case asks for what is no JSON: {error}"));
    serde_json::from_str(text).map_err(error)
}

fn excerpt(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(EXCERPT) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
