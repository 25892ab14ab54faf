//! The test of the tester of hosts, and of that of MCP clients: what is right passes every case, and each case is failed
//! by a host or a client that is wrong on purpose.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::{PYTHON, Selftest, SelftestError, is_sound, pool, untested};
use crate::case::{Binds, Case, Cases, client_cases, host_cases};
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

/// The client of MCP that can be broken: `mcp_client.py NAME`.
const CLIENT: [(&str, &str); 1] = [("mcp_client.py", include_str!("../../mutants/mcp_client.py"))];

/// What a driver operates, and can be broken.
struct Subject<'a> {
    /// Its program in plain Python, whose first file is started with the name of a mutant.
    files: &'a [(&'a str, &'a str)],
    binds: Binds,
    cases: &'static Cases,
    /// Cases in which it writes lines of every kind.
    shows: &'a [&'a str],
    /// How many mutants are tested at the same time: most of them are waited for.
    at_once: usize,
    puppet: &'a [OsString],
}

/// Tests the tester of hosts. `puppet` is the program that stands in place of extensions, as
/// [`HostOptions`] takes it; `told` is called with how many of the mutants are done.
pub fn host_selftest(
    puppet: &[OsString],
    told: &(dyn Fn(usize, usize) + Sync),
) -> Result<Selftest, SelftestError> {
    let shows = &["H-HSK-01", "H-TOL-01", "H-TOL-05", "H-TOL-15", "H-EVT-01"];
    let (binds, cases, at_once) = (Binds::Host, host_cases(), 6);
    Subject { files: &HOST, binds, cases, shows, at_once, puppet }.test(told)
}

/// Tests the tester of MCP clients; as [`host_selftest`].
pub fn client_selftest(
    puppet: &[OsString],
    told: &(dyn Fn(usize, usize) + Sync),
) -> Result<Selftest, SelftestError> {
    let shows = &["C-INI-02", "C-CAL-04", "C-LST-01"];
    let (binds, cases, at_once) = (Binds::Client, client_cases(), 3);
    Subject { files: &CLIENT, binds, cases, shows, at_once, puppet }.test(told)
}

impl Subject<'_> {
    fn test(&self, told: &(dyn Fn(usize, usize) + Sync)) -> Result<Selftest, SelftestError> {
        let folder = tempfile::tempdir()?;
        self.files.iter().try_for_each(|(name, text)| fs::write(folder.path().join(name), text))?;
        let script = folder.path().join(self.files[0].0);
        let cases: Vec<&Case> = self.cases.values().collect();
        let mutants = pool::mutants(cases.iter().copied(), |_| ()).into_iter().collect();
        let (kills, unbroken) = thread::scope(|scope| {
            let run_broken =
                |mutant: &str, (), cases: &[&Case]| Ok(self.run(&script, Some(mutant), cases));
            let kills = scope.spawn(move || pool::kills(mutants, self.at_once, told, run_broken));
            let unbroken = self.run(&script, None, &cases);
            (kills.join(), unbroken)
        });
        let mut kills = kills.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        pool::try_again(&mut kills, &cases, |mutant, case| {
            Ok(self.run(&script, Some(mutant), &[case]))
        })?;
        let unsound = unbroken.into_iter().filter(|case| !is_sound(case)).collect();
        Ok(Selftest { unsound, kills, untested: untested(&cases) })
    }

    fn run(&self, script: &Path, mutant: Option<&str>, cases: &[&Case]) -> Vec<CaseReport> {
        // Without the site's packages it starts in half the time.
        let mut driver: Vec<OsString> =
            vec![PYTHON.clone().into(), "-S".into(), script.as_os_str().to_owned()];
        driver.extend(mutant.map(OsString::from));
        // What watches all is seen in whatever is played.
        let mut played = cases.to_vec();
        if cases.iter().all(|case| case.check.is_some()) {
            let shows = |case: &&Case| self.shows.contains(&case.id.as_str());
            played.extend(self.cases.values().filter(shows));
        }
        // One that is right is waited for; of one that is broken nobody knows whether something comes.
        let soft = Duration::from_secs(if mutant.is_some() { 3 } else { 30 });
        let binds = self.binds;
        let options = HostOptions { soft, binds, ..HostOptions::of(driver, self.puppet.to_vec()) };
        let reports = run_host(&options, &played, &mut |_| {}).cases;
        reports.into_iter().filter(|report| cases.iter().any(|case| case.id == report.id)).collect()
    }
}
