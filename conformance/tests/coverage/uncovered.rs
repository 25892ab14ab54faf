//! conformance/uncovered.toml: why a MUST has no case, and which test checks it instead.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use extline_conformance::{Clause, Level};
use serde::Deserialize;

use crate::cited::Cited;
use crate::repository;

const FILE: &str = "conformance/uncovered.toml";

/// The file.
pub(crate) struct Uncovered {
    text: String,
    pub(crate) groups: Vec<Group>,
}

/// Clauses that have no case for the same reason.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Group {
    pub(crate) reason: String,
    /// By clause: the tests that check it, each `path/of/file.rs::name_of_the_test`.
    #[serde(default)]
    pub(crate) tests: BTreeMap<String, Vec<String>>,
    /// Clauses that nothing checks.
    #[serde(default)]
    pub(crate) untested: Vec<String>,
}

impl Group {
    /// Every clause that it names.
    pub(crate) fn clauses(&self) -> impl Iterator<Item = &str> {
        self.tests.keys().chain(&self.untested).map(String::as_str)
    }
}

impl Uncovered {
    pub(crate) fn committed() -> Self {
        Self::of(&fs::read_to_string(repository(FILE)).unwrap())
    }

    fn of(text: &str) -> Self {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Document {
            group: Vec<Group>,
        }
        let document: Document =
            toml::from_str(text).unwrap_or_else(|error| panic!("{FILE}: {error}"));
        Self { text: text.to_owned(), groups: document.group }
    }

    /// What is wrong, each with its place and what to do.
    pub(crate) fn problems(&self, cited: &Cited) -> Vec<String> {
        let entries = self.groups.iter().flat_map(Group::clauses);
        let mut problems = Vec::new();
        let mut seen = BTreeSet::new();
        for clause in entries {
            let wrong = self.wrong_entry(clause, cited, !seen.insert(clause));
            problems
                .extend(wrong.map(|wrong| format!("{}: {clause}: {wrong}", self.place(clause))));
        }
        for group in &self.groups {
            if group.reason.trim().is_empty() {
                let first = group.clauses().next().unwrap_or_default();
                problems.push(format!("{}: its group gives no reason", self.place(first)));
            }
            for (clause, tests) in &group.tests {
                let gone = tests.iter().filter_map(|test| missing(test));
                problems
                    .extend(gone.map(|gone| format!("{}: {clause}: {gone}", self.place(clause))));
            }
        }
        let must = Clause::all().filter(|clause| clause.level == Level::Must);
        for clause in must.filter(|clause| !seen.contains(clause.id.as_str())) {
            if cited.cases(&clause.id).is_empty() {
                problems.push(format!(
                    "docs/protocol/specification.md: {}: no case cites this MUST, and {FILE} does not say why; \
                     write a case, or name there the test that checks it",
                    clause.id
                ));
            }
        }
        problems
    }

    fn wrong_entry(&self, id: &str, cited: &Cited, again: bool) -> Option<String> {
        let Some(clause) = Clause::named(id) else {
            return Some(
                "docs/protocol/specification.md has no such clause; drop this entry".to_owned(),
            );
        };
        if let Some(citing) = cited.cases(id).first() {
            return Some(format!("{} checks it now; drop this entry", citing.case));
        }
        if clause.level != Level::Must {
            return Some(format!("it is a {}; drop this entry", clause.level.word()));
        }
        if again {
            return Some("it is here a second time; drop this entry".to_owned());
        }
        let named = self.groups.iter().filter_map(|group| group.tests.get(id));
        let nameless = named.into_iter().any(Vec::is_empty);
        nameless.then(|| "it names no test; name one, or list it as untested".to_owned())
    }

    /// The last place where the clause stands.
    fn place(&self, clause: &str) -> String {
        let quoted = format!("\"{clause}\"");
        let lines = self.text.lines().zip(1..);
        let line = lines.filter(|(text, _)| text.contains(&quoted)).last();
        format!("{FILE}:{}", line.map_or(1, |(_, number)| number))
    }
}

/// Why a test that is named cannot be the one that is meant.
pub(crate) fn missing(test: &str) -> Option<String> {
    let Some((file, name)) = test.split_once("::") else {
        return Some(format!("{test} must read path/of/file.rs::name_of_the_test"));
    };
    let Ok(source) = fs::read_to_string(repository(file)) else {
        return Some(format!("there is no file {file}; name the test that checks it now"));
    };
    let heads = ["fn ", "def ", "test(\"", "test('"].map(|head| format!("{head}{name}"));
    let is_whole =
        |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_');
    let is_there = heads.iter().any(|head| source.split(head.as_str()).skip(1).any(is_whole));
    (!is_there).then(|| format!("{file} has no test {name}; name the test that checks it now"))
}

#[test]
fn what_is_not_true_any_more_is_named_with_its_place() {
    let problems = |text: &str| {
        let cited = Cited::by(&[crate::cited::File::new(
            "x.toml",
            "[[case]]\nid = \"E-X-01\"\ntitle = \"t\"\nclauses = [\"frm.crlf\"]\nsteps = [{ canary = 1 }]",
        )]);
        Uncovered::of(text).problems(&cited)
    };
    let one = |lines: &str, part: &str| {
        let problems = problems(&format!("[[group]]\nreason = \"r\"\n{lines}"));
        assert!(problems.iter().any(|problem| problem.contains(part)), "{part}: {problems:?}");
    };
    let this = "conformance/tests/coverage/uncovered.rs";
    let is_here = format!("{this}::what_is_not_true_any_more_is_named_with_its_place");
    let tests = |clause: &str, test: &str| format!("[group.tests]\n\"{clause}\" = [{test}]");
    one(
        "untested = [\"frm.nope\"]",
        "uncovered.toml:3: frm.nope: docs/protocol/specification.md has no such",
    );
    one("untested = [\"frm.crlf\"]", "uncovered.toml:3: frm.crlf: E-X-01 checks it now; drop this");
    one("untested = [\"tool.unknown\"]", "tool.unknown: it is a SHOULD; drop this entry");
    one("untested = [\"frm.bom\", \"frm.bom\"]", "frm.bom: it is here a second time");
    one(&tests("frm.bom", ""), "uncovered.toml:4: frm.bom: it names no test");
    one(&tests("frm.bom", "\"x.rs::a\""), "uncovered.toml:4: frm.bom: there is no file x.rs");
    one(&tests("frm.bom", "\"x.rs\""), "frm.bom: x.rs must read path/of/file.rs::name");
    let cut = &is_here[..is_here.len() - 1];
    one(&tests("frm.bom", &format!("\"{cut}\"")), "uncovered.rs has no test what_is_not_true");
    one(
        "untested = [\"frm.bom\"]",
        "docs/protocol/specification.md: frm.whole: no case cites this MUST",
    );
    let nameless = problems("[[group]]\nreason = \" \"\nuntested = [\"frm.bom\"]");
    assert!(nameless[0].contains("its group gives no reason"), "{nameless:?}");

    let good = problems(&format!(
        "[[group]]\nreason = \"r\"\nuntested = [\"frm.bom\"]\n{}",
        tests("frm.whole", &format!("\"{is_here}\""))
    ));
    let about = |clause: &str| good.iter().any(|problem| problem.contains(&format!("{clause}: ")));
    assert!(!about("frm.bom") && !about("frm.whole") && !about("frm.crlf"), "{good:?}");
}
