//! What the driver is asked in a case, and what is wanted of its answers.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::pattern::{has, is_like};
use super::play::{Limits, Play, Stop, value_of, wrong};
use crate::case::host::{Request, Wants};
use extline_scenario::seconds;

/// Pause between two questions of the same kind to the driver.
const AGAIN: Duration = Duration::from_millis(20);
/// How much of an answer is shown.
const EXCERPT: usize = 300;

impl Play<'_> {
    /// Asks the driver to do something, and waits for the answer unless it has a name.
    pub(super) fn request(&mut self, request: &Request, limits: &Limits) -> Result<(), Stop> {
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
    pub(super) fn ask(&mut self, request: &Request, limits: &Limits) -> Result<(), Stop> {
        let value = parsed(&self.named(&request.text))?;
        let began = Instant::now();
        let mut patience = self.patience(limits.within);
        let mut first = true;
        loop {
            let number = self.stage.driver.ask(value.clone(), &mut self.stage.log, first);
            first = false;
            let expected = || expected_of(&request.wants, &value);
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
            if Instant::now() >= patience.until && !patience.has_more(self.stage) {
                let expected = format!("{expected} within {}", seconds(limits.within));
                return Err(wrong(expected, excerpt(&found)));
            }
        }
    }

    /// Waits for what came of a request.
    pub(super) fn answered(
        &mut self,
        name: &str,
        wants: &Wants,
        limits: &Limits,
    ) -> Result<(), Stop> {
        let Some((numbers, began)) = self.asked.get(name).cloned() else {
            return Err(Stop::Impossible(format!("the case asks nothing that it calls {name}")));
        };
        for (at, number) in numbers.iter().enumerate() {
            let expected = || format!("{} to {name}", expected_of(wants, &Value::Null));
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

    /// That nothing has come of a request yet.
    pub(super) fn unanswered(&mut self, name: &str) -> Result<(), Stop> {
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
}

fn expected_of(wants: &Wants, request: &Value) -> String {
    let Wants { gives, has, lacks, .. } = wants;
    let wanted = gives.as_ref().or(has.as_ref()).or(lacks.as_ref());
    match (wanted, request["op"].as_str()) {
        (Some(wanted), Some(op)) => format!("{wanted} as the answer to {op}"),
        (Some(wanted), None) => format!("{wanted} as the answer"),
        (None, Some(op)) => format!("an answer to {op}"),
        (None, None) => "an answer".to_owned(),
    }
}

fn parsed(text: &str) -> Result<Value, Stop> {
    let error = |error| Stop::Impossible(format!("the case asks for what is no JSON: {error}"));
    serde_json::from_str(text).map_err(error)
}

fn excerpt(value: &Value) -> String {
    extline_scenario::excerpt(value, EXCERPT)
}
