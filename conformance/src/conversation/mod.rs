//! One process and the frames that went both ways.

mod arrived;
mod numbers;
mod patience;
mod seed;
mod survey;

use std::fmt::Write;
use std::io;
use std::time::{Duration, Instant};

use extline_host::Program;
use extline_scenario::{Failure, Outcome};
use serde_json::Value;

use self::arrived::TORN;
pub(crate) use self::arrived::{Arrived, parse};
pub(crate) use self::patience::Patience;
#[cfg(unix)]
pub(crate) use self::patience::Worker;
use self::patience::{Standstill, is_starved};
pub use self::seed::draw_seed;
pub(crate) use self::seed::{Drawn, is_unknown};
pub(crate) use self::survey::{Callable, Called, Reaction};
pub use self::survey::{Canary, Survey};
use crate::target::{Setting, Target, What};

/// The time for `hello`, from the start (`host.hello-deadline`).
pub(crate) const HELLO: Duration = Duration::from_secs(10);
/// The time for `ready`, from `hello_ack` (`host.ready-deadline`).
pub(crate) const READY: Duration = Duration::from_secs(3);
/// A real zot takes an extension for ready after this silence (`zot.idle-ready`).
pub(crate) const IDLE: Duration = Duration::from_millis(250);
/// How often one that says no hello is looked at.
const GLANCE: Duration = Duration::from_millis(500);
/// A moment in which a process that has nothing to do must rest, and how many it is given.
const REST: Duration = Duration::from_millis(100);
const RESTS: u32 = 20;
/// What is expected of a healthy extension on a quiet machine.
pub(crate) const SOFT: Duration = Duration::from_secs(2);

/// The `hello_ack` of a host that serves the base and names what it understands.
pub(crate) const ACK: &str = r#"{"type":"hello_ack","protocol_version":1,"capabilities":["commands","tools","events","panels","tool_cancel","tool_update","log"],"zot_version":"","provider":"none","model":"none","cwd":"$cwd","extension_dir":"$dir","data_dir":"$data","host":{"name":"extline-conformance","version":"0.1.0"}}"#;

/// One process and the frames that went both ways.
#[derive(Debug)]
pub(crate) struct Conversation {
    target: Target,
    ack: String,
    drawn: Drawn,
    looked_at: usize,
    frames: Vec<Arrived>,
    /// Which of them are torn.
    torn: Vec<usize>,
    calls: u64,
    /// Where in the timeline `hello_ack` was handed over.
    acknowledged: Option<usize>,
    /// That was the tester's own one.
    usual: bool,
    rest: Option<Rest>,
    /// For how long the process had no processor while it was waited for until it was ready.
    delayed: Duration,
}

/// How busy a process was while it was sent nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rest {
    /// The processor time it used; nothing when it came to rest.
    pub(crate) used: Duration,
    /// In how long a time.
    pub(crate) over: Duration,
}

/// Why a frame did not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// The time is over.
    Late,
    /// The process ended, or its stdout did.
    Ended,
}

impl Conversation {
    /// Starts the process and says nothing yet.
    pub(crate) fn start(
        program: &Program,
        setting: Setting,
        ack: &str,
        drawn: &Drawn,
    ) -> io::Result<Self> {
        Ok(Self {
            target: Target::start(program, setting)?,
            ack: ack.to_owned(),
            drawn: drawn.clone(),
            looked_at: 0,
            frames: Vec::new(),
            torn: Vec::new(),
            calls: 0,
            acknowledged: None,
            usual: false,
            rest: None,
            delayed: Duration::ZERO,
        })
    }

    /// The process.
    pub(crate) fn target(&mut self) -> &mut Target {
        &mut self.target
    }

    /// What was seen of the process.
    pub(crate) fn seen(&self) -> &Target {
        &self.target
    }

    /// All lines from the extension so far.
    pub(crate) fn frames(&self) -> &[Arrived] {
        &self.frames
    }

