//! What the reports hold: lines that are what their schema says, XML that a parser takes, the
//! tester's own faults held against nobody, and the same frames for the same seed.

mod support;

use std::fs;
use std::path::Path;
use std::time::Duration;

use extline_conformance::{
    Baseline, Case, Era, Options, Progress, Report, Verdict, builtin, junit, mcp_cases, ndjson,
    parse, run, run_server,
};
use extline_protocol::RawJson;
use extline_schema::ToolSchema;
use serde_json::Value;

use support::{program, python, sh};

/// Says hello and no more, dies of a blank line, and writes what no XML may hold to stderr.
const BREAKABLE: &str = r#"
echo '{"type":"hello","name":"x","version":"1","capabilities":[]}'
echo '{"type":"ready"}'
while read -r line; do
  case "$line" in
    *'"id":"'*) id=${line#*'"id":"'}; id=${id%%'"'*}
      echo '{"type":"tool_result","id":"'"$id"'","content":[],"is_error":true}' ;;
    *'"shutdown"'*) exit ;;
    '') printf 'a <blank> & \001 \033[1m line\n' >&2; exit 1 ;;
  esac
done
"#;

const CASES: &str = r#"
[[case]]
id = "X-ONE-01"
title = "it answers <questions> & \"more\""
clauses = ["tool.one-reply"]
steps = [{ canary = 1 }]

[[case]]
id = "X-ONE-02"
title = "a blank line is skipped"
clauses = ["frm.blank-line"]
steps = [{ raw = "\n" }, { canary = 1 }]

[[case]]
id = "X-ONE-03"
title = "it has an event"
clauses = ["frm.blank-line"]
needs = ["event"]
steps = [{ canary = 1 }]

[[case]]
id = "X-ONE-04"
title = "short lines pass and long ones are none of its business"
clauses = ["frm.accept-max-line"]
values = [100, 300]
bisect = "bytes"
steps = [{ line = '{"type":"event","event":"turn_start","pad":"$pad"}', bytes = "$value" }, { canary = 1 }]

[[case]]
id = "X-TWO-01"
title = "the tester is not up to this"
clauses = ["frm.blank-line"]
steps = [{ line = '{"type":"x","n":$digits}', digits = 9223372036854775807 }, { canary = 1 }]

[[case]]
id = "X-TWO-02"
title = "what comes after that is run in a new process"
clauses = ["frm.blank-line"]
steps = [{ canary = 3 }]
"#;

const BASELINE: &str = r#"
[[expected]]
case = "X-ONE-01"
kind = "known-failing"
outcome = "silent"
reason = "nobody listens"

[[expected]]
case = "X-ONE-02"
kind = "wont-support"
outcome = "died"
reason = "blank lines are for poets"
link = "https://example.com/7"
expires = 2999-12-31

[[expected]]
case = "X-ONE-03"
kind = "known-failing"
outcome = "died"
reason = "r"

[[expected]]
case = "E-NO-01"
kind = "known-flaky"
reason = "r"
"#;

/// A report with every kind of line, and nearly every member.
fn report(with_baseline: bool) -> Report {
    let cases = parse("x.toml", CASES).unwrap();
    let baseline = if with_baseline { BASELINE } else { "" };
    let baseline = Baseline::parse("b.toml", baseline).unwrap();
    let again = Some("again $case".to_owned());
    let options = Options { baseline, again, seed: 7, ..Options::of(sh(BREAKABLE)) };
    run(&options, &cases.iter().collect::<Vec<_>>(), &mut |_| {})
}

fn verdicts(report: &Report) -> Vec<Verdict> {
    report.cases.iter().map(|case| case.verdict).collect()
}

