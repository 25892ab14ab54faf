//! `extline conformance check TRACE`: the rules that hold in every conversation, for one that was
//! recorded.

use std::fs;

use clap::error::ErrorKind;
use extline_conformance::{Binds, Recorded, trace_cases};
use extline_protocol::trace;

use super::Told;
use super::harness::blame_the_tester;
use super::reports::{Format, Reports};
use super::screen::Screen;
use crate::args::{CheckTrace, Rules};
use crate::exit::Exit;
use crate::printer::Printer;
use crate::target::usage;

/// Shows what the trace breaks. The exit code is that of a run.
pub(super) fn check(args: &CheckTrace, mut printer: Printer) -> Result<Exit, clap::Error> {
    let recorded = read(args)?;
    let binds = if args.level == Rules::Base { Binds::Extension } else { Binds::Sdk };
    let report = recorded.report(&args.trace.display().to_string(), binds, &trace_cases(binds));
    let mut reports = Reports::open(&args.report, printer.json)?;
    printer.json = reports.stdout == Some(Format::Ndjson);
    let mut screen = Screen::new(printer, args.verbose);
    screen.show(Told::Planned(report.head.clone()), &mut reports);
    for case in &report.cases {
        screen.show(Told::Decided(Box::new(case.clone())), &mut reports);
    }
    screen.summary(&report, &mut reports);
    let mut printer = screen.printer;
    if let Err(fault) = reports.finish(&report, &mut printer) {
        blame_the_tester(&mut printer, &fault);
        return Ok(printer.finish(Exit::of_conformance(4)));
    }
    Ok(printer.finish(Exit::of_conformance(report.exit_code())))
}

/// What the trace holds of the extension that is meant.
fn read(args: &CheckTrace) -> Result<Recorded, clap::Error> {
    let refused = |why: String| usage(super::SUBCOMMAND, ErrorKind::InvalidValue, &why);
    let file = args.trace.display().to_string();
    let text =
        fs::read_to_string(&args.trace).map_err(|error| refused(format!("{file}: {error}")))?;
    let records = trace::read(&file, &text).map_err(|error| refused(error.to_string()))?;
    let mut extensions = Recorded::of(&records);
    let names: Vec<_> = extensions.keys().cloned().collect();
    let name = match (&args.extension, names.as_slice()) {
        (_, []) => return Err(refused(format!("{file}: no line of an extension is in it"))),
        (Some(name), _) => name,
        (None, [only]) => only,
        (None, _) => {
            let why = format!("{file} holds {}: name one with --extension", names.join(", "));
            return Err(refused(why));
        }
    };
    let unknown = || refused(format!("{file} holds no {name:?}; it holds {}", names.join(", ")));
    extensions.remove(name).ok_or_else(unknown)
}
