//! Where the report goes besides the terminal: `--report FORMAT=FILE`.

use std::fs::File;
use std::io::{self, Write};

use clap::error::ErrorKind;
use extline_conformance::{Report, junit};
use serde_json::Value;

use crate::printer::Printer;
use crate::target::usage;

/// The reports that were asked for.
#[derive(Debug, Default)]
pub(super) struct Reports {
    files: Vec<ReportFile>,
    /// What takes the place of the text on stdout.
    pub(super) stdout: Option<Format>,
}

#[derive(Debug)]
struct ReportFile {
    format: Format,
    name: String,
    file: File,
    /// The first thing that went wrong; nothing more is written after that.
    failure: Option<io::Error>,
}

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// A line of JSON as soon as there is one.
    Ndjson,
    /// One document in the end.
    Junit,
}

impl Reports {
    /// Makes the files, so that one that cannot be made is known before anything is run.
    pub(super) fn open(asked: &[String], json: bool) -> Result<Self, clap::Error> {
        let mut reports = Self { files: Vec::new(), stdout: json.then_some(Format::Ndjson) };
        for asked in asked {
            let refused = |why: &str| {
                let text = format!("--report {asked}: {why}");
                usage(super::SUBCOMMAND, ErrorKind::InvalidValue, &text)
            };
            let (format, name) = match asked.split_once('=') {
                Some(("ndjson", file)) if !file.is_empty() => (Format::Ndjson, file),
                Some(("junit", file)) if !file.is_empty() => (Format::Junit, file),
                _ => return Err(refused("expected ndjson=FILE or junit=FILE")),
            };
            if name == "-" {
                if reports.stdout.replace(format).is_some() {
                    return Err(refused("stdout is taken by another report, or by --json"));
                }
                continue;
            }
            let file = File::create(name).map_err(|error| {
                refused(&format!("the file cannot be made: {error}; nothing was run"))
            })?;
            reports.files.push(ReportFile { format, name: name.to_owned(), file, failure: None });
        }
        Ok(reports)
    }

    /// Writes a line where lines are wanted.
    pub(super) fn line(&mut self, line: &Value, printer: &mut Printer) {
        if self.stdout == Some(Format::Ndjson) {
            printer.json(line);
        }
        for report in self.files.iter_mut().filter(|report| report.format == Format::Ndjson) {
            report.write(&format!("{line}\n"));
        }
    }

    /// Writes what is written in the end; `Err` names every file that is not whole.
    pub(super) fn finish(mut self, report: &Report, printer: &mut Printer) -> Result<(), String> {
        if self.stdout == Some(Format::Junit) {
            printer.text(&junit(report));
        }
        for file in &mut self.files {
            if file.format == Format::Junit {
                file.write(&junit(report));
            }
            file.close();
        }
        let failures = self.files.iter().filter_map(|file| {
            let failure = file.failure.as_ref()?;
            Some(format!("the report {} cannot be written: {failure}", file.name))
        });
        let failures: Vec<_> = failures.collect();
        if failures.is_empty() { Ok(()) } else { Err(failures.join("; ")) }
    }
}

impl ReportFile {
    fn write(&mut self, text: &str) {
        if self.failure.is_none() {
            self.failure = self.file.write_all(text.as_bytes()).err();
        }
    }

    /// Some file systems tell only here that there was no room.
    fn close(&mut self) {
        if self.failure.is_none() {
            // A pipe or a terminal cannot be synchronized, and need not be.
            let unsupported = [io::ErrorKind::InvalidInput, io::ErrorKind::Unsupported];
            self.failure =
                self.file.sync_all().err().filter(|it| !unsupported.contains(&it.kind()));
        }
    }
}
