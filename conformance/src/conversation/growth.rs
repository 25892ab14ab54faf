//! Whether a server holds on to what it is sent.

use std::time::{Duration, Instant};

use super::mcp::{is_id, is_response, request};
use super::{Conversation, Era};

/// What stands in a request beside its method, in bytes.
const PAD: usize = 64 << 10;
/// So many are on their way at once, and so many make a round.
const AT_ONCE: usize = 8;
const ROUND: usize = 64;
/// A process takes what it needs for such requests in the first rounds, which are not counted.
const WARMING: usize = 2;
/// One that held less than a quarter of what came in so many rounds lets go of it.
const CALM: usize = 3;
/// After so many rounds it is seen: what collects its memory from time to time has done so by then.
const MOST: usize = 24;
/// The time for all of it. What takes longer is not measured. One that lets go needs a few rounds of it alone.
const TIME: Duration = Duration::from_secs(20);

/// How much more memory a process held after each round of requests, all of them of the same size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Growth {
    /// What a round sent, in bytes.
    pub(crate) sent: u64,
    /// How much more it held after all rounds, in bytes.
    pub(crate) held: u64,
    /// How many rounds there were.
    pub(crate) rounds: u64,
}

impl Growth {
    /// Whether it held on to what was sent. A process that collects its memory from time to time lets go of
    /// most of it.
    pub(crate) fn is_kept(self) -> bool {
        self.held >= self.sent * self.rounds * 4 / 5
    }
}

impl Conversation {
    /// Sends long requests of a method that nobody knows, and measures. Nothing is measured where the system
    /// does not tell, or answers take long.
    pub(crate) fn measure_growth(&mut self, era: Era) {
        let until = Instant::now() + TIME;
        if self.target.memory().is_none() {
            return;
        }
        let sent = (ROUND * PAD) as u64;
        let mut after: Vec<u64> = Vec::new();
        for round in 1..=WARMING + MOST {
            let Some(held) = self.round(era, until).then(|| self.target.memory()).flatten() else {
                return;
            };
            after.push(held);
            let since = |rounds: usize| held.saturating_sub(after[after.len() - 1 - rounds]);
            let counted = round.saturating_sub(WARMING);
            let is_calm = counted >= CALM && since(CALM) < sent * CALM as u64 / 4;
            if is_calm || counted == MOST {
                let (held, rounds) = (since(counted), counted as u64);
                self.growth = Some(Growth { sent, held, rounds });
                return;
            }
        }
    }

    /// What [`Conversation::measure_growth`] saw.
    pub(crate) fn growth(&self) -> Option<Growth> {
        self.growth
    }

    /// Sends a round of requests; whether all were answered in time.
    fn round(&mut self, era: Era, until: Instant) -> bool {
        let pad = "x".repeat(PAD);
        for _ in 0..ROUND / AT_ONCE {
            let mut ids: Vec<_> = (0..AT_ONCE).map(|_| self.fresh_id()).collect();
            let from = self.frames.len();
            for id in &ids {
                let params = format!(r#""pad":"{pad}",{}"#, era.meta());
                self.send(&request(id, "extline/nobody", &params));
            }
            let is_last = |message: &serde_json::Value| {
                if is_response(message) {
                    ids.retain(|id| !is_id(&message["id"], id));
                }
                ids.is_empty()
            };
            if self.await_frame(from, until, is_last).is_err() {
                return false;
            }
        }
        true
    }
}
