//! What is done with traces: `extline conformance check TRACE` holds one to the rules of every
//! conversation, `replay TRACE` plays its host's side again.

use std::fs;
use std::path::Path;

use clap::error::ErrorKind;
use extline_conformance::{Binds, Ignored, Recorded, Report, replay as replay_trace, trace_cases};
use extline_protocol::trace::{self, Record};

use super::Told;
use super::harness::blame_the_tester;
use super::reports::{Format, Reports};
use super::screen::Screen;
use crate::args::{CheckTrace, ReplayTrace, Rules};
use crate::exit::Exit;
use crate::printer::Printer;
use crate::target::{program_of, told, usage};

/// Shows what the trace breaks. The exit code is that of a run.
pub(super) fn check(args: &CheckTrace, printer: Printer) -> Result<Exit, clap::Error> {
    let records = read(&args.trace)?;
    let mut extensions = Recorded::of(&records);
    let name = named(&args.trace, args.extension.as_deref(), extensions.keys())?;
    let recorded = extensions.remove(&name).unwrap_or_default();
    let binds = if args.level == Rules::Base { Binds::Extension } else { Binds::Sdk };
    let report = recorded.report(&args.trace.display().to_string(), binds, &trace_cases(binds));
    show(&report, &args.report, args.verbose, printer)
}

/// Shows what comes otherwise than in the trace. The exit code is that of a run.
pub(super) fn replay(args: &ReplayTrace, mut printer: Printer) -> Result<Exit, clap::Error> {
    let refused = |why: String| usage(super::SUBCOMMAND, ErrorKind::InvalidValue, &why);
    let mut records = read(&args.trace)?;
    let extensions = Recorded::of(&records);
    let name = named(&args.trace, args.extension.as_deref(), extensions.keys())?;
    records.retain(|record| record.extension.as_deref().unwrap_or_default() == name);
    let ignored = args.ignore.iter().map(|text| Ignored::parse(text));
    let ignored = ignored.collect::<Result<Vec<_>, _>>();
    let ignored = ignored.map_err(|why| refused(format!("--ignore {why}")))?;
    let program = match program_of(super::SUBCOMMAND, args.dir.as_ref(), &args.program)? {
        Ok(program) => program,
        Err(why) => {
            printer.error(why);
            return Ok(printer.finish(Exit::NotStarted));
        }
    };
    let name = args.trace.display().to_string();
    match replay_trace(&name, &records, &program, &ignored) {
        Ok(report) => show(&report, &args.report, args.verbose, printer),
        Err(error) => {
            printer.error(told(&program.explain(&error)));
            Ok(printer.finish(Exit::NotStarted))
        }
    }
}

fn show(
    report: &Report,
    files: &[String],
    verbose: bool,
    mut printer: Printer,
) -> Result<Exit, clap::Error> {
    let mut reports = Reports::open(files, printer.json)?;
    printer.json = reports.stdout == Some(Format::Ndjson);
    let mut screen = Screen::new(printer, verbose);
    screen.show(Told::Planned(report.head.clone()), &mut reports);
    for case in &report.cases {
        screen.show(Told::Decided(Box::new(case.clone())), &mut reports);
    }
    screen.summary(report, &mut reports);
    let mut printer = screen.printer;
    if let Err(fault) = reports.finish(report, &mut printer) {
        blame_the_tester(&mut printer, &fault);
        return Ok(printer.finish(Exit::of_conformance(4)));
    }
    Ok(printer.finish(Exit::of_conformance(report.exit_code())))
}

fn read(file: &Path) -> Result<Vec<Record>, clap::Error> {
    let refused = |why: String| usage(super::SUBCOMMAND, ErrorKind::InvalidValue, &why);
    let name = file.display().to_string();
    let text = fs::read_to_string(file).map_err(|error| refused(format!("{name}: {error}")))?;
    trace::read(&name, &text).map_err(|error| {
        refused(format!("{error}; a trace is what `extline tap --trace FILE` or `extline run --trace FILE` wrote"))
    })
}

/// The extension of the trace that is meant.
fn named<'a>(
    file: &Path,
    wanted: Option<&str>,
    names: impl Iterator<Item = &'a String>,
) -> Result<String, clap::Error> {
    let refused = |why: String| usage(super::SUBCOMMAND, ErrorKind::InvalidValue, &why);
    let file = file.display();
    let names: Vec<_> = names.map(String::as_str).collect();
    let all = names.join(", ");
    match (wanted, names.as_slice()) {
        (_, []) => Err(refused(format!("{file}: no line of an extension is in it"))),
        (Some(name), names) if names.contains(&name) => Ok(name.to_owned()),
        (Some(name), _) => Err(refused(format!("{file} holds no {name:?}; it holds {all}"))),
        (None, [only]) => Ok((*only).to_owned()),
        (None, _) => Err(refused(format!("{file} holds {all}: name one with --extension"))),
    }
}
