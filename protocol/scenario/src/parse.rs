//! From the text of a TOML file to its cases.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::case::{Case, Process};
use crate::step::{Text, Verb};

/// A file of cases that cannot be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{file}:{line}: {problem}")]
pub struct CaseError {
    /// The file, as it was named.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there, and what to do.
    pub problem: String,
}

/// What stands in a file of cases: a case, or more that belongs to one.
pub trait InFile: Sized {
    /// Its table, as far as that can be read by itself.
    type Table: DeserializeOwned;

    /// Reads its table; `Err` says what is wrong there.
    fn of(table: Self::Table) -> Result<Self, String>;

    /// The case.
    fn case(&mut self) -> &mut Case;

    /// What is wrong with it as a whole, and what to do.
    fn problem(&self) -> Option<String>;
}

impl InFile for Case {
    type Table = Self;

    fn of(table: Self) -> Result<Self, String> {
        Ok(table)
    }

    fn case(&mut self) -> &mut Case {
        self
    }

    fn problem(&self) -> Option<String> {
        problem_of(self)
    }
}

/// Reads the cases of a file; `file` is only named in errors. Whether clauses and checks exist is
/// for the tester to say.
pub fn parse(file: &str, text: &str) -> Result<Vec<Case>, CaseError> {
    parse_all(file, text)
}

/// The same for cases to which more belongs.
pub fn parse_all<C: InFile>(file: &str, text: &str) -> Result<Vec<C>, CaseError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields, bound = "T: DeserializeOwned")]
    struct Document<T> {
        #[serde(rename = "case")]
        cases: Vec<toml::Spanned<T>>,
    }
    let line_of = |byte: usize| 1 + text[..byte].matches('\n').count();
    let error = |line, problem| CaseError { file: file.to_owned(), line, problem };
    let document: Document<C::Table> = toml::from_str(text).map_err(|refused| {
        let line = line_of(refused.span().map_or(0, |span| span.start));
        error(line, refused.message().to_owned())
    })?;
    let mut all = Vec::with_capacity(document.cases.len());
    let mut ids = BTreeSet::new();
    for (number, spanned) in document.cases.into_iter().enumerate() {
        let line = line_of(spanned.span().start);
        let mut one = C::of(spanned.into_inner()).map_err(|problem| error(line, problem))?;
        let case = one.case();
        file.clone_into(&mut case.file);
        case.line = line;
        case.source = source(text, number);
        for step in &mut case.steps {
            step.line = line_of(step.line);
        }
        let is_first = ids.insert(case.id.clone());
        let problem = one.problem().or_else(|| {
            (!is_first).then(|| "its id is another case's: ids are never shared".to_owned())
        });
        if let Some(problem) = problem {
            return Err(one.case().refused(&problem));
        }
        all.push(one);
    }
    Ok(all)
}

/// The same for a file of an author's own cases, whose ids are never those of built-in ones.
pub fn parse_own(file: &str, text: &str) -> Result<Vec<Case>, CaseError> {
    let cases = parse(file, text)?;
    let foreign = cases.iter().find(|case| !case.is_own());
    match foreign {
        None => Ok(cases),
        Some(case) => Err(case.refused(
            "ids of your own cases begin with a lower-case letter and go on with letters, digits, \
             - and _, as berlin-has-weather; the others are built in",
        )),
    }
}

impl Case {
    /// Whether its id is an author's rather than a built-in one.
    pub fn is_own(&self) -> bool {
        let rest = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
        let first = |letter: char| letter.is_ascii_lowercase();
        self.id.starts_with(first) && self.id.chars().all(rest)
    }

    /// What is wrong where it has both steps and a check, or neither.
    pub fn steps_or_check(&self, has_steps: bool) -> Option<String> {
        let is_wrong = self.check.is_some() == has_steps;
        is_wrong.then(|| "give it either steps or a check".to_owned())
    }

    /// The error that says what is wrong with this case, with its place.
    pub fn refused(&self, problem: &str) -> CaseError {
        let problem = format!("case {}: {problem}", self.id);
        CaseError { file: self.file.clone(), line: self.line, problem }
    }
}

/// The text of one case: from its `[[case]]` to the next.
fn source(text: &str, number: usize) -> String {
    let mut starts = text.match_indices("[[case]]").map(|(start, _)| start).skip(number);
    let start = starts.next().unwrap_or_default();
    let end = starts.next().unwrap_or(text.len());
    text[start..end].trim_end().to_owned()
}

