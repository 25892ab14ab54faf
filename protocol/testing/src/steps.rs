//! Steps of a test, and what each waits for.

use std::collections::HashMap;
use std::fmt::Display;
use std::mem::take;
use std::time::{Duration, Instant};

use extline_protocol::frame::ErrorInfo;
use extline_protocol::limits::LATE_TEARDOWN;
use extline_protocol::{CallKey, RawJson, Repetition, ToolCallOptions};

use crate::calls::Outcome;
use crate::demands::{NO_RESULT, NOT_READY, late_start, not_offered, wrong_result};
use crate::failure::{Failure, FailureKind};
use crate::frames::{frame, json, object};
use crate::host::Host;
use crate::in_process::UNKNOWN;
use crate::moment::Moment;
use crate::offered::Named;
use crate::output::output_problem;

/// What shows itself in no frame is looked at so often.
const TICK: Duration = Duration::from_millis(1);
/// A teardown, whose end a thread may see alone.
const TEARDOWN_TICK: Duration = Duration::from_millis(20);
/// How long a process may go on after it was asked to end (`end.hard`).
const GRACE: Duration = Duration::from_millis(1500);

/// How far the extension is, which no frame tells.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// It has read all that was sent, and begun to do it.
    pub has_begun: bool,
    /// It has read all that was sent, and done it except the calls that still run.
    pub is_calm: bool,
    /// Its teardown runs.
    pub is_tearing_down: bool,
}

/// What a look at a step found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look {
    /// Nothing yet: look again when something has come, and after this time in any case.
    Wait(Duration),
    /// What the step was for, as JSON. The step is over.
    Found(String),
}

#[derive(Debug)]
pub(crate) struct Step {
    /// What did not happen where it fails.
    what: String,
    until: Instant,
    /// How long it may take, in the language's unit.
    patience: f64,
    wait: Wait,
}

/// What a step waits for.
#[derive(Debug)]
pub(crate) enum Wait {
    /// Nothing: it could not be begun.
    Failed(Failure),
    /// Nothing: it fails where a handler has failed.
    Handlers,
    Greeting,
    Ready,
    Rest,
    /// For the name to be registered, which may be under way.
    Offered {
        kind: Named,
        name: String,
        args: String,
        /// Whether the test goes on as soon as it has begun.
        to_begin: bool,
        /// What a call says of its being made again.
        repetition: Repetition,
    },
    Begun(String),
    /// For an answer, which shows that the extension goes on; then the step has failed.
    Life(u64, Failure),
    /// Until every event and every panel's input is handled; then the panel is closed.
    Settled(Option<String>),
    Tool(u64),
    Update(u64),
    Command(u64),
    Method(u64),
    /// An action that is being resolved.
    Resolved(u64),
    Moment(Box<Moment>, Option<u64>),
    /// Its last word.
    Farewell,
    End,
    /// What only the test can see.
    Test,
}

#[derive(Debug, Default)]
pub(crate) struct Steps {
    count: u32,
    under_way: HashMap<u32, Step>,
}

