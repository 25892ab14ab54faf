//! Threads of extline-stdio read and write, and wake the event loop when something has come or gone.

use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use extline_driver::Read;

use crate::Error;
use crate::serve::wire::{SharedWire, Wire};

pub(in crate::serve) struct Readiness(());

impl Readiness {
    /// Nothing has to be prepared.
    #[expect(clippy::unnecessary_wraps, reason = "as on Unix")]
    pub(in crate::serve) fn of(_wire: &SharedWire) -> Result<Self, Error> {
        Ok(Self(()))
    }

    /// Feeds the session with what has arrived; ready when that was anything. Bytes are looked at
    /// only if `reading`.
    pub(in crate::serve) fn poll_read(
        &mut self,
        context: &mut Context<'_>,
        wire: &mut Wire,
        reading: bool,
    ) -> Poll<Result<(), Error>> {
        let Wire { channel, source, .. } = wire;
        let Some(input) = source.input_mut() else { return Poll::Pending };
        // Before the look, so that nothing comes between the two.
        input.wake_when_ready(context.waker())?;
        let reading = reading && !channel.has_ended();
        let (ready, _) = input.wait_for_room(None, reading, Some(Duration::ZERO))?;
        if ready.sigterm {
            channel.session.handle_sigterm(Instant::now());
        }
        if ready.hung_up && !channel.has_ended() {
            channel.hang_up();
        }
        let has_read = ready.input && matches!(source.read(channel)?, Read::Some | Read::All);
        if ready.sigterm || ready.hung_up || has_read { Poll::Ready(Ok(())) } else { Poll::Pending }
    }

    /// Goes on writing what waits; ready when nothing does. Whoever is not ready is woken for room by
    /// [`Readiness::poll_read`], which is called behind it.
    pub(in crate::serve) fn poll_write(
        &mut self,
        context: &mut Context<'_>,
        wire: &mut Wire,
    ) -> Poll<Result<(), Error>> {
        if let Some(input) = wire.source.input_mut() {
            // Before the look, so that nothing comes between the two.
            input.wake_when_ready(context.waker())?;
        }
        while wire.channel.is_stalled() {
            if !wire.channel.output().is_none_or(|output| output.has_room()) {
                return Poll::Pending;
            }
            wire.channel.write_batch()?;
        }
        Poll::Ready(Ok(()))
    }
}
