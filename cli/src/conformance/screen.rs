//! What is shown while a run goes on, and at its end.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use extline_conformance::{
    CaseReport, Report, Style, Verdict, case_line, case_text, case_text_as, head_line, head_text,
    summary_line, summary_text,
};

use super::Told;
use super::reports::{Format, Reports};
use crate::printer::Printer;
use crate::styled::Text;

/// The terminal, or what stands in its place.
pub(super) struct Screen {
    pub(super) printer: Printer,
    /// Cases that passed are shown too.
    verbose: bool,
    began: Instant,
    planned: usize,
    done: usize,
    /// The case that runs.
    case: String,
    /// Causes that were told, and with which case.
    causes: BTreeMap<String, String>,
}

impl Screen {
    pub(super) fn new(printer: Printer, verbose: bool) -> Self {
        let (began, case) = (Instant::now(), "first contact".to_owned());
        Self { printer, verbose, began, planned: 0, done: 0, case, causes: BTreeMap::new() }
    }

    pub(super) fn show(&mut self, told: Told, reports: &mut Reports) {
        match told {
            Told::Planned(head) => {
                self.planned = head.cases;
                reports.line(&head_line(&head), &mut self.printer);
                self.text(&head_text(&head), reports);
            }
            Told::Begins(case) => self.case = case,
            Told::Decided(report) => {
                self.done += 1;
                reports.line(&case_line(&report), &mut self.printer);
                if self.verbose || !is_quiet(&report) {
                    let text = self.case(&report);
                    self.text(&text, reports);
                }
            }
            Told::Ended(_) => {}
        }
        self.progress();
    }

    /// A case; one whose cause was told before in a few lines.
    fn case(&mut self, report: &CaseReport) -> String {
        let full = case_text(report, Style::Coloured);
        let Some(cause) = report.cause.as_ref().filter(|_| !self.verbose) else { return full };
        if let Some(other) = self.causes.get(&cause.cause) {
            return case_text_as(report, other, Style::Coloured);
        }
        self.causes.insert(cause.cause.clone(), report.id.clone());
        full
    }

    pub(super) fn summary(&mut self, report: &Report, reports: &mut Reports) {
        self.printer.clear_progress();
        reports.line(&summary_line(report), &mut self.printer);
        self.text(&summary_text(report, Style::Coloured), reports);
    }

    /// `12/87 E-FRM-14, 3 s, about 20 s left`, on a terminal.
    pub(super) fn progress(&mut self) {
        let (done, planned, case) = (self.done, self.planned, &self.case);
        let took = self.began.elapsed();
        let left = left(took, done, planned);
        let left =
            left.map(|left| format!(", about {} s left", left.as_secs())).unwrap_or_default();
        self.printer.progress(&format!("{done}/{planned} {case}, {} s{left}", took.as_secs()));
    }

    /// Text of the tester's, which escapes what is not its own, on stdout; on stderr where a document has stdout, nowhere where lines have it.
    fn text(&mut self, text: &str, reports: &Reports) {
        match reports.stdout {
            None => self.printer.text(Text::made(text.to_owned())),
            Some(Format::Ndjson) => {}
            Some(_) => self.printer.say(Text::made(text.trim_end_matches('\n').to_owned())),
        }
    }
}

/// How long the rest takes at the same pace; `None` where that is a matter of moments, or too little is
/// done to tell.
fn left(took: Duration, done: usize, planned: usize) -> Option<Duration> {
    const ENOUGH: usize = 8;
    let [done, rest] = [done, planned.saturating_sub(done)].map(|count| u32::try_from(count).ok());
    let (done, rest) = done.zip(rest).filter(|(done, _)| *done as usize >= ENOUGH)?;
    let left = took / done * rest;
    (left >= Duration::from_secs(2)).then_some(left)
}

/// Why cases could not run is said once for all of them, in the summary.
fn is_quiet(report: &CaseReport) -> bool {
    matches!(report.verdict, Verdict::Pass | Verdict::NotApplicable | Verdict::CouldNotRun)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_told_once_it_can_be_known() {
        let took = Duration::from_secs(10);
        assert_eq!(left(took, 7, 100), None);
        assert_eq!(left(took, 10, 30), Some(Duration::from_secs(20)));
        assert_eq!(left(took, 100, 100), None);
    }
}
