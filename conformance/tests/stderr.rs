//! The tester reads stderr at all times: an extension may write there as much as it likes.

use std::path::Path;

use extline_conformance::{Case, Options, Verdict, builtin, run};
use extline_host::{ExtensionSource, Program};

#[test]
fn a_flood_on_stderr_is_no_defect_and_holds_nothing_up() {
    let puppet = concat!(env!("CARGO_MANIFEST_DIR"), "/mutants/puppet.py");
    // 100,000 bytes before each answer, more than a pipe holds.
    let source = ExtensionSource::command("python3", ["-S", puppet, "noisy"]);
    let program = Program::of(&source, Path::new("/")).unwrap();
    let options = Options { calls: true, ..Options::of(program) };
    let ids = ["E-FRM-01", "E-FRM-26", "E-TOL-12", "E-TOL-34", "E-CMD-01", "E-BPR-01", "E-LIF-01"];
    let cases: Vec<&Case> = ids.iter().map(|id| &builtin()[*id]).collect();
    let report = run(&options, &cases, &mut |_| {});
    for case in &report.cases {
        assert_eq!(case.verdict, Verdict::Pass, "{}: {:?}", case.id, case.failure);
    }
}
