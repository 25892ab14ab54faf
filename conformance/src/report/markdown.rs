//! The report as a summary in Markdown, as CI services show it beside a run.

use std::fmt::Write;

use super::{
    CaseReport, Report, Style, Verdict, called_lines, case_text, counts, groups, meaning, obstacles,
};

/// The longest cell of the table, in characters.
const CELL: usize = 160;

/// What came of the run, a table of what is not as it should be, with what fails the run first, and
/// each of these in full.
pub fn markdown(report: &Report) -> String {
    let grade = match report.grade() {
        Ok(grade) => format!("grade **{}**", grade.word()),
        Err(why) => format!("no grade: {}", cell(&why)),
    };
    let head = &report.head;
    let mut text = format!(
        "## extline conformance: {}\n\n{}\n\n{}, in {:.1} s; {grade}. Seed {}, tester {}.\n",
        meaning(report),
        code(&head.program),
        counts(report, Style::Plain),
        report.took.as_secs_f64(),
        head.seed,
        head.tester,
    );
    for line in obstacles(report).into_iter().chain(called_lines(report)) {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n{}\n", cell(&line));
    }
    let failed = groups(report).into_iter().flat_map(|group| group.cases);
    let others = report.cases.iter().filter(|case| is_shown(case) && case.failure.is_none());
    let mut found: Vec<_> = failed.chain(others).collect();
    found.sort_by_key(|case| !case.is_broken());
    if found.is_empty() {
        return text;
    }
    text.push_str("\n| verdict | case | rule | what came instead |\n|---|---|---|---|\n");
    for case in &found {
        let clause = case.clauses.first().map(String::as_str).unwrap_or_default();
        let _ = writeln!(
            text,
            "| {} | {} {} | {} `{clause}` | {} |",
            case.verdict.word(),
            case.id,
            cell(&case.title),
            case.level.word(),
            cell(instead(case)),
        );
    }
    for case in found.iter().filter(|case| case.failure.is_some()) {
        let shown = case_text(case, Style::Plain);
        let fence = fence(&shown);
        let title = html(&case.title);
        let _ = write!(
            text,
            "\n<details><summary>{} {title}</summary>\n\n{fence}text\n{shown}{fence}\n\n</details>\n",
            case.id
        );
    }
    text
}

fn is_shown(case: &CaseReport) -> bool {
    !matches!(case.verdict, Verdict::Pass | Verdict::NotApplicable | Verdict::CouldNotRun)
}

fn instead(case: &CaseReport) -> &str {
    let failure = case.failure.as_ref().map(|failure| failure.got.as_str());
    failure.or(case.reason.as_deref()).unwrap_or_default()
}

/// Text as a cell of a table holds it: one line, and nothing that Markdown or HTML means something by.
fn cell(text: &str) -> String {
    let mut line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(CELL) {
        line.truncate(end);
        line.push('…');
    }
    let mut escaped = String::with_capacity(line.len());
    for letter in html(&line).chars() {
        if "\\`*_[]|~#".contains(letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Text as code in a paragraph, whatever backticks it has.
fn code(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let ticks = "`".repeat(longest_run(&line) + 1);
    format!("{ticks} {line} {ticks}")
}

/// A fence that no line of the text ends.
fn fence(text: &str) -> String {
    "`".repeat(longest_run(text).max(2) + 1)
}

fn longest_run(text: &str) -> usize {
    text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_others_is_no_markup() {
        assert_eq!(cell("a|b\n`c` <d> & *e*"), "a\\|b \\`c\\` &lt;d&gt; &amp; \\*e\\*");
        assert_eq!(code("a ``b`` c"), "``` a ``b`` c ```");
        assert_eq!(fence("x\n```\ny"), "````");
        assert_eq!(cell(&"x".repeat(200)).chars().count(), CELL + 1);
    }
}
