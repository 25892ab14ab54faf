//! What is run and how, and what is told meanwhile.

use std::thread;
use std::time::Duration;

use extline_host::Program;

use crate::case::{Binds, Case};
use crate::conversation::{Canary, draw_seed};
use crate::report::{Baseline, CaseReport, Head};

/// What is run, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The extension's program.
    pub program: Program,
    /// Whom the cases may bind: with [`Binds::Sdk`], cases for SDKs are run too.
    pub binds: Binds,
    /// It is a kit: the cases for kits are run, and one that was written without an SDK is spared
    /// those for SDKs.
    pub kit: bool,
    /// Registered tools and commands may be called.
    pub calls: bool,
    /// A call that the author allows as the question whether the extension lives.
    pub canary: Option<Canary>,
    /// The command that runs one case again, for reports; `$case` stands for its id.
    pub again: Option<String>,
    /// The `hello_ack`; by default that of a host that serves the base.
    pub ack: Option<String>,
    /// What the tester draws by chance comes from here: the same number, the same frames.
    pub seed: u32,
    /// How often a case that failed alone is played again, to tell what fails from what is flaky.
    pub retries: u32,
    /// How many cases are played side by side at most, where the extension works beside itself.
    pub at_once: usize,
    /// A case that could only fail as the one before it did (`behind`) is not played.
    pub spares: bool,
    /// How long an answer takes, where that is known. Else it is measured at first contact; volumes are
    /// fitted to it.
    pub pace: Option<Duration>,
    /// What is known to fail.
    pub baseline: Baseline,
    /// Cases that passed keep what went both ways too, for a report that shows it.
    pub keeps_passes: bool,
}

impl Options {
    /// The cases that bind every extension, none of its own code called, a new seed, nothing known
    /// to fail.
    pub fn of(program: Program) -> Self {
        Self {
            program,
            binds: Binds::Extension,
            kit: false,
            calls: false,
            canary: None,
            again: None,
            ack: None,
            seed: draw_seed(),
            retries: 0,
            at_once: at_once(),
            spares: true,
            pace: None,
            baseline: Baseline::default(),
            keeps_passes: false,
        }
    }

    /// What is run, for a report.
    pub(crate) fn head(&self, cases: usize) -> Head {
        Head {
            tester: env!("CARGO_PKG_VERSION"),
            seed: self.seed,
            program: self.program.line(),
            binds: self.binds,
            calls: self.calls,
            cases,
        }
    }
}

/// More than there are processors, as most cases wait more than they compute, and few enough that none
/// waits for the others.
fn at_once() -> usize {
    thread::available_parallelism().map_or(2, usize::from).clamp(2, 4)
}

/// What happens while a run goes on.
#[derive(Debug)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// This will be run.
    Planned(&'a Head),
    /// A case begins.
    Begins(&'a Case),
    /// A case is decided.
    Decided(&'a CaseReport),
}
