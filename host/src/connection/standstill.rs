//! The time of a call that stands still while a person is asked below it
//! (`rpc.dialog-pauses-above`).
//!
//! The session of an extension pauses what that extension was asked. What waits for such a call is
//! elsewhere: a `call_tool` in another extension's session, or the agent's own limit of a call. It is
//! told here, and never by a connection that holds its own lock.

use std::pin::pin;
use std::time::{Duration, Instant};
use std::{future, mem, sync::Arc};

use tokio::sync::watch;
use tokio::time::sleep;

/// Whether a person is asked below one call. Clones speak of the same call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standstill(Arc<watch::Sender<usize>>);

/// The time of the calls above stands still as long as this lives.
#[derive(Debug)]
pub(crate) struct Held(Standstill);

/// What one call has above it.
#[derive(Debug, Default)]
pub(crate) struct Above {
    time: Option<Standstill>,
    held: Option<Held>,
}

impl Standstill {
    /// A person is asked below the call, until what this returns is dropped.
    pub(crate) fn hold(&self) -> Held {
        self.0.send_modify(|holds| *holds += 1);
        Held(self.clone())
    }

    /// Tells how many hold it now, each time that changes.
    pub(super) fn subscribe(&self) -> watch::Receiver<usize> {
        self.0.subscribe()
    }

    /// Waits until it is done, or until that time is used up, which is counted only while nobody is
    /// asked. `left` is what remains of it.
    pub(crate) async fn within<T>(
        &self,
        left: &mut Duration,
        work: impl Future<Output = T>,
    ) -> Option<T> {
        let mut holds = self.subscribe();
        let mut work = pin!(work);
        loop {
            let stands_still = *holds.borrow_and_update() > 0;
            let since = Instant::now();
            let used_up =
                async { if stands_still { future::pending().await } else { sleep(*left).await } };
            let ended = tokio::select! {
                biased;
                done = &mut work => Some(Some(done)),
                () = used_up => Some(None),
                _ = holds.changed() => None,
            };
            if !stands_still {
                *left = left.saturating_sub(since.elapsed());
            }
            if let Some(ended) = ended {
                return ended;
            }
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.0.send_modify(|holds| *holds -= 1);
    }
}

impl Above {
    pub(super) fn new(time: Option<Standstill>) -> Self {
        Self { time, held: None }
    }

    /// A person is asked below the call.
    pub(super) fn pause(&mut self) {
        let held = self.time.as_ref().map(Standstill::hold);
        drop(mem::replace(&mut self.held, held));
    }

    /// Nobody is asked below it any more.
    pub(super) fn resume(&mut self) {
        self.held = None;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use tokio::task::yield_now;

    use super::*;

    #[tokio::test]
    async fn time_is_used_up_only_while_nobody_is_asked() {
        let time = Standstill::default();
        let mut above = Above::new(Some(time.clone()));
        above.pause();
        let is_answered = Cell::new(false);
        let work = async {
            for _ in 0..100 {
                yield_now().await;
            }
            is_answered.set(true);
            above.resume();
            future::pending::<()>().await;
        };
        let mut left = Duration::ZERO;
        assert_eq!(time.within(&mut left, work).await, None);
        assert!(is_answered.get(), "its time was used up before");
    }

    #[tokio::test]
    async fn a_call_that_ends_holds_nothing() {
        let time = Standstill::default();
        let mut above = Above::new(Some(time.clone()));
        above.pause();
        drop(above);
        let mut left = Duration::ZERO;
        assert_eq!(time.within(&mut left, future::pending::<()>()).await, None);
    }

    #[tokio::test]
    async fn what_is_done_in_time_comes_out() {
        let time = Standstill::default();
        let mut left = Duration::from_secs(60);
        assert_eq!(time.within(&mut left, async { 5 }).await, Some(5));
        assert!(left <= Duration::from_secs(60));
    }
}
