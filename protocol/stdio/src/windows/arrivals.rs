//! Whether something has come that another thread is to take.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::bell::Bell;
use super::shared::Shared;
use crate::{Arrived, Error};

/// What comes to an [`Input`](super::Input), for a thread that waits for it and takes nothing.
#[derive(Clone, Debug)]
pub struct Arrivals(Arc<Shared>);

impl Arrivals {
    pub(super) fn of(shared: &Arc<Shared>) -> Self {
        Self(Arc::clone(shared))
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.0
    }

    /// Waits until something comes, or until `timeout` has passed (`None`: for ever): bytes or their
    /// end, where `bytes` is true; a signal or a wake-up, where `rings` is; the thread's `own` bell, which
    /// is one of these arrivals.
    ///
    /// # Errors
    ///
    /// None here.
    pub fn wait(
        &self,
        (bytes, rings): (bool, bool),
        own: Option<&Bell>,
        timeout: Option<Duration>,
    ) -> Result<Arrived, Error> {
        // A time too far away to be counted is no limit.
        let until = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut state = self.0.lock();
        loop {
            let has_rung = state.is_pressed || state.is_told_to_end;
            let host = bytes && state.incoming.is_readable() || rings && has_rung;
            let own = own.is_some_and(Bell::is_rung);
            if host || own || until.is_some_and(|until| until <= Instant::now()) {
                return Ok(Arrived { host, own });
            }
            state = self.0.wait(state, until);
        }
    }
}
