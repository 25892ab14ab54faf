//! Scenarios: the conformance tester's cases, played against an extension in this process.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use extline_scenario::{
    Case, Failure as Finding, Handshake, Need, Outcome, Process, Stage, Values, Verb, parse_own,
    play,
};
use serde_json::Value;

use super::failure::Failure;
use super::host::Host;
use super::transcript::Side;

/// A name that nobody registers.
const UNKNOWN: &str = "extline_nobody_registered_this";

/// Plays the cases of a scenario file, in the format of `extline conformance --cases`, which
/// docs/cases.md of the repository documents: what holds here holds for the program too.
///
/// `start` starts a host. It is called once for all cases that share a process, and once more for
/// each run of a case with `process = "own"` or `timing = true`. A step without `within_ms` has the
/// host's [deadline](super::Builder::deadline).
///
/// A relative path counts from where the tests run, which is the package's folder under cargo.
///
/// ```
/// use extline::prelude::*;
/// use extline::testing::{Host, scenario};
///
/// # let folder = std::env::temp_dir().join(format!("extline-scenario-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// # let file = folder.join("clock.toml");
/// std::fs::write(
///     &file,
///     r#"
///     [[case]]
///     id = "noon"
///     title = "the clock says noon"
///     steps = [
///       { line = '{"type":"tool_call","id":"$id","name":"now","args":{}}' },
///       { expect = '{"type":"tool_result","id":"$id","content":[{"text":"noon"}]}' },
///     ]
///     "#,
/// )?;
/// fn clock() -> Extension {
///     Extension::new("clock", "1.0.0").tool("now", "The time.", async |_: NoArgs, _| Ok("noon"))
/// }
/// scenario(&file, || Host::builder().start(clock))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`Failure::Scenario`] for the first step that did not go as it should, with its place in the file;
/// [`Failure::Misuse`] for a file that cannot be used, with the place of the mistake, for a case
/// whose `needs` the extension does not meet, and for steps that need a process, which
/// `extline conformance --cases` plays; what `start` failed with.
pub fn scenario(
    file: impl AsRef<Path>,
    mut start: impl FnMut() -> Result<Host, Failure>,
) -> Result<(), Failure> {
    let file = file.as_ref().display().to_string();
    let text = fs::read_to_string(&file)
        .map_err(|error| Failure::Misuse(format!("{file} cannot be read: {error}")))?;
    let cases = parse_own(&file, &text).map_err(|refused| Failure::Misuse(refused.to_string()))?;
    let mut shared = None;
    for case in &cases {
        let runs = if case.values.is_empty() { &[0] } else { case.values.as_slice() };
        for value in runs {
            let used = if case.is_shared() { shared.take() } else { None };
            let mut stage = match used {
                Some(stage) => stage,
                None => InProcess::new(start()?),
            };
            stage.run(case, *value)?;
            if case.is_shared() {
                shared = Some(stage);
            }
        }
    }
    Ok(())
}

/// An extension in this process as the stage of a case.
struct InProcess {
    host: Host,
    /// The lines from the extension; `None` for one that is no frame.
    frames: Vec<Option<Value>>,
    /// How much of the transcript was looked at.
    looked_at: usize,
    calls: u64,
}

/// Why a step could not be played to its end.
enum Stop {
    /// Something else happened than was expected.
    Found(Finding),
    /// It needs a process.
    Process,
    /// The host could not go on.
    Failed(Failure),
}

