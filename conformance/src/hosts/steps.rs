//! The steps of a case, each of which waits for its own thing.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use extline_scenario::{Text, Values, expand, unhex};

use super::act;
use super::play::{Limits, Play, Stop, wrong};
use super::stage::Stage;
use crate::case::host::{Script, Step, Verb, Wants};

/// Plays a case.
pub(super) fn play(stage: &mut Stage, script: &Script, soft: Duration) -> Result<(), Stop> {
    let mut play = Play::begin(stage, script, soft);
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
}
