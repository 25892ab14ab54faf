//! What the tester calls: nothing that the extension registered, unless that is allowed.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use extline_conformance::{
    Binds, Case, Need, Options, Report, Style, Verdict, builtin, run, summary_text,
};
use extline_host::{ExtensionSource, Program};
use support::python;

#[test]
fn nothing_that_is_registered_is_called() {
    // The level of SDKs has every case of the base level too.
    let tested = Tested::with(&[], Binds::Sdk, false);
    assert_eq!(tested.calls, [""; 0]);
    assert_eq!(tested.of("E-TOL-02"), Verdict::Pass);
    assert_eq!(tested.of("E-TOL-34"), Verdict::NotApplicable);
    assert_eq!(tested.of("E-CMD-01"), Verdict::NotApplicable);
    let not_run = tested.report.cases.iter().filter(|case| case.verdict == Verdict::CouldNotRun);
    assert_eq!(not_run.count(), 0, "the run is whole without a call");
}

#[test]
fn what_is_allowed_is_called_with_the_sample_of_the_manifest() {
    let tested = Tested::with(&[], Binds::Extension, true);
    assert_eq!(tested.of("E-TOL-34"), Verdict::Pass);
    assert_eq!(tested.of("E-CMD-01"), Verdict::Pass);
    // `say` is registered behind another tool, and is the one that the manifest has a sample for.
    assert!(tested.calls.contains(&r#"tool say {"text": "hi"}"#.to_owned()), "{:?}", tested.calls);
    assert!(tested.calls.contains(&"command deploy x".to_owned()), "{:?}", tested.calls);
    let harmful = tested.calls.iter().any(|call| call.contains("delete_everything"));
    assert!(!harmful, "{:?}", tested.calls);
}

#[test]
fn what_runs_a_tool_for_an_unknown_name_is_warned_about_and_not_called_again() {
    let tested = Tested::with(&["careless-tools"], Binds::Sdk, false);
    assert_eq!(tested.kinds(), ["tool extline_nobody_registered"]);
    assert_eq!(tested.of("E-TOL-02"), Verdict::Warn);
    // It is asked for a command that nobody registered instead.
    assert_eq!(tested.of("E-CMD-05"), Verdict::Pass);
    assert_eq!(tested.of("E-TOL-12"), Verdict::Pass);
}

#[test]
fn what_runs_a_command_for_an_unknown_name_as_well_is_asked_nothing_more() {
    let tested = Tested::with(&["careless-tools", "careless-commands"], Binds::Extension, false);
    assert_eq!(
        tested.kinds(),
        ["tool extline_nobody_registered", "command extline_nobody_registered"]
    );
    assert_eq!(tested.of("E-TOL-02"), Verdict::Warn);
    assert_eq!(tested.of("E-CMD-05"), Verdict::Warn);
    // What needs an answer of it is left out, as what calls it is.
    assert_eq!(tested.of("E-TOL-12"), Verdict::NotApplicable);
    let reason = |id: &str| {
        let case = tested.report.cases.iter().find(|case| case.id == id);
        case.and_then(|case| case.reason.clone()).unwrap_or_default()
    };
    assert!(reason("E-TOL-12").contains("(E-TOL-02); --call allows that"));
    // What needs none is played, and the end that is asked for shows that it lives.
    assert_eq!(tested.of("E-FRM-01"), Verdict::Pass);
    assert_eq!(tested.of("E-JSN-01"), Verdict::Pass);
    let not_run = tested.report.cases.iter().filter(|case| case.verdict == Verdict::CouldNotRun);
    assert_eq!(not_run.count(), 0);
}

#[test]
fn what_is_not_called_is_told() {
    let told =
        |calls| summary_text(&Tested::with(&[], Binds::Extension, calls).report, Style::Plain);
    let told_without = told(false);
    let nothing = "nothing that it registered was called: --call allows that";
    assert!(told_without.contains(nothing), "{told_without}");
    let told_with = told(true);
    assert!(told_with.contains("called: 1 tool (say) and 1 command (deploy)"), "{told_with}");
    assert!(told_with.contains("not called: delete_everything; \"samples\""), "{told_with}");
}

#[test]
fn a_sample_that_is_wrong_is_told_and_no_other_tool_is_called_in_its_place() {
    let say = "wrong in extension.json, and not called: /samples";
    for (samples, told) in [
        (serde_json::json!({"sya": {"text": "hi"}}), "/sya: it registers no such tool: "),
        (serde_json::json!({"say": "hi"}), "/say: "),
    ] {
        let tested = Tested::with_samples(&samples, &[], Binds::Extension, true);
        let summary = summary_text(&tested.report, Style::Plain);
        assert!(summary.contains(&format!("{say}{told}")), "{samples}: {summary}");
        let called = tested
            .calls
            .iter()
            .any(|call| call.starts_with("tool ") && !call.contains("extline_nobody_registered"));
        assert!(!called, "{samples}: {:?}", tested.calls);
    }
}

/// A run against the extension that marks what runs.
struct Tested {
    report: Report,
    /// What ran, in order.
    calls: Vec<String>,
}

impl Tested {
    fn with(how: &[&str], binds: Binds, calls: bool) -> Self {
        Self::with_samples(&serde_json::json!({"say": {"text": "hi"}}), how, binds, calls)
    }

    fn with_samples(samples: &serde_json::Value, how: &[&str], binds: Binds, calls: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let marker = folder.path().join("marker");
        let args: Vec<String> = ["-S".to_owned(), script().display().to_string()]
            .into_iter()
            .chain([marker.display().to_string()])
            .chain(how.iter().map(|how| (*how).to_owned()))
            .collect();
        let manifest = serde_json::json!({
            "name": "marker", "exec": python(), "args": args,
            "samples": samples,
        });
        fs::write(folder.path().join("extension.json"), manifest.to_string()).unwrap();
        let source = ExtensionSource::folder(folder.path());
        let program = Program::of(&source, Path::new("/")).unwrap();
        let options = Options { binds, calls, ..Options::of(program) };
        // Where calls are allowed only the cases that make some are of interest.
        let is_run = |case: &&Case| !calls || case.needs.contains(&Need::Calls);
        let cases: Vec<&Case> = builtin().values().filter(is_run).collect();
        let report = run(&options, &cases, &mut |_| {});
        let calls = fs::read_to_string(&marker).unwrap_or_default();
        Self { report, calls: calls.lines().map(str::to_owned).collect() }
    }

    /// What ran, without the end that each run draws for a name that nobody registers.
    fn kinds(&self) -> Vec<&str> {
        self.calls
            .iter()
            .map(|call| call.rsplit_once('_').map_or(&**call, |(kind, _)| kind))
            .collect()
    }

    #[track_caller]
    fn of(&self, id: &str) -> Verdict {
        let case = self.report.cases.iter().find(|case| case.id == id);
        case.unwrap_or_else(|| panic!("{id} was not run")).verdict
    }
}

fn script() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/calls/marker.py"))
}
