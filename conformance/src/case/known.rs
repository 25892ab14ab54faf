//! What a case names must exist: clauses of docs/protocol/specification.md and checks of this crate.

use extline_scenario::{Case, CaseError, Level};

use super::clause::{Binds, Clause};
use crate::check;

/// What the clauses of extensions and hosts are in.
const SPECIFICATION: &str = "docs/protocol/specification.md";

/// What a case's clauses say of it.
pub trait Cited {
    /// The clause that gives it its level and its quoted text; `None` for an author's own case that
    /// cites nothing.
    fn clause(&self) -> Option<&'static Clause>;

    /// How strict it is: as its first clause, else as it says itself, else a MUST.
    fn level(&self) -> Level;

    /// Whom it binds: as its first clause, else the extension it was written for.
    fn binds(&self) -> Binds;
}

impl Cited for Case {
    fn clause(&self) -> Option<&'static Clause> {
        self.clauses.first().and_then(|id| Clause::named(id))
    }

    fn level(&self) -> Level {
        self.clause().map(|clause| clause.level).or(self.level).unwrap_or(Level::Must)
    }

    fn binds(&self) -> Binds {
        self.clause().map_or(Binds::Extension, Clause::binds)
    }
}

/// Reads the cases of a built-in file: each cites a clause.
pub fn parse(file: &str, text: &str) -> Result<Vec<Case>, CaseError> {
    known(extline_scenario::parse(file, text)?, |case| {
        let problem = "it cites no clause of docs/protocol/specification.md; name at least one";
        case.clauses.is_empty().then(|| problem.to_owned())
    })
}

/// Reads a file of an author's own cases, which need not cite clauses and have ids of their own.
pub fn parse_own(file: &str, text: &str) -> Result<Vec<Case>, CaseError> {
    known(extline_scenario::parse_own(file, text)?, |_| None)
}

fn known(
    cases: Vec<Case>,
    problem_of: impl Fn(&Case) -> Option<String>,
) -> Result<Vec<Case>, CaseError> {
    for case in &cases {
        let is_check = |name: &str| check::named(name).is_some();
        let unknown = || unknown_of(case, SPECIFICATION, is_check, &check::names());
        if let Some(problem) = problem_of(case).or_else(unknown) {
            return Err(case.refused(&problem));
        }
    }
    Ok(cases)
}

/// What it names that does not exist: a clause of that document, or a check.
pub(super) fn unknown_of(
    case: &Case,
    document: &str,
    is_check: impl Fn(&str) -> bool,
    checks: &[&str],
) -> Option<String> {
    if let Some(unknown) = case.clauses.iter().find(|id| Clause::named(id).is_none()) {
        return Some(format!("{document} has no clause {unknown}"));
    }
    let unknown = case.check.as_deref().filter(|name| !is_check(name))?;
    Some(format!("there is no check {unknown}; there are {}", checks.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(rest: &str) -> String {
        format!("\n[[case]]\nid = \"x-01\"\ntitle = \"t\"\n{rest}\n")
    }

    #[test]
    fn the_examples_of_the_documentation_are_cases() {
        let document = include_str!("../../../docs/tester/cases.md");
        let blocks = document.split("```toml").skip(1).filter_map(|rest| rest.split("```").next());
        let [built_in, own] = blocks.collect::<Vec<_>>()[..] else { panic!("two examples") };
        assert_eq!(parse_own("docs/tester/cases.md", own).unwrap()[0].id, "berlin-has-weather");
        let cases = parse("docs/tester/cases.md", built_in).unwrap();
        assert_eq!(cases[0].id, "E-FRM-14");
        assert_eq!(cases[0].values.len(), 4);
        assert_eq!(cases[0].clause().unwrap().id, "frm.accept-max-line");
    }

    #[test]
    fn what_does_not_exist_is_said_with_its_line() {
        let refusal = |text: &str| parse("x.toml", text).unwrap_err().to_string();
        let error = refusal(&case("steps = [{ canary = 1 }]"));
        assert!(error.starts_with("x.toml:2: case x-01: it cites no clause"), "{error}");
        let error = refusal(&case("clauses = [\"frm.nope\"]\nsteps = [{ canary = 1 }]"));
        assert!(error.contains("no clause frm.nope"), "{error}");
        let error = refusal(&case("clauses = [\"frm.bom\"]\ncheck = \"nope\""));
        assert!(error.contains("there is no check nope"), "{error}");
    }

    #[test]
    fn an_author_s_case_has_the_level_of_its_clause_or_its_own_or_is_a_must() {
        let level = |rest: &str| {
            let text = case(&format!("{rest}\nsteps = [{{ canary = 1 }}]"));
            parse_own("x.toml", &text).unwrap()[0].level()
        };
        assert_eq!(level(""), Level::Must);
        assert_eq!(level("level = \"may\""), Level::May);
        assert_eq!(level("clauses = [\"frm.no-null\"]"), Level::Should);
    }
}
