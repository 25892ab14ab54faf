//! Kits by hosts on one page: Markdown, and HTML that needs nothing else.

use std::fmt::Write;

use serde::Serialize;

use super::html::escape;

const LEGEND: &str = "works: all that there is passes. partly: what this host has passes, and the \
    rest is what it does not have. not there: this host has nothing of it. FAILS: something goes \
    wrong. n/a: no case is about this kit. Numbers are cases of the kit level.";

/// One kit under one kind of host.
#[derive(Clone, Debug, Serialize)]
pub struct MatrixColumn {
    /// The kit, as it is shown.
    pub kit: String,
    /// The host it was played to.
    pub profile: &'static str,
    /// What came of each subject, in their order.
    pub cells: Vec<Cell>,
}

/// What came of the cases about one subject.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// What they are about.
    pub subject: &'static str,
    /// Cases that passed.
    pub passed: usize,
    /// Cases that failed, by their ids.
    pub failed: Vec<String>,
    /// Cases that this host cannot have.
    pub not_there: usize,
    /// Cases that say nothing about this kit: one that was written without an SDK is spared those
    /// for SDKs.
    pub not_applicable: usize,
    /// Cases that should have run and could not, by their ids.
    pub could_not_run: Vec<String>,
}

impl Cell {
    /// What it means, in a word or two.
    pub fn word(&self) -> String {
        let Self { passed, failed, not_there, could_not_run, .. } = self;
        match (passed, failed.len() + could_not_run.len(), not_there) {
            (0, 0, 0) => "n/a".to_owned(),
            (_, 0, 0) => format!("works, {passed}"),
            (0, 0, _) => "not there".to_owned(),
            (_, 0, _) => format!("partly, {passed} of {}", passed + not_there),
            (_, bad, _) => format!("FAILS, {bad} of {}", passed + bad + not_there),
        }
    }
}

/// Tables for a page in Markdown, one for each host.
pub fn matrix_markdown(columns: &[MatrixColumn]) -> String {
    let mut page = String::new();
    for (profile, columns) in by_host(columns) {
        let kits: Vec<_> = columns.iter().map(|column| column.kit.as_str()).collect();
        // Writing to a string cannot fail.
        let _ = write!(page, "## {profile}\n\n| | {} |\n", kits.join(" | "));
        let _ = writeln!(page, "|---|{}", "---|".repeat(kits.len()));
        for (subject, cells) in rows(&columns) {
            let words: Vec<_> = cells.iter().map(|cell| cell.word()).collect();
            let _ = writeln!(page, "| {subject} | {} |", words.join(" | "));
        }
        for (column, cell) in bad(&columns) {
            let ids = [&cell.failed[..], &cell.could_not_run].concat().join(", ");
            let _ = writeln!(page, "\n{}, {}: {ids}", column.kit, cell.subject);
        }
        page.push('\n');
    }
    format!("{page}{LEGEND}\n")
}

/// The same as one HTML page.
pub fn matrix_html(columns: &[MatrixColumn]) -> String {
    let mut page = String::from(concat!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n",
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n",
        "<title>extline: kits by hosts</title>\n<style>\n",
        "th, td { text-align: left; padding: .2rem .7rem; border-bottom: 1px solid var(--line); }\n",
        "table { border-collapse: collapse; } section { overflow-x: auto; }\n",
    ));
    page += include_str!("page/report.css");
    page += "</style></head><body>\n<h1>extline: kits by hosts</h1>\n";
    for (profile, columns) in by_host(columns) {
        let kits: Vec<_> = columns.iter().map(|one| escape(&one.kit)).collect();
        let kits = format!("<th>{}</th>", kits.join("</th><th>"));
        let _ = writeln!(page, "<section><h2>{profile}</h2><table><tr><th></th>{kits}</tr>");
        for (subject, cells) in rows(&columns) {
            let cells: String = cells.iter().map(|cell| data(cell)).collect();
            let _ = writeln!(page, "<tr><th>{subject}</th>{cells}</tr>");
        }
        page += "</table></section>\n";
    }
    let _ = writeln!(page, "<p class=\"facts\">{LEGEND}</p></body></html>");
    page
}

fn data(cell: &Cell) -> String {
    let word = cell.word();
    let class = match word.as_bytes() {
        [b'w', ..] => "pass",
        [b'p', ..] => "warn",
        [b'F', ..] => "fail",
        _ => "info",
    };
    let ids = [&cell.failed[..], &cell.could_not_run].concat().join(", ");
    format!("<td class=\"{class}\" title=\"{ids}\">{word}</td>")
}

/// The columns of each host, in the order in which they came.
fn by_host(columns: &[MatrixColumn]) -> Vec<(&str, Vec<&MatrixColumn>)> {
    let mut hosts: Vec<(&str, Vec<&MatrixColumn>)> = Vec::new();
    for column in columns {
        match hosts.iter_mut().find(|(profile, _)| *profile == column.profile) {
            Some((_, of_host)) => of_host.push(column),
            None => hosts.push((column.profile, vec![column])),
        }
    }
    hosts
}

fn rows<'a>(columns: &[&'a MatrixColumn]) -> Vec<(&'static str, Vec<&'a Cell>)> {
    let first = columns.first().map(|column| column.cells.as_slice()).unwrap_or_default();
    let row = |(at, cell): (usize, &Cell)| {
        (cell.subject, columns.iter().map(|column| &column.cells[at]).collect())
    };
    first.iter().enumerate().map(row).collect()
}

fn bad<'a>(columns: &[&'a MatrixColumn]) -> Vec<(&'a MatrixColumn, &'a Cell)> {
    let is_bad = |cell: &&Cell| !(cell.failed.is_empty() && cell.could_not_run.is_empty());
    let of =
        |column: &'a MatrixColumn| column.cells.iter().filter(is_bad).map(move |it| (column, it));
    columns.iter().copied().flat_map(of).collect()
}
