//! Who owns the session, by real threads.

#![cfg(any(unix, windows))]

#[cfg(target_os = "linux")]
mod reading;

use std::io::pipe;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use extline_stdio::handover::{Duty, Handover, Seat, Watcher};
use extline_stdio::{Input, Stdio};

/// Only against a test that hangs.
const PATIENCE: Duration = Duration::from_secs(60);

fn handover(handlers: usize) -> (Arc<Handover>, Input) {
    let (input, host) = pipe().unwrap();
    let (_, output) = pipe().unwrap();
    // The input never ends.
    std::mem::forget(host);
    #[cfg(unix)]
    let input = Stdio::from_fds(input.into(), output.into()).unwrap().input;
    #[cfg(windows)]
    let input = Stdio::from_handles(input.into(), output.into()).input;
    (Arc::new(Handover::new(input.waker(), handlers)), input)
}

/// Starts a watcher, which tells what it became. As the owner it stands by once it `may_rest`.
fn start_watcher(handover: &Arc<Handover>, became: &Sender<Duty>, may_rest: Receiver<()>) {
    assert_eq!(handover.watcher(), Watcher::ToBeStarted);
    handover.expect_watcher();
    let (handover, became) = (Arc::clone(handover), became.clone());
    thread::spawn(move || {
        let seat = Seat::new(false);
        let duty = handover.watch_owner(&seat);
        became.send(duty).unwrap();
        if duty == Duty::Own {
            // Said, or nobody is there any more to say it.
            let _ = may_rest.recv();
            became.send(handover.stand_by(&seat)).unwrap();
        }
    });
}

fn next(became: &Receiver<Duty>) -> Duty {
    became.recv_timeout(PATIENCE).unwrap()
}

#[test]
fn the_watcher_takes_the_session_over_from_a_handler_that_keeps_the_owner() {
    let (handover, _input) = handover(2);
    let (sender, became) = channel();
    let (_, may_rest) = channel();
    start_watcher(&handover, &sender, may_rest);
    let run = handover.enter(false);
    assert_eq!(next(&became), Duty::Own);
    assert!(handover.is_any_away());
    assert!(!handover.is_inside(run));
    assert!(!handover.leave(run), "the session is not this thread's any more");
    handover.come_back();
    assert!(!handover.is_any_away());
    handover.go_home();
    assert_eq!(next(&became), Duty::GoHome);
}

#[test]
fn a_handler_that_steps_aside_hands_over_at_once_also_to_a_watcher_that_is_not_there_yet() {
    let (handover, _input) = handover(2);
    handover.expect_watcher();
    let run = handover.enter(true);
    assert!(handover.step_aside(run));
    assert!(!handover.step_aside(run));
    assert!(!handover.leave(run));
    assert_eq!(handover.watch_owner(&Seat::new(false)), Duty::Own);
}

#[test]
fn where_all_are_kept_nobody_is_left_to_watch_until_one_comes_back_and_wakes_the_owner() {
    let (handover, mut input) = handover(1);
    let (sender, became) = channel();
    let (rest, may_rest) = channel();
    start_watcher(&handover, &sender, may_rest);
    let run = handover.enter(false);
    assert_eq!(next(&became), Duty::Own);
    assert_eq!(handover.watcher(), Watcher::None);
    rest.send(()).unwrap();
    assert!(input.wait(Some(PATIENCE)).unwrap().woken);
    assert_eq!(handover.watcher(), Watcher::Ready);
    assert!(!handover.leave(run));
    handover.go_home();
    assert_eq!(next(&became), Duty::GoHome);
}

#[test]
fn without_another_thread_the_owner_is_alone() {
    let (handover, _input) = handover(4);
    assert!(handover.is_alone());
    handover.expect_watcher();
    assert!(!handover.is_alone());
    assert!(handover.expect_no_watcher());
    assert!(handover.is_alone());
}

#[test]
fn who_owns_the_session_after_a_handler_stepped_aside_has_nobody_to_watch_it() {
    // The other thread may be quicker than the one that steps aside.
    for _ in 0..500 {
        let (handover, _input) = handover(1);
        assert_eq!(handover.watcher(), Watcher::ToBeStarted);
        handover.expect_watcher();
        let other = Arc::clone(&handover);
        let watcher = thread::spawn(move || {
            let seat = Seat::new(false);
            assert_eq!(other.watch_owner(&seat), Duty::Own);
            other.watcher()
        });
        let run = handover.enter(true);
        thread::yield_now();
        handover.step_aside(run);
        assert_eq!(watcher.join().unwrap(), Watcher::None);
    }
}
