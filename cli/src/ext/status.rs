//! `extline ext status` and `extline ext doctor`: how extensions stand, and what mends them.

use std::io;
use std::path::Path;

use extline_host::discovery::{Found, Verdict};
use extline_host::file::replace;
use extline_host::{Level, Standing, StatusReport, sandbox_support};
use serde_json::{Value, json};

use super::update::origin;
use super::{Refused, discovery, named};
use crate::args::{Bundle, ExtDoctor, ExtStatus, Timeout};
use crate::exit::Exit;
use crate::printer::Printer;
use crate::session::Session;
use crate::styled::{BOLD, DIM, GREEN, RED, Style, Text, YELLOW};

/// Characters that are shown of what is wrong.
const LINE_CHARS: usize = 1000;

pub(super) fn status(status: &ExtStatus, printer: &mut Printer) -> Result<Exit, Refused> {
    let report = report(&status.names)?;
    show(&report, printer);
    bundle(&report, &status.bundle, printer)?;
    Ok(Exit::Ok)
}

/// Starts those that run, as `extline run` does, and says what is wrong with each.
pub(super) async fn doctor(mut doctor: ExtDoctor, mut printer: Printer) -> Exit {
    let mut report = match report(&doctor.names) {
        Ok(report) => report,
        Err(refused) => {
            let exit = refused.report(&mut printer);
            return printer.finish(exit);
        }
    };
    let sources: Vec<_> = found(&report).filter_map(Found::source).collect();
    if !sources.is_empty() {
        doctor.settings.keep_sources_clean();
        printer.progress("starting them");
        let (timeout, settings) = (Timeout { after: None }, &doctor.settings);
        match Session::start(sources, &timeout, settings, None, printer).await {
            Ok(session) => {
                report.add_started(session.host.report());
                printer = session.end().await;
            }
            Err((printer, exit)) => return printer.finish(exit),
        }
    }
    show(&report, &mut printer);
    tell_of_sandbox(&mut printer);
    if let Err(refused) = bundle(&report, &doctor.bundle, &mut printer) {
        let exit = refused.report(&mut printer);
        return printer.finish(exit);
    }
    printer.finish(if report.level() == Level::Fail { Exit::ToolError } else { Exit::Ok })
}

/// What this machine can hold extensions to.
fn tell_of_sandbox(printer: &mut Printer) {
    let support = sandbox_support();
    if printer.json {
        return;
    }
    let version = support.landlock.map_or_else(|| "none".to_owned(), |it| it.to_string());
    let seccomp = if support.seccomp { "yes" } else { "no" };
    printer.result(format_args!("{BOLD}sandbox{BOLD:#}  Landlock {version}, seccomp {seccomp}"));
    for line in &support.held_to {
        printer.result(format_args!("  {GREEN}held{GREEN:#}    {line}"));
    }
    for line in &support.not_held_to {
        printer.result(format_args!("  {DIM}not{DIM:#}     {line}"));
    }
}

/// Writes the report for somebody who helps, where that is wanted.
fn bundle(report: &StatusReport, bundle: &Bundle, printer: &mut Printer) -> Result<(), Refused> {
    let Some(path) = &bundle.file else { return Ok(()) };
    let wrong = |error: io::Error| Refused::file(&format!("{}: {error}", path.display()));
    if path.symlink_metadata().is_ok() {
        let text = format!("{} is there already: name another file, or remove it", path.display());
        return Err(Refused::usage(&text));
    }
    let text = serde_json::to_string_pretty(&report.for_support(bundle.with_names));
    let text = text.map_err(|error| wrong(error.into()))? + "\n";
    replace(path, text.as_bytes()).map_err(wrong)?;
    let what =
        if bundle.with_names { "names, paths, messages and ends of logs" } else { "no names" };
    printer.say(format_args!("wrote {} ({what}): look at it before you send it", path.display()));
    Ok(())
}

fn report(names: &[String]) -> Result<StatusReport, Refused> {
    let mut report = discovery()?.report();
    if !names.is_empty() {
        let found: Vec<Found> = found(&report).cloned().collect();
        let mut paths = Vec::new();
        for name in names {
            paths.extend(named(&found, name)?.iter().map(|one| Some(one.path.clone())));
        }
        report.extensions.retain(|it| paths.contains(&it.path));
    }
    Ok(report)
}

fn found(report: &StatusReport) -> impl Iterator<Item = &Found> {
    report.extensions.iter().filter_map(|standing| standing.found.as_ref())
}

fn show(report: &StatusReport, printer: &mut Printer) {
    if printer.json {
        let mut value = json!(report);
        value["level"] = json!(report.level());
        value["sandbox"] = json!(sandbox_support());
        for (one, found) in
            value["extensions"].as_array_mut().into_iter().flatten().zip(found(report))
        {
            one["source"] = origin(&found.path).map_or(Value::Null, |it| json!(it));
        }
        printer.json(&value);
        return;
    }
    if report.extensions.is_empty() {
        printer.say("no extensions are installed: `extline ext install DIR` installs one");
    }
    for standing in &report.extensions {
        tell(standing, printer);
    }
}

fn tell(standing: &Standing, printer: &mut Printer) {
    let Standing { found: Some(found), version, log, findings, .. } = standing else { return };
    let version = version.as_deref().unwrap_or_default();
    printer.result(format_args!(
        "{BOLD}{}{BOLD:#} {}  {}, {}",
        Text::line(&found.name, LINE_CHARS),
        Text::line(version, 40),
        found.verdict.as_str(),
        found.layer.as_str()
    ));
    fact("path", found.path.display(), printer);
    if let Some(source) = origin(&found.path) {
        fact("from", source, printer);
    }
    if let Verdict::Runs { digest: Some(digest) } | Verdict::Untrusted { digest, .. } =
        &found.verdict
    {
        fact("digest", digest, printer);
    }
    if let Some(log) = log.as_deref().map(Path::display) {
        fact("log", log, printer);
    }
    for finding in findings {
        let (style, level) = (style(finding.level), finding.level.as_str());
        let what = Text::line(&finding.what, LINE_CHARS);
        printer.result(format_args!("  {style}{level}{style:#}    {what}"));
        if let Some(mend) = &finding.mend {
            printer.result(format_args!("          try {}", Text::line(mend, LINE_CHARS)));
        }
    }
}

fn fact(what: &str, text: impl std::fmt::Display, printer: &mut Printer) {
    let text = Text::line(&text.to_string(), LINE_CHARS);
    printer.result(format_args!("  {DIM}{what:<7}{DIM:#} {text}"));
}

fn style(level: Level) -> Style {
    match level {
        Level::Pass => GREEN,
        Level::Warn => YELLOW,
        Level::Fail => RED,
        _ => DIM,
    }
}
