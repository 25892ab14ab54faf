//! What the tester called of what the extension registered, and what it did not.

use super::Report;
use crate::case::Binds;
use crate::conversation::Called;

/// So many names stand in a line.
const NAMES: usize = 8;

/// What was called and what was not, in lines; none where nothing was registered that can be.
pub(super) fn called_lines(report: &Report) -> Vec<String> {
    let survey = &report.survey;
    let registered = survey.tools.len() + survey.commands.len();
    if matches!(report.head.binds, Binds::Host | Binds::Client) || registered == 0 {
        return Vec::new();
    }
    if !report.head.calls {
        return vec!["nothing that it registered was called: --call allows that".to_owned()];
    }
    let mut lines = Vec::new();
    let answered: Vec<_> = survey.called.iter().filter(|one| one.took_us.is_some()).collect();
    let silent: Vec<_> = survey.called.iter().filter(|one| one.took_us.is_none()).collect();
    if !answered.is_empty() {
        lines.push(format!("called: {}", names(&answered)));
    }
    if !silent.is_empty() {
        lines.push(format!("called, and not answered: {}", names(&silent)));
    }
    let wrong = survey.wrong_samples.iter();
    lines.extend(wrong.map(|wrong| format!("wrong in extension.json, and not called: {wrong}")));
    let left_out = not_called(report);
    if !left_out.is_empty() {
        let named = shortened(left_out.iter().map(String::as_str));
        let how = "\"samples\" in extension.json says with which arguments";
        lines.push(format!("not called: {named}; {how}"));
    }
    lines
}

/// The tools that were not called though calls are allowed: there are no arguments for them.
pub(super) fn not_called(report: &Report) -> Vec<String> {
    let called = &report.survey.called;
    let names = report.survey.tools.iter().filter_map(|frame| frame["name"].as_str());
    let is_left_out =
        |name: &&str| !called.iter().any(|one| one.kind == "tool" && one.name == **name);
    names.filter(is_left_out).map(str::to_owned).collect()
}

/// `2 tools (echo, add) and 1 command (greet)`.
fn names(called: &[&Called]) -> String {
    let of = |kind: &str| {
        let names: Vec<_> =
            called.iter().filter(|one| one.kind == kind).map(|one| one.name.as_str()).collect();
        let count = names.len();
        let plural = if count == 1 { "" } else { "s" };
        (count > 0).then(|| format!("{count} {kind}{plural} ({})", shortened(names.into_iter())))
    };
    let parts: Vec<_> = ["tool", "command"].into_iter().filter_map(of).collect();
    parts.join(" and ")
}

fn shortened<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = names.len().saturating_sub(NAMES);
    let shown = names.take(NAMES).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}
