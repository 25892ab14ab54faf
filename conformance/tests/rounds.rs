//! Programs as people write them by hand, with the mistakes that they make: the tester tells the cause
//! of each failure, and whoever follows its cures, and nothing else, is done after three rounds.
//!
//! Each folder of `rounds` has a program, and in `rounds.toml` what is mended in each round and which
//! cure says so.

mod support;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use extline_conformance::{Case, CaseReport, Need, Options, Report, builtin, run};
use extline_host::{ExtensionSource, Program};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rounds {
    /// Programs without which it is left out.
    needs: Vec<String>,
    /// What makes it, in its folder.
    #[serde(default)]
    build: Vec<String>,
    file: String,
    /// Threads of the program race: what they break is another thing in each run, and now and then it
    /// looks like a mistake of another kind. A round may be played `RUNS` times.
    #[serde(default)]
    races: bool,
    /// It starts several programs for each frame, so that all cases are played at the end alone.
    #[serde(default)]
    is_slow: bool,
    round: Vec<Round>,
}

const RUNS: usize = 5;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Round {
    mend: Vec<Mend>,
}

/// One cause, with a case that tells it, and what its cure makes of the program.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mend {
    case: String,
    /// Parts of the cause and of the cure.
    cause: String,
    cure: String,
    /// Threads that race make it fail in most runs, not in all.
    #[serde(default)]
    by_chance: bool,
    /// What stands in the file, and what the cure puts in its place.
    #[serde(default)]
    edits: Vec<[String; 2]>,
}

#[test]
fn ruby() {
    follow("ruby");
}

#[test]
fn go() {
    follow("go");
}

#[test]
fn java() {
    follow("java");
}

#[test]
fn asyncio() {
    follow("asyncio");
}

#[test]
fn shell() {
    follow("shell");
}

/// Mends a program round by round with what the tester says, until it is conformant.
fn follow(name: &str) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rounds").join(name);
    let rounds: Rounds =
        toml::from_str(&fs::read_to_string(source.join("rounds.toml")).unwrap()).unwrap();
    if let Some(missing) = rounds.needs.iter().find(|program| !on_path(program)) {
        let _ = writeln!(std::io::stderr(), "SKIPPED {name}: {missing} is not installed");
        return;
    }
    assert!(rounds.round.len() <= 3, "{name} takes more than three rounds");
    let folder = tempfile::tempdir().unwrap();
    for file in fs::read_dir(&source).unwrap().map(|file| file.unwrap().path()) {
        fs::copy(&file, folder.path().join(file.file_name().unwrap())).unwrap();
    }
    let file = folder.path().join(&rounds.file);
    for (number, round) in rounds.round.iter().enumerate() {
        // Little is left in the last round, so only that is looked at, to save time.
        let is_last = number > 0 && number + 1 == rounds.round.len();
        let is_told = |case: &Case| round.mend.iter().any(|mend| mend.case == case.id);
        let is_left = |case: &Case| !(is_last || rounds.is_slow) || is_told(case);
        let place = format!("{name}, round {}", number + 1);
        let play = || round.is_told(&test(folder.path(), &rounds.build, is_left));
        let runs = if rounds.races { RUNS } else { 1 };
        let untold: Vec<String> = (0..runs).map_while(|_| play().err()).collect();
        assert!(untold.len() < runs, "{place}: {}", untold.join("\n"));
        let mut text = fs::read_to_string(&file).unwrap();
        for [was, is] in round.mend.iter().flat_map(|mend| &mend.edits) {
            assert!(text.contains(was), "{place}: there is no {was}");
            text = text.replace(was, is);
        }
        fs::write(&file, text).unwrap();
    }
    let mut report = test(folder.path(), &rounds.build, |_| true);
    let failed = |report: &Report| -> Vec<String> {
        let failed = report.cases.iter().filter(|case| case.failure.is_some());
        failed.map(|case| case.id.clone()).collect()
    };
    let once = failed(&report);
    if !once.is_empty() {
        // A shell that starts programs is slow where much else runs: such a case is played again alone.
        report = test(folder.path(), &rounds.build, |case| once.contains(&case.id));
    }
    let left = report.cases.iter().filter(|case| case.failure.is_some());
    let left: Vec<_> = left.map(in_short).collect();
    assert!(left.is_empty() && report.exit_code() == 0, "{name}, at the end: {left:#?}");
}

fn in_short(case: &CaseReport) -> String {
    let got = case.failure.as_ref().map(|failure| &failure.got);
    let stderr = case.evidence.as_ref().map(|evidence| &evidence.stderr);
    format!("{} {:?} got {got:?}, cause {:?}, stderr {stderr:?}", case.id, case.verdict, case.cause)
}

/// Runs every case that is wanted, with calls.
fn test(folder: &Path, build: &[String], wanted: impl Fn(&Case) -> bool) -> Report {
    if let Some((program, words)) = build.split_first() {
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("go-build");
        let output = Command::new(program)
            .args(words)
            .current_dir(folder)
            // Kept, since Go's own library takes longest.
            .env("GOCACHE", cache)
            .env("GO111MODULE", "off")
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let source = ExtensionSource::folder(folder);
    let program = Program::of(&source, folder).unwrap_or_else(|problem| panic!("{problem}"));
    let options = Options { calls: true, ..Options::of(program) };
    let is_played = |case: &&Case| !case.deep && !case.needs.contains(&Need::Kit) && wanted(case);
    let cases: Vec<&Case> = builtin().values().filter(is_played).collect();
    run(&options, &cases, &mut |_| {})
}

impl Round {
    /// Each mistake is told, and nothing is broken that none of them explains.
    fn is_told(&self, report: &Report) -> Result<(), String> {
        self.mend.iter().try_for_each(|mend| mend.is_told(report))?;
        let explained = |case: &CaseReport| self.mend.iter().any(|mend| mend.explains(case));
        let broken = report.cases.iter().filter(|case| case.is_broken() && !explained(case));
        let broken: Vec<_> = broken.map(in_short).collect();
        if broken.is_empty() { Ok(()) } else { Err(format!("no cause explains {broken:#?}")) }
    }
}

impl Mend {
    /// The case fails, and its cause and its cure are told.
    fn is_told(&self, report: &Report) -> Result<(), String> {
        let failed = report.cases.iter().find(|case| case.id == self.case).unwrap();
        if self.by_chance && failed.failure.is_none() {
            return Ok(());
        }
        let told = failed.cause.as_ref();
        let is_right = told
            .is_some_and(|told| told.cause.contains(&self.cause) && told.fix.contains(&self.cure));
        if is_right { Ok(()) } else { Err(format!("not {:?}: {}", self.cause, in_short(failed))) }
    }

    fn explains(&self, case: &CaseReport) -> bool {
        case.cause.as_ref().is_some_and(|told| told.cause.contains(&self.cause))
    }
}

fn on_path(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder: PathBuf| folder.join(program).is_file())
}
