//! What checks each clause of docs/protocol/specification.md: a case, or a test for a written reason.
//!
//! A MUST that nothing checks, a case that cites nothing and an entry of uncovered.toml that is not
//! true any more fail here. docs/tester/coverage.md is written by
//! `EXTLINE_GENERATE=1 cargo test -p extline-conformance --test coverage`.

mod cited;
mod real_zot;
mod table;
mod uncovered;

use std::fs;
use std::path::PathBuf;

use cited::Cited;
use uncovered::Uncovered;

#[test]
fn every_case_cites_clauses_that_exist_and_has_its_id_alone() {
    let problems = cited::problems(&cited::files());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_must_has_a_case_or_a_written_reason() {
    let problems = Uncovered::committed().problems(&Cited::by(&cited::files()));
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_tests_that_stand_in_for_cases_exist() {
    let page = fs::read_to_string(repository("docs/tester/limits.md")).unwrap();
    let links = page.split("](../../").skip(1).filter_map(|rest| rest.split_once(") `"));
    let named =
        links.filter_map(|(file, rest)| Some(format!("{file}::{}", rest.split_once('`')?.0)));
    let tests: Vec<_> = named.collect();
    assert!(tests.len() > 15, "{tests:?}");
    let problems: Vec<_> = tests.iter().filter_map(|test| uncovered::missing(test)).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_table_is_what_cases_and_reasons_say() {
    let generated = table::write(&Cited::by(&cited::files()), &Uncovered::committed());
    let path = repository("docs/tester/coverage.md");
    if std::env::var_os("EXTLINE_GENERATE").is_some_and(|value| value == "1") {
        fs::write(&path, &generated).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    let difference = committed.lines().zip(generated.lines()).position(|(old, new)| old != new);
    assert!(
        committed == generated,
        "docs/tester/coverage.md is not what conformance/cases and conformance/uncovered.toml say, \
         from line {} on; run `make generate`",
        difference.unwrap_or(committed.lines().count()) + 1,
    );
}

fn repository(path: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join(path)
}
