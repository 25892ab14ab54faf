//! conformance/planned.toml and planned-hosts.toml: what became of each case that was planned.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;

use serde::Deserialize;

use crate::repository;
use crate::uncovered::missing;

/// Planned cases of this rank may still be open.
const LATER: u8 = 2;

/// The plan: by subject, by number.
pub(crate) struct Plan {
    file: &'static str,
    text: String,
    pub(crate) subjects: BTreeMap<String, BTreeMap<String, Planned>>,
}

/// A planned case, and what became of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Planned {
    what: String,
    /// 0 was wanted first, 1 next, 2 later.
    rank: u8,
    /// The cases that check it.
    #[serde(default)]
    cases: Vec<String>,
    /// The axis of `--deep` that does.
    axis: Option<String>,
    /// Why no case does.
    reason: Option<String>,
    /// The tests that do in their place.
    #[serde(default)]
    tests: Vec<String>,
}

impl Plan {
    /// For extensions, for hosts.
    pub(crate) fn committed() -> [Self; 2] {
        ["conformance/planned.toml", "conformance/planned-hosts.toml"]
            .map(|file| Self::of(file, fs::read_to_string(repository(file)).unwrap()))
    }

    fn of(file: &'static str, text: String) -> Self {
        let subjects = toml::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
        Self { file, text, subjects }
    }

    fn entries(&self) -> impl Iterator<Item = (&String, &Planned)> {
        self.subjects.values().flatten()
    }

    /// What is wrong, each with its place and what to do.
    pub(crate) fn problems(&self, known: &BTreeSet<String>, axes: &[&str]) -> Vec<String> {
        let of_entries = self.entries().flat_map(|(id, planned)| {
            let problems = planned.problems(known, axes).into_iter();
            problems.map(move |problem| format!("{}: {id}: {problem}", self.place(id)))
        });
        of_entries.chain(self.gaps()).collect()
    }

    /// Numbers that are missing: an entry may not just go.
    fn gaps(&self) -> Vec<String> {
        let mut groups: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        for (id, _) in self.entries() {
            let (group, number) = id.rsplit_once('-').unwrap_or((id, ""));
            groups.entry(group).or_default().insert(number.parse().unwrap_or_default());
        }
        let gap = |(group, numbers): (&str, BTreeSet<u32>)| {
            let (wanted, first) = (1..=numbers.len(), numbers.iter().next().copied());
            let last = numbers.iter().next_back().copied().unwrap_or_default();
            let whole = first == Some(1) && wanted.end() == &usize::try_from(last).unwrap_or(0);
            let there = numbers.len();
            (!whole).then(|| format!("{}: {group}: {there} of {last} numbers are there", self.file))
        };
        groups.into_iter().filter_map(gap).collect()
    }

    fn place(&self, id: &str) -> String {
        let begins = format!("{id} = ");
        let line = self.text.lines().position(|line| line.starts_with(&begins));
        format!("{}:{}", self.file, line.map_or(1, |line| line + 1))
    }

    /// How many were planned, and what became of them.
    fn table(&self) -> String {
        let mut page =
            "\n| rank | planned | by cases | by an axis of `--deep` | by tests elsewhere | \
            not checked, with the reason | later |\n|---|---|---|---|---|---|---|\n"
                .to_owned();
        for (rank, words) in [(0, "first"), (1, "next"), (2, "later")] {
            let count = |wanted: fn(&Planned) -> bool| {
                self.entries().filter(|(_, one)| one.rank == rank && wanted(one)).count()
            };
            // Writing to a string cannot fail.
            let _ = writeln!(
                page,
                "| {words} | {} | {} | {} | {} | {} | {} |",
                count(|_| true),
                count(|one| !one.cases.is_empty()),
                count(|one| one.axis.is_some()),
                count(|one| one.reason.is_some() && !one.tests.is_empty()),
                count(|one| one.reason.is_some() && one.tests.is_empty()),
                count(Planned::is_open),
            );
        }
        page.push_str("\nWithout a case, with the reason:\n\n");
        for (id, planned) in self.entries() {
            if let Some(reason) = &planned.reason {
                let _ = writeln!(page, "- {id}, {}: {reason}", planned.what);
            }
        }
        page
    }
}