impl From<Finding> for Stop {
    fn from(finding: Finding) -> Self {
        Self::Found(finding)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl InProcess {
    fn new(host: Host) -> Self {
        Self { host, frames: Vec::new(), looked_at: 0, calls: 0 }
    }

    fn run(&mut self, case: &Case, value: u64) -> Result<(), Failure> {
        if let Some(obstacle) = self.obstacle(case) {
            let Case { file, line, id, .. } = case;
            return Err(Failure::Misuse(format!("{file}:{line}: case {id}: {obstacle}")));
        }
        self.look();
        let values = self.values(value);
        play(case, values, self).map_err(|(step, stop)| {
            let Case { file, id, .. } = case;
            let place = format!("{file}:{}", step.line);
            match stop {
                Stop::Failed(failure) => failure,
                Stop::Process => Failure::Misuse(format!(
                    "{place}: case {id}: {} needs a process: {}",
                    step.verb.word(),
                    elsewhere(file)
                )),
                Stop::Found(Finding { expected, got, .. }) => Failure::Scenario {
                    place,
                    case: match case.values.as_slice() {
                        [] => id.clone(),
                        _ => format!("{id} with the value {value}"),
                    },
                    expected,
                    got,
                    story: Box::new(self.host.conversation.story()),
                },
            }
        })
    }

    /// Why the case cannot be played.
    fn obstacle(&self, case: &Case) -> Option<String> {
        let elsewhere = || elsewhere(&case.file);
        if matches!(case.process, Process::Raw | Process::StdinAtEnd) {
            return Some(format!("it needs a process from its start: {}", elsewhere()));
        }
        if case.check.is_some() {
            return Some(format!("its check looks at processes: {}", elsewhere()));
        }
        let args = |verb: &Verb| match verb {
            Verb::Line(text) | Verb::Raw(text) => text.template.contains("$args"),
            _ => false,
        };
        if case.needs.contains(&Need::Manifest) || case.steps.iter().any(|step| args(&step.verb)) {
            return Some(format!("it needs the manifest: {}", elsewhere()));
        }
        let missing = case.needs.iter().find_map(|need| self.missing(*need))?;
        Some(format!("it needs {missing}, and the extension has none"))
    }

    /// What the extension does not have.
    fn missing(&self, need: Need) -> Option<&'static str> {
        let seen = &self.host.conversation.seen;
        let names = |list: &Option<Vec<String>>| list.as_ref().is_some_and(|list| !list.is_empty());
        let (has, what) = match need {
            Need::Tool => (!seen.tools.is_empty(), "a tool"),
            Need::Command => (!seen.commands.is_empty(), "a command"),
            Need::Event => (names(&seen.subscribe.events), "an event that it listens to"),
            Need::Intercept => (names(&seen.subscribe.intercept), "an interceptor"),
            Need::Kit => (false, "the surface of a kit, which the conformance tester holds"),
            // An SDK's extension answers what nobody registered, and knows panels and cancels; a
            // test allows its own calls.
            Need::Canary
            | Need::ToolCanary
            | Need::Panels
            | Need::Cancel
            | Need::Calls
            | Need::Manifest => (true, ""),
        };
        (!has).then_some(what)
    }

    fn values(&self, value: u64) -> Values {
        let seen = &self.host.conversation.seen;
        let first = |list: &Option<Vec<String>>| list.iter().flatten().next().cloned();
        Values {
            ask: question("$id"),
            answer: "tool_result".to_owned(),
            unknown: UNKNOWN.to_owned(),
            tool: seen.tools.first().map(|tool| tool.name.clone()).unwrap_or_default(),
            command: seen.commands.first().map(|one| one.name.clone()).unwrap_or_default(),
            event: first(&seen.subscribe.events).unwrap_or_default(),
            point: first(&seen.subscribe.intercept).unwrap_or_default(),
            value,
            ..Values::default()
        }
    }

    /// Parses the lines that came since the last look.
    fn look(&mut self) {
        let transcript = &self.host.conversation.transcript;
        for line in transcript.iter().skip(self.looked_at) {
            if line.from == Side::Extension {
                let frame = Some(line.value()).filter(|frame| frame["type"].is_string());
                self.frames.push(frame);
            }
        }
        self.looked_at = transcript.iter().len();
    }
}

impl Stage for InProcess {
    type Error = Stop;
    type Missing = Failure;

