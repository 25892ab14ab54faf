//! `extline conformance explain`: a case or a clause, in its own words.

use clap::error::ErrorKind;
use extline_conformance::{Case, Clause, all_cases, case_named};
use serde_json::json;

use super::selection;
use crate::exit::Exit;
use crate::failure::nearest;
use crate::printer::Printer;
use crate::styled::BOLD;
use crate::target::usage;

pub(super) fn explain(name: &str, printer: Printer) -> Result<Exit, clap::Error> {
    let case = name.to_uppercase();
    if let Some(case) = case_named(&case) {
        return Ok(of_case(case, printer));
    }
    match Clause::named(&name.to_lowercase()) {
        Some(clause) => Ok(of_clause(clause, printer)),
        None => Err(unknown(name)),
    }
}

/// That there is neither such a case nor such a clause, with the nearest there is.
fn unknown(name: &str) -> clap::Error {
    let clauses = Clause::all().chain(Clause::of_mcp());
    let clauses: Vec<_> = clauses.map(|clause| clause.id.clone()).collect();
    // The ids of clauses have a dot or a slash, those of cases have neither.
    let is_clause = name.contains(['.', '/']);
    let Some(near) = nearest(&name.to_lowercase(), &clauses).filter(|_| is_clause) else {
        return selection::unknown(name);
    };
    let place = if name.contains('/') {
        "conformance/mcp-clauses.toml"
    } else {
        "docs/protocol/specification.md"
    };
    let text = format!("there is no clause {name}; {place} has them all. Did you mean {near}?");
    usage(super::SUBCOMMAND, ErrorKind::InvalidValue, &text)
}

/// A clause, and the cases that check it.
fn of_clause(clause: &Clause, mut printer: Printer) -> Exit {
    let cases: Vec<_> = all_cases().filter(|case| case.clauses.contains(&clause.id)).collect();
    if printer.json {
        let cases: Vec<_> = cases.iter().map(|case| &case.id).collect();
        printer.json(&json!({
            "id": clause.id, "level": clause.level, "text": clause.text, "cases": cases,
        }));
        return printer.finish(Exit::Ok);
    }
    let level = clause.level.word();
    printer.result(format_args!("{BOLD}{}{BOLD:#}  {level}\n  {}", clause.id, clause.text));
    let head = if cases.is_empty() { "No case checks it." } else { "The cases that check it:" };
    printer.result(format_args!("\n{head}"));
    for case in cases {
        printer.result(format_args!("  {}  {}", case.id, case.title));
    }
    printer.finish(Exit::Ok)
}

fn of_case(case: &Case, mut printer: Printer) -> Exit {
    let clauses: Vec<_> = case.clauses.iter().filter_map(|id| Clause::named(id)).collect();
    if printer.json {
        let clauses: Vec<_> = clauses
            .iter()
            .map(|clause| json!({"id": clause.id, "level": clause.level, "text": clause.text}))
            .collect();
        printer.json(&json!({
            "id": case.id, "title": case.title, "about": case.about, "clauses": clauses,
            "source": case.source,
        }));
        return printer.finish(Exit::Ok);
    }
    printer.result(format_args!("{BOLD}{}{BOLD:#}  {}", case.id, case.title));
    for clause in clauses {
        printer.result(format_args!("\n{} {}\n  {}", clause.level.word(), clause.id, clause.text));
    }
    if !case.about.is_empty() {
        printer.result(format_args!("\n{}", case.about));
    }
    printer.result(format_args!("\nThe case:\n\n{}", case.source.trim_end()));
    printer.finish(Exit::Ok)
}
