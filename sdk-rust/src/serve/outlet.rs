//! The way out: one batch of frames at a time, written as the host takes it.

use std::task::{Context, Poll};

use extline_stdio::{Error as StdioError, Output};
#[cfg(unix)]
use tokio::io::{Interest, unix::AsyncFd};

#[cfg(unix)]
use super::descriptor::{Descriptor, watch};
use crate::Error;

/// A buffer that grew beyond this for one batch is given back.
const KEPT: usize = 4 * 1024 * 1024;

pub(super) struct Outlet {
    way: Way,
    bytes: Vec<u8>,
    written: usize,
    is_gone: bool,
    gone_is_news: bool,
}

enum Way {
    #[cfg(unix)]
    Watched(AsyncFd<Descriptor<Output>>),
    /// A file, which takes everything at once.
    Plain(Output),
}

impl Outlet {
    pub(super) fn new(output: Output) -> Self {
        let way = Way::new(output);
        Self { way, bytes: Vec::new(), written: 0, is_gone: false, gone_is_news: false }
    }

    /// Whether there is something that the host has not taken.
    pub(super) fn is_waiting(&self) -> bool {
        self.written < self.bytes.len()
    }

    /// Room for the next batch, once nothing waits.
    pub(super) fn space(&mut self) -> &mut Vec<u8> {
        if self.bytes.capacity() > KEPT {
            self.bytes = Vec::new();
        }
        self.bytes.clear();
        self.written = 0;
        &mut self.bytes
    }

    /// Writes as much as the host takes now.
    pub(super) fn write(&mut self) -> Result<(), Error> {
        let outcome = match &mut self.way {
            #[cfg(unix)]
            Way::Watched(fd) => fd.get_mut().0.try_write(&self.bytes),
            Way::Plain(output) => output.write_all(&self.bytes).map(|()| self.bytes.len()),
        };
        self.note(outcome)
    }

    /// Goes on writing what waits; ready when nothing does.
    #[cfg_attr(not(unix), expect(unused_variables, reason = "nothing is watched there"))]
    pub(super) fn poll_write(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        while self.is_waiting() {
            let outcome = match &mut self.way {
                #[cfg(unix)]
                Way::Watched(fd) => {
                    let Poll::Ready(ready) = fd.poll_write_ready_mut(context) else {
                        return Poll::Pending;
                    };
                    let mut ready = ready.map_err(Error::system("wait for the host"))?;
                    let rest = &self.bytes[self.written..];
                    let outcome = ready.get_inner_mut().0.try_write(rest);
                    if matches!(outcome, Ok(count) if count < rest.len()) {
                        ready.clear_ready();
                    }
                    outcome
                }
                Way::Plain(output) => {
                    let rest = &self.bytes[self.written..];
                    output.write_all(rest).map(|()| rest.len())
                }
            };
            self.note(outcome)?;
        }
        Poll::Ready(Ok(()))
    }

    /// Whether the host has closed its end since the last call; what is written then goes nowhere.
    pub(super) fn take_gone(&mut self) -> bool {
        std::mem::take(&mut self.gone_is_news)
    }

    fn note(&mut self, outcome: Result<usize, StdioError>) -> Result<(), Error> {
        match outcome {
            Ok(count) => self.written += count,
            Err(StdioError::HostGone) => {
                self.gone_is_news = !self.is_gone;
                self.is_gone = true;
                self.written = self.bytes.len();
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

impl Way {
    fn new(output: Output) -> Self {
        #[cfg(unix)]
        match watch(output, Interest::WRITABLE) {
            Ok(fd) => Self::Watched(fd),
            Err(output) => Self::Plain(output),
        }
        #[cfg(not(unix))]
        Self::Plain(output)
    }
}
