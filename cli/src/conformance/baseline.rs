//! `--baseline` and `--write-baseline`.

use std::fs;
use std::io;

use clap::error::ErrorKind;
use extline_conformance::{Baseline, Report};
use extline_host::file::{WRITTEN_BYTES, read_text};

use crate::target::usage;

/// What is known to fail, by `--baseline`.
pub(super) fn read(file: Option<&String>) -> Result<Baseline, clap::Error> {
    let Some(file) = file else { return Ok(Baseline::default()) };
    let text = read_text(file, WRITTEN_BYTES);
    let text = text.map_err(|error| refused(&format!("{file} cannot be read: {error}")))?;
    Baseline::parse(file, &text).map_err(|error| refused(&error.to_string()))
}

/// The baseline that `--write-baseline` writes anew: that of `--baseline`, else what the file holds
/// already. Read before anything is run.
pub(super) fn draft(
    expected: Option<&String>,
    written: Option<&String>,
    baseline: &Baseline,
) -> Result<Baseline, clap::Error> {
    let Some(file) = written.filter(|_| expected.is_none()) else {
        return Ok(baseline.clone());
    };
    // A device or a pipe holds no baseline, and may have no end.
    if fs::metadata(file).is_ok_and(|found| !found.is_file()) {
        return Ok(Baseline::default());
    }
    match read_text(file, WRITTEN_BYTES) {
        Ok(text) => Baseline::parse_draft(file, &text).map_err(|error| {
            refused(&format!("{error}; the reasons in it would be lost: mend it or move it away"))
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Baseline::default()),
        Err(error) => Err(refused(&format!("{file} cannot be read: {error}"))),
    }
}

/// Writes what fails today; what was written, in words.
pub(super) fn write(file: &str, draft: &Baseline, report: &Report) -> Result<String, String> {
    let text = draft.renewed(report);
    fs::write(file, &text)
        .map_err(|error| format!("the baseline {file} cannot be written: {error}"))?;
    let count = text.matches("\n[[expected]]").count();
    let todo = text.matches("\nreason = \"TODO\"").count();
    let wanting = match todo {
        0 => String::new(),
        _ => format!("; write a reason in place of TODO in {todo} of them"),
    };
    Ok(format!("{file} lists {count} known failures{wanting}"))
}

fn refused(message: &str) -> clap::Error {
    usage(super::SUBCOMMAND, ErrorKind::InvalidValue, message)
}
