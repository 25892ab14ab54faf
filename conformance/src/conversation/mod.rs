//! One process and the frames that went both ways.

mod arrived;
mod asked;
mod growth;
mod mcp;
mod numbers;
mod patience;
mod protocol;
mod seed;
mod start;
mod state;
mod survey;

use std::io;
use std::time::{Duration, Instant};

use extline_host::Program;
use extline_scenario::{Failure, seconds};
use serde_json::Value;

pub(crate) use self::arrived::Arrived;
#[cfg(test)]
pub(crate) use self::arrived::parse;
pub(crate) use self::asked::{Answered, ELICIT, Reply};
pub(crate) use self::growth::Growth;
pub(crate) use self::mcp::{NOBODY, PERSON, is_response, request};
pub(crate) use self::patience::Patience;
use self::patience::Standstill;
#[cfg(unix)]
pub(crate) use self::patience::Worker;
pub use self::protocol::{Era, Protocol};
pub use self::seed::draw_seed;
pub(crate) use self::seed::{Drawn, is_unknown};
pub(crate) use self::survey::{Callable, Called, Reaction, call_params};
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
    protocol: Protocol,
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
    growth: Option<Growth>,
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
        protocol: Protocol,
        setting: Setting,
        ack: &str,
        drawn: &Drawn,
    ) -> io::Result<Self> {
        Ok(Self {
            target: Target::start(program, setting)?,
            protocol,
            ack: ack.to_owned(),
            drawn: drawn.clone(),
            looked_at: 0,
            frames: Vec::new(),
            torn: Vec::new(),
            calls: 0,
            acknowledged: None,
            usual: false,
            rest: None,
            growth: None,
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
        let mut patience = Patience::new(until).beginning_at(self.target.begin_wait());
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
            let mut patience = Patience::new(until).beginning_at(self.target.begin_wait());
            while left > 0 && self.target.unwritten() == left {
                let is_over = patience.is_over(self.target.pump(patience.until));
                if is_over && !patience.has_more(&self.target) {
                    break;
                }
            }
        }
        self.look();
    }

    /// Whether it ends by itself within that time. One that `rests` does not; one that could run and had no
    /// processor gets more.
    pub(crate) fn ends_within(&mut self, time: Duration, rests: fn(&Target) -> bool) -> bool {
        const LOOK_EVERY: Duration = Duration::from_millis(10);
        let patience = Patience::for_an_end(Instant::now() + time, &self.target);
        let mut patience = patience.beginning_at(self.target.begin_wait());
        while self.target.exit().is_none() {
            self.target.pump(patience.until.min(Instant::now() + LOOK_EVERY));
            let is_over = Instant::now() >= patience.until && !patience.has_more(&self.target);
            if is_over || rests(&self.target) {
                break;
            }
        }
        self.look();
        self.target.exit().is_some()
    }

    /// Waits for the end of the process; `false` when the time is over.
    pub(crate) fn await_exit(&mut self, until: Instant) -> bool {
        let patience = Patience::for_an_end(until, &self.target);
        let mut patience = patience.beginning_at(self.target.begin_wait());
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
                ids.retain(|id| !mcp::is_id(&frame["id"], id));
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

    /// Parses the lines that came since the last look.
    fn look(&mut self) {
        let records = self.target.timeline().records();
        for (number, record) in records.iter().enumerate().skip(self.looked_at) {
            let Some(arrived) = Arrived::spoken(self.protocol, number, record) else { continue };
            if arrived.is_torn() {
                self.torn.push(self.frames.len());
            }
            self.frames.push(arrived);
        }
        self.looked_at = records.len();
    }
}

/// A time in milliseconds with one digit.
pub(crate) fn milliseconds(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1000.0)
}
