//! The test of the tester of MCP servers: a server that is right passes every case of both eras, and each
//! case is failed by one that is wrong on purpose.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;

use extline_host::{ExtensionSource, Program};

use super::{Kill, PACE, PYTHON, Selftest, SelftestError, killed, untested};
use crate::case::{Case, Need, era_of, is_about_the_process, is_of_no_revision, mcp_cases};
use crate::conversation::Era;
use crate::report::{CaseReport, Verdict};
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
    let mut by_mutant: BTreeMap<(&str, Era), Vec<&Case>> = BTreeMap::new();
    for case in &cases {
        // What is played once where a server speaks both eras is tested once.
        let is_once = is_of_no_revision(case) || is_about_the_process(case);
        if is_once && era_of(case) == Era::Discover && case.id.contains('@') {
            continue;
        }
        for mutant in &case.mutants {
            by_mutant.entry((mutant, era_of(case))).or_default().push(case);
        }
    }
    let count = by_mutant.len();
    let waiting = Mutex::new(by_mutant.into_iter());
    let done = Mutex::new(Ok((0, Vec::new())));
    let unsound = thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some(((mutant, era), cases)) = next else { return };
                    let found = run(&script, Some(mutant), &[era], &cases);
                    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    match (&mut *done, found) {
                        (Ok((finished, kills)), Ok(found)) => {
                            kills.extend(found.into_iter().map(|case| killed(mutant, case)));
                            *finished += 1;
                            told(*finished, count);
                        }
                        (_, Err(error)) => *done = Err(error),
                        (Err(_), Ok(_)) => {}
                    }
                }
            });
        }
        let unbroken = run(&script, None, &Era::ALL, &cases);
        let is_sound =
            |case: &CaseReport| matches!(case.verdict, Verdict::Pass | Verdict::NotApplicable);
        unbroken.map(|all| all.into_iter().filter(|case| !is_sound(case)).collect::<Vec<_>>())
    })?;
    let (_, mut kills) = done.into_inner().unwrap_or_else(PoisonError::into_inner)?;
    // What is wrong only for a moment is missed where many others have the processor then.
    for kill in kills.iter_mut().filter(|kill| !kill.is_caught()) {
        let Some(case) = cases.iter().find(|case| case.id == kill.case) else { continue };
        let again = run(&script, Some(&kill.mutant), &[era_of(case)], &[case])?;
        kill.verdict = again.first().map_or(kill.verdict, |again| again.verdict);
    }
    kills.sort_by(|one: &Kill, other| (&one.mutant, &one.case).cmp(&(&other.mutant, &other.case)));
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
