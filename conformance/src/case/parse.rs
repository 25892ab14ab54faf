//! From the text of a TOML file to its cases.

use std::ops::Range;

use serde::Deserialize;
use thiserror::Error;

use super::step::{Text, Verb};
use super::{Case, Process};
use crate::check;
use crate::clause::Clause;

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

/// Reads the cases of a file; `file` is only named in errors.
pub fn parse(file: &str, text: &str) -> Result<Vec<Case>, CaseError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Document {
        #[serde(rename = "case")]
        cases: Vec<toml::Spanned<Case>>,
    }
    let error = |span: Option<Range<usize>>, problem: String| CaseError {
        file: file.to_owned(),
        line: 1 + text[..span.map_or(0, |span| span.start)].matches('\n').count(),
        problem,
    };
    let document: Document = toml::from_str(text)
        .map_err(|refused| error(refused.span(), refused.message().to_owned()))?;
    let mut cases: Vec<Case> = Vec::with_capacity(document.cases.len());
    for (number, spanned) in document.cases.into_iter().enumerate() {
        let span = spanned.span();
        let mut case = spanned.into_inner();
        case.source = source(text, number);
        let problem = problem_of(&case).or_else(|| {
            let twice = cases.iter().any(|other| other.id == case.id);
            twice.then(|| "its id is another case's: ids are never shared".to_owned())
        });
        if let Some(problem) = problem {
            return Err(error(Some(span), format!("case {}: {problem}", case.id)));
        }
        cases.push(case);
    }
    Ok(cases)
}

/// The text of one case: from its `[[case]]` to the next.
fn source(text: &str, number: usize) -> String {
    let mut starts = text.match_indices("[[case]]").map(|(start, _)| start).skip(number);
    let start = starts.next().unwrap_or_default();
    let end = starts.next().unwrap_or(text.len());
    text[start..end].trim_end().to_owned()
}

fn problem_of(case: &Case) -> Option<String> {
    let Some(first) = case.clauses.first() else {
        return Some("it cites no clause of docs/protocol.md; name at least one".to_owned());
    };
    if let Some(unknown) = case.clauses.iter().find(|id| Clause::named(id).is_none()) {
        return Some(format!("docs/protocol.md has no clause {unknown}"));
    }
    if case.check.is_some() != case.steps.is_empty() {
        return Some("give it either steps or a check".to_owned());
    }
    if let Some(name) = case.check.as_deref().filter(|name| check::named(name).is_none()) {
        return Some(format!("there is no check {name}; there are {}", check::names().join(", ")));
    }
    if case.bisect.is_some() && case.values.is_empty() {
        return Some("bisect needs values to search between".to_owned());
    }
    let texts = || {
        case.steps.iter().filter_map(|step| match &step.verb {
            Verb::Line(text) | Verb::Raw(text) | Verb::Hex(text) => Some(text),
            _ => None,
        })
    };
    let uses_value = |text: &Text| {
        let sized = [text.bytes, text.depth, text.digits];
        sized.contains(&Some(super::Amount::Value)) || text.template.contains("$value")
    };
    if !case.values.is_empty() && !texts().any(uses_value) {
        return Some("it has values, and no step uses $value".to_owned());
    }
    if case.values.is_empty() && texts().any(uses_value) {
        return Some("a step uses $value, and there are no values".to_owned());
    }
    let raw = matches!(case.process, Process::Raw | Process::StdinAtEnd);
    let shakes = case.steps.iter().any(|step| matches!(step.verb, Verb::Handshake(_)));
    if shakes && !raw {
        return Some(format!(
            "its process is ready already when it starts; \
             a handshake of its own ({first}) needs process = \"raw\""
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        parse("x.toml", text).unwrap_err().to_string()
    }

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
        assert_eq!(cases[0].clause().id, "frm.blank-line");
    }

    #[test]
    fn the_example_of_the_documentation_is_a_case() {
        let document = include_str!("../../../docs/cases.md");
        let example = document.split("```toml").nth(1).and_then(|rest| rest.split("```").next());
        let cases = parse("docs/cases.md", example.unwrap()).unwrap();
        assert_eq!(cases[0].id, "E-FRM-14");
        assert_eq!(cases[0].values.len(), 4);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let case = |rest: &str| format!("\n[[case]]\nid = \"E-X-01\"\ntitle = \"t\"\n{rest}\n");
        let error = refusal(&case("clauses = []\nsteps = [{ canary = 1 }]"));
        assert!(error.starts_with("x.toml:2: case E-X-01: it cites no clause"), "{error}");
        let error = refusal(&case("clauses = [\"frm.nope\"]\nsteps = [{ canary = 1 }]"));
        assert!(error.contains("no clause frm.nope"), "{error}");
        let error = refusal(&case("clauses = [\"frm.bom\"]"));
        assert!(error.contains("either steps or a check"), "{error}");
        let error = refusal(&case("clauses = [\"frm.bom\"]\nsteps = [{ within_ms = 3 }]"));
        assert!(error.contains("x.toml:6:") && error.contains("without a verb"), "{error}");
        let error = refusal(&case("clauses = [\"frm.bom\"]\nsteps = [{ canary = 1, raw = \"\" }]"));
        assert!(error.contains("more than one verb"), "{error}");
        let error =
            refusal(&case("clauses = [\"frm.bom\"]\nvalues = [1]\nsteps = [{ canary = 1 }]"));
        assert!(error.contains("no step uses $value"), "{error}");
        let error = refusal(&case("clauses = [\"frm.bom\"]\ncheck = \"nope\""));
        assert!(error.contains("there is no check nope"), "{error}");
    }
}
