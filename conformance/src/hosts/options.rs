//! What is run against which host, and how.

use std::ffi::OsString;
use std::time::Duration;

use crate::case::Binds;
use crate::conversation::draw_seed;
use crate::report::{Baseline, Head};

/// What is run against which host, and how.
#[derive(Clone, Debug)]
pub struct HostOptions {
    /// The driver of the host: a program and its arguments.
    pub driver: Vec<OsString>,
    /// The driver's client is told its server on its command line and does what it does by itself: cases in
    /// which something is asked of it are not played.
    pub by_command: bool,
    /// The puppet: a program and its arguments; the tester adds the path of its socket and the
    /// name of the extension. `extline conformance puppet` is one.
    pub puppet: Vec<OsString>,
    /// The command that runs one case again, for reports; `$case` stands for its id.
    pub again: Option<String>,
    /// Shown in reports; nothing a host is sent is drawn by chance.
    pub seed: u32,
    /// How long a healthy host may take for what a case gives no time; 10 s by default. One that
    /// computes, or waits for a disk, gets more.
    pub soft: Duration,
    /// What is known to fail.
    pub baseline: Baseline,
    /// Cases that passed keep what happened too, for a report that shows it.
    pub keeps_passes: bool,
    /// What the driver operates: [`Binds::Host`], or [`Binds::Client`] of MCP.
    pub binds: Binds,
}

impl HostOptions {
    /// Nothing known to fail.
    pub fn of(driver: Vec<OsString>, puppet: Vec<OsString>) -> Self {
        Self {
            driver,
            puppet,
            by_command: false,
            again: None,
            seed: draw_seed(),
            soft: Duration::from_secs(10),
            baseline: Baseline::default(),
            keeps_passes: false,
            binds: Binds::Host,
        }
    }

    /// What is run, for a report.
    pub(crate) fn head(&self, cases: usize) -> Head {
        Head {
            tester: env!("CARGO_PKG_VERSION"),
            seed: self.seed,
            program: self.line(),
            binds: self.binds,
            calls: true,
            cases,
        }
    }

    /// The command line of the driver, for people.
    fn line(&self) -> String {
        let words = self.driver.iter().map(|word| word.to_string_lossy().into_owned());
        let mut words: Vec<_> = words.collect();
        if self.by_command
            && let Some(end) = words.iter().position(|word| word == "--")
        {
            // What stands before is the tester's own.
            words.drain(..=end);
        }
        words.join(" ")
    }
}
