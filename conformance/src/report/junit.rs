//! The report as `JUnit` XML, for the services that show it.

use std::fmt::Write;

use super::{CaseReport, Report, Verdict};

/// The whole report as one `<testsuites>` document.
pub fn junit(report: &Report) -> String {
    let broken = |case: &&CaseReport| is_broken(case.verdict);
    let skipped = |case: &&CaseReport| is_skipped(case.verdict);
    let (failures, skips) =
        (report.cases.iter().filter(broken).count(), report.cases.iter().filter(skipped).count());
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let seconds = report.took.as_secs_f64();
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skips}\" time=\"{seconds:.3}\"",
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
    let reason = case.reason.as_deref().unwrap_or_default();
    if is_skipped(case.verdict) {
        let message = format!("{}: {reason}", case.verdict.word());
        return format!("><skipped message=\"{}\"/></testcase>", escape(&message));
    }
    if !is_broken(case.verdict) {
        return "/>".to_owned();
    }
    let message = match &case.failure {
        Some(failure) => format!("expected {}, got {}", failure.expected, failure.got),
        None => reason.to_owned(),
    };
    let text = super::case_text(case, super::Style::Plain);
    format!(
        "><failure type=\"{}\" message=\"{}\">{}</failure></testcase>",
        case.clauses.first().map(String::as_str).unwrap_or_default(),
        escape(&message),
        escape(&text),
    )
}

fn is_broken(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Fail | Verdict::Flaky | Verdict::UnexpectedPass)
}

fn is_skipped(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::NotApplicable | Verdict::CouldNotRun)
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
