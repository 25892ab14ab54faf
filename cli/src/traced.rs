//! Traces that a command is given.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use clap::error::ErrorKind;
use extline_protocol::trace::{self, Record, What};

use crate::target::usage;

/// The records of one extension: the one that is wanted, or the only one there is.
pub(crate) fn read(
    subcommand: &str,
    file: &Path,
    wanted: Option<&str>,
) -> Result<Vec<Record>, clap::Error> {
    let refused = |why: String| usage(subcommand, ErrorKind::InvalidValue, &why);
    let name = file.display().to_string();
    let text = fs::read_to_string(file).map_err(|error| refused(format!("{name}: {error}")))?;
    let mut records = trace::read(&name, &text).map_err(|error| {
        refused(format!(
            "{error}; a trace is what `extline record`, `extline tap --trace FILE` or `extline run \
             --trace FILE` wrote"
        ))
    })?;
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
