//! Pipes that are full, in either direction and in both.

use std::fs;
use std::os::fd::AsFd;
use std::time::Duration;

use extline_host::protocol::Deadlines;
use extline_host::{CallOptions, Problem};

use crate::pair::Pair;
use crate::support::LONG;

fn megabyte() -> String {
    format!(r#"{{"text":"{}"}}"#, "x".repeat(1 << 20))
}

#[tokio::test]
async fn one_that_never_reads_while_20_mib_are_sent() {
    let deadlines = Deadlines { write: LONG, ..Deadlines::default() };
    let mut pair = Pair::start_with(&["deaf"], deadlines).await;
    let mut calls = Vec::new();
    for _ in 0..20 {
        let options = CallOptions::default().timeout(10 * LONG);
        calls.extend(pair.host.start_call("hang", &megabyte(), options).await.ok());
        pair.good_one_answers().await;
    }
    let found = pair.next_diagnosis().await;
    let Problem::InputFull { frames, bytes } = found.problem else { panic!("{found}") };
    assert!(frames <= 20 && bytes > 16 << 20, "{found}");
    assert!(found.process.as_deref().unwrap().contains(" waits in "), "{found}");
    assert_eq!(found.suggestion, "read stdin all the time, also while a handler runs");
    assert!(found.to_string().contains("\n  system  process "), "{found}");
    for call in calls {
        call.outcome().await.unwrap_err();
    }
    pair.end().await;
}

#[tokio::test]
async fn one_write_that_takes_too_long() {
    let deadlines = Deadlines { write: Duration::from_millis(700), ..Deadlines::default() };
    let pair = Pair::start_with(&["deaf"], deadlines).await;
    let found = pair.diagnosis_in_call(&megabyte()).await;
    let Problem::InputStalled { waited_ms, bytes } = found.problem else { panic!("{found}") };
    assert_eq!(waited_ms, 700);
    assert!(bytes > 0 && bytes < 1 << 21, "{found}");
    pair.end().await;
}

#[tokio::test]
async fn both_full_at_once_and_nothing_is_lost() {
    let pair = Pair::start(&["both-full"]).await;
    let options = || CallOptions::default().timeout(10 * LONG);
    let mut calls = Vec::new();
    for _ in 0..4 {
        calls.push(pair.host.start_call("hang", &megabyte(), options()).await.unwrap());
        pair.good_one_answers().await;
    }
    for call in calls {
        let result = tokio::time::timeout(LONG, call.outcome()).await.unwrap().unwrap();
        assert_eq!(crate::support::text(&result), "written");
    }
    pair.end().await;
}

#[tokio::test]
async fn pipes_grow_with_the_first_long_frame_in_their_direction() {
    let pair = Pair::start(&["oversized"]).await;
    // Whoever opens the pipe of another process sees its size.
    let size = |descriptor: u32| {
        let id = pair.host.extensions()[0].pid.unwrap();
        let pipe = fs::OpenOptions::new()
            .read(descriptor == 0)
            .write(descriptor == 1)
            .open(format!("/proc/{id}/fd/{descriptor}"))
            .unwrap();
        rustix::pipe::fcntl_getpipe_size(pipe.as_fd()).unwrap()
    };
    pair.good_one_answers().await;
    let small = size(0);
    assert_eq!(size(1), small);
    pair.host.call("seen", &megabyte()).await.unwrap();
    assert_eq!((size(0), size(1)), (1 << 20, small));
    pair.host.call("big", r#"{"bytes":100000}"#).await.unwrap();
    assert_eq!((size(0), size(1)), (1 << 20, 1 << 20));
    pair.end().await;
}
