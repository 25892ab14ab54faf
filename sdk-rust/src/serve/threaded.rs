//! Input that the event loop cannot watch: a thread waits for it.

use std::task::{Context, Poll};
use std::thread;
use std::time::Instant;

use extline_driver::{Channel, Read};
use extline_stdio::{Error as StdioError, Input, Received, Waker};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::Error;

/// Chunks on their way from the thread.
const CHUNKS: usize = 16;
const CHUNK: usize = 64 * 1024;

pub(super) struct Threaded {
    arrivals: Receiver<Arrival>,
    waker: Waker,
    ended: bool,
}

enum Arrival {
    Data(Vec<u8>),
    Eof,
    Sigterm,
    Failed(StdioError),
}

impl Threaded {
    pub(super) fn new(input: Input) -> Result<Self, Error> {
        let (sender, arrivals) = channel(CHUNKS);
        let waker = input.waker();
        thread::Builder::new()
            .name("extline stdin".to_owned())
            .spawn(move || {
                if let Err(error) = read(input, &sender) {
                    // Nobody listens when the serving has ended.
                    let _ = sender.blocking_send(Arrival::Failed(error));
                }
            })
            .map_err(Error::system("start a thread that reads"))?;
        Ok(Self { arrivals, waker, ended: false })
    }

    /// Ready when anything has arrived.
    pub(super) fn poll(
        &mut self,
        context: &mut Context<'_>,
        channel: &mut Channel,
    ) -> Poll<Result<(), Error>> {
        if self.ended {
            return Poll::Pending;
        }
        let Poll::Ready(Some(arrival)) = self.arrivals.poll_recv(context) else {
            return Poll::Pending;
        };
        Poll::Ready(self.pass(arrival, channel))
    }

    /// What has arrived, without waiting.
    pub(super) fn take(&mut self, channel: &mut Channel) -> Result<Read, Error> {
        match self.arrivals.try_recv() {
            Ok(arrival) if !self.ended => self.pass(arrival, channel).map(|()| Read::All),
            _ => Ok(Read::Nothing),
        }
    }

    fn pass(&mut self, arrival: Arrival, channel: &mut Channel) -> Result<(), Error> {
        match arrival {
            Arrival::Data(bytes) => channel.feed(&bytes),
            Arrival::Eof => channel.end_input(),
            Arrival::Sigterm => channel.session.handle_sigterm(Instant::now()),
            Arrival::Failed(error) => {
                self.ended = true;
                return Err(error.into());
            }
        }
        Ok(())
    }
}

impl Drop for Threaded {
    fn drop(&mut self) {
        // The thread finds out that nobody listens, and ends.
        self.arrivals.close();
        self.waker.wake();
    }
}

/// Until nobody listens.
fn read(mut input: Input, sender: &Sender<Arrival>) -> Result<(), StdioError> {
    let mut buffer = vec![0; CHUNK];
    loop {
        let seen = input.wait(None)?;
        if seen.sigterm && sender.blocking_send(Arrival::Sigterm).is_err() {
            return Ok(());
        }
        if seen.input {
            let arrival = match input.read(&mut buffer)? {
                Received::Data(count) => Arrival::Data(buffer[..count].to_vec()),
                Received::Eof => Arrival::Eof,
                Received::Interrupted | Received::WouldBlock => continue,
            };
            if sender.blocking_send(arrival).is_err() {
                return Ok(());
            }
        }
        if sender.is_closed() {
            return Ok(());
        }
    }
}
