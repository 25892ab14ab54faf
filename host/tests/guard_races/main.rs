//! Races of guards: thousands of calls at once while the guards are killed, stopped, continued,
//! started again, late, malformed or displaced. A call that a guard forbids must never run.
//!
//! Some seconds by default. `EXTLINE_SOAK_SECONDS` plays longer, and `EXTLINE_SOAK_SEED` plays what
//! another run did; how the threads of the system run beside each other is no part of that.

#![cfg(unix)]
#![expect(clippy::print_stdout, reason = "what was counted, shown with --nocapture or a failure")]

mod chaos;
mod round;
mod scene;

use std::env;
use std::time::{Duration, Instant};

use crate::round::{Counts, play};

/// How long it plays where nobody says.
const SHORT: Duration = Duration::from_secs(4);

fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok().map(|text| text.parse().expect("a number"))
}

/// A guard that fails where it should start would be one that dies, and nothing would show it.
#[test]
fn each_start_is_what_its_name_says() {
    for start in scene::STARTS.iter().chain(&scene::DECLARED_STARTS) {
        if ["hangs", "hangs_declared", "mute"].contains(start) {
            continue;
        }
        let home = tempfile::tempdir().unwrap();
        let args = scene::guard(home.path(), &[start]);
        let output = std::process::Command::new("sh").args(args).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let failed = String::from_utf8(output.stderr).unwrap();
        assert_eq!(failed, "", "{start}");
        assert_eq!(output.status.code(), Some(if start.starts_with("dies") { 3 } else { 0 }));
        let hello = said.lines().next().unwrap_or_default();
        let is_declared = start.contains("declared") || *start == "whole";
        assert_eq!(hello.contains("guards"), is_declared, "{start}: {hello}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_forbidden_call_ever_runs() {
    let seed = number("EXTLINE_SOAK_SEED").unwrap_or_else(|| fastrand::u64(..));
    let plays = number("EXTLINE_SOAK_SECONDS").map_or(SHORT, Duration::from_secs);
    let mut random = fastrand::Rng::with_seed(seed);
    let began = Instant::now();
    let mut all = Counts::default();
    let mut rounds = 0;
    // A machine that is busy with other things may get through a round or two in that time, and none of
    // them need have each kind of call.
    let longest = plays * 10;
    while began.elapsed() < plays || !all.has_each_kind() && began.elapsed() < longest {
        let counts = play(random.fork()).await;
        rounds += 1;
        assert_eq!(
            counts.forbidden_ran, 0,
            "a forbidden call ran: EXTLINE_SOAK_SEED={seed}, round {rounds}: {counts:?}"
        );
        all.add(&counts);
    }
    println!("seed {seed}, {rounds} rounds in {:.1} s: {all:?}", began.elapsed().as_secs_f64());
    assert!(all.refused > 0, "the guards were asked and refused nothing: EXTLINE_SOAK_SEED={seed}");
    assert!(all.closed > 0, "no call met a guard that is away: EXTLINE_SOAK_SEED={seed}");
    assert!(all.allowed_ran > 0, "nothing ever passed: EXTLINE_SOAK_SEED={seed}");
}