    /// The bytes of a line from the extension, without its LF.
    pub(crate) fn bytes(&self, arrived: &Arrived) -> &[u8] {
        self.target.timeline().line(arrived.record).unwrap_or_default()
    }

    /// When the last byte of `hello_ack` was written, since the start; `None` when it was not.
    pub(crate) fn acknowledged(&self) -> Option<Duration> {
        let records = self.target.timeline().records().get(self.acknowledged?..)?;
        let sent = records.iter().find(|record| matches!(record.what, What::Sent { .. }));
        sent.map(|record| record.at)
    }

    /// Where in the timeline `hello_ack` was handed over; `None` when it was not.
    pub(crate) fn acknowledging(&self) -> Option<usize> {
        self.acknowledged
    }

    /// Whether the `hello_ack` was the one that the first start got.
    pub(crate) fn is_usual(&self) -> bool {
        self.usual
    }

    /// An id that was never used in this conversation.
    pub(crate) fn fresh_id(&mut self) -> String {
        self.calls += 1;
        self.drawn.id(self.calls)
    }

    /// What its ids and its name that nobody registers are drawn from.
    pub(crate) fn drawn(&self) -> &Drawn {
        &self.drawn
    }

    /// The line that asks with this id.
    pub(crate) fn question(&self, canary: &Canary, id: &str) -> String {
        canary.question(id, &self.drawn.unknown)
    }

    /// Writes a line.
    pub(crate) fn send(&mut self, line: &str) {
        self.target.write(format!("{line}\n").into_bytes());
    }

    /// Waits for a frame behind the first `from` that is what is wanted.
    pub(crate) fn await_frame(
        &mut self,
        from: usize,
        until: Instant,
        wanted: impl FnMut(&Value) -> bool,
    ) -> Result<usize, Missing> {
        self.await_frame_or_rest(from, until, None, wanted)
    }

    /// The same, given up, too, when nothing came for the time `rest` of one that has nothing to do.
    fn await_frame_or_rest(
        &mut self,
        from: usize,
        until: Instant,
        rest: Option<Duration>,
        mut wanted: impl FnMut(&Value) -> bool,
    ) -> Result<usize, Missing> {
        let mut next = from;
        let mut patience = Patience::new(until).beginning_at(self.target.stalled());
        let mut standstill = Standstill::default();
        let mut is_over = false;
        loop {
            self.look();
            while next < self.frames.len() {
                if self.frames[next].frame.as_ref().is_ok_and(&mut wanted) {
                    return Ok(next);
                }
                next += 1;
            }
            if self.target.exit().is_some() || self.target.stdout_ended() {
                return Err(Missing::Ended);
            }
            if is_over && !patience.has_more(&self.target) {
                return Err(Missing::Late);
            }
            // What is waited for may be in a torn line, and then it never comes.
            let is_torn = self.torn.last().is_some_and(|line| *line >= from);
            let rest = if is_torn { Some(SOFT) } else { rest };
            let rests = rest.map(|rest| Instant::now() + rest);
            let until = rests.map_or(patience.until, |rests| patience.until.min(rests));
            let Some(came) = self.pump_unless_still(until, &mut standstill) else {
                return Err(Missing::Late);
            };
            if rest.is_some() && !came && !self.target.is_busy() {
                return Err(Missing::Late);
            }
            is_over = patience.is_over(came) && (came || until == patience.until);
        }
    }

    /// Waits until something happened, or the time is over, which gives `false`; `None` when nothing can
    /// come any more.
    fn pump_unless_still(&mut self, until: Instant, standstill: &mut Standstill) -> Option<bool> {
        loop {
            let look = until.min(Standstill::next_look());
            let came = self.target.pump(look);
            if standstill.is_for_good(came, &self.target) {
                return None;
            }
            if came || look == until {
                return Some(came);
            }
        }
    }

