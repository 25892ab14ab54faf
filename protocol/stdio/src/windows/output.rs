//! The way to the host: whole writes that do not deadlock.

use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::input::Input;
use super::shared::{Failure, Shared};
use super::worker::Worker;
use super::{cannot, writer};
use crate::{Error, Next, Ready};

/// The thread that writes is given so much at a time.
const PIECE: usize = 64 * 1024;
/// A host that has room takes a piece within that time, so nobody else has to be looked at meanwhile. The
/// system's clock may make 16 ms of it, once for each piece that the host does not take.
const AT_ONCE: Duration = Duration::from_millis(2);

/// The way to the host.
///
/// One thread writes at a time (`&mut self`), so what one call writes stays together. What a call says is
/// written has left the process.
#[derive(Debug)]
pub struct Output {
    handle: Arc<File>,
    shared: Arc<Shared>,
    /// Writes from the first write on.
    writer: Option<Worker>,
    claimed: bool,
}

/// The host's end of an [`Output`], to wait for ([`Input::wait_for_room`]): whether it takes bytes.
#[derive(Clone, Debug)]
pub struct Room(());

impl Output {
    pub(super) fn new(handle: File, shared: &Arc<Shared>, claimed: bool) -> Self {
        Self { handle: Arc::new(handle), shared: Arc::clone(shared), writer: None, claimed }
    }

    /// For a thread that waits for room in it while others may write.
    pub fn room(&self) -> Room {
        Room(())
    }

    /// Whether the next write would take something, or say that the host is gone.
    pub fn has_room(&self) -> bool {
        self.shared.lock().outgoing.has_room()
    }

    /// Writes all of `bytes`. When the host does not take them, waits for room and for input
    /// together and calls `on_ready` for whatever came; see the crate's example. `input` is the one that
    /// was made with this output.
    ///
    /// `on_ready` should read what is there (`ready.input`) and keep it, and look at
    /// `ready.sigterm` and `ready.woken` as after [`Input::wait`]. It is called
    /// again at once for input it left unread, so when it has read enough it answers
    /// [`Next::OnlyWrite`], which holds for the rest of this call. It is not called at all when the
    /// host's pipe has room.
    ///
    /// # Errors
    ///
    /// [`Error::HostGone`], [`Error::GivenUp`] when `on_ready` said so, where the host may have taken up
    /// to 64 KiB more than it says, [`Error::Io`].
    pub fn write_all_reading(
        &mut self,
        bytes: &[u8],
        input: &mut Input,
        mut on_ready: impl FnMut(&mut Input, Ready) -> Next,
    ) -> Result<(), Error> {
        let mut written = self.try_write(bytes)?;
        let mut reading = true;
        while written < bytes.len() {
            let (ready, writable) = input.wait_also(true, reading, None)?;
            if !ready.timed_out() {
                match on_ready(input, ready) {
                    Next::Read => {}
                    Next::OnlyWrite => reading = false,
                    Next::GiveUp => return Err(Error::GivenUp { written }),
                }
            }
            if writable {
                written += self.try_write(&bytes[written..])?;
            }
        }
        Ok(())
    }

    /// Writes all of `bytes`, blocking while the host does not take them. Only for a thread that
    /// writes while another one reads: where nobody reads, two full pipes stop both sides for ever.
    ///
    /// # Errors
    ///
    /// [`Error::HostGone`], [`Error::Io`].
    pub fn write_all(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let mut written = 0;
        while written < bytes.len() {
            written += self.write(&bytes[written..], None)?;
        }
        Ok(())
    }

    /// Writes as much of `bytes` as the host takes now and says how much that was; does not
    /// wait for longer than a moment. Fewer than all, or 0, means: keep the rest, wait for room, and
    /// go on with it before anything else, as some of it may be on its way.
    ///
    /// # Errors
    ///
    /// [`Error::HostGone`], [`Error::Io`].
    pub fn try_write(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        self.write(bytes, Some(AT_ONCE))
    }

    /// `patience` is the time that the host has for a piece; `None`: all.
    fn write(&mut self, bytes: &[u8], patience: Option<Duration>) -> Result<usize, Error> {
        if bytes.is_empty() {
            return Ok(0);
        }
        self.start_writer()?;
        let mut written = 0;
        // What is under way had its time before.
        let mut until = patience.map(|_| Instant::now());
        let mut state = self.shared.lock();
        loop {
            while !state.outgoing.has_room() {
                if until.is_some_and(|until| until <= Instant::now()) {
                    return Ok(written);
                }
                state = self.shared.wait(state, until);
            }
            match state.outgoing.failure {
                None => {}
                Some(Failure::Closed) => return Err(Error::HostGone),
                Some(failure) => return Err(cannot("write to the host")(failure.to_error())),
            }
            written += std::mem::take(&mut state.outgoing.under_way);
            if written >= bytes.len() {
                return Ok(bytes.len());
            }
            let rest = &bytes[written..];
            state.outgoing.begin(&rest[..rest.len().min(PIECE)]);
            self.shared.tell_writer();
            until = patience.map(|patience| Instant::now() + patience);
        }
    }

