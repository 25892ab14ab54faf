//! The first line of a script, which says what runs it.

use std::io::{self, BufRead};
use std::path::Path;

use crate::file;

/// What stands behind `#!` in a script's first line.
pub(crate) fn interpreter_line(script: &Path) -> Option<String> {
    let mut first = Vec::new();
    let mut reader = io::BufReader::new(file::open(script).ok()?);
    io::Read::take(&mut reader, 256).read_until(b'\n', &mut first).ok()?;
    let line = String::from_utf8_lossy(&first);
    Some(line.strip_prefix("#!")?.trim_end_matches('\n').trim_start().to_owned())
}