    /// Reads for that long, whatever comes.
    pub(crate) fn listen(&mut self, time: Duration) {
        let until = Instant::now() + time;
        while self.target.pump(until) && Instant::now() < until {}
        self.look();
    }

    /// Reads what comes from its stdout until that has ended, or the time is over.
    pub(crate) fn await_end_of_stdout(&mut self, until: Instant) {
        while !self.target.stdout_ended() && Instant::now() < until {
            self.target.pump(until);
        }
        self.look();
    }

    /// Waits until all is written, or nothing of what is left was taken for that long: longer from
    /// one that has no processor to take it.
    pub(crate) fn await_stuck(&mut self, time: Duration) {
        let mut left = usize::MAX;
        while self.target.unwritten() < left && self.target.exit().is_none() {
            left = self.target.unwritten();
            let until = Instant::now() + time;
            let mut patience = Patience::new(until).beginning_at(self.target.stalled());
            while left > 0 && self.target.unwritten() == left {
                let is_over = patience.is_over(self.target.pump(patience.until));
                if is_over && !patience.has_more(&self.target) {
                    break;
                }
            }
        }
        self.look();
    }

    /// Whether it ends by itself within that time; one that only waits for input does not.
    pub(crate) fn ends_within(&mut self, time: Duration) -> bool {
        const LOOK_EVERY: Duration = Duration::from_millis(10);
        let until = Instant::now() + time;
        while self.target.exit().is_none()
            && Instant::now() < until
            && !self.target.only_waits_for_input()
        {
            self.target.pump(until.min(Instant::now() + LOOK_EVERY));
        }
        self.look();
        self.target.exit().is_some()
    }

    /// Waits for the end of the process; `false` when the time is over.
    pub(crate) fn await_exit(&mut self, until: Instant) -> bool {
        let patience = Patience::for_an_end(until, &self.target);
        let mut patience = patience.beginning_at(self.target.stalled());
        let mut standstill = Standstill::default();
        while self.target.exit().is_none() {
            let came = self.pump_unless_still(patience.until, &mut standstill);
            let Some(is_over) = came.map(|came| patience.is_over(came)) else { break };
            if is_over && !patience.has_more(&self.target) {
                break;
            }
        }
        self.look();
        self.target.exit().is_some()
    }

