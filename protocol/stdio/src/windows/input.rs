//! What arrives: bytes, their end, the end of the process, wake-ups.

use std::fs::File;
use std::io::PipeReader;
use std::sync::{Arc, MutexGuard};
use std::task;
use std::time::{Duration, Instant};

use super::arrivals::Arrivals;
use super::console::Listener;
use super::output::Room;
use super::shared::{Failure, Shared, State, Waker};
use super::worker::Worker;
use super::{cannot, pipe, reader};
use crate::{Error, Ready, Received};

/// What arrives from the host, and everything else that can end a wait.
///
/// One thread owns it at a time (it can move between threads).
#[derive(Debug)]
pub struct Input {
    handle: Arc<File>,
    shared: Arc<Shared>,
    /// Reads from the first wait on.
    reader: Option<Worker>,
    listener: Option<Listener>,
    /// End-of-file was seen; it is not reported again.
    ended: bool,
    /// It was said that the host has closed its end.
    hung_up: bool,
    claimed: bool,
}

impl Input {
    pub(super) fn new(handle: File, shared: &Arc<Shared>, claimed: bool) -> Self {
        Self {
            handle: Arc::new(handle),
            shared: Arc::clone(shared),
            reader: None,
            listener: None,
            ended: false,
            hung_up: false,
            claimed,
        }
    }

