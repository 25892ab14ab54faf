//! The processes of a run: how they are started, made ready and ended.

use std::cell::OnceCell;
use std::time::{Duration, Instant};

use extline_scenario::{Failure, Outcome, seconds};

use super::configured::with_config;
use super::harness::is_out_of_resources;
use super::{Failed, Options, Run};
use crate::case::Point;
use crate::check::{ENDS, Observed};
use crate::conversation::{ACK, Conversation, Era, HELLO, NOBODY, Protocol};
use crate::report::{Evidence, Verdict};
use crate::target::{Setting, Signal, is_stopped};

/// How long an extension may take to end between two cases before it is killed.
const GRACE: Duration = Duration::from_millis(300);
/// How much is shown of what happened before the end.
const SHOWN: usize = 6;
/// How long the stdout of a process that has ended is read when another one holds it, and how long
/// where it is not known yet that it leaves such ones: they may only just begin.
const AFTERWARDS: Duration = Duration::from_millis(100);
const AFTERWARDS_AT_FIRST: Duration = Duration::from_secs(1);
/// The time for a process to be gone (`end.in-time`).
pub(super) const GONE: Duration = Duration::from_secs(2);
/// The frame that ends an extension.
pub(super) const SHUTDOWN: &str = r#"{"type":"shutdown"}"#;

/// Why there is no process that could be tested.
pub(super) struct NoStart {
    /// Whether that makes the run incomplete, or is the tester's fault.
    pub(super) verdict: Verdict,
    pub(super) problem: String,
    pub(super) remedy: String,
}

