//! `extline record`: a session of extensions at a prompt, or fed with lines, in a trace.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::Path;

use extline_host::file;
use extline_protocol::trace::{self, What};

use crate::args::Record;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::run;

pub(crate) async fn run(record: Record, printer: Printer) -> Result<Exit, clap::Error> {
    let Record { trace, mut run } = record;
    let program = run.program.words.clone();
    let dirs = run.dirs.clone();
    run.settings.trace = Some(trace.clone());
    let mut after = Printer::new(printer.json);
    let exit = Box::pin(run::run(run, printer)).await?;
    if let Some(lines) = lines_of(&trace) {
        let file = trace.display();
        after.say(format_args!("{file} holds {lines} lines. With it:"));
        after.say(format_args!("  extline conformance check {file}"));
        if let ([dir], []) | ([], [dir, ..]) = (&dirs[..], &program[..]) {
            let dashes = if dirs.is_empty() { "-- " } else { "" };
            let more = program.iter().skip(1).map(OsString::as_os_str);
            let words = std::iter::once(dir.as_os_str()).chain(more);
            let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
            let words = words.join(" ");
            after.say(format_args!("  extline conformance replay {file} {dashes}{words}"));
            after.say(format_args!("  extline mock {file}"));
        }
    }
    Ok(after.finish(exit))
}

/// How many lines passed between host and extensions; `None` when there is no trace.
fn lines_of(path: &Path) -> Option<usize> {
    // One by one: a session may have lasted all day.
    let mut lines = 0;
    for line in BufReader::new(file::open(path).ok()?).lines() {
        let record = trace::Record::parse(&line.ok()?).ok()?;
        lines += usize::from(matches!(record.what, What::Line { .. }));
    }
    Some(lines)
}
