//! The report in the Test Anything Protocol, version 14.

use std::fmt::Write;

use serde_json::Value;

use super::{CaseReport, Report, Verdict, head_text};

/// The whole report as one TAP stream.
pub fn tap(report: &Report) -> String {
    let mut text = format!("TAP version 14\n1..{}\n", report.cases.len());
    // Writing to a string cannot fail.
    let _ = write!(text, "# {}", on_one_line(&head_text(&report.head)));
    text.push('\n');
    for (index, case) in report.cases.iter().enumerate() {
        let ok = if is_ok(case) { "ok" } else { "not ok" };
        let title = escaped(&format!("{} {}", case.id, case.title));
        let _ = writeln!(text, "{ok} {} - {title}{}", index + 1, directive(case));
        diagnostics(&mut text, case);
    }
    text
}

/// What a TAP consumer counts as passed; one with a directive is counted by that.
fn is_ok(case: &CaseReport) -> bool {
    !case.is_broken() && !matches!(case.verdict, Verdict::HarnessError | Verdict::ExpectedFailure)
}

fn directive(case: &CaseReport) -> String {
    let reason = case.reason.as_deref().unwrap_or_default();
    match case.verdict {
        Verdict::NotApplicable | Verdict::CouldNotRun => {
            format!(" # SKIP {}: {}", case.verdict.word(), on_one_line(reason))
        }
        Verdict::ExpectedFailure => {
            let reason = case.baseline.as_ref().map_or(reason, |baseline| &baseline.reason);
            format!(" # TODO {}", on_one_line(reason))
        }
        _ => String::new(),
    }
}

/// A block of YAML, whose scalars are written as JSON, which YAML takes whatever they hold.
fn diagnostics(text: &mut String, case: &CaseReport) {
    let is_plain = case.failure.is_none() && case.reason.is_none() && case.baseline.is_none();
    if is_plain || matches!(case.verdict, Verdict::NotApplicable | Verdict::CouldNotRun) {
        return;
    }
    text.push_str("  ---\n");
    entries(case, &mut |key, value| {
        let _ = writeln!(text, "  {key}: {}", Value::from(value));
    });
    text.push_str("  ...\n");
}

fn entries(case: &CaseReport, entry: &mut impl FnMut(&str, &str)) {
    entry("verdict", case.verdict.word());
    entry("level", case.level.word());
    entry("clause", case.clauses.first().map(String::as_str).unwrap_or_default());
    if let Some(failure) = &case.failure {
        entry("expected", &failure.expected);
        entry("got", &failure.got);
    }
    if let Some(cause) = &case.cause {
        entry("cause", &cause.cause);
        entry("fix", &cause.fix);
    }
    if let Some(again) = &case.again {
        entry("again", again);
    }
}

/// `#` begins a directive, and `\` escapes.
fn escaped(text: &str) -> String {
    on_one_line(text).replace('\\', "\\\\").replace('#', "\\#")
}

fn on_one_line(text: &str) -> String {
    text.split(['\n', '\r'])
        .map(str::trim)
        .filter(|it| !it.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_holds_no_directive() {
        assert_eq!(escaped("a # SKIP\nb \\ c"), "a \\# SKIP b \\\\ c");
    }
}
