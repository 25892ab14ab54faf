//! The owner waits in the read itself, and is called out of it, by real threads and a real pipe.

use std::io::{PipeWriter, Write, pipe};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use extline_stdio::handover::{Duty, Handover, Seat};
use extline_stdio::{Input, Received, Stdio};
use rustix::event::{Timespec, poll};

use super::PATIENCE;

/// The owner's handover, whose watcher watches, and the host's end of what this thread reads as the owner.
struct Owner {
    handover: Arc<Handover>,
    seat: Arc<Seat>,
    input: Input,
    host: PipeWriter,
    watcher: Option<JoinHandle<()>>,
    /// Says that the test has ended.
    _ended: Sender<()>,
}

impl Owner {
    fn new() -> Self {
        let ((input, host), (_, output)) = (pipe().unwrap(), pipe().unwrap());
        let input = Stdio::from_fds(input.into(), output.into()).unwrap().input;
        let handover = Arc::new(Handover::new(input.waker(), 2));
        handover.expect_watcher();
        let other = Arc::clone(&handover);
        let watcher = Some(thread::spawn(move || watch(&other)));
        let (ended, end) = channel();
        let mut rescue = host.try_clone().unwrap();
        thread::spawn(move || {
            // A read that nobody ends fails the test.
            if end.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                let _ = rescue.write_all(b"nobody has ended the read");
            }
        });
        Self { handover, seat: Seat::new(true), input, host, watcher, _ended: ended }
    }

    fn try_read(&mut self) -> Option<Received> {
        let Self { handover, seat, input, .. } = self;
        handover.read(seat, || input.read(&mut [0; 64]).unwrap())
    }

    /// A quick one, which keeps the watcher awake. On a busy machine it may be slow all the same.
    fn run_handler(&self) {
        if !self.handover.leave(self.handover.enter(true)) {
            self.handover.come_back();
            assert_eq!(self.handover.stand_by(&self.seat), Duty::Own);
        }
    }

    /// Waits as between calls that follow each other quickly, until it waits in the read; the machine
    /// may make any of the waits before it a long one.
    fn read(&mut self) -> Received {
        loop {
            self.run_handler();
            self.handover.poll(&self.seat, || ((), true));
            if let Some(read) = self.try_read() {
                return read;
            }
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.handover.go_home();
        self.watcher.take().unwrap().join().unwrap();
    }
}

/// The watcher, which hands the session back when it had to take it over.
fn watch(handover: &Handover) {
    let seat = Seat::new(false);
    let mut duty = handover.watch_owner(&seat);
    while duty == Duty::Own {
        while !handover.hand_back(&seat) {
            thread::yield_now();
        }
        duty = handover.stand_by(&seat);
    }
}

#[test]
fn after_short_waits_the_owner_waits_in_the_read_and_the_watcher_ends_one_that_lasts() {
    let mut owner = Owner::new();
    owner.host.write_all(b"frame").unwrap();
    assert_eq!(owner.read(), Received::Data(5));
    assert_eq!(owner.read(), Received::Interrupted);
    assert_eq!(owner.try_read(), None, "the wait after one that lasted may last too");
    owner.host.write_all(b"frame").unwrap();
    assert_eq!(owner.read(), Received::Data(5));
}

#[test]
fn who_is_woken_is_not_left_in_the_read() {
    let mut owner = Owner::new();
    for _ in 0..100 {
        owner.host.write_all(b"frame").unwrap();
        assert_eq!(owner.read(), Received::Data(5));
        let handover = Arc::clone(&owner.handover);
        let waking = thread::spawn(move || handover.wake());
        // It comes before the read, which does not begin then, or ends it.
        assert!(matches!(owner.try_read(), None | Some(Received::Interrupted)));
        assert!(owner.input.wait(Some(PATIENCE)).unwrap().woken);
        waking.join().unwrap();
    }
}

#[test]
fn a_system_call_after_the_read_is_not_interrupted() {
    let mut owner = Owner::new();
    let mut host = owner.host.try_clone().unwrap();
    let (next, turns) = channel();
    // About when the watcher calls the owner out.
    let sending = thread::spawn(move || {
        for turn in turns {
            thread::sleep(Duration::from_micros(1000 + turn % 20 * 100));
            host.write_all(b"frame").unwrap();
        }
    });
    for turn in 0..300_u64 {
        next.send(turn).unwrap();
        while owner.read() == Received::Interrupted {}
        let moment = Timespec { tv_sec: 0, tv_nsec: 100_000 };
        assert_eq!(poll(&mut [], Some(&moment)), Ok(0));
    }
    drop(next);
    sending.join().unwrap();
}

#[test]
fn before_a_handler_has_run_the_owner_polls_and_where_a_read_does_not_wait() {
    let mut owner = Owner::new();
    let fresh = Handover::new(owner.input.waker(), 2);
    for _ in 0..100 {
        fresh.poll(&owner.seat, || ((), true));
        assert_eq!(fresh.read(&owner.seat, || ()), None);
    }
    owner.handover.cannot_read(&owner.seat);
    for _ in 0..100 {
        owner.run_handler();
        owner.handover.poll(&owner.seat, || ((), true));
        assert_eq!(owner.try_read(), None);
    }
}