impl Run<'_> {
    /// A process that is ready for calls.
    pub(super) fn fresh(&self, setting: Setting) -> Result<Conversation, NoStart> {
        let mut conversation = self.start(setting)?;
        match self.make_ready(&mut conversation) {
            Ok(()) => Ok(conversation),
            Err(Failure { expected, got, .. }) => Err(NoStart {
                verdict: Verdict::CouldNotRun,
                problem: format!("a new start failed: expected {expected}, got {got}"),
                remedy: String::new(),
            }),
        }
    }

    /// The same; at a point of an axis one that does not get ready fails, as it did elsewhere.
    pub(super) fn fresh_or_failed(&self, setting: Setting) -> Result<Conversation, Failed> {
        if self.point.is_none() {
            return self.fresh(setting).map_err(Failed::ToStart);
        }
        let mut conversation = self.start(setting).map_err(Failed::ToStart)?;
        match self.make_ready(&mut conversation) {
            Ok(()) => Ok(conversation),
            Err(failure) => {
                let evidence = Evidence::of(conversation.seen().timeline(), 0);
                Err(Failed::Twice(failure, Box::new(evidence), 0))
            }
        }
    }

    /// How a process is started here.
    pub(super) fn setting(&self) -> Setting {
        let conditions = self.point.map(|point| point.conditions).unwrap_or_default();
        Setting { conditions, ..Setting::default() }
    }

    pub(super) fn patience(&self) -> u32 {
        self.point.map_or(1, Point::patience)
    }

    pub(super) fn make_ready(&self, conversation: &mut Conversation) -> Result<(), Failure> {
        match self.survey.protocol {
            Protocol::Mcp(Era::Initialize) => {
                let era = Era::Initialize;
                return conversation.open(era, self.survey.version(), NOBODY, HELLO).map(|_| ());
            }
            // Nothing needs to come before any request.
            Protocol::Mcp(Era::Discover) => return Ok(()),
            Protocol::Extension => {}
        }
        conversation.await_hello(HELLO)?;
        conversation.acknowledge(None, None, None);
        conversation.await_ready(Some(&self.survey))
    }

    pub(super) fn start(&self, setting: Setting) -> Result<Conversation, NoStart> {
        let program = &self.options.program;
        let protocol = self.survey.protocol;
        Conversation::start(program, protocol, setting, &self.ack, &self.drawn).map_err(|error| {
            if is_out_of_resources(&error) {
                return NoStart {
                    verdict: Verdict::HarnessError,
                    problem: format!("the tester could not start a process: {error}"),
                    remedy: String::new(),
                };
            }
            let problem = program.explain(&error);
            let remedy = problem.remedy();
            NoStart { verdict: Verdict::CouldNotRun, problem: problem.to_string(), remedy }
        })
    }

    /// Ends a process the polite way, then the other, and lets the checks look at all of it.
    /// `blamed` says that a case failed in it. What was seen of it is given back.
    pub(super) fn end(&self, mut conversation: Conversation, blamed: bool) -> Conversation {
        let mut killed = false;
        if conversation.seen().exit().is_none() {
            conversation.target().set_reading(true);
            if self.survey.protocol == Protocol::Extension {
                conversation.send(SHUTDOWN);
            }
            conversation.target().close_stdin();
            // One in which a case failed may stay for that reason.
            let is_looked_at = !blamed && self.looks_at_ends();
            let grace = if is_looked_at { GONE } else { GRACE };
            if !conversation.await_exit(Instant::now() + grace) {
                if is_looked_at {
                    self.blame_for_staying(&conversation);
                }
                killed = true;
                conversation.target().signal(Signal::Kill, true);
                conversation.await_exit(Instant::now() + GRACE);
            }
        }
        killed |= conversation.seen().flood().is_some();
        if !killed && !conversation.seen().stdout_ended() {
            // Somebody else has it still.
            let is_known = self.watch().found("left-behind");
            let time = if is_known { AFTERWARDS } else { AFTERWARDS_AT_FIRST };
            conversation.await_end_of_stdout(Instant::now() + time);
        }
        if !is_stopped() {
            // Where it is known that some stay, no time is lost on more of them.
            let patient = !self.watch().found("left-behind");
            let left_behind = if killed { Vec::new() } else { conversation.left_behind(patient) };
            let seen = conversation.seen();
            let manifest = self.options.program.manifest();
            let manifest = manifest.map(|manifest| manifest.name.as_str());
            self.watch().look(&Observed {
                timeline: seen.timeline(),
                frames: conversation.frames(),
                manifest,
                first: (self.contacted && conversation.is_usual()).then_some(&self.survey),
                acknowledging: conversation.acknowledging(),
                acknowledged: conversation.acknowledged(),
                delayed: conversation.delayed(),
                exit: seen.exit(),
                flood: seen.flood(),
                rest: conversation.rested(),
                growth: conversation.growth(),
                left_behind: Some(&left_behind),
                killed,
                blamed,
                sent: OnceCell::new(),
            });
        }
        conversation
    }
}

impl Run<'_> {
    /// Whether it is looked at how long a process takes to end: that of a server, until one was seen to stay.
    fn looks_at_ends(&self) -> bool {
        let watch = self.watch();
        watch.wants(ENDS) && !watch.found(ENDS)
    }

    /// Notes that a server lives on without its stdin.
    fn blame_for_staying(&self, conversation: &Conversation) {
        let expected = format!("the process has ended within {}", seconds(GONE));
        let got = conversation.state().replace("nothing of the kind", "it lives");
        let timeline = conversation.seen().timeline();
        let evidence = Evidence::of(timeline, timeline.mark().saturating_sub(SHOWN));
        let failure = Failure { expected, got, outcome: Outcome::Survived };
        self.watch().blame(ENDS, failure, evidence);
    }
}

/// The `hello_ack` of a run, which tells the extension its folders.
pub(super) fn ack(options: &Options) -> String {
    let dir = serde_json::Value::from(options.program.dir().to_string_lossy()).to_string();
    let dir = &dir[1..dir.len() - 1];
    let data = std::env::temp_dir();
    let data = serde_json::Value::from(data.to_string_lossy()).to_string();
    let ack = options.ack.as_deref().unwrap_or(ACK);
    let ack = ack.replace("$cwd", dir).replace("$dir", dir);
    with_config(ack.replace("$data", &data[1..data.len() - 1]), options)
}
