//! `extline` itself is killed: nothing of its extensions survives.

#![cfg(unix)]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use support::{Extline, misbehave, signal, wait_until_gone};

#[test]
fn sigkill_to_extline_run_leaves_nothing_running() {
    let extline = Extline::new();
    let words = misbehave(&["run"], &["stubborn"]);
    let mut run = extline.command(&words).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = run.stdin.take().unwrap();
    input.write_all(b"!pids\n").unwrap();
    let mut lines = BufReader::new(run.stdout.take().unwrap()).lines();
    // The process ids of the extension, and of a child that ignores SIGTERM as it does.
    let ids = lines.find_map(|line| serde_json::from_str::<Vec<u32>>(&line.unwrap()).ok()).unwrap();
    assert_eq!(ids.len(), 2);
    signal(&run, "KILL");
    run.wait().unwrap();
    for id in ids {
        wait_until_gone(&id.to_string());
    }
}
