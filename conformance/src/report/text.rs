//! The report for people.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use extline_protocol::shown;

use super::baseline::Expectation;
use super::evidence::{Entry, Evidence, Lane};
use super::{Boundary, CaseReport, Head, Report, Verdict, called_lines, groups, stderr};
use crate::case::Clause;

/// Whether the text may have colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// No colours.
    Plain,
    /// With colours, as ANSI escapes.
    Coloured,
}

/// How many sizes of writes are shown.
const PIECES: usize = 4;
/// How wide a lane is.
const LANE: usize = 52;

/// Text that is written here and there quotes what others wrote, which is escaped on its way.
#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    /// A verdict with its colour.
    fn verdict(&mut self, verdict: Verdict, style: Style) {
        self.text.push_str(&paint(verdict, style));
    }
}

impl Write for Page {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.text.push_str(&shown(piece));
        Ok(())
    }
}

/// What is run, in a line.
pub fn head_text(head: &Head) -> String {
    let Head { tester, seed, cases, program, .. } = head;
    let mut page = Page::default();
    let cases = if *cases == 1 { "1 case" } else { &format!("{cases} cases") };
    let _ = writeln!(page, "extline conformance {tester}, seed {seed}, {cases}: {program}");
    page.text
}

/// A case, in as many lines as it takes: one for a pass, all there is to know for a failure.
pub fn case_text(case: &CaseReport, style: Style) -> String {
    let clause = case.clauses.first().map(String::as_str).unwrap_or_default();
    let mut text = Page::default();
    text.verdict(case.verdict, style);
    let _ = write!(text, " {}  {}", case.id, case.title);
    if case.failure.is_none() {
        if let Some(reason) = &case.reason {
            let _ = write!(text, "\n     {reason}");
        }
        let _ = writeln!(text);
        expectation(&mut text, case.baseline.as_ref());
        return text.text;
    }
    let _ = writeln!(text, "  [{}]", format!("{} {clause}", case.level.word()).trim_end());
    if let Some(clause) = Clause::named(clause) {
        let _ = writeln!(text, "  \"{}\"", clause.text);
    }
    if let Some(place) = &case.place {
        let _ = writeln!(text, "  at        {place}");
    }
    if let Some(reason) = &case.reason {
        let _ = writeln!(text, "  flaky     {reason}");
    }
    if let Some(failure) = &case.failure {
        let _ = writeln!(text, "  expected  {}", failure.expected);
        let _ = writeln!(text, "  got       {}", failure.got);
    }
    if let Some(boundary) = &case.boundary {
        let _ = writeln!(text, "  boundary  {}", between(boundary));
    }
    if let Some(evidence) = &case.evidence {
        lanes(&mut text, evidence, case.ways());
    }
    if let Some(cause) = &case.cause {
        let _ = writeln!(text, "  cause     {}", cause.told());
        let _ = writeln!(text, "  fix       {}", cause.fix.replace('\n', "\n            "));
    }
    expectation(&mut text, case.baseline.as_ref());
    if let Some(again) = &case.again {
        let _ = writeln!(text, "  again     {again}");
    }
    text.text
}

/// What the baseline says, and what is wrong with that.
fn expectation(text: &mut Page, expectation: Option<&Expectation>) {
    let Some(Expectation { kind, reason, link, expires, place, problem }) = expectation else {
        return;
    };
    let until = expires.as_ref().map(|date| format!(" until {date}")).unwrap_or_default();
    let link = link.as_ref().map(|link| format!(" ({link})")).unwrap_or_default();
    let _ = writeln!(text, "  baseline  {place}: {}{until}: {reason}{link}", kind.word());
    if let Some(problem) = problem {
        let _ = writeln!(text, "            {problem}");
    }
}

/// A failure whose cause another one had, which was told with all there is to know.
pub fn case_text_as(case: &CaseReport, other: &str, style: Style) -> String {
    let clause = case.clauses.first().map(String::as_str).unwrap_or_default();
    let mut text = Page::default();
    text.verdict(case.verdict, style);
    let _ = writeln!(text, " {}  {}  [{} {clause}]", case.id, case.title, case.level.word());
    if let Some(failure) = &case.failure {
        let _ = writeln!(text, "  got       {}", failure.got);
    }
    if let Some(cause) = &case.cause {
        let _ = writeln!(text, "  cause     as {other}: {}", cause.told());
    }
    if let Some(again) = &case.again {
        let _ = writeln!(text, "  again     {again}");
    }
    text.text
}

/// The counts, and what they mean.
pub fn summary_text(report: &Report, style: Style) -> String {
    let mut text = Page::default();
    to_mend(&mut text, report);
    for line in obstacles(report).into_iter().chain(called_lines(report)) {
        let _ = writeln!(text, "{line}");
    }
    for stale in &report.stale {
        let _ = writeln!(
            text,
            "{}: the entry for {} is stale: {}",
            stale.place, stale.case, stale.reason
        );
    }
    let seconds = report.took.as_secs_f64();
    let grade = report.grade().map(|grade| format!("; grade {}", grade.word()));
    let grade = grade.unwrap_or_default();
    let _ = write!(text, "{}: ", meaning(report));
    text.text.push_str(&counts(report, style));
    let _ = writeln!(text, ", in {seconds:.1} s{grade}");
    text.text
}

