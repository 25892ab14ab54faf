//! The cases for MCP servers: each stands once in its file, and is played in every era whose revision has a
//! clause that it cites.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::{Case, Cases, Clause, Process, parse};
use crate::conversation::Era;
use crate::texts::packed;

/// The files, each with the cases of one subject.
const FILES: [&str; 6] = [
    "mcp-begin.toml",
    "mcp-messages.toml",
    "mcp-lines.toml",
    "mcp-offers.toml",
    "mcp-questions.toml",
    "mcp-end.toml",
];

/// Every case for MCP servers, by name: those of the newer era end in `@2026` where the older one has them
/// as well.
pub fn mcp_cases() -> &'static Cases {
    static CASES: LazyLock<Cases> = LazyLock::new(|| {
        let cases = FILES.into_iter().flat_map(|file| {
            // The files are part of this crate; a test reads each of them.
            parse(file, packed(&format!("cases/{file}")))
                .unwrap_or_else(|error| unreachable!("{error}"))
        });
        let cases = cases.flat_map(|case| Era::ALL.map(|era| in_era(&case, era)));
        cases.flatten().map(|case| (case.id.clone(), case)).collect()
    });
    &CASES
}

/// In which era a case for MCP servers is played.
pub(crate) fn era_of(case: &Case) -> Era {
    let is_newer = case.clauses.iter().any(|clause| is_of(clause, Era::Discover));
    if is_newer || case.id.ends_with(Era::Discover.suffix()) {
        Era::Discover
    } else {
        Era::Initialize
    }
}

/// Whether a case is played in one era alone where a server speaks both: what no revision says, and what the
/// process does in any, which needs one of its own.
pub(crate) fn is_played_once(case: &Case) -> bool {
    let cites = |clause: &String| Era::ALL.iter().any(|era| is_of(clause, *era));
    let is_of_no_revision = !case.clauses.iter().any(cites);
    is_of_no_revision || !matches!(case.process, Process::Shared | Process::Raw)
}

/// A case as it is played in that era; `None` where it is none of it.
fn in_era(case: &Case, era: Era) -> Option<Case> {
    let eras = eras(case);
    if !eras.contains(&era) {
        return None;
    }
    let suffix = if eras.len() > 1 { era.suffix() } else { "" };
    let named = |id: &String| format!("{id}{suffix}");
    let is_foreign =
        |clause: &String| Era::ALL.iter().any(|one| *one != era && is_of(clause, *one));
    Some(Case {
        id: named(&case.id),
        behind: case.behind.as_ref().map(named),
        clauses: case.clauses.iter().filter(|clause| !is_foreign(clause)).cloned().collect(),
        ..case.clone()
    })
}

/// The eras whose revisions have a clause that it cites; both where it cites none of any.
fn eras(case: &Case) -> Vec<Era> {
    let is_cited = |era: &Era| case.clauses.iter().any(|clause| is_of(clause, *era));
    let eras: Vec<_> = Era::ALL.into_iter().filter(is_cited).collect();
    if eras.is_empty() { Era::ALL.into() } else { eras }
}

fn is_of(clause: &str, era: Era) -> bool {
    clause.strip_prefix(era.revision()).is_some_and(|rest| rest.starts_with('/'))
}

/// What the specification of MCP, that of JSON-RPC and use say of servers and clients, as this project cites it.
pub(super) static CLAUSES: LazyLock<BTreeMap<String, Clause>> = LazyLock::new(|| {
    #[derive(serde::Deserialize)]
    struct Document {
        clause: Vec<Clause>,
    }
    // The file is part of this crate; a test reads it.
    let document: Document = toml::from_str(packed("mcp-clauses.toml"))
        .unwrap_or_else(|error| unreachable!("mcp-clauses.toml: {error}"));
    document.clause.into_iter().map(|clause| (clause.id.clone(), clause)).collect()
});

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::case::{Cited, Level, client_cases};

    #[test]
    fn a_case_is_played_in_each_era_with_the_clauses_of_its_revision() {
        let cases = mcp_cases();
        for (id, case) in cases {
            let era = era_of(case);
            assert!(id.starts_with("M-"), "{id}");
            assert!(case.clause().is_some(), "{id} cites nothing that there is");
            let foreign = Era::ALL.into_iter().filter(|other| *other != era);
            for other in foreign {
                assert!(!case.clauses.iter().any(|clause| is_of(clause, other)), "{id}");
            }
        }
        assert_eq!(era_of(&cases["M-INI-01"]), Era::Initialize);
        assert_eq!(era_of(&cases["M-DSC-01"]), Era::Discover);
        assert!(cases.contains_key("M-FRM-01") && cases.contains_key("M-FRM-01@2026"));
    }

    #[test]
    fn each_clause_is_cited_and_what_only_use_wants_is_no_must() {
        let cases = mcp_cases().values().chain(client_cases().values());
        let cited: BTreeSet<_> = cases.flat_map(|case| case.clauses.iter().cloned()).collect();
        for (id, clause) in &*CLAUSES {
            assert!(cited.contains(id), "no case cites {id}");
            let is_use = id.starts_with("use/");
            assert!(!is_use || clause.level != Level::Must, "{id}");
        }
    }
}