    /// The processes that it left behind, once it has ended; `patient` waits for those that end by its
    /// end, which they do a moment later.
    pub(crate) fn left_behind(&mut self, patient: bool) -> Vec<String> {
        let latest = Instant::now() + if patient { GLANCE } else { Duration::ZERO };
        loop {
            let left = self.target.left_behind();
            if left.is_empty() || Instant::now() >= latest {
                return left;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits for `hello`; no longer than needed for one that waits for input itself.
    pub(crate) fn await_hello(&mut self, within: Duration) -> Result<(), Failure> {
        let began = Instant::now();
        let last = began + within;
        let mut stuck = false;
        loop {
            let until = Instant::now() + GLANCE;
            let until = if Instant::now() < last { until.min(last) } else { until };
            let hello = self.await_frame(0, until, |frame| frame["type"] == "hello");
            let Err(missing) = hello else { return Ok(()) };
            // Twice in a row: a process that has only just read something may still answer it.
            let was_stuck = std::mem::replace(&mut stuck, self.target.only_waits_for_input());
            let over = Instant::now() >= last && !is_starved(&self.target, began.elapsed(), within);
            if missing == Missing::Ended || over || was_stuck && stuck {
                return Err(self.failure(missing, format!("hello within {}", seconds(within))));
            }
        }
    }

    /// How busy it is while it is sent nothing: looks until it rests for a moment, or for
    /// [`RESTS`] such moments. `None` where the system does not tell.
    pub(crate) fn rest(&mut self) -> Option<Rest> {
        let began = Instant::now();
        let at_first = self.target.processor_time()?;
        let (mut before, mut used) = (at_first, Duration::ZERO);
        for _ in 0..RESTS {
            self.listen(REST);
            let now = self.target.processor_time();
            let Some(now) = now.filter(|_| self.target.exit().is_none()) else { break };
            used = now.saturating_sub(at_first);
            // One that is short of a processor uses little of it, and does not rest.
            if now.saturating_sub(before) < REST / 20 && !self.target.is_busy() {
                used = Duration::ZERO;
                break;
            }
            before = now;
        }
        let rest = Rest { used, over: began.elapsed() };
        self.rest = Some(rest);
        self.rest
    }

    /// What [`Conversation::rest`] saw.
    pub(crate) fn rested(&self) -> Option<Rest> {
        self.rest
    }

    /// For how long the process had no processor from `hello_ack` until it was ready, as far as the
    /// system tells.
    pub(crate) fn delayed(&self) -> Duration {
        self.delayed
    }

    /// Writes `hello_ack`, in chunks and with more behind it if that is wanted.
    pub(crate) fn acknowledge(
        &mut self,
        ack: Option<&str>,
        chunk: Option<usize>,
        glued: Option<&str>,
    ) {
        let mut bytes = format!("{}\n", ack.unwrap_or(&self.ack)).into_bytes();
        if let Some(glued) = glued {
            bytes.extend_from_slice(glued.as_bytes());
            bytes.push(b'\n');
        }
        let pause = if chunk.is_some() { Duration::from_micros(200) } else { Duration::ZERO };
        self.acknowledged = Some(self.target.timeline().mark());
        self.usual = ack.is_none();
        self.target.write_in_chunks(bytes, chunk.unwrap_or(usize::MAX), pause);
    }

    /// Waits until the extension can be used: until `ready` where it is known to come, else until
    /// as many registrations came as the first time.
    pub(crate) fn await_ready(&mut self, survey: Option<&Survey>) -> Result<(), Failure> {
        let before = self.target.delayed();
        let outcome = self.await_readiness(survey);
        let delayed = before.zip(self.target.delayed());
        self.delayed = delayed.map(|(before, now)| now.saturating_sub(before)).unwrap_or_default();
        outcome
    }

    fn await_readiness(&mut self, survey: Option<&Survey>) -> Result<(), Failure> {
        let until = Instant::now() + READY;
        let Some(survey) = survey else {
            self.settle(until);
            return Ok(());
        };
        let mut left = survey.registrations();
        let sends_ready = survey.ready;
        let outcome = self.await_frame(0, until, |frame| match frame["type"].as_str() {
            Some("ready") => true,
            Some("register_tool" | "register_command" | "subscribe") => {
                left = left.saturating_sub(1);
                left == 0 && !sends_ready
            }
            Some("hello") => left == 0 && !sends_ready,
            _ => false,
        });
        outcome.map(|_| ()).map_err(|missing| {
            self.failure(missing, "the registrations of its first start again".to_owned())
        })
    }

    /// Asks whether it still answers, so many times at once, and waits for every answer. It is not waited
    /// for any longer when nothing came for the time `rest` of one that has nothing to do.
    pub(crate) fn canary(
        &mut self,
        canary: &Canary,
        times: u64,
        within: Duration,
        rest: Option<Duration>,
    ) -> Result<Duration, Failure> {
        let ids: Vec<_> = (0..times).map(|_| self.fresh_id()).collect();
        let from = self.frames.len();
        let began = Instant::now();
        let lines: String = ids.iter().map(|id| self.question(canary, id) + "\n").collect();
        self.target.write(lines.into_bytes());
        self.await_answers(canary, ids, from, within, rest)?;
        Ok(began.elapsed())
    }

    /// Waits until each of those questions is answered.
    pub(crate) fn await_answers(
        &mut self,
        canary: &Canary,
        mut ids: Vec<String>,
        from: usize,
        within: Duration,
        rest: Option<Duration>,
    ) -> Result<(), Failure> {
        let asked = ids.len();
        let until = Instant::now() + within;
        let waited = self.await_frame_or_rest(from, until, rest, |frame| {
            if canary.is_answer(frame) {
                ids.retain(|id| frame["id"].as_str() != Some(id));
            }
            ids.is_empty()
        });
        waited.map(|_| ()).map_err(|missing| {
            let expected = match asked {
                1 => format!("{} within {}", canary.answer(), seconds(within)),
                _ => format!("{} times {} within {}", asked, canary.answer(), seconds(within)),
            };
            let mut failure = self.failure(missing, expected);
            if asked > 1 {
                failure.got = format!("{} answers; {}", asked - ids.len(), failure.got);
            }
            failure
        })
    }

    /// What happened instead of what was expected.
    pub(crate) fn failure(&mut self, missing: Missing, expected: String) -> Failure {
        if missing == Missing::Ended {
            // The exit status comes a moment after the end of stdout.
            self.await_exit(Instant::now() + Duration::from_millis(300));
        }
        let outcome = match self.target.exit() {
            _ if self.target.flood().is_some() => Outcome::Wrong,
            Some(_) => Outcome::Died,
            None => Outcome::Silent,
        };
        let torn = match self.torn.len() {
            0 => String::new(),
            1 => format!("{TORN}; "),
            count => format!("{TORN} (and {} more like it); ", count - 1),
        };
        Failure { expected, got: torn + &self.state(), outcome }
    }

    /// What the process does now, in words.
    pub(crate) fn state(&self) -> String {
        if let Some(flood) = self.target.flood() {
            return flood.to_owned();
        }
        if let Some(exit) = self.target.exit() {
            let records = self.target.timeline().records();
            let at = |wanted: fn(&What) -> bool| {
                records.iter().rev().find(|record| wanted(&record.what)).map(|record| record.at)
            };
            let ended = at(|what| matches!(what, What::Exited(_)));
            let sent = at(|what| matches!(what, What::Sent { .. }));
            return match (ended, sent) {
                (Some(ended), Some(sent)) if ended >= sent => format!(
                    "the process ended ({exit}), {} ms after the last bytes it was sent",
                    milliseconds(ended.saturating_sub(sent))
                ),
                _ => format!("the process ended ({exit})"),
            };
        }
        let unwritten = self.target.unwritten();
        // Writing to a string cannot fail.
        let mut state = if self.target.closed_stdout() {
            "nobody reads its stdout any more, and it lives on".to_owned()
        } else if self.target.stdout_ended() {
            "the process closed its stdout and lives on".to_owned()
        } else {
            "nothing of the kind".to_owned()
        };
        if unwritten > 0 {
            let _ = write!(state, "; {unwritten} bytes were not taken from its stdin");
        }
        if let Some(activity) = self.target.activity() {
            let _ = write!(state, "; {activity}");
        }
        state
    }

    /// Waits until nothing came for a while, or `ready` did.
    fn settle(&mut self, until: Instant) {
        loop {
            let quiet = (Instant::now() + IDLE * 2).min(until);
            let seen = self.frames.len();
            let ready = self.await_frame(seen, quiet, |_| true);
            let is_ready = |arrived: &Arrived| {
                arrived.frame.as_ref().is_ok_and(|frame| frame["type"] == "ready")
            };
            if ready.is_err() || self.frames.iter().any(is_ready) {
                return;
            }
        }
    }

    /// Parses the lines that came since the last look.
    fn look(&mut self) {
        let records = self.target.timeline().records();
        for (number, record) in records.iter().enumerate().skip(self.looked_at) {
            let Some(arrived) = Arrived::of(number, record) else { continue };
            if arrived.is_torn() {
                self.torn.push(self.frames.len());
            }
            self.frames.push(arrived);
        }
        self.looked_at = records.len();
    }
}

/// A time as people write it: `2.0 s`.
pub(crate) fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

/// A time in milliseconds with one digit.
pub(crate) fn milliseconds(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1000.0)
}