    fn soft(&self) -> Duration {
        self.host.conversation.deadline
    }

    fn fresh_id(&mut self) -> String {
        self.calls += 1;
        format!("c{}", self.calls)
    }

    fn write(&mut self, bytes: Vec<u8>, chunk: Option<usize>, pause: Duration) -> Result<(), Stop> {
        self.host.conversation.note_sent(&bytes);
        for (number, piece) in bytes.chunks(chunk.unwrap_or(usize::MAX).max(1)).enumerate() {
            if number > 0 && !pause.is_zero() {
                self.listen(pause)?;
            }
            self.host.conversation.send(piece)?;
        }
        Ok(())
    }

    fn arrived(&self) -> usize {
        self.frames.len()
    }

    fn frames(&self, from: usize) -> impl Iterator<Item = &Value> {
        self.frames[from..].iter().flatten()
    }

    fn frame_at(&self, line: usize) -> Option<&Value> {
        self.frames.get(line)?.as_ref()
    }

    /// An author's scenario is about values; bytes are for the conformance tester.
    fn canonical(&self, _: usize) -> Option<&[u8]> {
        None
    }

    fn await_frame(
        &mut self,
        from: usize,
        within: Duration,
        mut wanted: impl FnMut(&Value) -> bool,
    ) -> Result<usize, Failure> {
        let until = Instant::now() + within;
        let mut next = from;
        loop {
            self.look();
            while let Some(frame) = self.frames.get(next) {
                next += 1;
                if frame.as_ref().is_some_and(&mut wanted) {
                    return Ok(next - 1);
                }
            }
            self.host.conversation.wait_a_little("", until)?;
        }
    }

    fn failure(&mut self, missing: Failure, expected: String) -> Stop {
        match missing {
            Failure::TimedOut { hint, .. } => {
                let got = format!("nothing of the kind{hint}");
                Finding { expected, got, outcome: Outcome::Silent }.into()
            }
            Failure::Ended { how, .. } => {
                let got = format!("the extension {how}");
                Finding { expected, got, outcome: Outcome::Died }.into()
            }
            other => Stop::Failed(other),
        }
    }

    fn canary(&mut self, times: u64, within: Duration) -> Result<(), Stop> {
        let mut ids: Vec<_> = (0..times).map(|_| self.fresh_id()).collect();
        let from = self.arrived();
        let questions: String = ids.iter().map(|id| question(id) + "\n").collect();
        self.write(questions.into_bytes(), None, Duration::ZERO)?;
        let answered = self.await_frame(from, within, |frame| {
            if frame["type"] == "tool_result" {
                ids.retain(|id| frame["id"] != *id.as_str());
            }
            ids.is_empty()
        });
        answered.map(|_| ()).map_err(|missing| {
            let expected = format!(
                "{times} times an answer to a call of a tool that nobody registered within {within:?}"
            );
            self.failure(missing, expected)
        })
    }

    fn listen(&mut self, time: Duration) -> Result<(), Stop> {
        self.host.conversation.listen(Instant::now() + time)?;
        self.look();
        Ok(())
    }

    fn alive(&mut self) -> Result<(), Stop> {
        self.listen(Duration::ZERO)?;
        if self.host.conversation.ended.is_none() {
            return Ok(());
        }
        let missing = self.host.conversation.has_ended("");
        Err(self.failure(missing, "the extension lives".to_owned()))
    }

    fn handshake(&mut self, _: &Handshake) -> Result<(), Stop> {
        Err(Stop::Process)
    }

    fn process(&mut self, _: &Verb, _: Option<Duration>) -> Result<(), Stop> {
        Err(Stop::Process)
    }
}

/// A call that runs none of the author's code.
fn question(id: &str) -> String {
    format!(r#"{{"type":"tool_call","id":"{id}","name":"{UNKNOWN}","args":{{}}}}"#)
}

fn elsewhere(file: &str) -> String {
    format!("run it with `extline conformance --cases {file}`")
}
