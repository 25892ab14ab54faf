//! `extline ext list`.

use extline_host::discovery::{Found, Verdict};
use serde_json::json;

use super::Refused;
use super::discovery;
use crate::args::ExtList;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::styled::{BOLD, DIM, GREEN, RED, Style, Text, YELLOW};

/// Characters that are shown of a reason.
const WHY_CHARS: usize = 500;

pub(super) fn run(list: &ExtList, printer: &mut Printer) -> Result<Exit, Refused> {
    let mut found = discovery()?.find();
    if list.running {
        found.retain(|one| matches!(one.verdict, Verdict::Runs { .. }));
    }
    if printer.json {
        printer.json(&json!({ "extensions": found }));
    } else if found.is_empty() {
        printer.say("no extensions are installed: `extline ext install DIR` installs one");
    } else {
        let width = |of: fn(&Found) -> &str| found.iter().map(|one| of(one).len()).max();
        let names = width(|one| &one.name).unwrap_or_default();
        let verdicts = width(|one| one.verdict.as_str()).unwrap_or_default();
        for one in &found {
            tell(one, names, verdicts, printer);
        }
    }
    Ok(Exit::Ok)
}

fn tell(one: &Found, names: usize, verdicts: usize, printer: &mut Printer) {
    let style = style(&one.verdict);
    let verdict = one.verdict.as_str();
    let gap = " ".repeat(names.saturating_sub(one.name.len()));
    let version = one.manifest.as_ref().map(|it| it.version.as_str()).unwrap_or_default();
    printer.result(format_args!(
        "{BOLD}{}{BOLD:#}{gap}  {style}{verdict:<verdicts$}{style:#}  {:<7}  {}  {DIM}{}{DIM:#}",
        Text::line(&one.name, WHY_CHARS),
        one.layer.as_str(),
        Text::line(version, 40),
        one.path.display()
    ));
    if let Some(why) = one.verdict.why() {
        printer.result(format_args!("{}  {}", " ".repeat(names), Text::line(&why, WHY_CHARS)));
    }
    for missing in one.missing() {
        let told = format!("{missing}: {}", missing.command(&one.path));
        printer.result(format_args!("{}  {}", " ".repeat(names), Text::line(&told, WHY_CHARS)));
    }
}

fn style(verdict: &Verdict) -> Style {
    match verdict {
        Verdict::Runs { .. } => GREEN,
        Verdict::Broken(_) | Verdict::Unfit { .. } => RED,
        Verdict::Untrusted { .. } => YELLOW,
        _ => DIM,
    }
}