#[test]
fn each_line_is_what_the_schema_says() {
    let document = fs::read_to_string("../docs/tester/report.schema.json").unwrap();
    let published = ToolSchema::compile(&RawJson::parse(&document).unwrap()).unwrap();
    let mut strict: Value = serde_json::from_str(&document).unwrap();
    close(&mut strict);
    let strict = ToolSchema::compile(&RawJson::parse(&strict.to_string()).unwrap()).unwrap();
    // The quick start of zot's documentation has failures with causes and long evidence.
    let raw = program(&python(), &["../examples/hello-python-raw/hello.py"]);
    let cases: Vec<&Case> =
        ["E-FRM-08", "E-REG-08", "E-JSN-16"].iter().map(|id| &builtin()[*id]).collect();
    let failing = run(&Options::of(raw), &cases, &mut |_| {});
    let expected = [Verdict::Fail, Verdict::Warn, Verdict::Fail];
    assert_eq!(verdicts(&failing), expected, "{:?}", failing.cases);
    let server = program(&python(), &["mutants/mcp_server.py", "no-cache-hints"]);
    let case = &mcp_cases()["M-DSC-07"];
    let server = run_server(&Options::of(server), &[Era::Discover], &[case], &mut |_| {});
    assert_eq!(verdicts(&server), [Verdict::Fail], "{:?}", server.cases);
    let mut lines = 0;
    let mut members = String::new();
    for text in [&report(true), &report(false), &failing, &server].map(ndjson) {
        for line in text.lines() {
            let json = RawJson::parse(line).unwrap();
            // What the schema does not name would be a member that nobody documented.
            for schema in [&published, &strict] {
                let checked = schema.validate(&json);
                assert!(checked.is_ok(), "{checked:?}: {line}");
            }
            lines += 1;
            members += line;
        }
    }
    assert_eq!(lines, 8 + 8 + 5 + 3);
    let schema: Value = serde_json::from_str(&document).unwrap();
    let unused: Vec<_> =
        names(&schema).into_iter().filter(|it| !members.contains(&format!("\"{it}\":"))).collect();
    assert_eq!(unused, [""; 0], "members that the schema names and no line has");
    for wrong in [
        r#"{"kind":"case"}"#,
        r#"{"kind":"run","version":2,"tester":"1","seed":1,"program":"x","binds":"sdk","calls":true,"cases":1}"#,
        r#"{"kind":"other"}"#,
    ] {
        assert!(published.validate(&RawJson::parse(wrong).unwrap()).is_err(), "{wrong}");
    }
}

#[test]
fn a_parser_takes_the_xml_and_its_counts_are_right() {
    let report = report(true);
    let expected = [
        Verdict::UnexpectedPass,
        Verdict::ExpectedFailure,
        Verdict::NotApplicable,
        Verdict::Pass,
        Verdict::HarnessError,
        Verdict::Pass,
    ];
    assert_eq!(verdicts(&report), expected);
    let text = junit(&report);
    let document =
        roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "testsuites");
    let suite = root.first_element_child().unwrap();
    for element in [root, suite] {
        let count = |name| element.attribute(name).unwrap().parse::<usize>().unwrap();
        assert_eq!(
            [count("tests"), count("failures"), count("errors"), count("skipped")],
            [6, 1, 1, 2]
        );
    }
    let tests: Vec<_> = suite.children().filter(roxmltree::Node::is_element).collect();
    assert_eq!(tests.len(), 6);
    let inside = tests.iter().map(|test| test.first_element_child().map(|it| it.tag_name().name()));
    let expected = [Some("failure"), Some("skipped"), Some("skipped"), None, Some("error"), None];
    assert_eq!(inside.collect::<Vec<_>>(), expected);
    assert_eq!(tests[0].attribute("classname"), Some("X-ONE"));
    assert_eq!(tests[0].attribute("name"), Some("X-ONE-01 it answers <questions> & \"more\""));
}

