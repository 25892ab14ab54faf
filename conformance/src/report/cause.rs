//! What probably causes a failure, and what to do: a small base of knowledge, as data.

use std::sync::LazyLock;

use extline_scenario::Outcome;
use regex_lite::Regex;
use serde::{Deserialize, Serialize};

use super::CaseReport;
use crate::case::host::script_of;
use crate::case::{original_id, without_point};
use crate::texts::packed;

/// A likely cause and its cure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// What is going on.
    pub cause: String,
    /// What to do.
    pub fix: String,
    /// It was seen in a real program that shows the same signs; else it is a guess.
    pub certain: bool,
}

impl Cause {
    /// What is going on, with `maybe:` before a guess.
    pub fn told(&self) -> String {
        let maybe = if self.certain { "" } else { "maybe: " };
        format!("{maybe}{}", self.cause)
    }
}

/// One entry: all signs that are given must be there.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// Cases for which it can hold, `E-FRM-14` or a group `E-FRM`; any when empty.
    #[serde(default)]
    cases: Vec<String>,
    /// What the failure is.
    outcome: Option<Outcome>,
    /// A pattern that stderr has.
    stderr: Option<String>,
    /// A pattern that the failure's `got` has.
    got: Option<String>,
    /// What the extension is written in: `python`, `node`, `sh`; any when empty.
    #[serde(default)]
    language: Vec<String>,
    /// Lines came in the middle of others, in this case or in an earlier one.
    #[serde(default)]
    torn: bool,
    /// The smallest bad value lies between these two.
    boundary: Option<[u64; 2]>,
    #[serde(default)]
    cause: String,
    #[serde(default)]
    fix: String,
    /// Other signs of the cause that begins with these words: what is told is written there.
    same_as: Option<String>,
    /// The test, or the page that a test runs, in which a real program shows these signs and this
    /// cause is told. Without one the entry is a guess.
    verified: Option<String>,
}

/// Looks a failure up; the first entry whose signs are all there. `language` is that of the program
/// that is tested, or of the driver. `torn` says that lines came in the middle of others somewhere in
/// the run.
pub(crate) fn cause_of(report: &CaseReport, language: Option<&str>, torn: bool) -> Option<Cause> {
    let failure = report.failure.as_ref()?;
    let stderr = report.evidence.as_ref().map(|one| one.stderr.join("\n")).unwrap_or_default();
    let id = original_id(without_point(&report.id));
    let group = id.rsplit_once('-').map_or(id.as_str(), |(group, _)| group);
    let is_of_host = script_of(&id).is_some();
    let found = KNOWLEDGE.iter().find(|(entry, patterns)| {
        let case = |name: &String| name == &id || name == group;
        // What holds for any case is about programs that a host starts.
        (entry.cases.is_empty() && !is_of_host || entry.cases.iter().any(case))
            && entry.outcome.is_none_or(|outcome| outcome == failure.outcome)
            && patterns.stderr.as_ref().is_none_or(|pattern| pattern.is_match(&stderr))
            && patterns.got.as_ref().is_none_or(|pattern| pattern.is_match(&failure.got))
            && (torn || !entry.torn)
            && (entry.language.is_empty()
                || entry.language.iter().any(|one| Some(&**one) == language))
            && entry.boundary.is_none_or(|[low, high]| {
                report.boundary.as_ref().is_some_and(|one| (low..=high).contains(&one.bad))
            })
    })?;
    let (Entry { cause, fix, verified, .. }, _) = found;
    let certain = verified.is_some();
    Some(Cause { cause: cause.clone(), fix: fix.trim_end().to_owned(), certain })
}

struct Patterns {
    stderr: Option<Regex>,
    got: Option<Regex>,
}

static KNOWLEDGE: LazyLock<Vec<(Entry, Patterns)>> = LazyLock::new(|| {
    // The file is part of this crate; a test reads it.
    read(packed("knowledge.toml")).unwrap_or_else(|error| unreachable!("{error}"))
});

fn read(text: &str) -> Result<Vec<(Entry, Patterns)>, String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Document {
        cause: Vec<Entry>,
    }
    let mut document: Document = toml::from_str(text).map_err(|error| error.to_string())?;
    complete(&mut document.cause)?;
    let pattern = |text: &Option<String>| {
        text.as_deref().map(Regex::new).transpose().map_err(|error| error.to_string())
    };
    document
        .cause
        .into_iter()
        .map(|entry| {
            let patterns = Patterns { stderr: pattern(&entry.stderr)?, got: pattern(&entry.got)? };
            Ok((entry, patterns))
        })
        .collect()
}

/// Fills in what stands at other entries.
fn complete(entries: &mut [Entry]) -> Result<(), String> {
    for place in 0..entries.len() {
        let Some(words) = entries[place].same_as.clone() else { continue };
        let told = entries.iter().find(|one| one.cause.starts_with(&words) && !words.is_empty());
        let told = told.ok_or_else(|| format!("no cause begins with {words:?}"))?;
        let (cause, fix, verified) = (told.cause.clone(), told.fix.clone(), told.verified.clone());
        let entry = &mut entries[place];
        (entry.cause, entry.fix) = (cause, fix);
        entry.verified = entry.verified.take().or(verified);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{builtin, client_cases, host_cases, mcp_cases};

    #[test]
    fn the_knowledge_can_be_read_and_names_cases_that_exist() {
        let knowledge = read(packed("knowledge.toml")).unwrap();
        for (entry, _) in &knowledge {
            for name in &entry.cases {
                let all = [builtin(), mcp_cases(), host_cases(), client_cases()];
                let known = all
                    .into_iter()
                    .flat_map(|cases| cases.values())
                    .any(|one| &one.id == name || one.group() == name);
                assert!(known, "there is no case {name} ({})", entry.cause);
            }
        }
    }

    #[test]
    fn what_is_told_as_certain_is_told_in_the_test_that_it_names() {
        let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        for (entry, _) in &read(packed("knowledge.toml")).unwrap() {
            let Some(file) = &entry.verified else { continue };
            let text = std::fs::read_to_string(root.join(file))
                .unwrap_or_else(|error| panic!("{file}: {error} ({})", entry.cause));
            let words: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
            // A page shows it whole; a test has a part of it between quotation marks.
            let told = words.contains(&entry.cause)
                || words.split('"').any(|part| part.len() > 8 && entry.cause.contains(part));
            assert!(told, "{file} does not show the cause: {}", entry.cause);
        }
    }
}
