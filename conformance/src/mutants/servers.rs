//! The test of the tester of MCP servers: a server that is right passes every case of both eras, and each
//! case is failed by one that is wrong on purpose.

use std::fs;
use std::path::Path;
use std::thread;

use extline_host::{ExtensionSource, Program};

use super::{PACE, PYTHON, Selftest, SelftestError, is_sound, pool, untested};
use crate::case::{Case, Need, era_of, is_played_once, mcp_cases};
use crate::conversation::Era;
use crate::report::CaseReport;
use crate::run::{Options, run_server};

/// The server that can be broken, in plain Python: `mcp_server.py NAME`.
const SERVER: &str = include_str!("../../mutants/mcp_server.py");

/// Few: the test of the tester of extensions goes on beside it, and has many.
const AT_ONCE: usize = 3;

/// Tests the tester of MCP servers; `told` hears how many of how many mutants are done.
pub fn server_selftest(told: &(dyn Fn(usize, usize) + Sync)) -> Result<Selftest, SelftestError> {
    let folder = tempfile::tempdir()?;
    let script = folder.path().join("mcp_server.py");
    fs::write(&script, SERVER)?;
    let cases: Vec<&Case> = mcp_cases().values().collect();
    // What is played once where a server speaks both eras is tested once.
    let is_again = |case: &Case| is_played_once(case) && case.id.ends_with(Era::Discover.suffix());
    let tested = cases.iter().copied().filter(|case| !is_again(case));
    let mutants = pool::mutants(tested, era_of).into_iter().collect();
    let run_broken =
        |mutant: &str, era: Era, cases: &[&Case]| run(&script, Some(mutant), &[era], cases);
    let (kills, unbroken) = thread::scope(|scope| {
        let kills = scope.spawn(|| pool::kills(mutants, AT_ONCE, told, run_broken));
        let unbroken = run(&script, None, &Era::ALL, &cases);
        (kills.join(), unbroken)
    });
    let mut kills = kills.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    let unsound = unbroken?.into_iter().filter(|case| !is_sound(case)).collect();
    pool::try_again(&mut kills, &cases, |mutant, case| run_broken(mutant, era_of(case), &[case]))?;
    Ok(Selftest { unsound, kills, untested: untested(&cases) })
}

fn run(
    script: &Path,
    mutant: Option<&str>,
    eras: &[Era],
    cases: &[&Case],
) -> Result<Vec<CaseReport>, SelftestError> {
    // Without the site's packages it starts in half the time.
    let mut words = vec!["-S".to_owned(), script.to_string_lossy().into_owned()];
    words.extend(mutant.map(str::to_owned));
    let source = ExtensionSource::command(PYTHON.as_os_str(), words);
    let folder = script.parent().unwrap_or(Path::new("/"));
    let program = Program::of(&source, folder)
        .map_err(|problem| SelftestError::Start(problem.to_string()))?;
    // A check may look at calls.
    let calls = cases.iter().any(|case| case.check.is_some() || case.needs.contains(&Need::Calls));
    let (at_once, spares, pace) = (1, false, Some(PACE));
    let options = Options { calls, at_once, spares, pace, ..Options::of(program) };
    Ok(run_server(&options, eras, cases, &mut |_| {}).cases)
}
