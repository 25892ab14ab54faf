//! Who owns the session, by real threads.

#![cfg(unix)]

#[cfg(target_os = "linux")]
mod reading;

use std::io::pipe;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use extline_stdio::crew::{Crew, Duty, Heir, Seat};
use extline_stdio::{Input, Stdio};

/// Only against a test that hangs.
const PATIENCE: Duration = Duration::from_secs(60);

fn crew(handlers: usize) -> (Arc<Crew>, Input) {
    let (input, host) = pipe().unwrap();
    let (_, output) = pipe().unwrap();
    // The input never ends.
    std::mem::forget(host);
    let input = Stdio::from_fds(input.into(), output.into()).unwrap().input;
    (Arc::new(Crew::new(input.waker(), handlers)), input)
}

/// Starts an heir, which tells what it became. As the owner it stands by once it `may_rest`.
fn start_heir(crew: &Arc<Crew>, became: &Sender<Duty>, may_rest: Receiver<()>) {
    assert_eq!(crew.heir(), Heir::ToBeStarted);
    crew.expect_heir();
    let (crew, became) = (Arc::clone(crew), became.clone());
    thread::spawn(move || {
        let seat = Seat::new(false);
        let duty = crew.inherit(&seat);
        became.send(duty).unwrap();
        if duty == Duty::Own {
            // Said, or nobody is there any more to say it.
            let _ = may_rest.recv();
            became.send(crew.stand_by(&seat)).unwrap();
        }
    });
}

fn next(became: &Receiver<Duty>) -> Duty {
    became.recv_timeout(PATIENCE).unwrap()
}

#[test]
fn the_heir_takes_the_session_over_from_a_handler_that_keeps_the_owner() {
    let (crew, _input) = crew(2);
    let (sender, became) = channel();
    let (_, may_rest) = channel();
    start_heir(&crew, &sender, may_rest);
    let stay = crew.enter(false);
    assert_eq!(next(&became), Duty::Own);
    assert!(crew.is_any_away());
    assert!(!crew.is_inside(stay));
    assert!(!crew.leave(stay), "the session is not this thread's any more");
    crew.come_back();
    assert!(!crew.is_any_away());
    crew.go_home();
    assert_eq!(next(&became), Duty::GoHome);
}

#[test]
fn a_handler_that_steps_aside_hands_over_at_once_also_to_an_heir_that_is_not_there_yet() {
    let (crew, _input) = crew(2);
    crew.expect_heir();
    let stay = crew.enter(true);
    assert!(crew.step_aside(stay));
    assert!(!crew.step_aside(stay));
    assert!(!crew.leave(stay));
    assert_eq!(crew.inherit(&Seat::new(false)), Duty::Own);
}

#[test]
fn where_all_are_kept_nobody_is_left_to_watch_until_one_comes_back_and_wakes_the_owner() {
    let (crew, mut input) = crew(1);
    let (sender, became) = channel();
    let (rest, may_rest) = channel();
    start_heir(&crew, &sender, may_rest);
    let stay = crew.enter(false);
    assert_eq!(next(&became), Duty::Own);
    assert_eq!(crew.heir(), Heir::None);
    rest.send(()).unwrap();
    assert!(input.wait(Some(PATIENCE)).unwrap().woken);
    assert_eq!(crew.heir(), Heir::Ready);
    assert!(!crew.leave(stay));
    crew.go_home();
    assert_eq!(next(&became), Duty::GoHome);
}

#[test]
fn without_another_thread_the_owner_is_alone() {
    let (crew, _input) = crew(4);
    assert!(crew.is_alone());
    crew.expect_heir();
    assert!(!crew.is_alone());
    assert!(crew.expect_no_heir());
    assert!(crew.is_alone());
}

#[test]
fn who_owns_the_session_after_a_handler_stepped_aside_has_nobody_to_watch_it() {
    // The other thread may be quicker than the one that steps aside.
    for _ in 0..500 {
        let (crew, _input) = crew(1);
        assert_eq!(crew.heir(), Heir::ToBeStarted);
        crew.expect_heir();
        let other = Arc::clone(&crew);
        let heir = thread::spawn(move || {
            let seat = Seat::new(false);
            assert_eq!(other.inherit(&seat), Duty::Own);
            other.heir()
        });
        let stay = crew.enter(true);
        thread::yield_now();
        crew.step_aside(stay);
        assert_eq!(heir.join().unwrap(), Heir::None);
    }
}
