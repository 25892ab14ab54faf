//! Which cases cite a clause.

use std::collections::BTreeMap;
use std::fs;

use extline_conformance::{Binds, Case, CaseError, Clause, parse, parse_host};

use crate::repository;

/// A file of cases.
pub(crate) struct File {
    /// Its name, `framing.toml`.
    pub(crate) name: String,
    text: String,
}

/// A case, and the file it stands in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Citing {
    pub(crate) case: String,
    pub(crate) file: String,
}

/// The cases that check a clause, by clause.
#[derive(Default)]
pub(crate) struct Cited(BTreeMap<String, Vec<Citing>>);

impl File {
    pub(crate) fn new(name: &str, text: &str) -> Self {
        Self { name: name.to_owned(), text: text.to_owned() }
    }

    /// Its cases; what is refused is named as in that folder.
    fn cases(&self, folder: &str) -> Result<Vec<Case>, CaseError> {
        let name = format!("{folder}{}", self.name);
        let is_for_hosts = ["host-", "client-"].iter().any(|head| self.name.starts_with(head));
        if is_for_hosts { parse_host(&name, &self.text) } else { parse(&name, &self.text) }
    }
}

impl Cited {
    pub(crate) fn by(files: &[File]) -> Self {
        let mut cited = Self::default();
        for file in files {
            // What cannot be read is another test's problem.
            for case in file.cases("").unwrap_or_default() {
                for clause in case.clauses.iter().filter(|clause| checks(&case.id, clause)) {
                    let citing = Citing { case: case.id.clone(), file: file.name.clone() };
                    cited.0.entry(clause.clone()).or_default().push(citing);
                }
            }
        }
        cited.0.values_mut().for_each(|cases| cases.sort());
        cited
    }

    /// The cases that check the clause.
    pub(crate) fn cases(&self, clause: &str) -> &[Citing] {
        self.0.get(clause).map_or(&[], Vec::as_slice)
    }
}

/// A case that is played against extensions (`E-`) says nothing about a host, though it may take a
/// number from a host's clause; and one for hosts (`H-`) says nothing about an extension, though it
/// may show a host what both must do.
fn checks(case: &str, clause: &str) -> bool {
    let binds_host = Clause::named(clause).is_some_and(|clause| clause.binds() == Binds::Host);
    binds_host == case.starts_with("H-")
}

/// The files of conformance/cases.
pub(crate) fn files() -> Vec<File> {
    let mut paths: Vec<_> = fs::read_dir(repository("conformance/cases"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    paths.sort();
    let name = |path: &std::path::Path| path.file_name().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| File::new(&name(path), &fs::read_to_string(path).unwrap())).collect()
}

/// What is wrong in the files, each with its place.
pub(crate) fn problems(files: &[File]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for file in files {
        match file.cases("conformance/cases/") {
            Err(error) => problems.push(error.to_string()),
            Ok(cases) => {
                for case in cases {
                    if let Some(first) = seen.insert(case.id.clone(), &file.name) {
                        problems.push(format!(
                            "conformance/cases/{}: case {}: {first} has a case of this id already; \
                             give it a new one",
                            file.name, case.id
                        ));
                    }
                }
            }
        }
    }
    problems
}

#[test]
fn a_case_without_a_clause_and_one_with_a_wrong_one_are_named() {
    let case = |clauses: &str| {
        let text = format!(
            "[[case]]\nid = \"E-X-01\"\ntitle = \"t\"\nclauses = [{clauses}]\nsteps = [{{ canary = 1 }}]"
        );
        File::new("x.toml", &text)
    };
    let good = r#""frm.crlf""#;
    assert_eq!(problems(&[case(good)]), [""; 0]);
    let cites_nothing = problems(&[case("")]);
    assert!(
        cites_nothing[0].contains("x.toml:1: case E-X-01: it cites no clause"),
        "{cites_nothing:?}"
    );
    let unknown = problems(&[case(r#""frm.nope""#)]);
    assert!(
        unknown[0].contains("docs/protocol/specification.md has no clause frm.nope"),
        "{unknown:?}"
    );
    let twice = problems(&[case(good), case(good)]);
    assert!(twice[0].contains("x.toml has a case of this id already"), "{twice:?}");
    // It checks an extension, whatever it takes from the host's clause.
    let cited = Cited::by(&[case(r#""frm.crlf", "host.hello-deadline""#)]);
    assert_eq!((cited.cases("frm.crlf").len(), cited.cases("host.hello-deadline").len()), (1, 0));
}
