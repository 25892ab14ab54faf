//! The start: `hello`, `hello_ack`, and until the extension can be used.

use std::time::{Duration, Instant};

use extline_protocol::limits::BOOTSTRAP_CEILING;
use extline_scenario::Failure;

use super::patience::is_starved;
use super::{Arrived, Conversation, GLANCE, IDLE, Missing, READY, Survey, seconds};

impl Conversation {
    /// Waits for `hello`, anew from each `bootstrap` (`hello.bootstrap`); no longer than needed for one
    /// that waits for input itself.
    pub(crate) fn await_hello(&mut self, within: Duration) -> Result<(), Failure> {
        let began = Instant::now();
        let mut last = began + within;
        let latest = began + within.max(BOOTSTRAP_CEILING);
        let (mut stuck, mut reports) = (false, 0);
        loop {
            let until = Instant::now() + GLANCE;
            let until = if Instant::now() < last { until.min(last) } else { until };
            let hello = self.await_frame(0, until, |frame| frame["type"] == "hello");
            let Err(missing) = hello else { return Ok(()) };
            let reported = self.frames.iter().filter(|arrived| arrived.is_bootstrap()).count();
            if reported > std::mem::replace(&mut reports, reported) {
                last = (Instant::now() + within).min(latest);
            }
            // Twice in a row: a process that has only just read something may still answer it.
            let was_stuck = std::mem::replace(&mut stuck, self.target.only_waits_for_input());
            let over = Instant::now() >= last && !is_starved(&self.target, began.elapsed(), within);
            if missing == Missing::Ended || over || was_stuck && stuck {
                return Err(self.failure(missing, format!("hello within {}", seconds(within))));
            }
        }
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
}
