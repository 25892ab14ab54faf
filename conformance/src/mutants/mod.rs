//! The test of the tester: an extension that is right passes every case, and each case is failed
//! by an extension that is wrong on purpose.

#[cfg(unix)]
mod hosts;
mod pool;
mod servers;
#[cfg(not(unix))]
mod unsupported;

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

use extline_host::{ExtensionSource, Program};
use serde_json::json;
use thiserror::Error;

#[cfg(unix)]
pub use self::hosts::{client_selftest, host_selftest};
pub use self::servers::server_selftest;
#[cfg(not(unix))]
pub use self::unsupported::{client_selftest, host_selftest};
use crate::case::{Binds, Case, Need, POINTS, Point, Step, Verb, builtin, deepened};
use crate::report::{CaseReport, Verdict};
use crate::run::{Options, run};

/// The extension that can be broken: `puppet.py NAME`.
const PUPPET: [(&str, &str); 3] = [
    ("puppet_itself.py", include_str!("../../mutants/puppet.py")),
    ("puppet_input.py", include_str!("../../mutants/puppet_input.py")),
    ("puppet_output.py", include_str!("../../mutants/puppet_output.py")),
];
/// The kit in plain Python and what breaks it: `kit_mutant.py NAME`.
const KIT: [(&str, &str); 18] = [
    ("kit.py", include_str!("../../kit/python/kit.py")),
    ("frames.py", include_str!("../../kit/python/frames.py")),
    ("pipes.py", include_str!("../../kit/python/pipes.py")),
    ("calls.py", include_str!("../../kit/python/calls.py")),
    ("tools.py", include_str!("../../kit/python/tools.py")),
    ("moments.py", include_str!("../../kit/python/moments.py")),
    ("rpc.py", include_str!("../../kit/python/rpc.py")),
    ("services.py", include_str!("../../kit/python/services.py")),
    ("registrations.py", include_str!("../../kit/python/registrations.py")),
    ("mutation.py", include_str!("../../mutants/mutation.py")),
    ("broken_surface.py", include_str!("../../mutants/broken_surface.py")),
    ("broken_results.py", include_str!("../../mutants/broken_results.py")),
    ("broken_calls.py", include_str!("../../mutants/broken_calls.py")),
    ("broken_cancels.py", include_str!("../../mutants/broken_cancels.py")),
    ("broken_output.py", include_str!("../../mutants/broken_output.py")),
    ("broken_moments.py", include_str!("../../mutants/broken_moments.py")),
    ("broken_requests.py", include_str!("../../mutants/broken_requests.py")),
    ("broken_services.py", include_str!("../../mutants/broken_services.py")),
];
const KIT_MUTANT: &str = include_str!("../../mutants/kit_mutant.py");
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
/// How long an answer of theirs takes on a machine that has time for them.
const PACE: Duration = Duration::from_micros(500);
/// What a step waits at least that does not say for how long.
const SOFT_MS: u64 = 2000;

/// What came of the test of the tester.
#[derive(Debug)]
pub struct Selftest {
    /// Cases that the unbroken puppet, or the unbroken kit, did not pass, with what came of them.
    pub unsound: Vec<CaseReport>,
    /// Each mutant with each case that must catch it.
    pub kills: Vec<Kill>,
    /// Cases that no mutant fails.
    pub untested: Vec<String>,
}

/// What one case made of one mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kill {
    /// How the puppet or the kit is broken.
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
    fn of(mutant: &str, case: CaseReport) -> Self {
        Self { mutant: mutant.to_owned(), case: case.id, verdict: case.verdict }
    }

    /// Whether the case noticed what is wrong.
    pub fn is_caught(&self) -> bool {
        matches!(self.verdict, Verdict::Fail | Verdict::Warn | Verdict::Info)
    }
}

