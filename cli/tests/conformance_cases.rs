//! An author's own cases, and copies of the built-in ones, as a person uses them.

#![cfg(unix)]

mod support;

use std::fs;

use support::{Extline, repository};

const CLOCK: &str = "examples/clock-shell";

fn case(id: &str, rest: &str) -> String {
    format!("[[case]]\nid = \"{id}\"\ntitle = \"t\"\n{rest}\n")
}

/// What no clock says.
const NEVER: &str = r#"steps = [
  { line = "$ask" },
  { expect = '{"type":"tool_result","id":"$id","is_error":false}' },
]"#;

#[test]
fn own_cases_are_run_behind_the_built_in_ones_or_alone() {
    let extline = Extline::new();
    let folder = extline.home().join("cases");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("b.toml"), case("second", "steps = [{ canary = 2 }]")).unwrap();
    fs::write(folder.join("a.toml"), case("first", "steps = [{ canary = 1 }]")).unwrap();
    fs::write(folder.join("notes.txt"), "no cases").unwrap();
    let folder = folder.to_str().unwrap();
    let ids = |args: &[&str]| {
        let outcome =
            extline.run(&[&["conformance", "--json", "--cases", folder], args, &[CLOCK]].concat());
        outcome.assert_code(0);
        let lines = outcome.json_lines().into_iter().filter(|line| line["kind"] == "case");
        let lines: Vec<_> = lines.collect();
        assert!(lines.iter().all(|line| line["verdict"] == "pass"), "{lines:?}");
        lines.into_iter().map(|line| line["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&["--only", "own"]), ["first", "second"]);
    assert_eq!(ids(&["--only", "E-FRM-08", "--only", "second"]), ["E-FRM-08", "second"]);
    let listed = extline.run(&["conformance", "--list", "--cases", folder, "--skip", "first"]);
    listed.assert_code(0);
    assert!(listed.stdout.lines().count() > 80, "{listed:?}");
    assert!(listed.stdout.ends_with("second    MUST   t\n"), "{listed:?}");
}

#[test]
fn a_case_without_a_clause_is_as_strict_as_it_says_and_names_the_step_that_failed() {
    let extline = Extline::new();
    let file = extline.home().join("own.toml");
    let file = file.to_str().unwrap();
    let clause = "clauses = [\"frm.blank-line\"]\n";
    for (head, code, word, rule) in [
        ("", 1, "FAIL", "[MUST]"),
        ("level = \"should\"\n", 0, "warn", "[SHOULD]"),
        ("level = \"may\"\n", 0, "info", "[MAY]"),
        (clause, 1, "FAIL", "[MUST frm.blank-line]"),
    ] {
        fs::write(file, case("never", &format!("{head}{NEVER}"))).unwrap();
        let outcome = extline.run(&["conformance", "--cases", file, "--only", "own", CLOCK]);
        outcome.assert_code(code);
        let line = 6 + usize::from(!head.is_empty());
        for part in [
            format!("{word} never  t  {rule}\n"),
            format!("\n  at        {file}:{line}\n  expected  {{\"type\":\"tool_result\""),
            format!("  again     extline conformance --only never --cases {file} --seed "),
        ] {
            assert!(outcome.stdout.contains(&part), "{part:?} is missing in {}", outcome.stdout);
        }
    }
    let json = ["conformance", "--json", "--cases", file, "--only", "never", CLOCK];
    let line = extline.run(&json).json_lines().into_iter().find(|line| line["id"] == "never");
    assert_eq!(line.unwrap()["place"], format!("{file}:7"));
}

#[test]
fn files_that_cannot_be_used_are_told_with_the_place() {
    let extline = Extline::new();
    let home = extline.home();
    let step = "steps = [{ canary = 1 }]";
    let refused = |name: &str, text: &str, parts: &[&str]| {
        let file = home.join(name);
        fs::write(&file, text).unwrap();
        let args = ["conformance", "--cases", file.to_str().unwrap(), CLOCK];
        let outcome = extline.run(&args);
        outcome.assert_code(3);
        outcome.assert_says(parts);
    };
    refused("a.toml", &case("E-FRM-08", step), &["a.toml:1: case E-FRM-08: ids of your own"]);
    refused("b.toml", &case("b", "steps = [{ nope = 1 }]"), &["b.toml:4: ", "nope"]);
    let unknown = case("c", &format!("clauses = [\"no.such\"]\n{step}"));
    refused(
        "c.toml",
        &unknown,
        &["c.toml:1: case c: docs/protocol/specification.md has no clause no.such"],
    );

    fs::write(home.join("d.toml"), case("d", step)).unwrap();
    fs::write(home.join("e.toml"), case("d", step)).unwrap();
    let [d, e] = ["d.toml", "e.toml"].map(|name| home.join(name).to_str().unwrap().to_owned());
    let outcome = extline.run(&["conformance", "--cases", &d, "--cases", &e, CLOCK]);
    outcome.assert_code(3);
    outcome.assert_says(&["e.toml:1: case d: its id is taken at ", "d.toml:1"]);

    let empty = home.join("empty");
    fs::create_dir(&empty).unwrap();
    let outcome = extline.run(&["conformance", "--cases", empty.to_str().unwrap(), CLOCK]);
    outcome.assert_code(3);
    outcome.assert_says(&["there is no .toml file"]);
    let outcome = extline.run(&["conformance", "--cases", "no/such.toml", CLOCK]);
    outcome.assert_code(3);
    outcome.assert_says(&["--cases no/such.toml: "]);
}

#[test]
fn a_copy_is_run_like_the_case_and_keeps_its_cause() {
    let extline = Extline::new();
    let folder = extline.home().join("copies");
    let to = folder.to_str().unwrap();
    let outcome = extline.run(&["conformance", "copy", "e-frm-08", "E-JSN-1*", "--to", to]);
    outcome.assert_code(0);
    let file = folder.join("my-e-frm-08.toml");
    let file = file.to_str().unwrap();
    assert_eq!(outcome.stdout.lines().next(), Some(file));
    assert!(outcome.stdout.lines().count() > 3, "{outcome:?}");

    let args = ["conformance", "--cases", to, "--only", "my-e-frm", "examples/hello-python-raw"];
    let bad = extline.run(&args);
    bad.assert_code(1);
    for part in [
        "FAIL my-e-frm-08  a blank line is skipped  [MUST frm.blank-line]",
        "\"A receiver MUST skip a line that is empty or holds only white space.\"",
        "  cause     json.loads() throws on a blank line, and nothing catches it",
    ] {
        assert!(bad.stdout.contains(part), "{part:?} is missing in {}", bad.stdout);
    }

    fs::write(file, "mine now").unwrap();
    let again = extline.run(&["conformance", "copy", "E-FRM-08", "--to", to]);
    again.assert_code(3);
    again.assert_says(&["my-e-frm-08.toml: ", "exists"]);
    assert_eq!(fs::read_to_string(file).unwrap(), "mine now");
    let unknown = extline.run(&["conformance", "copy", "E-NO", "--to", to]);
    unknown.assert_code(3);
    unknown.assert_says(&["there is no case E-NO"]);
    assert!(repository().is_dir());
}

#[test]
fn what_fuzzing_finds_is_a_case_that_plays_again() {
    let extline = Extline::new();
    let folder = extline.home().join("found");
    let to = folder.to_str().unwrap();
    let puppet = ["--", "python3", "conformance/mutants/puppet.py"];
    let fuzz = |more: &[&str], mutant: &[&str]| {
        let words = ["conformance", "fuzz", "--seed", "1", "--steps", "20", "--to", to];
        extline.run(&[&words, more, &puppet, mutant].concat())
    };
    let outcome = fuzz(&["--sessions", "1", "--json"], &[]);
    outcome.assert_code(0);
    let lines = outcome.json_lines();
    let kinds: Vec<_> = lines.iter().map(|line| line["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["fuzz", "summary"]);
    assert_eq!((&lines[1]["exit_code"], &lines[1]["sessions"]), (&0.into(), &1.into()));
    assert!(!folder.exists(), "nothing was found, and nothing written");

    let outcome = fuzz(&["--findings", "1"], &["json-dies"]);
    outcome.assert_code(1);
    for part in ["FAIL fuzz-1-", "\n  again     extline conformance --cases ", "1 rule broken: "] {
        assert!(outcome.stdout.contains(part), "{part:?} is missing in {}", outcome.stdout);
    }
    let files: Vec<_> = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
    let [file] = &files[..] else { panic!("{files:?}") };
    assert!(outcome.stdout.contains(fs::read_to_string(file).unwrap().trim_end()), "{outcome:?}");
    let again = |mutant: &[&str]| {
        let words = ["conformance", "--cases", file.to_str().unwrap(), "--only", "own"];
        extline.run(&[&words[..], &puppet, mutant].concat())
    };
    again(&["json-dies"]).assert_code(1);
    again(&[]).assert_code(0);

    let outcome = extline.run(&["conformance", "fuzz", "--time", "5x", CLOCK]);
    outcome.assert_code(3);
    outcome.assert_says(&["5x", "expected a time as 90s, 10m or 1h"]);
}
