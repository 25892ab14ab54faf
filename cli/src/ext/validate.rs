//! `extline ext validate`: all that is wrong with manifests.

use std::path::Path;

use extline_host::{Manifest, ManifestCheck, ManifestFault, Severity, manifests_in};
use serde_json::{Value, json};

use crate::args::ExtValidate;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::styled::{BOLD, DIM, GREEN, RED, Text, YELLOW};

/// Characters that are shown of a fault.
const FAULT_CHARS: usize = 1000;

pub(super) fn run(validate: &ExtValidate, printer: &mut Printer) -> Exit {
    let checks: Vec<_> = validate.paths.iter().flat_map(|path| checks(path)).collect();
    if printer.json {
        let manifests: Vec<_> = checks.iter().map(json_of).collect();
        printer.json(&json!({ "manifests": manifests }));
    } else {
        for check in &checks {
            tell(check, printer);
        }
    }
    if checks.iter().all(ManifestCheck::is_valid) { Exit::Ok } else { Exit::ToolError }
}

fn checks(path: &Path) -> Vec<ManifestCheck> {
    let files = manifests_in(path).unwrap_or_default();
    if files.is_empty() {
        // Reading it says what is missing.
        return vec![Manifest::check(path)];
    }
    files.iter().map(|file| Manifest::check(file)).collect()
}

fn tell(check: &ManifestCheck, printer: &mut Printer) {
    let file = check.file.display();
    if check.is_valid() {
        printer.result(format_args!("{GREEN}pass{GREEN:#}  {BOLD}{file}{BOLD:#}"));
    } else {
        printer.result(format_args!("{RED}fail{RED:#}  {BOLD}{file}{BOLD:#}"));
    }
    for fault in &check.faults {
        let ManifestFault { code, line, column, .. } = fault;
        let place = match (line, column) {
            (Some(line), Some(column)) => format!("{line}:{column}"),
            _ => String::new(),
        };
        let (style, word) = match fault.severity {
            Severity::Error => (RED, "error"),
            _ => (YELLOW, "warning"),
        };
        let told = Text::line(&fault.to_string(), FAULT_CHARS);
        printer.result(format_args!(
            "  {place:<7} {style}{word:<7}{style:#} {told}  {DIM}[{code}]{DIM:#}"
        ));
    }
}

fn json_of(check: &ManifestCheck) -> Value {
    let name = check.manifest.as_ref().ok().map(|manifest| &manifest.name);
    json!({
        "file": check.file,
        "valid": check.is_valid(),
        "name": name,
        "faults": check.faults,
    })
}
