//! A copy of a built-in case does what the case does.

mod support;

use std::path::Path;

use extline_conformance::{
    Boundary, Case, CaseReport, Cause, Level, Options, Outcome, Verdict, builtin, copied_id,
    copy_of, parse_own, run,
};
use extline_host::{ExtensionSource, Program};
use support::python;

/// Shared and own processes, values with a search, checks; that all copies are read whole is tested
/// beside the code.
const CASES: [&str; 9] = [
    "E-FRM-08", "E-JSN-02", "E-JSN-16", "E-LIF-01", "E-LIF-13", "E-OUT-01", "E-REG-08", "E-TOL-01",
    "E-UNI-01",
];

/// What came of a case, without what differs from run to run.
#[derive(Debug, PartialEq)]
struct Came {
    level: Level,
    clauses: Vec<String>,
    verdict: Verdict,
    outcome: Option<Outcome>,
    boundary: Option<Boundary>,
    cause: Option<Cause>,
}

impl Came {
    fn of(report: &CaseReport) -> Self {
        Self {
            level: report.level,
            clauses: report.clauses.clone(),
            verdict: report.verdict,
            outcome: report.failure.as_ref().map(|failure| failure.outcome),
            boundary: report.boundary.clone(),
            cause: report.cause.clone(),
        }
    }
}

#[test]
fn copies_say_of_an_extension_what_the_cases_say() {
    let mut cases: Vec<&Case> = CASES.iter().map(|id| &builtin()[*id]).collect();
    let copies: Vec<Case> =
        cases.iter().flat_map(|case| parse_own("copies", &copy_of(case)).unwrap()).collect();
    cases.extend(&copies);
    // It dies of most that is no frame, so there is much to say.
    let extension = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/written_by_hand");
    let source = ExtensionSource::command(
        python(),
        ["-S".into(), extension.join("python_stdin.py").into_os_string()],
    );
    let program =
        Program::of(&source, Path::new("/")).unwrap_or_else(|problem| panic!("{problem}"));
    let report = run(&Options::of(program), &cases, &mut |_| {});
    let of = |id: &str| Came::of(report.cases.iter().find(|case| case.id == id).unwrap());
    for id in CASES {
        assert_eq!(of(&copied_id(id)), of(id), "{id}");
    }
    let searched = of("my-e-jsn-16");
    assert_eq!(searched.boundary.map(|boundary| (boundary.good, boundary.bad)), Some((4300, 4301)));
    assert!(searched.cause.is_some_and(|cause| cause.certain));
}
