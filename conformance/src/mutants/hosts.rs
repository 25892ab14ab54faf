//! The test of the tester of hosts: a host that is right passes every case, and each case is failed
//! by a host that is wrong on purpose.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::{PYTHON, Selftest, SelftestError, is_sound, pool, untested};
use crate::case::{Case, host_cases};
use crate::hosts::{HostOptions, run_host};
use crate::report::CaseReport;

/// The host that can be broken, in plain Python: `host.py NAME`.
const HOST: [(&str, &str); 12] = [
    ("host.py", include_str!("../../mutants/host.py")),
    ("host_basics.py", include_str!("../../mutants/host_basics.py")),
    ("host_agent.py", include_str!("../../mutants/host_agent.py")),
    ("host_calls.py", include_str!("../../mutants/host_calls.py")),
    ("host_extension.py", include_str!("../../mutants/host_extension.py")),
    ("host_filters.py", include_str!("../../mutants/host_filters.py")),
    ("host_intercepts.py", include_str!("../../mutants/host_intercepts.py")),
    ("host_pending.py", include_str!("../../mutants/host_pending.py")),
    ("host_person.py", include_str!("../../mutants/host_person.py")),
    ("host_programs.py", include_str!("../../mutants/host_programs.py")),
    ("host_services.py", include_str!("../../mutants/host_services.py")),
    ("host_process.py", include_str!("../../mutants/host_process.py")),
];
/// Most of them wait: a broken host for what does not come, a case for a time to pass.
const AT_ONCE: usize = 6;

/// Tests the tester of hosts; `puppet` as in [`HostOptions`]. `told` hears how many of how many
/// mutants are done.
pub fn host_selftest(
    puppet: &[OsString],
    told: &(dyn Fn(usize, usize) + Sync),
) -> Result<Selftest, SelftestError> {
    let folder = tempfile::tempdir()?;
    HOST.iter().try_for_each(|(name, text)| fs::write(folder.path().join(name), text))?;
    let script = folder.path().join("host.py");
    let cases: Vec<&Case> = host_cases().values().collect();
    let mutants = pool::mutants(cases.iter().copied(), |_| ()).into_iter().collect();
    let (kills, unbroken) = thread::scope(|scope| {
        let run_broken =
            |mutant: &str, (), cases: &[&Case]| Ok(run(&script, puppet, Some(mutant), cases));
        let kills = scope.spawn(move || pool::kills(mutants, AT_ONCE, told, run_broken));
        let unbroken = run(&script, puppet, None, &cases);
        (kills.join(), unbroken)
    });
    let kills = kills.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    let unsound = unbroken.into_iter().filter(|case| !is_sound(case)).collect();
    Ok(Selftest { unsound, kills, untested: untested(&cases) })
}

fn run(
    script: &Path,
    puppet: &[OsString],
    mutant: Option<&str>,
    cases: &[&Case],
) -> Vec<CaseReport> {
    // Without the site's packages it starts in half the time.
    let mut driver: Vec<OsString> =
        vec![PYTHON.clone().into(), "-S".into(), script.as_os_str().to_owned()];
    driver.extend(mutant.map(OsString::from));
    // What watches all is seen in whatever is played.
    let played: Vec<&Case> = if cases.iter().all(|case| case.check.is_some()) {
        let more = host_cases().values().filter(|case| SHOWS.contains(&case.id.as_str()));
        cases.iter().copied().chain(more).collect()
    } else {
        cases.to_vec()
    };
    // One that is right is waited for; of one that is broken nobody knows whether something comes.
    let soft = Duration::from_secs(if mutant.is_some() { 3 } else { 30 });
    let options = HostOptions { soft, ..HostOptions::of(driver, puppet.to_vec()) };
    let reports = run_host(&options, &played, &mut |_| {}).cases;
    reports.into_iter().filter(|report| cases.iter().any(|case| case.id == report.id)).collect()
}

/// Cases in which a host writes frames of every kind.
const SHOWS: [&str; 5] = ["H-HSK-01", "H-TOL-01", "H-TOL-05", "H-TOL-15", "H-EVT-01"];