    fn start_writer(&mut self) -> Result<(), Error> {
        if self.writer.is_none() {
            let shared = Arc::clone(&self.shared);
            let words = ("extline stdout", "start a thread that writes");
            self.writer = Some(Worker::start(words, &self.handle, move |pipe| {
                writer::run(&shared, pipe);
            })?);
        }
        Ok(())
    }

    pub(super) fn handle(&self) -> &File {
        &self.handle
    }

    pub(super) fn is_claimed(&self) -> bool {
        self.claimed
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take() {
            self.shared.lock().outgoing.is_over = true;
            self.shared.tell_writer();
            writer.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{PipeReader, PipeWriter, Read, Write, pipe};
    use std::thread;

    use super::*;
    use crate::{Received, Stdio};

    const MANY: usize = 1 << 20;

    /// A session whose host is this test, and the host's two ends.
    fn session() -> (Stdio, PipeWriter, PipeReader) {
        let ((input, to), (from, output)) = (pipe().unwrap(), pipe().unwrap());
        (Stdio::from_handles(input.into(), output.into()), to, from)
    }

    fn pattern() -> Vec<u8> {
        (0..=250).cycle().take(MANY).collect()
    }

    #[test]
    fn what_a_write_says_is_written_is_with_the_host() {
        let (Stdio { mut output, .. }, _, mut host) = session();
        output.write_all(b"frame\r\n\x1a").unwrap();
        drop(output);
        let mut arrived = Vec::new();
        host.read_to_end(&mut arrived).unwrap();
        assert_eq!(arrived, b"frame\r\n\x1a");
    }

    #[test]
    fn a_full_pipe_takes_nothing_and_the_write_does_not_block() {
        let (Stdio { mut output, .. }, _, _host) = session();
        let sent = vec![7; MANY];
        let written = output.try_write(&sent).unwrap();
        assert!(written < MANY);
        assert!(!output.has_room());
        assert_eq!(output.try_write(&sent[written..]).unwrap(), 0);
        // A thread waits in a write; dropping the output ends that.
    }

    #[test]
    fn the_rest_goes_out_when_there_is_room_again() {
        let (Stdio { mut input, mut output }, _host, mut from) = session();
        let sent = pattern();
        let mut written = output.try_write(&sent).unwrap();
        let draining = thread::spawn(move || {
            let mut arrived = vec![0; MANY];
            from.read_exact(&mut arrived).unwrap();
            arrived
        });
        let room = output.room();
        while written < MANY {
            assert!(input.wait_for_room(Some(&room), false, None).unwrap().1);
            written += output.try_write(&sent[written..]).unwrap();
        }
        assert!(draining.join().unwrap() == sent);
    }

    #[test]
    fn two_full_pipes_cannot_stop_each_other() {
        let (Stdio { mut input, mut output }, mut to, mut from) = session();
        let host = thread::spawn(move || {
            // Everything is sent before anything is read, as a host with one thread might.
            to.write_all(&pattern()).unwrap();
            let mut arrived = vec![0; MANY];
            from.read_exact(&mut arrived).unwrap();
            arrived
        });
        let (mut ahead, mut buffer) = (Vec::new(), vec![0; 64 << 10]);
        let on_ready = |input: &mut Input, ready: Ready| {
            if ready.input
                && let Received::Data(count) = input.read(&mut buffer).unwrap()
            {
                ahead.extend_from_slice(&buffer[..count]);
            }
            Next::Read
        };
        output.write_all_reading(&pattern(), &mut input, on_ready).unwrap();
        assert!(host.join().unwrap() == pattern());
        let mut rest = [0; 4096];
        while ahead.len() < MANY {
            let Received::Data(count) = input.read(&mut rest).unwrap() else { panic!("too few") };
            ahead.extend_from_slice(&rest[..count]);
        }
        assert!(ahead == pattern());
    }

    #[test]
    fn a_host_that_is_gone_is_an_error_also_in_a_blocked_write_and_for_ever() {
        let (Stdio { mut output, .. }, _, host) = session();
        drop(host);
        for _ in 0..2 {
            assert!(matches!(output.write_all(b"x"), Err(Error::HostGone)));
        }
        let (Stdio { mut output, .. }, _, mut host) = session();
        let writing = thread::spawn(move || output.write_all(&pattern()));
        host.read_exact(&mut [0]).unwrap();
        drop(host);
        assert!(matches!(writing.join().unwrap(), Err(Error::HostGone)));
    }

    #[test]
    fn who_gives_up_is_told_so() {
        let (Stdio { mut input, mut output }, _host, _from) = session();
        input.waker().wake();
        let outcome = output.write_all_reading(&pattern(), &mut input, |_, ready| {
            assert!(ready.woken);
            Next::GiveUp
        });
        assert!(matches!(outcome, Err(Error::GivenUp { written }) if written < MANY));
    }
}