/// What became of the plans, as a section of docs/tester/coverage.md.
pub(crate) fn page(plans: &[Plan]) -> String {
    let [extensions, hosts] = plans else { unreachable!("there are two plans") };
    format!(
        "\n## The plan\n\nBefore the tester was written, cases were planned, in three ranks; \
         [planned.toml](../../conformance/planned.toml) says of each for extensions what became of \
         it, [planned-hosts.toml](../../conformance/planned-hosts.toml) of each for hosts. `make \
         test` fails when one of the first two ranks has neither a case nor a reason.\n\nFor \
         extensions:\n{}\nFor hosts:\n{}",
        extensions.table(),
        hosts.table(),
    )
}

impl Planned {
    fn is_open(&self) -> bool {
        self.cases.is_empty() && self.axis.is_none() && self.reason.is_none()
    }

    fn problems(&self, known: &BTreeSet<String>, axes: &[&str]) -> Vec<String> {
        let mut problems = Vec::new();
        if self.is_open() && self.rank < LATER {
            let what = "it has no case; name the cases that check it, or write the reason";
            problems.push(what.to_owned());
        }
        if self.reason.is_some() && (!self.cases.is_empty() || self.axis.is_some()) {
            problems.push("it has a case and a reason for having none; drop one".to_owned());
        }
        if self.reason.as_ref().is_some_and(|reason| reason.trim().is_empty()) {
            problems.push("its reason is empty".to_owned());
        }
        let gone = self.cases.iter().filter(|case| !known.contains(*case));
        problems.extend(gone.map(|case| format!("there is no case {case}")));
        let unknown = self.axis.as_deref().filter(|name| !axes.contains(name));
        problems.extend(unknown.map(|name| format!("--deep has no axis {name}")));
        problems.extend(self.tests.iter().filter_map(|test| missing(test)));
        problems
    }
}

#[test]
fn a_planned_case_that_nothing_became_of_is_named() {
    let known = BTreeSet::from(["E-X-09".to_owned()]);
    let problems = |text: &str| {
        Plan::of("conformance/planned.toml", text.to_owned()).problems(&known, &["pipe"])
    };
    let entry = |rest: &str| problems(&format!("[a]\nE-A-01 = {{ what = \"w\", {rest} }}"));
    assert_eq!(entry("rank = 1, cases = [\"E-X-09\"]"), [""; 0]);
    assert_eq!(entry("rank = 0, axis = \"pipe\""), [""; 0]);
    assert_eq!(entry("rank = 2"), [""; 0]);
    assert_eq!(entry("rank = 1, reason = \"r\""), [""; 0]);
    for (wrong, part) in [
        ("rank = 1", "planned.toml:2: E-A-01: it has no case; name the cases"),
        ("rank = 0, cases = [\"E-X-08\"]", "there is no case E-X-08"),
        ("rank = 0, axis = \"tape\"", "--deep has no axis tape"),
        ("rank = 0, reason = \" \"", "its reason is empty"),
        ("rank = 0, reason = \"r\", cases = [\"E-X-09\"]", "drop one"),
        ("rank = 0, reason = \"r\", tests = [\"x.rs::a\"]", "there is no file x.rs"),
    ] {
        let problems = entry(wrong);
        assert!(problems.iter().any(|problem| problem.contains(part)), "{part}: {problems:?}");
    }
    let gap =
        problems("[a]\nE-A-01 = { what = \"w\", rank = 2 }\nE-A-03 = { what = \"w\", rank = 2 }");
    assert_eq!(gap, ["conformance/planned.toml: E-A: 2 of 3 numbers are there"]);
}
