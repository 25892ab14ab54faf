//! From the text of a baseline to its entries.

use std::ops::Range;

use serde::Deserialize;
use thiserror::Error;

use super::{Baseline, Entry, Kind};

/// A baseline that cannot be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{file}:{line}: {problem}")]
pub struct BaselineError {
    /// The file, as it was named.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there, and what to do.
    pub problem: String,
}

impl Baseline {
    /// Reads a baseline; `file` is only named in errors and reports. Every entry must have a reason
    /// that somebody wrote.
    pub fn parse(file: &str, text: &str) -> Result<Self, BaselineError> {
        let baseline = Self::parse_draft(file, text)?;
        let Some(entry) = baseline.entries.iter().find(|entry| !entry.has_reason()) else {
            return Ok(baseline);
        };
        let problem = format!(
            "{} has no reason: write why its failure is accepted for now, reason = \"...\"",
            entry.case
        );
        Err(BaselineError { file: file.to_owned(), line: entry.line, problem })
    }

    /// The same for one that is to be written anew: reasons may be missing still.
    pub fn parse_draft(file: &str, text: &str) -> Result<Self, BaselineError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Document {
            #[serde(default, rename = "expected")]
            entries: Vec<toml::Spanned<Entry>>,
        }
        let line_of = |span: Option<Range<usize>>| {
            1 + text[..span.map_or(0, |span| span.start)].matches('\n').count()
        };
        let error = |line, problem| BaselineError { file: file.to_owned(), line, problem };
        let document: Document = toml::from_str(text)
            .map_err(|refused| error(line_of(refused.span()), refused.message().to_owned()))?;
        let mut entries: Vec<Entry> = Vec::with_capacity(document.entries.len());
        for spanned in document.entries {
            let line = line_of(Some(spanned.span()));
            let entry = Entry { line, ..spanned.into_inner() };
            if let Some(first) = entries.iter().find(|other| other.case == entry.case) {
                let problem = format!("{} stands in line {} already", entry.case, first.line);
                return Err(error(line, problem));
            }
            if entry.outcome.is_none() && entry.kind != Kind::KnownFlaky {
                let problem = format!(
                    "{} does not say how it fails: outcome = \"died\", \"silent\", \"wrong\" or \
                     \"survived\"",
                    entry.case
                );
                return Err(error(line, problem));
            }
            entries.push(entry);
        }
        Ok(Self { file: file.to_owned(), entries })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(entry: &str) -> String {
        Baseline::parse("b.toml", &format!("# one\n\n[[expected]]\n{entry}"))
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let whole = "case = \"E-FRM-14\"\nkind = \"known-failing\"\noutcome = \"died\"\n";
        let error = refusal(whole);
        assert!(error.starts_with("b.toml:3: E-FRM-14 has no reason: "), "{error}");
        let error = refusal(&format!("{whole}reason = \" todo \""));
        assert!(error.starts_with("b.toml:3: E-FRM-14 has no reason: "), "{error}");
        let with_reason = format!("{whole}reason = \"r\"\n");
        let error = refusal(&format!("{with_reason}\n[[expected]]\n{with_reason}"));
        assert_eq!(error, "b.toml:9: E-FRM-14 stands in line 3 already");
        let error = refusal("case = \"E-FRM-14\"\nkind = \"wont-support\"\nreason = \"r\"");
        assert!(error.contains("b.toml:3: E-FRM-14 does not say how it fails"), "{error}");
        let error = refusal("case = \"E-FRM-14\"\nkind = \"never\"\nreason = \"r\"");
        assert!(error.starts_with("b.toml:5: unknown variant `never`"), "{error}");
        let error = refusal(&format!("{with_reason}expires = \"soon\""));
        assert!(error.starts_with("b.toml:8: "), "{error}");
        let error = refusal(&format!("{with_reason}until = 2026-12-31"));
        assert!(error.starts_with("b.toml:8: unknown field `until`"), "{error}");
        assert!(Baseline::parse_draft("b.toml", &format!("[[expected]]\n{whole}")).is_ok());
    }

    #[test]
    fn the_example_of_the_documentation_is_a_baseline() {
        let document = include_str!("../../../../docs/tester/guide.md");
        let section = document.split("\n## Baselines\n").nth(1).unwrap();
        let example = section.split("```toml").nth(1).and_then(|rest| rest.split("```").next());
        let baseline = Baseline::parse("docs/tester/guide.md", example.unwrap()).unwrap();
        assert_eq!(baseline.entries.len(), 2);
        assert!(baseline.entries[0].expires.is_some());
    }
}
