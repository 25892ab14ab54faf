//! `extline conformance` as a person uses it.

#![cfg(unix)]

mod support;

use std::fs;
use std::time::{Duration, Instant};

use support::{Extline, repository};

#[test]
fn a_conformant_extension_passes_and_a_defect_is_shown_with_its_cure() {
    let extline = Extline::new();
    let cases = ["--only", "E-FRM-08", "--only", "E-REG"];
    let good = extline.run(&[&["conformance"], &cases[..], &["examples/clock-shell"]].concat());
    good.assert_code(0);
    assert!(good.stdout.starts_with("extline conformance "), "{good:?}");
    assert!(good.stdout.contains("\nconformant: "), "{good:?}");

    let bad = extline.run(&[&["conformance"], &cases[..], &["examples/hello-python-raw"]].concat());
    bad.assert_code(1);
    for part in [
        "FAIL E-FRM-08  a blank line is skipped  [MUST frm.blank-line]",
        "\"A receiver MUST skip a line that is empty or holds only white space.\"",
        "  expected  ",
        "  got       the process ended (exit status 1)",
        "JSONDecodeError",
        "  cause     json.loads() throws on a blank line, and nothing catches it",
        "  fix       line = line.strip()",
        "  again     extline conformance --only E-FRM-08 --seed ",
        "not conformant: ",
    ] {
        assert!(bad.stdout.contains(part), "{part:?} is missing in {}", bad.stdout);
    }
}

#[test]
fn the_report_is_json_lines_and_junit_where_that_is_asked_for() {
    let extline = Extline::new();
    let junit = extline.home().join("report.xml");
    let report = format!("junit={}", junit.display());
    let case = ["--only", "E-FRM-08", "examples/hello-python-raw"];
    let outcome =
        extline.run(&[&["conformance", "--json", "--report", &report], &case[..]].concat());
    outcome.assert_code(1);
    let lines = outcome.json_lines();
    assert_eq!(lines[0]["kind"], "run");
    assert_eq!(lines[0]["cases"], 1);
    assert_eq!(lines[1]["id"], "E-FRM-08");
    assert_eq!(lines[1]["verdict"], "fail");
    assert_eq!(lines[1]["failure"]["outcome"], "died");
    assert_eq!(lines[1]["evidence"]["entries"][0]["lane"], "h>e");
    assert_eq!(lines[2]["kind"], "summary");
    assert_eq!(lines[2]["exit_code"], 1);
    let junit = fs::read_to_string(junit).unwrap();
    assert!(junit.contains("tests=\"1\" failures=\"1\""), "{junit}");
    assert!(junit.contains("<testcase classname=\"E-FRM\" name=\"E-FRM-08 "), "{junit}");
}

#[test]
fn a_program_that_says_nothing_is_told_where_it_is_stuck() {
    let extline = Extline::new();
    let outcome = extline.run(&["conformance", "--only", "E-HSK-01", "--", "cat"]);
    outcome.assert_code(1);
    for part in ["hello within 10.0 s", "read on descriptor 0", "cause ", "fix "] {
        assert!(outcome.stdout.contains(part), "{part:?} is missing in {}", outcome.stdout);
    }
}

#[test]
fn where_nothing_is_tested_that_is_no_pass() {
    let extline = Extline::new();
    let outcome = extline.run(&["conformance", "--only", "E-TOL-12", "examples/hello-python-raw"]);
    outcome.assert_code(2);
    assert!(outcome.stdout.contains("nothing was tested: 1 n/a"), "{outcome:?}");
    let allowed =
        ["conformance", "--only", "E-TOL-12", "--canary", "/hellopy", "examples/hello-python-raw"];
    extline.run(&allowed).assert_code(0);
}

#[test]
fn wrong_names_are_usage_errors_with_the_nearest_right_one() {
    let extline = Extline::new();
    let outcome = extline.run(&["conformance", "--only", "E-FRM-98", "examples/clock-shell"]);
    outcome.assert_code(3);
    outcome.assert_says(&["there is no case E-FRM-98", "Did you mean E-FRM-"]);
    let outcome = extline.run(&["conformance", "explain", "tol-01"]);
    outcome.assert_code(3);
    outcome.assert_says(&["there is no case tol-01", "Did you mean E-TOL-01 or "]);
    let outcome = extline.run(&["conformance", "--report", "pdf=x", "examples/clock-shell"]);
    outcome.assert_code(3);
    outcome.assert_says(&["expected FORMAT=FILE, with one of ndjson, junit"]);
    let outcome = extline.run(&["conformance", "--canary", "echo x", "examples/clock-shell"]);
    outcome.assert_code(3);
    outcome.assert_says(&["expected a tool and a JSON object"]);
    extline.run(&["conformance", "examples/nobody"]).assert_code(3);
}

#[test]
fn a_case_is_explained_with_its_clause_and_its_steps() {
    let extline = Extline::new();
    let outcome = extline.run(&["conformance", "explain", "e-frm-14"]);
    outcome.assert_code(0);
    for part in ["E-FRM-14", "MUST frm.accept-max-line", "asyncio.StreamReader", "bisect = "] {
        assert!(outcome.stdout.contains(part), "{part:?} is missing in {}", outcome.stdout);
    }
    let list = extline.run(&["conformance", "list"]);
    list.assert_code(0);
    assert!(list.stdout.lines().count() > 80, "{list:?}");
    extline.run(&["conformance", "explain", "E-NO-01"]).assert_code(3);
    extline.run(&["conformance", "--bogus"]).assert_code(3);
    extline.run(&["conformance"]).assert_code(3);
}

#[test]
fn a_clause_is_explained_with_its_cases_and_a_near_miss_is_told() {
    let extline = Extline::new();
    let outcome = extline.run(&["conformance", "explain", "FRM.split"]);
    outcome.assert_code(0);
    for part in ["frm.split  MUST", "A receiver MUST end a line at LF only", "\n  E-FRM-"] {
        assert!(outcome.stdout.contains(part), "{part:?} is missing in\n{}", outcome.stdout);
    }
    let json = extline.run(&["conformance", "explain", "--json", "frm.accept-max-line"]).json();
    assert!(json["cases"].as_array().unwrap().iter().any(|case| case == "E-FRM-14"), "{json}");
    let outcome = extline.run(&["conformance", "explain", "frm.splt"]);
    outcome.assert_code(3);
    outcome.assert_says(&["there is no clause frm.splt", "Did you mean frm.split?"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_run_and_the_extension() {
    let extline = Extline::new();
    // It never says hello, so the run waits for 10 s.
    let script = "echo $$ >\"$1\"; exec sleep 60";
    let file = extline.home().join("pid");
    let file = file.to_str().unwrap();
    let args = ["conformance", "--", "sh", "-c", script, "sh", file];
    let mut child = extline.command(&args).spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(8);
    let extension = loop {
        let text = fs::read_to_string(file).unwrap_or_default();
        if let Ok(extension) = text.trim().parse::<i32>() {
            break extension;
        }
        assert!(Instant::now() < until, "the extension was not started");
        std::thread::sleep(Duration::from_millis(20));
    };
    let interrupt = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(interrupt, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let extension = rustix::process::Pid::from_raw(extension).unwrap();
    assert!(rustix::process::test_kill_process(extension).is_err(), "it lives on");
    assert!(repository().is_dir());
}
