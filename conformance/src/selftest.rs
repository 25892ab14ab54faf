//! The test of the tester: an extension that is right passes every case, and each case is failed
//! by an extension that is wrong on purpose.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread;

use extline_host::{ExtensionSource, Program};
use thiserror::Error;

use crate::case::{Case, builtin};
use crate::clause::Binds;
use crate::report::{CaseReport, Verdict};
use crate::run::{Options, run};

/// The extension that can be broken: `puppet.py NAME`.
const PUPPET: &str = include_str!("../mutants/puppet.py");
/// The interpreter itself: `python3` on the path may be a script of a version manager that takes
/// longer than the interpreter.
static PYTHON: LazyLock<PathBuf> = LazyLock::new(|| {
    let output = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let path = output.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    let path = path.map(|path| PathBuf::from(path.trim())).filter(|path| path.is_absolute());
    path.unwrap_or_else(|| PathBuf::from("python3"))
});

/// Most mutants are waited for rather than worked on.
const AT_ONCE: usize = 12;

/// What came of the test of the tester.
#[derive(Debug)]
pub struct Selftest {
    /// Cases that the unbroken puppet did not pass, with what came of them.
    pub unsound: Vec<CaseReport>,
    /// Each mutant with each case that must catch it.
    pub kills: Vec<Kill>,
    /// Cases that no mutant fails.
    pub untested: Vec<String>,
}

/// What one case made of one mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kill {
    /// How the puppet is broken.
    pub mutant: String,
    /// The case.
    pub case: String,
    /// What came of it.
    pub verdict: Verdict,
}

/// Why the tester could not be tested.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SelftestError {
    /// The puppet cannot be written down.
    #[error("the puppet cannot be written to a temporary folder: {0}")]
    Write(#[from] io::Error),
    /// The puppet cannot be started: there is no Python.
    #[error("the puppet cannot be started: {0}")]
    Start(String),
}

impl Selftest {
    /// Whether every case is passed by what is right and failed by what is wrong.
    pub fn is_sound(&self) -> bool {
        self.unsound.is_empty()
            && self.untested.is_empty()
            && self.kills.iter().all(Kill::is_caught)
    }
}

impl Kill {
    /// Whether the case noticed what is wrong.
    pub fn is_caught(&self) -> bool {
        matches!(self.verdict, Verdict::Fail | Verdict::Warn | Verdict::Info)
    }
}

/// Tests the tester; `told` hears how many of how many mutants are done.
pub fn selftest(told: &(dyn Fn(usize, usize) + Sync)) -> Result<Selftest, SelftestError> {
    let folder = tempfile::tempdir()?;
    let puppet = folder.path().join("puppet.py");
    fs::write(&puppet, PUPPET)?;
    let cases: Vec<&Case> = builtin().values().collect();
    let whole = run(&options(&puppet, None)?, &cases, &mut |_| {});
    let is_sound = |case: &CaseReport| {
        // The puppet has no manifest; everything else it has.
        matches!(case.verdict, Verdict::Pass | Verdict::NotApplicable)
    };
    let unsound = whole.cases.into_iter().filter(|case| !is_sound(case)).collect();
    Ok(Selftest { unsound, kills: kills(&puppet, &cases, told)?, untested: untested(&cases) })
}

fn kills(
    puppet: &Path,
    cases: &[&Case],
    told: &(dyn Fn(usize, usize) + Sync),
) -> Result<Vec<Kill>, SelftestError> {
    let mut by_mutant: BTreeMap<&str, Vec<&Case>> = BTreeMap::new();
    for case in cases {
        for mutant in &case.mutants {
            by_mutant.entry(mutant).or_default().push(case);
        }
    }
    let count = by_mutant.len();
    let waiting = Mutex::new(by_mutant.into_iter());
    let done = Mutex::new(Ok((0, Vec::new())));
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some((mutant, cases)) = next else { return };
                    let found = kills_of(puppet, mutant, &cases);
                    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    match (&mut *done, found) {
                        (Ok((finished, kills)), Ok(found)) => {
                            kills.extend(found);
                            *finished += 1;
                            told(*finished, count);
                        }
                        (_, Err(error)) => *done = Err(error),
                        (Err(_), Ok(_)) => {}
                    }
                }
            });
        }
    });
    let (_, mut kills) = done.into_inner().unwrap_or_else(PoisonError::into_inner)?;
    kills.sort_by(|one, other| (&one.mutant, &one.case).cmp(&(&other.mutant, &other.case)));
    Ok(kills)
}

fn kills_of(puppet: &Path, mutant: &str, cases: &[&Case]) -> Result<Vec<Kill>, SelftestError> {
    let report = run(&options(puppet, Some(mutant))?, cases, &mut |_| {});
    let kill =
        |case: CaseReport| Kill { mutant: mutant.to_owned(), case: case.id, verdict: case.verdict };
    Ok(report.cases.into_iter().map(kill).collect())
}

fn untested(cases: &[&Case]) -> Vec<String> {
    let untested = cases.iter().filter(|case| case.mutants.is_empty());
    untested.map(|case| case.id.clone()).collect::<BTreeSet<_>>().into_iter().collect()
}

fn options(puppet: &Path, mutant: Option<&str>) -> Result<Options, SelftestError> {
    // Without the site's packages it starts in half the time.
    let words = ["-S".as_ref(), puppet.as_os_str()];
    let words = words.into_iter().chain(mutant.map(AsRef::as_ref));
    let source = ExtensionSource::command(&*PYTHON, words);
    let cwd = puppet.parent().unwrap_or(Path::new("/"));
    let program =
        Program::of(&source, cwd).map_err(|problem| SelftestError::Start(problem.to_string()))?;
    Ok(Options { binds: Binds::Sdk, calls: true, ..Options::of(program) })
}
