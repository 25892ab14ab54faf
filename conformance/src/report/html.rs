//! The report as one page that needs nothing else: no network, no other file, and no script to be
//! read (its script only filters). It is XML as well, so that a test can take it apart.

use std::fmt::Write;

use extline_protocol::shown;

use super::cause::Cause;
use super::evidence::{Entry, Evidence, Lane};
use super::text::between;
use super::{
    CaseReport, Group, Report, Style, Verdict, called_lines, counts, groups, meaning, obstacles,
    stderr,
};
use crate::case::{Clause, Level};

/// The whole report as an HTML document.
pub fn html(report: &Report) -> String {
    let title = format!("extline conformance: {}", meaning(report));
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{title}</title>\n<style>\n{}</style></head><body>\n",
        include_str!("page/report.css")
    );
    page += &head(report, &title);
    page += &filters(report);
    page.push_str("<main>\n");
    for group in groups(report) {
        page += &group_section(&group);
    }
    for case in report.cases.iter().filter(|case| case.failure.is_none()) {
        page += &case_section(case, false);
    }
    // Writing to a string cannot fail.
    let _ = write!(
        page,
        "</main>\n<script>\n{}</script>\n</body></html>\n",
        include_str!("page/report.js")
    );
    page
}

fn head(report: &Report, title: &str) -> String {
    let head = &report.head;
    let hello = &report.survey.hello;
    let name = |key: &str| hello[key].as_str().unwrap_or_default();
    let extension = format!("{} {}", name("name"), name("version"));
    let extension = if extension.trim().is_empty() { "no hello came" } else { extension.trim() };
    let grade = match report.grade() {
        Ok(grade) => format!("grade {}", grade.word()),
        Err(why) => format!("no grade: {why}"),
    };
    let mut text = format!(
        "<header><h1>{title}</h1>\n<p class=\"facts\">{} · <code>{}</code></p>\n\
         <p class=\"facts\">{}, in {:.1} s · {} · seed {} · tester {}</p>\n",
        escape(extension),
        escape(&head.program),
        counts(report, Style::Plain),
        report.took.as_secs_f64(),
        escape(&grade),
        head.seed,
        head.tester,
    );
    for line in obstacles(report).into_iter().chain(called_lines(report)) {
        let _ = writeln!(text, "<p class=\"facts\">{}</p>", inline(&line));
    }
    for stale in &report.stale {
        let line =
            format!("{}: the entry for {} is stale: {}", stale.place, stale.case, stale.reason);
        let _ = writeln!(text, "<p class=\"warn\">{}</p>", escape(&line));
    }
    text + &bar(report) + "</header>\n"
}

/// How many of each verdict, as lengths.
fn bar(report: &Report) -> String {
    let there = Verdict::IN_ORDER.into_iter().filter(|verdict| report.count(*verdict) > 0);
    let part = |verdict: Verdict| {
        let (class, count) = (verdict.key(), report.count(verdict));
        format!("<span class=\"{class}\" style=\"flex: {count}\"></span>")
    };
    let parts = there.map(part).collect::<String>();
    format!("<div class=\"bar\" aria-hidden=\"true\">{parts}</div>\n")
}

/// A box for each verdict that there is; what is as it should be is not shown at first when
/// something else is.
fn filters(report: &Report) -> String {
    let is_quiet = |verdict| matches!(verdict, Verdict::Pass | Verdict::NotApplicable);
    let finds = report.cases.iter().any(|case| !is_quiet(case.verdict));
    let mut text = String::from("<nav>\n");
    for verdict in Verdict::IN_ORDER {
        let count = report.count(verdict);
        if count == 0 {
            continue;
        }
        let checked = if finds && is_quiet(verdict) { "" } else { " checked=\"\"" };
        let (class, word) = (verdict.key(), verdict.word());
        let _ = writeln!(
            text,
            "<label class=\"{class}\"><input type=\"checkbox\" value=\"{class}\"{checked}/> \
             {count} {word}</label>"
        );
    }
    text + "<input type=\"search\" placeholder=\"words: E-FRM, shutdown, asyncio\" \
            aria-label=\"words that a case must hold\"/><span id=\"shown\"></span></nav>\n"
}

/// Failures with one cause, which stands above them with its cure.
fn group_section(group: &Group<'_>) -> String {
    let section = |case: &&CaseReport| case_section(case, group.cause.is_some());
    let cases: String = group.cases.iter().map(section).collect();
    let Some(cause) = group.cause else { return cases };
    let count = group.cases.len();
    let cases_of_it = if count == 1 { "1 case".to_owned() } else { format!("{count} cases") };
    let blocks = match group.blocks {
        0 => String::new(),
        blocks => format!(", and {blocks} that could not run"),
    };
    format!(
        "<section class=\"group\"><h2>{}</h2>\n<p class=\"facts\">{cases_of_it}{blocks}</p>\n\
         <pre>{}</pre>\n{cases}</section>\n",
        inline(&cause.told()),
        escape(&cause.fix),
    )
}

