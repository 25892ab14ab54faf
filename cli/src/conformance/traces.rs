//! What is done with traces: `extline conformance check TRACE` holds one to the rules of every
//! conversation, `replay TRACE` plays its host's side again.

use clap::error::ErrorKind;
use extline_conformance::{Binds, Ignored, Recorded, Report, replay as replay_trace};

use super::Told;
use super::harness::blame_the_tester;
use super::reports::{Format, Reports};
use super::screen::Screen;
use crate::args::{CheckTrace, ReplayTrace, Rules};
use crate::exit::Exit;
use crate::printer::Printer;
use crate::target::{program_of, told, usage};
use crate::traced::read;

/// Shows what the trace breaks. The exit code is that of a run.
pub(super) fn check(args: &CheckTrace, printer: Printer) -> Result<Exit, clap::Error> {
    let records = read(super::SUBCOMMAND, &args.trace, args.extension.as_deref())?;
    let recorded = Recorded::of(&records).into_values().next().unwrap_or_default();
    let binds = if args.level == Rules::Base { Binds::Extension } else { Binds::Sdk };
    let cases = recorded.cases(binds);
    let report = recorded.report(&args.trace.display().to_string(), binds, &cases);
    show(&report, &args.report, args.verbose, printer)
}

/// Shows what comes otherwise than in the trace. The exit code is that of a run.
pub(super) fn replay(args: &ReplayTrace, mut printer: Printer) -> Result<Exit, clap::Error> {
    let refused = |why: String| usage(super::SUBCOMMAND, ErrorKind::InvalidValue, &why);
    let records = read(super::SUBCOMMAND, &args.trace, args.extension.as_deref())?;
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