impl Host {
    /// Looks whether a step has what it waits for. It is over with that, and with a failure.
    ///
    /// # Errors
    ///
    /// The step cannot be done, or not in time.
    pub fn look(&mut self, number: u32, progress: Progress) -> Result<Look, Failure> {
        self.turn();
        let Some(mut step) = self.steps.under_way.remove(&number) else {
            return Err(Failure::misuse("this step is over"));
        };
        if let Some(why) = self.broken.take() {
            return Err(self.told(FailureKind::Ended, &format!("{NOT_READY}: {why}")));
        }
        if let Some(found) = self.take_step(&mut step, progress)? {
            return Ok(Look::Found(found));
        }
        if self.end.is_some() && !matches!(step.wait, Wait::End) {
            return Err(self.has_ended(&step.what));
        }
        let left = step.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(self.timed_out(&step));
        }
        let tick = match step.wait {
            Wait::Offered { .. } | Wait::Begun(_) | Wait::Settled(_) | Wait::Rest => TICK,
            Wait::End => TEARDOWN_TICK,
            _ => left,
        };
        self.steps.under_way.insert(number, step);
        Ok(Look::Wait(left.min(tick)))
    }

    /// Ends a step that the test does not wait for any more.
    pub fn drop_step(&mut self, number: u32) {
        self.steps.under_way.remove(&number);
    }

    /// A step that fails with `what` unless it comes to its end.
    pub(crate) fn add_step(&mut self, what: String, wait: Wait) -> u32 {
        let step = self.until_deadline(what, wait);
        self.steps.count += 1;
        self.steps.under_way.insert(self.steps.count, step);
        self.steps.count
    }

    fn until_deadline(&self, what: String, wait: Wait) -> Step {
        let patience = match wait {
            Wait::Greeting | Wait::Rest => self.deadline.max(self.least),
            Wait::Ready => self.start_deadline,
            _ => self.deadline,
        };
        let until = Instant::now() + self.unit.duration(patience);
        Step { what, until, patience, wait }
    }

    /// What the step was for, once it has come.
    fn take_step(&mut self, step: &mut Step, now: Progress) -> Result<Option<String>, Failure> {
        let null = || Ok(Some("null".to_owned()));
        match &mut step.wait {
            Wait::Failed(failure) => Err(failure.clone()),
            Wait::Handlers => self.refuse_failures().and_then(|()| null()),
            Wait::Greeting if self.has_greeted => {
                *step = self.until_deadline(NOT_READY.to_owned(), Wait::Ready);
                self.take_step(step, now)
            }
            Wait::Ready if self.offered.is_ready => {
                *step = self.until_deadline(NOT_READY.to_owned(), Wait::Rest);
                Ok(None)
            }
            Wait::Offered { kind, name, args, to_begin, repetition } => {
                let (kind, name, args) = (*kind, take(name), take(args));
                let (to_begin, repetition) = (*to_begin, take(repetition));
                // A host asks for nothing that was not registered; it may just be under way.
                if !self.offered.has(kind, &name) && self.end.is_none() {
                    if !now.has_begun {
                        step.wait = Wait::Offered { kind, name, args, to_begin, repetition };
                    } else if self.offered.is_unwanted(kind.word(), &name) {
                        *step = self.ask_for_life(kind, &name)?;
                    } else {
                        return Err(self.not_offered(kind, &name));
                    }
                    return Ok(None);
                }
                *step = match kind {
                    Named::Tool => self.begin_tool(&name, &args, to_begin, repetition)?,
                    Named::Command => self.begin_command(&name, &args)?,
                };
                Ok(None)
            }
            Wait::Life(serial, failure) => match self.calls.take_outcome(*serial) {
                Some(Outcome::Tool(_)) => Err(failure.clone()),
                other => self.not_yet(other, &step.what),
            },
            Wait::Begun(found) if now.has_begun => Ok(Some(take(found))),
            Wait::Rest if now.is_calm => self.refuse_failures().and_then(|()| null()),
            Wait::Settled(panel) if now.is_calm => {
                let panel = panel.take();
                self.refuse_failures()?;
                if let Some(id) = panel {
                    self.shown.close_panel(&id);
                }
                null()
            }
            Wait::Tool(serial) => {
                let serial = *serial;
                self.take_tool(serial, &step.what)
            }
            Wait::Update(serial) => self.take_update(*serial),
            Wait::Command(serial) => match self.calls.take_outcome(*serial) {
                Some(Outcome::Command(response)) => {
                    if let Some(panel) = &response.open_panel {
                        self.shown.open_panel(panel.clone());
                    }
                    Ok(Some(frame(&response).into_string()))
                }
                other => self.not_yet(other, &step.what),
            },
            Wait::Resolved(serial) => Ok(self.resolved(*serial)),
            Wait::Method(serial) => {
                let serial = *serial;
                self.take_method(serial, &step.what)
            }
            Wait::Moment(moment, asked) => {
                let Some(serial) = *asked else { return Ok(Some(moment.ruling())) };
                match self.calls.take_outcome(serial) {
                    Some(Outcome::Intercept(answer)) => {
                        moment.take(answer);
                        *asked = self.ask_next(moment)?;
                        step.until = Instant::now() + self.unit.duration(step.patience);
                        self.take_step(step, now)
                    }
                    other => self.not_yet(other, &step.what),
                }
            }
            Wait::Farewell if self.has_left || self.end.is_some() => null(),
            Wait::End => self.take_end(now),
            _ => Ok(None),
        }
    }

    fn take_tool(&mut self, serial: u64, what: &str) -> Result<Option<String>, Failure> {
        let result = match self.calls.take_outcome(serial) {
            Some(Outcome::Tool(result)) => result,
            other => return self.not_yet(other, what),
        };
        let Some(call) = self.calls.get_mut(serial) else { return Ok(None) };
        let updates = take(&mut call.updates);
        let problem = match (&call.output, &result.structured_content) {
            (Some(schema), Some(value)) if !result.is_error => {
                output_problem(schema.get(), value.get()).unwrap_or_else(|it| Some(it.to_string()))
            }
            (Some(_), None) if !result.is_error => Some(NO_RESULT.to_owned()),
            _ => None,
        };
        if let Some(problem) = problem {
            let text = format!("{}: {problem}", wrong_result(&call.name));
            return Err(self.told(FailureKind::Unusable, &text));
        }
        Ok(Some(json(&HashMap::from([
            ("frame", frame(&result)),
            ("updates", RawJson::of(&updates).unwrap_or_default()),
        ]))))
    }

    fn take_update(&mut self, serial: u64) -> Result<Option<String>, Failure> {
        let Some(call) = self.calls.get_mut(serial) else { return Ok(None) };
        if let Some(update) = call.updates.get(call.shown) {
            call.shown += 1;
            return Ok(Some(update.get().to_owned()));
        }
        if call.is_answered {
            let text = format!("the tool {} has answered without a further update", call.name);
            return Err(Failure::misuse(text));
        }
        Ok(None)
    }

    fn take_method(&mut self, serial: u64, what: &str) -> Result<Option<String>, Failure> {
        let result = match self.calls.take_outcome(serial) {
            Some(Outcome::Method(result)) => result,
            other => return self.not_yet(other, what),
        };
        let parts = self.calls.get_mut(serial).map(|call| take(&mut call.parts));
        let answer = match result {
            Ok(value) => ("value", value),
            Err(error) => ("error", object(&error)),
        };
        Ok(Some(json(&HashMap::from([
            ("parts", RawJson::of(&parts.unwrap_or_default()).unwrap_or_default()),
            answer,
        ]))))
    }

    fn take_end(&mut self, now: Progress) -> Result<Option<String>, Failure> {
        if let Some(end) = &self.end {
            let ordinary = end.code.map(|code| Some(code.to_string()));
            let what = "the extension did not end in the ordinary way";
            return ordinary.ok_or_else(|| self.has_ended(what));
        }
        let is_late = self.ending_since.is_some_and(|since| since.elapsed() > GRACE);
        if now.is_tearing_down && is_late {
            return Err(Failure { kind: FailureKind::TimedOut, text: LATE_TEARDOWN.to_owned() });
        }
        Ok(None)
    }

    /// Fails where a call has no answer, and will have none.
    fn not_yet(&self, outcome: Option<Outcome>, what: &str) -> Result<Option<String>, Failure> {
        match outcome {
            // The session answers every open call when the extension ends.
            Some(Outcome::Failed(_)) if self.end.is_some() => Err(self.has_ended(what)),
            Some(Outcome::Failed(ErrorInfo { message, .. })) => {
                Err(self.told(FailureKind::Unusable, &format!("{what}: {message}")))
            }
            // A key names a call of one kind.
            _ => Ok(None),
        }
    }

    fn not_offered(&self, kind: Named, name: &str) -> Failure {
        Failure::misuse(not_offered(kind.word(), name, &self.offered.names(kind)))
    }

    /// What is required and not taken ends the extension, and only an answer shows that it does not.
    fn ask_for_life(&mut self, kind: Named, name: &str) -> Result<Step, Failure> {
        let what = format!("the {} {name} was not called", kind.word());
        let (args, options) = (RawJson::empty_object(), ToolCallOptions::default());
        let sent = self.session.call_tool(UNKNOWN, args, options, Instant::now());
        let key = self.sent(&what, sent)?;
        let serial = self.calls.add(key, UNKNOWN, None);
        let lives = self.not_offered(kind, name);
        Ok(self.until_deadline(what, Wait::Life(serial, lives)))
    }

    fn begin_tool(
        &mut self,
        name: &str,
        args: &str,
        to_begin: bool,
        repetition: Repetition,
    ) -> Result<Step, Failure> {
        let serial = self.send_tool(name, args, repetition)?;
        Ok(if to_begin {
            // Else a cancel, or the end, could come before its handler.
            let wait = Wait::Begun(serial.to_string());
            self.until_deadline(format!("the tool {name} did not begin"), wait)
        } else {
            self.until_deadline(format!("the tool {name} did not answer"), Wait::Tool(serial))
        })
    }

    fn begin_command(&mut self, name: &str, args: &str) -> Result<Step, Failure> {
        let sent = self.session.invoke_command(name, args, Instant::now());
        let key = self.sent(&format!("the command {name} was not run"), sent)?;
        let serial = self.calls.add(key, name, None);
        let what = format!("the command {name} did not answer");
        Ok(self.until_deadline(what, Wait::Command(serial)))
    }

    // Failures.

    pub(crate) fn sent<E: Display>(
        &self,
        what: &str,
        sent: Result<CallKey, E>,
    ) -> Result<CallKey, Failure> {
        sent.map_err(|error| match self.end {
            Some(_) => self.has_ended(what),
            None => Failure::misuse(format!("{what}: {error}")),
        })
    }

    /// The failure of a step for which the extension should live.
    fn has_ended(&self, what: &str) -> Failure {
        let how = self.end.as_ref().map_or("has ended", |end| &end.how);
        let mut text = format!("{what}: the extension {how}");
        for failed in &self.failed_handlers {
            text.extend(["; ", failed]);
        }
        self.told(FailureKind::Ended, &text)
    }

    fn timed_out(&self, step: &Step) -> Failure {
        let Step { what, patience, wait, .. } = step;
        let time = self.unit.shown(*patience);
        let why = match wait {
            Wait::Ready => late_start(&self.wait_longer),
            _ => "the deadline of this testing host".to_owned(),
        };
        self.told(FailureKind::TimedOut, &format!("{what} within {time}, {why}"))
    }

    /// Fails where a handler has failed and no step has told of it.
    fn refuse_failures(&mut self) -> Result<(), Failure> {
        match take(&mut self.failed_handlers).first() {
            Some(failed) => Err(self.told(FailureKind::HandlerFailed, failed)),
            None => Ok(()),
        }
    }

    fn told(&self, kind: FailureKind, text: &str) -> Failure {
        Failure { kind, text: format!("{text}\n{}", self.transcript.tail()) }
    }
}