/// A case; one in a group has its cure above it.
fn case_section(case: &CaseReport, in_group: bool) -> String {
    let (class, word) = (case.verdict.key(), case.verdict.word());
    let open = if case.failure.is_some() { " open=\"\"" } else { "" };
    let id = escape(&case.id);
    let mut text = format!(
        "<details class=\"case\" id=\"{id}\" data-verdict=\"{class}\"{open}><summary>\
         <span class=\"word {class}\">{word}</span> <span class=\"id\">{id}</span> {}</summary>\n",
        inline(&case.title)
    );
    for clause in &case.clauses {
        text += &clause_quote(clause, case.level);
    }
    text += &facts(case, in_group);
    if let Some(evidence) = &case.evidence {
        text += &lanes(evidence, case.ways());
    }
    text + "</details>\n"
}

fn clause_quote(id: &str, level: Level) -> String {
    let clause = Clause::named(id);
    let level = clause.map_or(level, |clause| clause.level).word();
    let sentence = clause.map(|clause| clause.text.as_str()).unwrap_or_default();
    format!("<blockquote>{level} <code>{}</code> {}</blockquote>\n", escape(id), inline(sentence))
}

fn facts(case: &CaseReport, in_group: bool) -> String {
    let mut rows = String::new();
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(rows, "<dt>{name}</dt><dd class=\"{name}\">{}</dd>", escape(value));
    };
    let mut maybe = |name: &str, value: Option<&str>| {
        if let Some(value) = value {
            row(name, value);
        }
    };
    maybe("reason", case.reason.as_deref());
    maybe("at", case.place.as_deref());
    maybe("expected", case.failure.as_ref().map(|failure| failure.expected.as_str()));
    maybe("got", case.failure.as_ref().map(|failure| failure.got.as_str()));
    let boundary = case.boundary.as_ref().map(between);
    maybe("boundary", boundary.as_deref());
    let why = case.cause.as_ref().map(Cause::told);
    maybe("cause", why.as_deref());
    let fix = case.cause.as_ref().filter(|_| !in_group);
    maybe("fix", fix.map(|cause| cause.fix.as_str()));
    let baseline = case.baseline.as_ref().map(|it| {
        let problem = it.problem.as_deref().unwrap_or_default();
        format!("{}: {}: {} {problem}", it.place, it.kind.word(), it.reason)
    });
    maybe("baseline", baseline.as_deref().map(str::trim_end));
    maybe("again", case.again.as_deref());
    if rows.is_empty() { rows } else { format!("<dl>\n{rows}</dl>\n") }
}

/// What went both ways, each on its side.
fn lanes(evidence: &Evidence, [there, back]: [&str; 2]) -> String {
    let mut text = String::new();
    if !evidence.entries.is_empty() {
        let _ = writeln!(
            text,
            "<div class=\"lanes\"><span class=\"head at\">ms</span>\
             <span class=\"head\">{there}</span>\
             <span class=\"head\">{back}</span>",
        );
        evidence.entries.iter().for_each(|entry| text += &lane(entry));
        text.push_str("</div>\n");
    }
    if evidence.left_out > 0 {
        let _ = writeln!(text, "<p class=\"facts\">{} entries are left out</p>", evidence.left_out);
    }
    if !evidence.stderr.is_empty() {
        let lines = stderr::shown(&evidence.stderr).join("\n");
        let _ = writeln!(text, "<p class=\"facts\">stderr</p><pre>{}</pre>", escape(&lines));
    }
    text
}

fn lane(entry: &Entry) -> String {
    let class = match entry.lane {
        Lane::Sent => "sent",
        Lane::Received => "came",
        Lane::System => "os",
    };
    let sizes = entry.pieces.iter().map(usize::to_string).collect::<Vec<_>>().join(" + ");
    let size = match (entry.lane, entry.pieces.len()) {
        (Lane::System, _) => String::new(),
        (Lane::Sent, 2..) => format!("{} bytes in writes of {sizes}", entry.bytes),
        _ => format!("{} bytes", entry.bytes),
    };
    format!(
        "<span class=\"at\">{}.{:03}</span><span class=\"frame {class}\">{} \
         <span class=\"size\">{size}</span></span>\n",
        entry.at_us / 1000,
        entry.at_us % 1000,
        escape(&entry.text)
    )
}

/// Text of ours as HTML shows it: what stands between backticks is code.
fn inline(text: &str) -> String {
    let parts: Vec<_> = text.split('`').collect();
    if parts.len() % 2 == 0 {
        return escape(text);
    }
    let part = |(place, part): (usize, &&str)| match place % 2 {
        1 => format!("<code>{}</code>", escape(part)),
        _ => escape(part),
    };
    parts.iter().enumerate().map(part).collect()
}

/// Text as HTML shows it, in an attribute too; what it may not hold is replaced.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in shown(text).chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_backticks_is_code() {
        assert_eq!(inline("a `b<` c"), "a <code>b&lt;</code> c");
        assert_eq!(inline("a ` c"), "a ` c");
    }

    #[test]
    fn text_of_others_is_no_markup() {
        assert_eq!(escape("<b a='\"'>&\u{1b}\n"), "&lt;b a=&#39;&quot;&#39;&gt;&amp;\\u{1b}\n");
    }
}
