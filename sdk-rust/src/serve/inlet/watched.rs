//! Input that the event loop can watch: read on the serving thread, with no hop between threads.

use std::os::fd::OwnedFd;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use extline_stdio::{Input, Received};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::Error;
use crate::connection::Connection;
use crate::serve::descriptor::{Descriptor, watch};

pub(super) struct Watched {
    input: AsyncFd<Descriptor<Input>>,
    /// Rings for SIGTERM.
    doorbell: AsyncFd<Descriptor<OwnedFd>>,
    ended: bool,
}

impl Watched {
    /// Gives the input back when it is nothing that can be watched.
    pub(super) fn new(input: Input) -> Result<Result<Self, Input>, Error> {
        let doorbell = input.doorbell().try_clone_to_owned();
        let doorbell = doorbell.map_err(Error::system("copy the descriptor for signals"))?;
        let Ok(doorbell) = watch(doorbell, Interest::READABLE) else { return Ok(Err(input)) };
        Ok(watch(input, Interest::READABLE).map(|input| Self { input, doorbell, ended: false }))
    }

    /// Ready with the count of bytes when anything has arrived.
    pub(super) fn poll(
        &mut self,
        context: &mut Context<'_>,
        connection: &Connection,
        reading: bool,
    ) -> Poll<Result<usize, Error>> {
        let now = Instant::now();
        let mut rung = false;
        while let Poll::Ready(ready) = self.doorbell.poll_read_ready(context) {
            let mut ready = ready.map_err(Error::system("wait for signals"))?;
            rung |= take_sigterm(&mut self.input.get_mut().0, connection, now)?.sigterm;
            ready.clear_ready();
        }
        let mut fed = None;
        while reading && !self.ended && fed.is_none() {
            let Poll::Ready(ready) = self.input.poll_read_ready_mut(context) else { break };
            let mut ready = ready.map_err(Error::system("wait for the host"))?;
            let mut session = connection.session();
            let space = session.read_space();
            let room = space.len();
            match ready.get_inner_mut().0.try_read(space)? {
                Received::Data(count) => {
                    session.handle_read(count, now);
                    fed = Some(count);
                    // Less than there was room for: that was all.
                    if count < room {
                        ready.clear_ready();
                    }
                }
                Received::Eof => {
                    self.ended = true;
                    session.handle_eof(now);
                    fed = Some(0);
                }
                Received::WouldBlock => ready.clear_ready(),
                Received::Interrupted => {}
            }
        }
        match fed {
            Some(count) => Poll::Ready(Ok(count)),
            None if rung => Poll::Ready(Ok(0)),
            None => Poll::Pending,
        }
    }
}

/// What has happened, without waiting; SIGTERM is passed on.
fn take_sigterm(
    input: &mut Input,
    connection: &Connection,
    now: Instant,
) -> Result<extline_stdio::Ready, Error> {
    let seen = input.wait(Some(Duration::ZERO))?;
    if seen.sigterm {
        connection.session().handle_sigterm(now);
    }
    Ok(seen)
}