#[test]
fn what_xml_cannot_hold_is_shown_otherwise() {
    let report = report(false);
    assert_eq!(report.cases[1].verdict, Verdict::Fail);
    let stderr = &report.cases[1].evidence.as_ref().unwrap().stderr;
    assert_eq!(stderr, &["a <blank> & \u{1} \u{1b}[1m line"]);
    let text = junit(&report);
    let document =
        roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let failure = document.descendants().find(|node| node.has_tag_name("failure")).unwrap();
    assert_eq!(failure.attribute("type"), Some("frm.blank-line"));
    assert!(failure.attribute("message").unwrap().contains("the process ended (exit status 1)"));
    let shown = failure.text().unwrap();
    assert!(shown.contains(r"| a <blank> & \u{1} \u{1b}[1m line"), "{shown}");
}

#[test]
fn a_baseline_is_told_in_the_text_and_its_stale_entries_too() {
    let report = report(true);
    assert_eq!(report.exit_code(), 4, "a fault of the tester comes before all others");
    let stale: Vec<_> = report.stale.iter().map(|stale| (&*stale.case, &*stale.place)).collect();
    assert_eq!(stale, [("X-ONE-03", "b.toml:16"), ("E-NO-01", "b.toml:22")]);
    let text = extline_conformance::case_text(&report.cases[1], extline_conformance::Style::Plain);
    assert!(text.starts_with("expected failure X-ONE-02"), "{text}");
    let baseline = "  baseline  b.toml:8: wont-support until 2999-12-31: blank lines are for poets \
                    (https://example.com/7)\n";
    assert!(text.contains(baseline), "{text}");
    let text = extline_conformance::case_text(&report.cases[0], extline_conformance::Style::Plain);
    assert!(text.contains("it passes now: take the entry out"), "{text}");
    let text = extline_conformance::summary_text(&report, extline_conformance::Style::Plain);
    assert!(
        text.contains("b.toml:22: the entry for E-NO-01 is stale: there is no such case"),
        "{text}"
    );
}

#[test]
fn a_baseline_that_is_written_is_one_that_holds() {
    let cases = parse("x.toml", CASES).unwrap();
    let cases: Vec<_> = cases[..4].iter().collect();
    let options = Options { seed: 7, ..Options::of(sh(BREAKABLE)) };
    let report = run(&options, &cases, &mut |_| {});
    assert_eq!(report.exit_code(), 1);
    let text = Baseline::default().renewed(&report);
    let error = Baseline::parse("b.toml", &text).unwrap_err().to_string();
    assert!(error.starts_with("b.toml:5: X-ONE-02 has no reason"), "{error}\n{text}");
    let text = text.replace("\"TODO\"", "'it is a \"poet\"'");
    let baseline = Baseline::parse("b.toml", &text).unwrap();
    let options = Options { baseline: baseline.clone(), ..options };
    let report = run(&options, &cases, &mut |_| {});
    assert_eq!(report.exit_code(), 0, "{:?}", verdicts(&report));
    assert_eq!(report.cases[1].verdict, Verdict::ExpectedFailure);
    assert_eq!(baseline.renewed(&report), text, "what is still the same keeps its reason");
}

#[test]
fn a_panic_of_the_tester_is_held_against_nobody() {
    let report = report(false);
    let fault = &report.cases[4];
    assert_eq!(fault.verdict, Verdict::HarnessError);
    let reason = fault.reason.as_ref().unwrap();
    assert!(reason.starts_with("the tester panicked: "), "{reason}");
    assert_eq!(report.cases[5].verdict, Verdict::Pass, "the run goes on");
    assert_eq!(report.exit_code(), 4);
}