fn problem_of(case: &Case) -> Option<String> {
    if case.level.is_some() && !case.clauses.is_empty() {
        return Some("its first clause gives its level; leave out either of them".to_owned());
    }
    if let Some(problem) = case.steps_or_check(!case.steps.is_empty()) {
        return Some(problem);
    }
    if case.bisect.is_some() && case.values.is_empty() {
        return Some("bisect needs values to search between".to_owned());
    }
    let texts = || {
        case.steps.iter().filter_map(|step| match &step.verb {
            Verb::Line(text)
            | Verb::Raw(text)
            | Verb::Hex(text)
            | Verb::Frame(text)
            | Verb::Each(text) => Some(text),
            _ => None,
        })
    };
    if !case.values.is_empty() && !texts().any(Text::uses_value) {
        return Some("it has values, and no step uses $value".to_owned());
    }
    if case.values.is_empty() && texts().any(Text::uses_value) {
        return Some("a step uses $value, and there are no values".to_owned());
    }
    let raw = matches!(case.process, Process::Raw | Process::StdinAtEnd);
    let shakes = case.steps.iter().any(|step| matches!(step.verb, Verb::Handshake(_)));
    if shakes && !raw {
        return Some(
            "its process is ready already when it starts; \
             a handshake of its own needs process = \"raw\""
                .to_owned(),
        );
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_read() {
        let cases = parse(
            "x.toml",
            r#"
            [[case]]
            id = "E-FRM-02"
            title = "a blank line is skipped"
            clauses = ["frm.blank-line"]
            needs = ["canary"]
            steps = [{ raw = "\n" }, { canary = 1 }]
            "#,
        );
        let cases = cases.unwrap();
        assert_eq!(cases[0].group(), "E-FRM");
        assert_eq!(cases[0].steps.len(), 2);
        assert_eq!((cases[0].line, cases[0].steps[1].line), (2, 7));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let case = |rest: &str| format!("\n[[case]]\nid = \"x-01\"\ntitle = \"t\"\n{rest}\n");
        let refusal = |rest: &str| parse("x.toml", &case(rest)).unwrap_err().to_string();
        let error = refusal("");
        assert!(error.starts_with("x.toml:2: case x-01: give it either steps or a check"));
        let error = refusal("steps = [{ within_ms = 3 }]");
        assert!(error.contains("x.toml:5:") && error.contains("without a verb"), "{error}");
        let error = refusal("steps = [{ canary = 1, raw = \"\" }]");
        assert!(error.contains("more than one verb"), "{error}");
        let error = refusal("steps = [{ canary = 1, times = \"x\" }]");
        assert!(error.contains("`times` does nothing beside this verb; leave it out"), "{error}");
        let error = refusal("values = [1]\nsteps = [{ canary = 1 }]");
        assert!(error.contains("no step uses $value"), "{error}");
        let error = refusal("steps = [{ line = \"\", bytes = \"$value\" }]");
        assert!(error.contains("there are no values"), "{error}");
        let error = refusal("clauses = [\"a.b\"]\nlevel = \"may\"\nsteps = [{ canary = 1 }]");
        assert!(error.contains("its first clause gives its level"), "{error}");
        let error = refusal("steps = [{ handshake = {} }]");
        assert!(error.contains("process = \"raw\""), "{error}");
        let twice = case("check = \"a\"").repeat(2);
        let error = parse("x.toml", &twice).unwrap_err();
        assert_eq!((error.line, error.problem.contains("ids are never shared")), (7, true));
    }

    #[test]
    fn ids_of_an_author_s_cases_are_not_those_of_built_in_ones() {
        let parsed = |id: &str| {
            let text = format!("[[case]]\nid = {id:?}\ntitle = \"t\"\ncheck = \"names\"\n");
            parse_own("x.toml", &text)
        };
        assert!(parsed("e-frm-14").is_ok());
        assert!(parsed("berlin_2-Weather").is_ok());
        for id in ["E-FRM-14", "", "2-x", "a b", "a/b"] {
            let error = parsed(id).unwrap_err().to_string();
            assert!(error.contains("begin with a lower-case letter"), "{id}: {error}");
        }
    }
}
