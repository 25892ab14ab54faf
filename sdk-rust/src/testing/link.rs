//! The testing host's end of the two pipes, and the extension at the other, on a thread of its own.

use std::mem;
use std::sync::{Arc, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use extline_stdio::{Error as StdioError, Input, Output, Received, Stdio};

use crate::handler::message_of;
use crate::serve::{Observed, Observer, serve_over};
use crate::stderr::{Lines, keep_in};
use crate::{Error, Extension, claim, run};

/// While the extension does not take what was sent, how long its answers are waited for before
/// that is tried again.
const RETRY: Duration = Duration::from_millis(5);
const CHUNK: usize = 64 * 1024;

/// How the serving of an extension ended: its exit code, or why there is none.
pub(super) type Served = Result<u8, Breakdown>;

/// An extension that did not end in an ordinary way.
#[derive(Debug)]
pub(super) enum Breakdown {
    /// It could not be served.
    Error(Error),
    /// A panic outside a handler: in the function that creates it, as a rule.
    Panic(String),
}

pub(super) struct Link {
    input: Input,
    /// `None` when it is closed.
    output: Option<Output>,
    /// It is closed as soon as everything is sent.
    closing: bool,
    unsent: Vec<u8>,
    /// Bytes sent in all, unsent ones included.
    sent: u64,
    /// Bytes received in all.
    received: u64,
    buffer: Vec<u8>,
    progress: Arc<Observed>,
    stderr: Lines,
    thread: Option<JoinHandle<Result<u8, Error>>>,
}

/// What one wait brought.
pub(super) enum Arrival<'a> {
    Data(&'a [u8]),
    /// Nothing more will come.
    Eof,
    Nothing,
}

impl Link {
    /// Starts the thread that creates and serves the extension.
    pub(super) fn start(
        create: impl FnOnce() -> Extension + Send + 'static,
    ) -> Result<Self, Error> {
        let (ours, theirs) = pair()?;
        let progress = Arc::<Observed>::default();
        let stderr = Lines::default();
        let observer = Observer::new(Arc::clone(&progress), ours.input.waker());
        let lines = Arc::clone(&stderr);
        let thread = thread::Builder::new()
            .name("extline extension".to_owned())
            .spawn(move || {
                keep_in(lines);
                serve(create, theirs, observer)
            })
            .map_err(Error::system("start a thread for the extension"))?;
        Ok(Self {
            input: ours.input,
            output: Some(ours.output),
            closing: false,
            unsent: Vec::new(),
            sent: 0,
            received: 0,
            buffer: vec![0; CHUNK],
            progress,
            stderr,
            thread: Some(thread),
        })
    }

    /// Takes what there is to send; [`Link::wait`] sends what the extension does not take now.
    pub(super) fn send(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.unsent.extend_from_slice(bytes);
        self.sent += bytes.len() as u64;
        self.write()
    }

    /// Waits for what the extension says, at most until then. It also returns when the extension has
    /// become calm.
    pub(super) fn wait(&mut self, until: Instant) -> Result<Arrival<'_>, Error> {
        self.write()?;
        let mut left = until.saturating_duration_since(Instant::now());
        if !self.unsent.is_empty() {
            left = left.min(RETRY);
        }
        if !self.input.wait(Some(left))?.input {
            return Ok(Arrival::Nothing);
        }
        Ok(match self.input.read(&mut self.buffer)? {
            Received::Data(count) => {
                self.received += count as u64;
                Arrival::Data(&self.buffer[..count])
            }
            Received::Eof => Arrival::Eof,
            Received::Interrupted | Received::WouldBlock => Arrival::Nothing,
        })
    }

    /// Whether the extension has done all that it was sent except the calls that still run, and
    /// written what came of it, which is here. On Windows what was written is not there to read at once.
    pub(super) fn is_calm(&self) -> bool {
        self.progress.calm() == self.sent && self.received >= self.progress.written()
    }

    /// Whether the extension has read all that it was sent, and begun to do it.
    pub(super) fn is_read(&self) -> bool {
        self.progress.read() == self.sent
    }

    /// Lines that the extension would have written to stderr.
    pub(super) fn stderr(&self) -> Vec<String> {
        self.stderr.lock().unwrap_or_else(PoisonError::into_inner).lines.clone()
    }

    /// How handlers failed that answer nobody, since this was asked last.
    pub(super) fn take_failures(&self) -> Vec<String> {
        mem::take(&mut self.stderr.lock().unwrap_or_else(PoisonError::into_inner).failures)
    }

    /// How the extension ended; `None` when it has not ended by then, or was asked about before.
    pub(super) fn join(&mut self, until: Instant) -> Option<Served> {
        let thread = self.thread.take_if(|thread| wait_for(thread, until))?;
        Some(match thread.join() {
            Ok(served) => served.map_err(Breakdown::Error),
            Err(panic) => Err(Breakdown::Panic(message_of(&*panic).to_owned())),
        })
    }

    /// Closes the extension's input behind what was sent.
    pub(super) fn close(&mut self) -> Result<(), Error> {
        self.closing = true;
        self.write()
    }

    fn write(&mut self) -> Result<(), Error> {
        if let Some(output) = &mut self.output
            && !self.unsent.is_empty()
        {
            match output.try_write(&self.unsent) {
                Ok(count) => drop(self.unsent.drain(..count)),
                // That it is gone is read as the end of its output.
                Err(StdioError::HostGone) => self.unsent.clear(),
                Err(error) => return Err(error.into()),
            }
        }
        if self.closing && self.unsent.is_empty() {
            self.output = None;
        }
        Ok(())
    }
}

