//! The ends of the pipes to and from an extension.
//!
//! They are named pipes, as only those can be waited for beside other things; the names are gone once both
//! ends are open. The ends of the process are as any program expects them.

use std::fs::{File, OpenOptions};
use std::io;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker, ready};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, ReadBuf};
#[cfg(feature = "mcp-client")]
use tokio::net::windows::named_pipe::{ClientOptions, NamedPipeClient};
use tokio::net::windows::named_pipe::{NamedPipeServer, ServerOptions};
use tokio::sync::Notify;

use crate::lock::lock;

/// What a pipe holds.
const HOLDS: u32 = 64 * 1024;
/// What is written at once. It is copied, and counts as written when the system has it.
const PIECE: usize = 64 * 1024;
/// How long after the end of the process, and after each read, what it wrote before may take to arrive,
/// where another process holds the pipe open.
const ARRIVES_WITHIN: Duration = Duration::from_millis(50);

/// What the process writes to stderr.
pub(crate) type ErrorOutput = NamedPipeServer;

/// A pipe to read from the process: its end, and ours.
pub(super) fn from_child() -> io::Result<(File, NamedPipeServer)> {
    let (name, pipe) = make(true)?;
    let end = OpenOptions::new().write(true).open(name)?;
    Ok((end, connected(pipe)?))
}

/// Tells the runtime that the other end is open, before which it neither reads nor writes.
fn connected(pipe: NamedPipeServer) -> io::Result<NamedPipeServer> {
    let outcome = {
        let connecting = pin!(pipe.connect());
        connecting.poll(&mut Context::from_waker(Waker::noop()))
    };
    match outcome {
        Poll::Ready(outcome) => outcome.map(|()| pipe),
        Poll::Pending => Err(io::ErrorKind::NotConnected.into()),
    }
}

/// Makes a pipe that this process reads, or writes; the other end is opened by its name.
fn make(reads: bool) -> io::Result<(String, NamedPipeServer)> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let mut salt = [0; 8];
    getrandom::fill(&mut salt).map_err(io::Error::other)?;
    let salt = u64::from_ne_bytes(salt);
    let name = format!(r"\\.\pipe\extline-{}-{number}-{salt:x}", std::process::id());
    // Where somebody else had the name already, or opens it first, this or the opening fails.
    let pipe = ServerOptions::new()
        .access_inbound(reads)
        .access_outbound(!reads)
        .first_pipe_instance(true)
        .max_instances(1)
        .in_buffer_size(HOLDS)
        .out_buffer_size(HOLDS)
        .create(&name)?;
    Ok((name, pipe))
}

/// The way to the process's stdin.
#[derive(Debug)]
pub(crate) struct Input(NamedPipeServer);

impl Input {
    /// A pipe to write to the process: its end, and ours.
    pub(crate) fn pipe() -> io::Result<(File, Self)> {
        let (name, pipe) = make(false)?;
        let end = OpenOptions::new().read(true).open(name)?;
        Ok((end, Self(connected(pipe)?)))
    }

    /// The same for one who writes by itself.
    #[cfg(feature = "mcp-client")]
    pub(crate) fn into_sender(self) -> NamedPipeServer {
        self.0
    }

    /// Waits until [`Input::try_write`], which found the pipe full, may work.
    pub(crate) async fn writable(&self) {
        // An error here shows again at the write.
        drop(self.0.writable().await);
    }

    /// Nothing: a pipe takes a whole piece.
    #[expect(clippy::unused_self, reason = "on Linux pipes can be enlarged")]
    pub(crate) fn enlarge(&self) {}

    /// Writes what the pipe takes now.
    pub(crate) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_write(&bytes[..bytes.len().min(PIECE)])
    }
}

/// What comes from the process's stdout.
#[derive(Debug)]
pub(crate) struct Output {
    pipe: NamedPipeServer,
    reading: Arc<Reading>,
}

/// How far the reading of an [`Output`] is.
#[derive(Debug, Default)]
pub(super) struct Reading {
    state: Mutex<ReadingState>,
    over: Notify,
}

#[derive(Debug, Default)]
struct ReadingState {
    /// Nobody reads any more, or nothing comes any more.
    is_over: bool,
    last: Option<Instant>,
}

impl Output {
    /// A pipe to read from the process: its end, and ours.
    pub(crate) fn pipe() -> io::Result<(File, Self)> {
        let (file, pipe) = from_child()?;
        Ok((file, Self { pipe, reading: Arc::default() }))
    }

    /// The same for one who reads by itself.
    #[cfg(feature = "mcp-client")]
    pub(crate) fn into_receiver(self) -> NamedPipeServer {
        self.reading.end();
        self.pipe
    }

    pub(super) fn reading(&self) -> Arc<Reading> {
        Arc::clone(&self.reading)
    }

    /// Reads what the pipe holds, once it holds something; never interrupted.
    pub(crate) fn poll_read(
        &mut self,
        context: &mut Context<'_>,
        space: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        let mut space = ReadBuf::new(space);
        let outcome = ready!(Pin::new(&mut self.pipe).poll_read(context, &mut space));
        Poll::Ready(self.reading.note(outcome.map(|()| space.filled().len())))
    }

    /// Nothing: what has come is read at once.
    #[expect(clippy::unused_self, reason = "on Linux pipes can be enlarged")]
    pub(crate) fn enlarge(&self) {}

    /// Reads what the pipe holds now, as far as the runtime has heard of it.
    pub(crate) fn try_read(&self, space: &mut [u8]) -> io::Result<usize> {
        self.reading.note(self.pipe.try_read(space))
    }
}

impl Reading {
    /// Waits until what was written before `ended` has arrived.
    pub(super) async fn settle(&self, ended: Instant) {
        loop {
            let over = self.over.notified();
            let last = {
                let state = lock(&self.state);
                if state.is_over {
                    return;
                }
                state.last.map_or(ended, |last| last.max(ended))
            };
            let until = last + ARRIVES_WITHIN;
            if until <= Instant::now() {
                return;
            }
            tokio::select! {
                () = over => {}
                () = tokio::time::sleep_until(until.into()) => {}
            }
        }
    }

    fn note(&self, read: io::Result<usize>) -> io::Result<usize> {
        match &read {
            Ok(1..) => lock(&self.state).last = Some(Instant::now()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            _ => self.end(),
        }
        read
    }

    fn end(&self) {
        lock(&self.state).is_over = true;
        self.over.notify_waiters();
    }
}

/// A pipe within this process: the end that writes, and the one that reads.
#[cfg(feature = "mcp-client")]
pub(crate) fn output_within() -> io::Result<(NamedPipeClient, Output)> {
    let (name, pipe) = make(true)?;
    let writes = ClientOptions::new().read(false).write(true).open(name)?;
    Ok((writes, Output { pipe: connected(pipe)?, reading: Arc::default() }))
}

/// The same in the other direction.
#[cfg(feature = "mcp-client")]
pub(crate) fn input_within() -> io::Result<(Input, NamedPipeClient)> {
    let (name, pipe) = make(false)?;
    let reads = ClientOptions::new().read(true).write(false).open(name)?;
    Ok((Input(connected(pipe)?), reads))
}