#[test]
fn frames_that_no_host_sends_are_the_tester_s_fault() {
    let cases = parse("x.toml", CASES).unwrap();
    let ack = Some(r#"{"type":"hello_ack","protocol_version":"one"}"#.to_owned());
    let options = Options { ack, ..Options::of(sh(BREAKABLE)) };
    let report = run(&options, &[&cases[0]], &mut |_| {});
    assert_eq!(verdicts(&report), [Verdict::HarnessError]);
    let reason = report.cases[0].reason.as_ref().unwrap();
    assert!(
        reason.contains("what no host sends") && reason.contains("protocol_version"),
        "{reason}"
    );
}

#[test]
fn a_program_that_the_system_does_not_start_is_no_fault_of_the_tester() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("extension");
    fs::write(&file, "#!/no/such/interpreter\n").unwrap();
    make_executable(&file);
    let cases: Vec<&Case> = vec![&builtin()["E-HSK-01"], &builtin()["E-FRM-08"]];
    let program = program(file.to_str().unwrap(), &[]);
    let options = Options::of(program);
    let report = run(&options, &cases, &mut |_| {});
    assert_eq!(verdicts(&report), [Verdict::Fail, Verdict::CouldNotRun]);
    let failure = report.cases[0].failure.as_ref().unwrap();
    assert!(failure.got.contains("/no/such/interpreter"), "{failure:?}");
    assert_eq!(report.exit_code(), 1);
    let report = run(&options, &cases[1..], &mut |_| {});
    assert_eq!(report.exit_code(), 2, "nothing was tested");
}

#[test]
fn the_same_seed_gives_the_same_frames() {
    let sent = |seed| {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("stdin");
        let puppet = Path::new(env!("CARGO_MANIFEST_DIR")).join("mutants/puppet.py");
        let script = format!("tee -a '{}' | '{}' '{}'", log.display(), python(), puppet.display());
        let cases: Vec<_> = builtin()
            .values()
            .filter(|case| ["E-FRM-01", "E-FRM-08", "E-TOL-12", "E-FRM-14"].contains(&&*case.id))
            .collect();
        // How much is asked is fitted to the pace, and so must not be measured twice here.
        let pace = Some(Duration::from_millis(1));
        let report = run(&Options { seed, pace, ..Options::of(sh(&script)) }, &cases, &mut |_| {});
        assert_eq!(report.count(Verdict::Pass), 4, "{:?}", report.cases);
        fs::read(log).unwrap()
    };
    let first = sent(7);
    assert!(first.len() > 100_000, "{}", first.len());
    assert!(first == sent(7), "two runs with one seed differ");
    assert!(first != sent(8), "two runs with two seeds do not");
}

#[test]
fn cases_that_measure_a_time_come_last() {
    let case = |id: &str, rest: &str| {
        format!("[[case]]\nid = \"{id}\"\ntitle = \"t\"\nclauses = [\"end.eof\"]\n{rest}\n")
    };
    let steps = "steps = [{ canary = 1 }]";
    let text = case("T-01", &format!("timing = true\n{steps}"))
        + &case("T-02", &format!("process = \"own\"\n{steps}"))
        + &case("T-03", steps);
    let cases = parse("t.toml", &text).unwrap();
    let mut begun = Vec::new();
    let report = run(&Options::of(sh(BREAKABLE)), &cases.iter().collect::<Vec<_>>(), &mut |told| {
        if let Progress::Begins(case) = told {
            begun.push(case.id.clone());
        }
    });
    assert_eq!(begun, ["T-03", "T-02", "T-01"]);
    assert_eq!(verdicts(&report), [Verdict::Pass; 3]);
    assert_eq!(report.cases[0].id, "T-01", "the report keeps the order of the cases");
}

/// Closes every object of a schema: what is not named is refused.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.values_mut().for_each(close);
            if members.contains_key("properties") {
                members.insert("additionalProperties".to_owned(), false.into());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

/// Every name under a `properties` of a schema.
fn names(schema: &Value) -> Vec<String> {
    match schema {
        Value::Object(members) => {
            let own = members.get("properties").and_then(Value::as_object);
            let own = own.into_iter().flat_map(|it| it.keys().cloned());
            own.chain(members.values().flat_map(names)).collect()
        }
        Value::Array(items) => items.iter().flat_map(names).collect(),
        _ => Vec::new(),
    }
}

fn make_executable(file: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}