    /// Reads what is there into `buffer`; blocks while nothing is. 64 KiB is a good size; an empty buffer
    /// is [`Received::WouldBlock`].
    ///
    /// A blocked read ends for nothing else: a driver that cares calls [`Input::wait`] first.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<Received, Error> {
        self.start_reader()?;
        let shared = Arc::clone(&self.shared);
        let mut state = shared.lock();
        while !buffer.is_empty() && !state.incoming.is_readable() {
            state = shared.wait(state, None);
        }
        self.take(state, buffer)
    }

    /// Reads what is there into `buffer` and never waits: [`Received::WouldBlock`] when nothing is. For
    /// event loops.
    ///
    /// # Errors
    ///
    /// As [`Input::read`].
    pub fn try_read(&mut self, buffer: &mut [u8]) -> Result<Received, Error> {
        self.start_reader()?;
        let shared = Arc::clone(&self.shared);
        self.take(shared.lock(), buffer)
    }

    fn take(
        &mut self,
        mut state: MutexGuard<'_, State>,
        buffer: &mut [u8],
    ) -> Result<Received, Error> {
        if buffer.is_empty() {
            return Ok(Received::WouldBlock);
        }
        let count = state.incoming.take(buffer);
        if count > 0 {
            self.shared.tell_reader();
            return Ok(Received::Data(count));
        }
        match state.incoming.end {
            None => Ok(Received::WouldBlock),
            Some(Failure::Closed) => {
                self.ended = true;
                Ok(Received::Eof)
            }
            Some(failure) => Err(cannot("read from the host")(failure.to_error())),
        }
    }

    /// Waits until something happens, or until `timeout` has passed (`None`: for ever). Zero asks
    /// and does not wait.
    ///
    /// The end of the process and wake-ups are reported once. Input is reported until it is read; after
    /// end-of-file was read it is not reported any more, so that the waits of a shutdown do not
    /// spin.
    pub fn wait(&mut self, timeout: Option<Duration>) -> Result<Ready, Error> {
        self.wait_also(false, true, timeout).map(|(ready, _)| ready)
    }

    /// Waits as [`Input::wait`] does, and also until the host takes bytes; the second value says
    /// whether it does. Without `room` nobody has anything to write; bytes are waited for only if
    /// `reading`, else no more than their end ([`Ready::hung_up`]). The room is that of the output that
    /// was made with this input, and another thread may hold that.
    ///
    /// # Errors
    ///
    /// As [`Input::wait`].
    pub fn wait_for_room(
        &mut self,
        room: Option<&Room>,
        reading: bool,
        timeout: Option<Duration>,
    ) -> Result<(Ready, bool), Error> {
        self.wait_also(room.is_some(), reading, timeout)
    }

    pub(super) fn wait_also(
        &mut self,
        for_room: bool,
        reading: bool,
        timeout: Option<Duration>,
    ) -> Result<(Ready, bool), Error> {
        self.start_reader()?;
        // A time too far away to be counted is no limit.
        let until = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut state = self.shared.lock();
        loop {
            let incoming = &state.incoming;
            let has_end = incoming.has_hung_up || incoming.end.is_some();
            let ready = Ready {
                input: reading && !self.ended && incoming.is_readable(),
                hung_up: !reading && !self.ended && !self.hung_up && has_end,
                sigterm: self.listener.is_some() && state.is_told_to_end,
                woken: state.is_pressed,
                ..Ready::default()
            };
            let writable = for_room && state.outgoing.has_room();
            let is_late = || until.is_some_and(|until| until <= Instant::now());
            if writable || !ready.timed_out() || is_late() {
                self.hung_up |= ready.hung_up;
                state.is_told_to_end &= !ready.sigterm;
                state.is_pressed = false;
                return Ok((ready, writable));
            }
            state = self.shared.wait(state, until);
        }
    }

    /// Whether the host has closed its end, for a session that has read enough ahead and so reads no
    /// more. Nothing is waited for. Not for a file, whose end is found by reading.
    ///
    /// # Errors
    ///
    /// None here.
    pub fn has_hung_up(&self) -> Result<bool, Error> {
        if self.reader.is_none() {
            return Ok(pipe::is_closing(&self.handle));
        }
        let state = self.shared.lock();
        Ok(state.incoming.has_hung_up || state.incoming.end.is_some())
    }

    /// Whether the process was told to end, and no wait has reported it yet.
    pub fn signal_waits(&self) -> bool {
        self.listener.is_some() && self.shared.lock().is_told_to_end
    }

    /// A handle with which any thread can end the wait.
    pub fn waker(&self) -> Waker {
        Waker::of(&self.shared)
    }

    /// What another thread can wait for that takes nothing.
    pub fn arrivals(&self) -> Arrivals {
        Arrivals::of(&self.shared)
    }

    /// Has a task woken as soon as a wait would end, or the host takes bytes. Only the task of the last
    /// call is woken, and once: it looks by a wait of no time then, and calls this again before it looks.
    ///
    /// # Errors
    ///
    /// As [`Input::wait`].
    pub fn wake_when_ready(&mut self, task: &task::Waker) -> Result<(), Error> {
        self.start_reader()?;
        self.shared.wake_at_change(task);
        Ok(())
    }

    /// Not on this platform, where no signal handler writes to a pipe.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`].
    pub fn hear_signals(&mut self, _bytes: PipeReader) -> Result<(), Error> {
        Err(Error::Unsupported)
    }

    /// Nothing more than [`Input::listen_for_sigterm`] does: who listens last is told first, and a runtime as
    /// Node's listens from its start on.
    ///
    /// # Errors
    ///
    /// None here.
    pub fn listen_in_front(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Reports Ctrl-C, Ctrl-Break and the end of the console as [`Ready::sigterm`](crate::Ready) from now
    /// on, until this value is dropped; then they do again what they did before. Calling it again changes
    /// nothing.
    ///
    /// # Errors
    ///
    /// [`Error::AlreadyListening`] when another session of this process listens, [`Error::Io`].
    pub fn listen_for_sigterm(&mut self) -> Result<(), Error> {
        if self.listener.is_none() {
            self.listener = Some(Listener::new(&self.shared)?);
        }
        Ok(())
    }

    fn start_reader(&mut self) -> Result<(), Error> {
        if self.reader.is_none() {
            let shared = Arc::clone(&self.shared);
            let words = ("extline stdin", "start a thread that reads");
            self.reader = Some(Worker::start(words, &self.handle, move |pipe| {
                reader::run(&shared, pipe);
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

impl Drop for Input {
    fn drop(&mut self) {
        if let Some(reader) = self.reader.take() {
            self.shared.lock().incoming.is_over = true;
            self.shared.tell_reader();
            reader.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{PipeReader, PipeWriter, Read, Write, pipe};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;
    use crate::{Arrived, Stdio};

    const SOON: Option<Duration> = Some(Duration::from_millis(20));

    /// A session whose host is this test, and the host's two ends.
    fn session() -> (Stdio, PipeWriter, PipeReader) {
        let ((input, to), (from, output)) = (pipe().unwrap(), pipe().unwrap());
        (Stdio::from_handles(input.into(), output.into()), to, from)
    }

    #[test]
    fn a_wait_reports_input_until_it_is_read() {
        let (Stdio { mut input, .. }, mut host, _) = session();
        assert!(input.wait(SOON).unwrap().timed_out());
        assert_eq!(input.try_read(&mut [0; 16]).unwrap(), Received::WouldBlock);
        host.write_all(b"frame").unwrap();
        assert!(input.wait(None).unwrap().input);
        assert!(input.wait(None).unwrap().input);

        let mut buffer = [0; 16];
        assert_eq!(input.read(&mut buffer[..3]).unwrap(), Received::Data(3));
        assert_eq!(input.read(&mut buffer[3..]).unwrap(), Received::Data(2));
        assert_eq!(&buffer[..5], b"frame");
        assert!(input.wait(Some(Duration::ZERO)).unwrap().timed_out());
    }

    #[test]
    fn end_of_file_is_reported_until_it_is_read_and_then_waits_do_not_spin() {
        let (Stdio { mut input, .. }, host, _) = session();
        drop(host);
        assert!(input.wait(None).unwrap().input);
        assert_eq!(input.read(&mut [0; 16]).unwrap(), Received::Eof);
        assert!(input.wait(SOON).unwrap().timed_out());
    }

    #[test]
    fn bytes_are_left_as_they_are() {
        let (Stdio { mut input, .. }, mut host, _) = session();
        let sent = b"one\r\ntwo\n\x1a\0three\r";
        host.write_all(sent).unwrap();
        drop(host);
        let (mut arrived, mut buffer) = (Vec::new(), [0; 8]);
        while let Received::Data(count) = input.read(&mut buffer).unwrap() {
            arrived.extend_from_slice(&buffer[..count]);
        }
        assert_eq!(arrived, sent);
    }

    #[test]
    fn a_wait_for_room_ends_when_the_host_reads_and_waits_for_bytes_only_if_asked() {
        let (Stdio { mut input, mut output }, mut host, mut reading_end) = session();
        let room = output.room();
        assert!(input.wait_for_room(Some(&room), true, None).unwrap().1);
        while input.wait_for_room(Some(&room), true, SOON).unwrap().1 {
            output.try_write(&[0; 4096]).unwrap();
        }
        host.write_all(b"frame").unwrap();
        assert!(input.wait_for_room(Some(&room), true, None).unwrap().0.input);
        let (ready, writable) = input.wait_for_room(Some(&room), false, SOON).unwrap();
        assert!(ready.timed_out() && !writable);
        let mut drained = vec![0; 4096];
        while !input.wait_for_room(Some(&room), false, SOON).unwrap().1 {
            reading_end.read_exact(&mut drained).unwrap();
        }
    }

    #[test]
    fn the_end_is_seen_before_the_bytes_that_are_not_read_and_once() {
        // One that the reading thread takes, and one that is more than it takes.
        for length in [5, 1 << 20] {
            let (Stdio { mut input, .. }, mut host, _) = session();
            assert!(!input.has_hung_up().unwrap());
            let sending = thread::spawn(move || host.write_all(&vec![7; length]).unwrap());
            if length == 5 {
                sending.join().unwrap();
            } else {
                assert!(input.wait_for_room(None, false, SOON).unwrap().0.timed_out());
                let mut read = 0;
                // What the host's pipe holds at most stays behind.
                while read < length - (80 << 10) {
                    let Received::Data(count) = input.read(&mut [0; 4096]).unwrap() else {
                        panic!("the end came after {read} bytes");
                    };
                    read += count;
                }
                sending.join().unwrap();
            }
            let (ready, _) = input.wait_for_room(None, false, None).unwrap();
            assert_eq!(ready, Ready { hung_up: true, ..Ready::default() });
            assert!(input.has_hung_up().unwrap());
            assert!(input.wait_for_room(None, false, SOON).unwrap().0.timed_out());
            assert!(input.wait(None).unwrap().input, "the bytes are still there");
        }
    }

    #[test]
    fn a_waker_ends_the_wait_of_another_thread_and_many_wake_ups_are_one() {
        let (Stdio { mut input, .. }, _host, _) = session();
        let waker = input.waker();
        let waiting = thread::spawn(move || (input.wait(None).unwrap(), input));
        waker.wake();
        let (ready, mut input) = waiting.join().unwrap();
        assert_eq!(ready, Ready { woken: true, ..Ready::default() });
        for _ in 0..100 {
            waker.wake();
        }
        assert!(waker.is_pressed());
        assert!(input.wait(None).unwrap().woken);
        assert!(input.wait(Some(Duration::ZERO)).unwrap().timed_out());
    }

    #[test]
    fn another_thread_can_wait_for_what_comes_and_takes_nothing() {
        let (Stdio { mut input, .. }, mut host, _) = session();
        let arrivals = input.arrivals();
        assert_eq!(input.try_read(&mut [0; 16]).unwrap(), Received::WouldBlock);
        let of_host = Arrived { host: true, own: false };
        assert_eq!(arrivals.wait((true, true), None, SOON).unwrap(), Arrived::default());
        host.write_all(b"frame").unwrap();
        assert_eq!(arrivals.wait((true, false), None, None).unwrap(), of_host);
        assert_eq!(arrivals.wait((false, true), None, SOON).unwrap(), Arrived::default());
        input.waker().wake();
        assert_eq!(arrivals.wait((false, true), None, None).unwrap(), of_host);
    }

    #[test]
    fn a_task_is_woken_for_bytes_once() {
        struct Count(AtomicUsize);
        impl task::Wake for Count {
            fn wake(self: Arc<Self>) {
                self.0.fetch_add(1, Ordering::SeqCst);
            }
        }
        let (Stdio { mut input, .. }, mut host, _) = session();
        let count = Arc::new(Count(AtomicUsize::new(0)));
        input.wake_when_ready(&task::Waker::from(Arc::clone(&count))).unwrap();
        assert_eq!(count.0.load(Ordering::SeqCst), 0);
        for _ in 0..2 {
            host.write_all(b"frame").unwrap();
            assert!(input.wait(None).unwrap().input);
            input.read(&mut [0; 16]).unwrap();
        }
        assert_eq!(count.0.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn one_session_of_a_process_listens_for_the_end_until_it_is_dropped() {
        let ((mut first, ..), (mut second, ..)) = (session(), session());
        first.input.listen_for_sigterm().unwrap();
        first.input.listen_for_sigterm().unwrap();
        assert!(matches!(second.input.listen_for_sigterm(), Err(Error::AlreadyListening)));
        drop(first);
        second.input.listen_for_sigterm().unwrap();
    }

    #[test]
    fn an_input_that_is_dropped_while_its_thread_reads_closes_the_pipe() {
        let (Stdio { mut input, .. }, mut host, _) = session();
        assert!(input.wait(SOON).unwrap().timed_out());
        drop(input);
        assert!(host.write_all(b"frame").is_err());
    }
}