/// What to mend, in the order in which it is best done, where there is more than one thing.
fn to_mend(text: &mut Page, report: &Report) {
    let groups = groups(report);
    if groups.len() < 2 {
        return;
    }
    let _ = writeln!(text, "\nto mend, in this order:");
    for (place, group) in groups.iter().enumerate() {
        let blocks = match group.blocks {
            0 => String::new(),
            1 => ", which keeps 1 case from running".to_owned(),
            count => format!(", which keeps {count} cases from running"),
        };
        let _ = writeln!(
            text,
            "  {}. {}{blocks}: {}",
            place + 1,
            group.names(),
            one_line(&group.why())
        );
    }
    let _ = writeln!(text);
}

/// The first line of a text, cut at the end of a terminal's second line.
fn one_line(text: &str) -> String {
    const LONGEST: usize = 160;
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// `98 pass, 2 FAIL`: the verdicts that there are.
pub(super) fn counts(report: &Report, style: Style) -> String {
    let counts = Verdict::IN_ORDER.iter().map(|verdict| (verdict, report.count(*verdict)));
    let counts = counts.filter(|(_, count)| *count > 0);
    let words = counts.map(|(verdict, count)| format!("{count} {}", paint(*verdict, style)));
    words.collect::<Vec<_>>().join(", ")
}

/// What the exit code says, in words.
pub(super) fn meaning(report: &Report) -> &'static str {
    match report.exit_code() {
        0 => "conformant",
        1 => "not conformant",
        4 => "the tester itself failed",
        _ if report.count(Verdict::CouldNotRun) > 0 => "incomplete: some cases could not run",
        _ => "nothing was tested",
    }
}

/// Why cases could not run: a line for each reason.
pub(super) fn obstacles(report: &Report) -> Vec<String> {
    let mut obstacles: BTreeMap<&str, usize> = BTreeMap::new();
    for case in &report.cases {
        if case.verdict == Verdict::CouldNotRun {
            *obstacles.entry(case.reason.as_deref().unwrap_or_default()).or_default() += 1;
        }
    }
    let line = |(reason, count): (&str, usize)| {
        let cases = if count == 1 { "1 case" } else { &format!("{count} cases") };
        format!("{cases} could not run: {reason}")
    };
    obstacles.into_iter().map(line).collect()
}

/// What went both ways, each on its side.
fn lanes(text: &mut Page, evidence: &Evidence, [there, back]: [&str; 2]) {
    if evidence.entries.is_empty() {
        return;
    }
    let _ = writeln!(text, "  {:>9}  {there:<LANE$}  {back}", "ms");
    for entry in &evidence.entries {
        let at = format!("{}.{:03}", entry.at_us / 1000, entry.at_us % 1000);
        let shown = cut(&entry.text);
        let size = size(entry);
        let line = match entry.lane {
            Lane::Sent => format!("{shown:<LANE$}  {size}"),
            Lane::Received => format!("{:<LANE$}  {shown}{size}", ""),
            Lane::System => format!("-- {}", entry.text),
        };
        let _ = writeln!(text, "  {at:>9}  {}", line.trim_end());
    }
    if evidence.left_out > 0 {
        let _ =
            writeln!(text, "             ({} entries in between are left out)", evidence.left_out);
    }
    if !evidence.stderr.is_empty() {
        let _ = writeln!(text, "  stderr:");
        for line in stderr::shown(&evidence.stderr) {
            let _ = writeln!(text, "    | {line}");
        }
    }
}

/// How long a line is where that does not show, and in how many pieces it went.
fn size(entry: &Entry) -> String {
    let pieces = match entry.pieces.as_slice() {
        [] | [_] => String::new(),
        pieces => {
            let mut sizes: Vec<_> = pieces.iter().take(PIECES).map(usize::to_string).collect();
            sizes.extend((pieces.len() > PIECES).then(|| "...".to_owned()));
            format!(" in {} writes ({})", pieces.len(), sizes.join(" + "))
        }
    };
    if entry.bytes > LANE || !pieces.is_empty() {
        format!("  [{} bytes{pieces}]", entry.bytes)
    } else {
        String::new()
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LANE) {
        Some(_) => text.chars().take(LANE - 1).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

/// Between which values it breaks: `65,536 bytes: ok, 65,537: fails (found in 12 tries)`.
pub(super) fn between(boundary: &Boundary) -> String {
    let Boundary { good, bad, unit, runs } = boundary;
    let found = if *runs == 0 { String::new() } else { format!(" (found in {runs} tries)") };
    format!("{} {unit}: ok, {}: fails{found}", grouped(*good), grouped(*bad))
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

fn paint(verdict: Verdict, style: Style) -> String {
    let word = verdict.word();
    let colour = match verdict {
        _ if style == Style::Plain => return word.to_owned(),
        Verdict::Pass => "32",
        Verdict::Fail | Verdict::Flaky | Verdict::UnexpectedPass | Verdict::HarnessError => "31;1",
        Verdict::Warn | Verdict::CouldNotRun => "33",
        Verdict::Info | Verdict::NotApplicable | Verdict::ExpectedFailure => "2",
    };
    format!("\u{1b}[{colour}m{word}\u{1b}[0m")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_grouped() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(65_538), "65,538");
        assert_eq!(grouped(4_194_303), "4,194,303");
    }
}
