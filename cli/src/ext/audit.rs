//! `extline ext audit`: which extensions of an index may be installed, and which of those are newer than what is here.

use std::collections::BTreeMap;
use std::path::Path;

use extline_host::discovery::Found;
use extline_host::{Manifest, file};
use semver::Version;
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;

use super::{Refused, discovery};
use crate::args::ExtAudit;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::styled::{BOLD, DIM, GREEN, RED, Style, Text, YELLOW};

/// Bytes that an index may have: 16 MiB.
const INDEX_BYTES: u64 = 16 << 20;

/// The version of the format that is read.
const SCHEMA_VERSION: u32 = 1;

/// Characters that are shown of a reason.
const WHY_CHARS: usize = 500;

/// An index as it is written: manifests, each with what its audit said.
#[derive(Deserialize)]
struct Index {
    schema_version: u32,
    extensions: Vec<Box<RawValue>>,
}

/// What becomes of one extension of an index.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    /// Its audit passed.
    Installable,
    /// It may be installed, and there is something to know.
    Flagged,
    /// Its audit did not pass, or not yet.
    Blocked,
    /// A host would not start it, or it stands there twice.
    Invalid,
}

#[derive(Serialize)]
struct Entry {
    name: String,
    version: String,
    verdict: Verdict,
    reasons: Vec<String>,
    /// The version that is installed here.
    installed: Option<String>,
    /// It may be installed, and is newer than that.
    is_update: bool,
}

pub(super) fn run(audit: &ExtAudit, printer: &mut Printer) -> Result<Exit, Refused> {
    let index = read(&audit.index)?;
    let found = discovery()?.find();
    let mut entries: Vec<_> =
        index.extensions.iter().enumerate().map(|(at, text)| entry(at, text)).collect();
    refuse_twins(&mut entries);
    for entry in &mut entries {
        entry.compare(&found);
    }
    if printer.json {
        printer.json(&json!({ "extensions": entries }));
    } else {
        for entry in &entries {
            entry.tell(printer);
        }
    }
    let is_invalid = entries.iter().any(|entry| entry.verdict == Verdict::Invalid);
    Ok(if is_invalid { Exit::ToolError } else { Exit::Ok })
}

fn read(path: &Path) -> Result<Index, Refused> {
    let wrong = |why: String| Refused::file(&format!("{}: {why}", path.display()));
    let text = file::read_text(path, INDEX_BYTES).map_err(|error| wrong(error.to_string()))?;
    let index: Index = serde_json::from_str(&text).map_err(|error| {
        wrong(format!(
            "{error}; an index is {{\"schema_version\": 1, \"extensions\": [MANIFEST, ..]}}"
        ))
    })?;
    if index.schema_version != SCHEMA_VERSION {
        let version = index.schema_version;
        return Err(wrong(format!(
            "/schema_version: {version} is a format that is not known here; {SCHEMA_VERSION} is"
        )));
    }
    Ok(index)
}

fn entry(at: usize, text: &RawValue) -> Entry {
    let place = format!("/extensions/{at}");
    let manifest = match Manifest::parse(text.get(), Path::new(&place)) {
        Ok(manifest) => manifest,
        Err(error) => {
            let name = name_in(text).unwrap_or_else(|| place.clone());
            return Entry::new(name, String::new(), Verdict::Invalid, vec![error.to_string()]);
        }
    };
    let (verdict, reasons) = judge(&manifest);
    Entry::new(manifest.name, manifest.version, verdict, reasons)
}

/// What its audit allows, and why not all.
fn judge(manifest: &Manifest) -> (Verdict, Vec<String>) {
    let mut reasons = Vec::new();
    match manifest.audit.as_deref() {
        Some("passed") => {}
        Some("warn") => reasons.push("its audit is warn: read it before you install".to_owned()),
        Some(status) => {
            let why = format!("its audit is {status}: /audit has to be passed or warn");
            return (Verdict::Blocked, vec![why]);
        }
        None => {
            let why = "it says nothing of an audit: /audit has to be passed or warn".to_owned();
            return (Verdict::Blocked, vec![why]);
        }
    }
    let archive =
        manifest.distribution.as_ref().filter(|it| it.source.as_deref() == Some("archive"));
    if archive.is_some_and(|it| it.sha256.is_none()) {
        reasons.push(
            "/distribution/sha256 is missing: what is installed cannot be checked".to_owned(),
        );
    }
    let verdict = if reasons.is_empty() { Verdict::Installable } else { Verdict::Flagged };
    (verdict, reasons)
}

/// The name in a manifest that is not right.
fn name_in(text: &RawValue) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(text.get()).ok()?;
    value["name"].as_str().filter(|name| !name.is_empty()).map(str::to_owned)
}

/// Nobody can say which of two with one name and version is meant.
fn refuse_twins(entries: &mut [Entry]) {
    let mut seen = BTreeMap::<_, usize>::new();
    for entry in entries.iter().filter(|entry| entry.verdict != Verdict::Invalid) {
        *seen.entry((entry.name.clone(), entry.version.clone())).or_default() += 1;
    }
    for entry in entries.iter_mut().filter(|entry| entry.verdict != Verdict::Invalid) {
        let Entry { name, version, .. } = entry;
        if seen[&(name.clone(), version.clone())] > 1 {
            entry.reasons.push(format!("{name} {version} stands in the index more than once"));
            entry.verdict = Verdict::Invalid;
        }
    }
}

impl Entry {
    fn new(name: String, version: String, verdict: Verdict, reasons: Vec<String>) -> Self {
        Self { name, version, verdict, reasons, installed: None, is_update: false }
    }

    /// With what is here. A version that is none of semantic versioning is never newer.
    fn compare(&mut self, found: &[Found]) {
        let here = found.iter().find(|one| one.name == self.name);
        let Some(installed) = here.and_then(|one| one.manifest.as_ref()) else { return };
        let versions = (Version::parse(&self.version), Version::parse(&installed.version));
        let is_newer = matches!(versions, (Ok(offered), Ok(installed)) if offered > installed);
        self.is_update = is_newer && self.verdict.may_be_installed();
        self.installed = Some(installed.version.clone());
    }

    fn tell(&self, printer: &mut Printer) {
        let (style, word) = self.verdict.shown();
        let here = match &self.installed {
            Some(installed) if self.is_update => {
                format!("newer than {installed}, which is installed")
            }
            Some(installed) => format!("{installed} is installed"),
            None => String::new(),
        };
        printer.result(format_args!(
            "{style}{word:<11}{style:#}  {BOLD}{}{BOLD:#} {}  {DIM}{}{DIM:#}",
            Text::line(&self.name, WHY_CHARS),
            Text::line(&self.version, 40),
            Text::line(&here, WHY_CHARS)
        ));
        for why in &self.reasons {
            printer.result(format_args!("{:13}{}", "", Text::line(why, WHY_CHARS)));
        }
    }
}

impl Verdict {
    fn may_be_installed(self) -> bool {
        matches!(self, Self::Installable | Self::Flagged)
    }

    fn shown(self) -> (Style, &'static str) {
        match self {
            Self::Installable => (GREEN, "installable"),
            Self::Flagged => (YELLOW, "flagged"),
            Self::Blocked => (RED, "blocked"),
            Self::Invalid => (RED, "invalid"),
        }
    }
}
