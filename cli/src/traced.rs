//! Traces that a command is given.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use clap::error::ErrorKind;
use extline_conformance::weight;
use extline_host::file::read_text;
use extline_protocol::trace::{Record, TraceError, What};

use crate::target::usage;

/// The longest trace that is read, in bytes of the file, and in bytes of memory.
const LONGEST: u64 = 64 << 20;
const HEAVIEST: usize = 64 << 20;

/// The records of one extension: the one that is wanted, or the only one there is.
pub(crate) fn read(
    subcommand: &str,
    file: &Path,
    wanted: Option<&str>,
) -> Result<Vec<Record>, clap::Error> {
    let refused = |why: String| usage(subcommand, ErrorKind::InvalidValue, &why);
    let name = file.display().to_string();
    let text = read_text(file, LONGEST).map_err(|error| {
        let is_too_long = error.kind() == io::ErrorKind::FileTooLarge;
        refused(if is_too_long { too_long(&name) } else { format!("{name}: {error}") })
    })?;
    let mut records = records_in(&name, &text).map_err(refused)?;
    records.retain(|record| !matches!(record.what, What::Begin { .. } | What::Other(_)));
    let extensions = records.iter().map(|record| record.extension.clone().unwrap_or_default());
    let extensions: BTreeSet<_> = extensions.collect();
    let all = extensions.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let only = match (wanted, extensions.len()) {
        (_, 0) => return Err(refused(format!("{name}: no line of an extension is in it"))),
        (Some(wanted), _) if extensions.contains(wanted) => wanted,
        (Some(wanted), _) => {
            return Err(refused(format!("{name} holds no {wanted:?}; it holds {all}")));
        }
        (None, 1) => return Ok(records),
        (None, _) => {
            return Err(refused(format!("{name} holds {all}: name one with --extension")));
        }
    };
    records.retain(|record| record.extension.as_deref().unwrap_or_default() == only);
    Ok(records)
}

fn too_long(name: &str) -> String {
    let most = LONGEST >> 20;
    format!("{name}: more than {most} MiB are not looked at; record a shorter session")
}

/// All records of a trace; `Err` says what is wrong with it.
fn records_in(name: &str, text: &str) -> Result<Vec<Record>, String> {
    let mut kept = 0;
    let mut records = Vec::new();
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    for (at, line) in lines {
        let record = Record::parse(line).map_err(|problem| {
            let error = TraceError { file: name.to_owned(), line: at + 1, problem };
            format!(
                "{error}; a trace is what `extline record`, `extline tap --trace FILE` or `extline \
                 run --trace FILE` wrote"
            )
        })?;
        if let What::Line { line, .. } = &record.what {
            kept += weight(&line.bytes);
        }
        if kept > HEAVIEST {
            return Err(too_long(name));
        }
        records.push(record);
    }
    Ok(records)
}
