//! One host, many calls at once, and the end of it while they still go.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use extline_host::{CallError, Host};
use fastrand::Rng;

use crate::chaos::rage;
use crate::scene::Scene;

/// Callers at once.
const CALLERS: usize = 24;

/// What became of the calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) calls: u64,
    /// A guard was asked and forbade it.
    pub(crate) refused: u64,
    /// Blocked as a guard could not be asked, or did not answer.
    pub(crate) closed: u64,
    /// Any other error.
    other: u64,
    pub(crate) allowed_ran: u64,
    pub(crate) forbidden_ran: u64,
    kills: u64,
    stops: u64,
}

impl Counts {
    pub(crate) fn add(&mut self, more: &Self) {
        self.calls += more.calls;
        self.refused += more.refused;
        self.closed += more.closed;
        self.other += more.other;
        self.allowed_ran += more.allowed_ran;
        self.forbidden_ran += more.forbidden_ran;
        self.kills += more.kills;
        self.stops += more.stops;
    }

    /// Whether calls were refused, met no guard, and ran.
    pub(crate) fn has_each_kind(&self) -> bool {
        self.refused > 0 && self.closed > 0 && self.allowed_ran > 0
    }
}

/// Plays one round.
pub(crate) async fn play(mut random: Rng) -> Counts {
    let scene = Scene::start(&mut random).await;
    let is_over = Arc::new(AtomicBool::new(false));
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| tokio::spawn(call(Arc::clone(&scene.host), Arc::clone(&is_over), random.fork())))
        .collect();
    let lasts = Duration::from_millis(random.u64(300..1_200));
    let done = rage(&scene.host, random.fork(), lasts).await;
    // Calls go on while everything ends, and when it has.
    scene.host.shutdown().await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    is_over.store(true, Ordering::Release);
    let mut counts = Counts { kills: done.kills, stops: done.stops, ..Counts::default() };
    for caller in callers {
        counts.add(&caller.await.unwrap());
    }
    counts.allowed_ran = scene.ran.allowed.load(Ordering::SeqCst);
    counts.forbidden_ran = scene.ran.forbidden.load(Ordering::SeqCst);
    counts
}

/// Calls the tool again and again, mostly as it is forbidden.
async fn call(host: Arc<Host>, is_over: Arc<AtomicBool>, mut random: Rng) -> Counts {
    let mut counts = Counts::default();
    while !is_over.load(Ordering::Acquire) {
        let args = if random.u8(..8) == 0 { "{}" } else { r#"{"forbidden":true}"# };
        counts.calls += 1;
        match host.call("run", args).await {
            Ok(_) => {}
            Err(CallError::Blocked { reason, .. }) if reason == "forbidden" => counts.refused += 1,
            Err(CallError::Blocked { .. }) => counts.closed += 1,
            Err(_) => counts.other += 1,
        }
        tokio::time::sleep(Duration::from_micros(random.u64(..8_000))).await;
    }
    counts
}