/// Tests the tester; `told` hears how many of how many mutants are done.
pub fn selftest(told: &(dyn Fn(usize, usize) + Sync)) -> Result<Selftest, SelftestError> {
    let folder = tempfile::tempdir()?;
    let programs = Programs::write_down(folder.path())?;
    let cases: Vec<&Case> = builtin().values().collect();
    let (for_kits, for_all): (Vec<&Case>, Vec<&Case>) =
        cases.iter().partition(|case| is_for_kits(case));
    // Both wait more than they work.
    let (kit, puppet) = thread::scope(|scope| {
        let kit = scope.spawn(|| programs.run(true, None, &for_kits));
        let puppet = programs.run(false, None, &for_all);
        (kit.join(), puppet)
    });
    let kit = kit.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    let at_points = at_points();
    let points = programs.run(false, None, &at_points.iter().collect::<Vec<_>>())?;
    let unsound = puppet?.into_iter().chain(kit).chain(points);
    let unsound = unsound.filter(|case| !is_sound(case)).collect();
    // Who is waited for longest goes first, so that the others need not wait for it at the end.
    let mut mutants: Vec<_> =
        pool::mutants(cases.iter().copied(), is_for_kits).into_iter().collect();
    mutants.sort_by_key(|(_, cases)| Reverse(cases.iter().map(|case| longest(case)).sum::<u64>()));
    let mut kills = pool::kills(mutants, AT_ONCE, told, |mutant, kit, cases| {
        programs.run(kit, Some(mutant), cases)
    })?;
    pool::try_again(&mut kills, &cases, |mutant, case| {
        programs.run(is_for_kits(case), Some(mutant), &[case])
    })?;
    for (point, case) in POINTS.iter().zip(&at_points) {
        let (_, mutant) = point.kill;
        let caught = programs.run(false, Some(mutant), &[case])?;
        kills.extend(caught.into_iter().map(|case| Kill::of(mutant, case)));
    }
    Ok(Selftest { unsound, kills, untested: untested(&cases) })
}

/// For each point of `--deep` the case there that an extension fails which is wrong only there.
fn at_points() -> Vec<Case> {
    let at = |point: &Point| {
        let all = deepened(builtin().get(point.kill.0).as_slice());
        all.into_iter().find(|case| Point::of(case) == Some(point))
    };
    POINTS.iter().filter_map(at).collect()
}

fn is_for_kits(case: &Case) -> bool {
    case.needs.contains(&Need::Kit)
}

/// The two programs that can be broken.
struct Programs {
    puppet: PathBuf,
    kit: PathBuf,
}

impl Programs {
    fn write_down(folder: &Path) -> io::Result<Self> {
        let programs = Self { puppet: folder.join("puppet.py"), kit: folder.join("kit_mutant.py") };
        // Python keeps the compiled form of what is imported, and reads a script anew at every start.
        fs::write(&programs.puppet, "import puppet_itself\n")?;
        fs::write(&programs.kit, KIT_MUTANT)?;
        let mut imported = PUPPET.iter().chain(&KIT);
        imported.try_for_each(|(name, text)| fs::write(folder.join(name), text))?;
        Ok(programs)
    }

    /// What the cases make of one of them, broken or not.
    fn run(
        &self,
        kit: bool,
        mutant: Option<&str>,
        cases: &[&Case],
    ) -> Result<Vec<CaseReport>, SelftestError> {
        let script = if kit { &self.kit } else { &self.puppet };
        let folder = script.parent().unwrap_or(Path::new("/"));
        let source = ExtensionSource::folder(with_manifest(folder, script, kit, mutant)?);
        let program = Program::of(&source, folder)
            .map_err(|problem| SelftestError::Start(problem.to_string()))?;
        let (binds, calls) = (Binds::Sdk, true);
        // Mutants are tested side by side already.
        let (at_once, spares) = (1, false);
        // How much a case asks decides what it sees, so that must not depend on how busy the machine is.
        let pace = Some(PACE);
        let options = Options { binds, kit, calls, at_once, spares, pace, ..Options::of(program) };
        Ok(run(&options, cases, &mut |_| {}).cases)
    }
}

/// A folder with a manifest that starts the script.
fn with_manifest(
    folder: &Path,
    script: &Path,
    kit: bool,
    mutant: Option<&str>,
) -> io::Result<PathBuf> {
    let name = if kit { "extline-kit" } else { "puppet" };
    let own = folder.join(format!("{name} {}", mutant.unwrap_or("unbroken")));
    fs::create_dir_all(&own)?;
    // Without the site's packages it starts in half the time.
    let words = [Some("-S".into()), Some(script.to_string_lossy()), mutant.map(Into::into)];
    let words: Vec<_> = words.into_iter().flatten().collect();
    let manifest = json!({"name": name, "version": "1.0.0", "exec": &*PYTHON, "args": words});
    fs::write(own.join("extension.json"), manifest.to_string())?;
    Ok(own)
}

/// How long a case waits for something that does not come, in milliseconds.
fn longest(case: &Case) -> u64 {
    let time = |step: &Step| match step.verb {
        Verb::Aside(millis) => millis,
        _ => step.within_ms.unwrap_or(SOFT_MS),
    };
    case.steps.iter().map(time).max().unwrap_or_default()
}

/// Whether what is not broken passes.
fn is_sound(case: &CaseReport) -> bool {
    matches!(case.verdict, Verdict::Pass | Verdict::NotApplicable)
}

fn untested(cases: &[&Case]) -> Vec<String> {
    let untested = cases.iter().filter(|case| case.mutants.is_empty());
    untested.map(|case| case.id.clone()).collect::<BTreeSet<_>>().into_iter().collect()
}
