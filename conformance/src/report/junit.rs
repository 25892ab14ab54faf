//! The report as `JUnit` XML, for the services that show it.

use std::fmt::Write;

use super::{CaseReport, Report, Verdict};

/// The whole report as one `<testsuites>` document.
pub fn junit(report: &Report) -> String {
    let count =
        |what: fn(&CaseReport) -> bool| report.cases.iter().filter(|case| what(case)).count();
    let failures = count(CaseReport::is_broken);
    let errors = count(|case| case.verdict == Verdict::HarnessError);
    let skips = count(|case| is_skipped(case.verdict));
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let seconds = report.took.as_secs_f64();
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skips}\" time=\"{seconds:.3}\"",
        report.cases.len(),
    );
    // Writing to a string cannot fail.
    let _ =
        writeln!(xml, "<testsuites {counts}>\n<testsuite name=\"extline conformance\" {counts}>");
    for case in &report.cases {
        let group = case.id.rsplit_once('-').map_or(case.id.as_str(), |(group, _)| group);
        let _ = write!(
            xml,
            "<testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"",
            escape(group),
            escape(&format!("{} {}", case.id, case.title)),
            case.took.as_secs_f64(),
        );
        let _ = writeln!(xml, "{}", body(case));
    }
    xml + "</testsuite>\n</testsuites>\n"
}

fn body(case: &CaseReport) -> String {
    let baseline = case.baseline.as_ref().map(|baseline| baseline.reason.as_str());
    let reason = case.reason.as_deref().or(baseline).unwrap_or_default();
    if is_skipped(case.verdict) {
        let message = format!("{}: {reason}", case.verdict.word());
        return format!("><skipped message=\"{}\"/></testcase>", escape(&message));
    }
    if case.verdict == Verdict::HarnessError {
        let message = escape(reason);
        return format!("><error type=\"harness error\" message=\"{message}\"/></testcase>");
    }
    if !case.is_broken() {
        return "/>".to_owned();
    }
    let problem = case.baseline.as_ref().and_then(|baseline| baseline.problem.as_deref());
    let message = match (&case.failure, problem) {
        (_, Some(problem)) => problem.to_owned(),
        (Some(failure), None) => format!("expected {}, got {}", failure.expected, failure.got),
        (None, None) => reason.to_owned(),
    };
    let text = super::case_text(case, super::Style::Plain);
    format!(
        "><failure type=\"{}\" message=\"{}\">{}</failure></testcase>",
        case.clauses.first().map(String::as_str).unwrap_or_default(),
        escape(&message),
        escape(&text),
    )
}

/// What services show as neither passed nor failed.
fn is_skipped(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::NotApplicable | Verdict::CouldNotRun | Verdict::ExpectedFailure)
}

/// Text as XML may hold it: control characters have no way in at all.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(letter),
            letter if letter < ' ' || matches!(letter, '\u{fffe}' | '\u{ffff}') => {
                escaped.push('\u{fffd}');
            }
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_hold_is_replaced() {
        assert_eq!(escape("a<b>&\"\u{1}\n"), "a&lt;b&gt;&amp;&quot;\u{fffd}\n");
    }
}
