//! `extline conformance matrix`: kits by the hosts that are known, on one page.

use std::fs;
use std::path::Path;
use std::time::Instant;

use clap::error::ErrorKind;
use extline_conformance::{
    Case, MatrixColumn, MatrixPair, MatrixProgress, Options, matrix, matrix_html, matrix_markdown,
};
use extline_protocol::Profile;

use super::selection;
use crate::args::{Matrix, Program};
use crate::exit::Exit;
use crate::printer::Printer;
use crate::target::{program_of, usage};

/// What is drawn by chance is no part of the page.
const SEED: u32 = 1;

/// The exit code is that of a run: 1 when something fails, 2 when something could not run.
pub(super) fn show(args: &Matrix, mut printer: Printer) -> Result<Exit, clap::Error> {
    let wanted = selection::chosen(&[], &args.only, &[], false)?;
    let names = if args.profile.is_empty() {
        Profile::NAMES.map(str::to_owned).to_vec()
    } else {
        args.profile.clone()
    };
    let mut pairs = Vec::new();
    for name in &names {
        let profile = Profile::named(name).map_err(|error| {
            usage(super::SUBCOMMAND, ErrorKind::InvalidValue, &error.to_string())
        })?;
        for dir in &args.kits {
            let nothing = Program { words: Vec::new() };
            let program = match program_of(super::SUBCOMMAND, Some(dir), &nothing)? {
                Ok(program) => program,
                Err(why) => {
                    printer.error(why);
                    return Ok(printer.finish(Exit::of_conformance(3)));
                }
            };
            let kit = Path::new(dir).file_name().unwrap_or(dir).to_string_lossy().into_owned();
            let options = Options { seed: SEED, ..Options::of(program) };
            pairs.push(MatrixPair { kit, options, profile: profile.clone() });
        }
    }
    let chosen = |case: &Case| wanted.iter().any(|it| it.id == case.id);
    let columns = play(&pairs, &chosen, &mut printer);
    let text = matrix_markdown(&columns);
    if let Some(file) = &args.html
        && let Err(error) = fs::write(file, matrix_html(&columns))
    {
        printer.error(format_args!("the page {} cannot be written: {error}", file.display()));
        return Ok(printer.finish(Exit::of_conformance(4)));
    }
    if printer.json {
        printer.json(&serde_json::json!({ "columns": columns }));
    } else {
        printer.result(text.trim_end());
    }
    Ok(printer.finish(Exit::of_conformance(code(&columns))))
}

/// Tells of each column as it is done; on a terminal of each case.
fn play(
    pairs: &[MatrixPair],
    chosen: &(dyn Fn(&Case) -> bool + Sync),
    printer: &mut Printer,
) -> Vec<MatrixColumn> {
    let began = Instant::now();
    let mut done = 0;
    matrix(pairs, chosen, &mut |progress| {
        let seconds = began.elapsed().as_secs();
        match progress {
            MatrixProgress::Cases(decided, count) => {
                printer.progress(&format!("{decided}/{count} cases, {seconds} s"));
            }
            MatrixProgress::Column(MatrixColumn { kit, profile, cells }) => {
                done += 1;
                let passed: usize = cells.iter().map(|cell| cell.passed).sum();
                let bad = cells.iter().map(|cell| cell.failed.len() + cell.could_not_run.len());
                let bad: usize = bad.sum();
                let of = pairs.len();
                printer.say(format_args!(
                    "{done}/{of} {kit} under {profile}: {passed} pass, {bad} do not, {seconds} s"
                ));
            }
            _ => {}
        }
    })
}

fn code(columns: &[MatrixColumn]) -> u8 {
    let cells = || columns.iter().flat_map(|column| &column.cells);
    if cells().any(|cell| !cell.failed.is_empty()) {
        return 1;
    }
    let is_incomplete = cells().any(|cell| !cell.could_not_run.is_empty());
    let is_nothing = cells().all(|cell| cell.passed == 0);
    if is_incomplete || is_nothing { 2 } else { 0 }
}
