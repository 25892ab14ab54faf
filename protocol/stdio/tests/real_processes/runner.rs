//! Runs the tests one after the other and reports them as libtest does.

#![expect(clippy::print_stdout, reason = "a test report goes to stdout")]

use std::process::ExitCode;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use std::{env, thread};

pub(crate) type Test = (&'static str, fn());

/// Lists functions of a module as tests, under their own names.
macro_rules! tests {
    ($($name:ident),+ $(,)?) => {
        pub(crate) const TESTS: &[crate::runner::Test] = &[$((stringify!($name), $name)),+];
    };
}
pub(crate) use tests;

/// Far beyond what any test takes: whoever needs longer is in a deadlock.
const DEADLOCK: Duration = Duration::from_secs(120);

pub(crate) fn run(tests: &[Test]) -> ExitCode {
    let filters: Vec<String> = env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let chosen: Vec<&Test> = tests
        .iter()
        .filter(|(name, _)| filters.is_empty() || filters.iter().any(|part| name.contains(part)))
        .collect();
    if env::args().any(|arg| arg == "--list") {
        for (name, _) in chosen {
            println!("{name}: test");
        }
        return ExitCode::SUCCESS;
    }

    let mut failed = 0;
    for (name, test) in &chosen {
        let verdict = judge(*test);
        println!("test {name} ... {verdict}");
        failed += usize::from(verdict != "ok");
    }
    println!("\n{} passed; {failed} failed", chosen.len() - failed);
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn judge(test: fn()) -> &'static str {
    let (done, outcome) = channel();
    let running = thread::spawn(move || {
        test();
        let _ = done.send(());
    });
    match outcome.recv_timeout(DEADLOCK) {
        Ok(()) => "ok",
        // The thread panicked and dropped its end; the panic has printed why.
        Err(RecvTimeoutError::Disconnected) => {
            let _ = running.join();
            "FAILED"
        }
        // The thread stays behind; its processes end with this one, when their pipes break.
        Err(RecvTimeoutError::Timeout) => "FAILED: it hangs",
    }
}
