//! Where the report goes besides the terminal: `--report FORMAT=FILE`.

use std::fs::File;
use std::io::{self, Write};

use clap::error::ErrorKind;
use extline_conformance::{Report, badge_json, badge_svg, html, junit, markdown, tap};
use extline_protocol::{shown, shown_json};
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
    /// A line of JSON as soon as there is one; all others are one document in the end.
    Ndjson,
    Junit,
    Tap,
    Markdown,
    Html,
    /// A picture of the grade.
    Badge,
    /// The grade as JSON for a service that draws badges.
    BadgeJson,
}

impl Format {
    const ALL: [(&'static str, Self); 7] = [
        ("ndjson", Self::Ndjson),
        ("junit", Self::Junit),
        ("tap", Self::Tap),
        ("markdown", Self::Markdown),
        ("html", Self::Html),
        ("badge", Self::Badge),
        ("badge-json", Self::BadgeJson),
    ];

    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(word, _)| *word == name).map(|(_, format)| *format)
    }

    /// What is written in the end.
    fn document(self, report: &Report) -> Option<String> {
        match self {
            Self::Ndjson => None,
            Self::Junit => Some(plain(&junit(report))),
            Self::Tap => Some(plain(&tap(report))),
            Self::Markdown => Some(plain(&markdown(report))),
            Self::Html => Some(plain(&html(report))),
            Self::Badge => Some(plain(&badge_svg(report))),
            Self::BadgeJson => Some(format!("{}\n", badge_json(report))),
        }
    }
}

/// What an extension wrote is in these documents, and people look at them.
fn plain(document: &str) -> String {
    shown(document).into_owned()
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
            let parts = asked.split_once('=').filter(|(_, file)| !file.is_empty());
            let parts = parts.and_then(|(format, file)| Some((Format::named(format)?, file)));
            let Some((format, name)) = parts else {
                let names = Format::ALL.map(|(name, _)| name).join(", ");
                return Err(refused(&format!("expected FORMAT=FILE, with one of {names}")));
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

    /// Whether a report shows what went both ways in cases that passed.
    pub(super) fn show_passes(&self) -> bool {
        let files = self.files.iter().map(|file| file.format);
        files.chain(self.stdout).any(|format| format == Format::Html)
    }

    /// Writes a line where lines are wanted.
    pub(super) fn line(&mut self, line: &Value, printer: &mut Printer) {
        if self.stdout == Some(Format::Ndjson) {
            printer.json(line);
        }
        for report in self.files.iter_mut().filter(|report| report.format == Format::Ndjson) {
            report.write(&format!("{}\n", shown_json(&line.to_string())));
        }
    }

    /// Writes what is written in the end; `Err` names every file that is not whole.
    pub(super) fn finish(mut self, report: &Report, printer: &mut Printer) -> Result<(), String> {
        if let Some(document) = self.stdout.and_then(|format| format.document(report)) {
            printer.data(&document);
        }
        for file in &mut self.files {
            if let Some(document) = file.format.document(report) {
                file.write(&document);
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