/// On the extension's thread: everything of it stays here, so nothing of it need be `Send`.
fn serve(
    create: impl FnOnce() -> Extension,
    stdio: Stdio,
    observer: Observer,
) -> Result<u8, Error> {
    let mut extension = claim::leaving(create);
    if let Some(mistake) = extension.mistake.take() {
        return Err(mistake);
    }
    let runtime = run::runtime()?;
    let served = runtime.block_on(serve_over(extension, stdio, None, Some(observer)));
    // What the author still has on blocking threads must not hold the end up.
    runtime.shutdown_background();
    served
}

/// Whether it has ended by then. There is no `join` with a timeout; this is asked for once in the
/// life of a host, when the thread has closed its pipe.
fn wait_for(thread: &JoinHandle<Result<u8, Error>>, until: Instant) -> bool {
    while !thread.is_finished() {
        if Instant::now() >= until {
            return false;
        }
        thread::sleep(Duration::from_millis(1));
    }
    true
}

/// The host's end and the extension's.
#[cfg(unix)]
fn pair() -> Result<(Stdio, Stdio), Error> {
    let pipe = || std::io::pipe().map_err(Error::system("open a pipe"));
    let (extension_reads, host_writes) = pipe()?;
    let (host_reads, extension_writes) = pipe()?;
    let ours = Stdio::from_fds(host_reads.into(), host_writes.into())?;
    let theirs = Stdio::from_fds(extension_reads.into(), extension_writes.into())?;
    Ok((ours, theirs))
}

#[cfg(windows)]
fn pair() -> Result<(Stdio, Stdio), Error> {
    let pipe = || std::io::pipe().map_err(Error::system("open a pipe"));
    let (extension_reads, host_writes) = pipe()?;
    let (host_reads, extension_writes) = pipe()?;
    let ours = Stdio::from_handles(host_reads.into(), host_writes.into());
    let theirs = Stdio::from_handles(extension_reads.into(), extension_writes.into());
    Ok((ours, theirs))
}

#[cfg(not(any(unix, windows)))]
fn pair() -> Result<(Stdio, Stdio), Error> {
    Err(StdioError::Unsupported.into())
}
