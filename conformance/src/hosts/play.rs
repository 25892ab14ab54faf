//! A case that is being played: what has come of it so far, and how something is waited for.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::driver::DriverAnswer;
use super::stage::Stage;
use crate::case::host::{Extension, Script};
use crate::conversation::Patience;
use extline_scenario::{Failure, Outcome, seconds};

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
    pub(super) asked: BTreeMap<String, (Vec<u64>, Instant)>,
    /// When an extension last wrote something.
    pub(super) wrote: Option<Instant>,
    /// The host's end was brought about by the case itself.
    pub(super) killed: bool,
    /// How long a healthy host may take.
    pub(super) soft: Duration,
}

impl<'a> Play<'a> {
    /// Asks the driver to start the host.
    pub(super) fn begin(stage: &'a mut Stage, script: &'a Script, soft: Duration) -> Self {
        let start = stage.start_request();
        let began = Instant::now();
        let number = stage.driver.ask(start, &mut stage.log, true);
        let asked = BTreeMap::from([("start".to_owned(), (vec![number], began))]);
        Self { stage, script, names: BTreeMap::new(), asked, wrote: None, killed: false, soft }
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

    /// How long the host is waited for.
    pub(super) fn patience(&mut self, within: Duration) -> Patience {
        Patience::new(Instant::now() + within).beginning_at(self.stage.begin_wait())
    }

    /// Waits until there is something.
    pub(super) fn wait<T>(
        &mut self,
        within: Duration,
        expected: impl Fn() -> String,
        mut look: impl FnMut(&mut Self) -> Option<T>,
    ) -> Result<T, Stop> {
        let mut patience = self.patience(within);
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
            if !self.stage.pump(patience.until) && !patience.has_more(self.stage) {
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
    Stop::Failed(Failure::wrong(expected, got))
}

/// When something may come.
pub(super) struct Limits {
    pub(super) within: Duration,
    from: Duration,
    /// In place of the request.
    pub(super) since: Option<Instant>,
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
        let expected = format!("it after {} at the earliest", seconds(self.from));
        Err(wrong(expected, format!("it after {}", seconds(took))))
    }
}

/// What the driver answers, where it does what it is asked.
pub(super) fn value_of(answer: DriverAnswer, request: &Value) -> Result<Value, Stop> {
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
