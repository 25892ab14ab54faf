//! `extline conformance copy`: built-in cases as files to change.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use extline_conformance::{Case, copied_id, copy_of};
use serde_json::json;

use crate::exit::Exit;
use crate::printer::Printer;

/// Writes a file for each case; one that is there already is left as it is, and nothing is written
/// behind it.
pub(super) fn copy(cases: &[&Case], folder: &Path, mut printer: Printer) -> Exit {
    if let Err(error) = fs::create_dir_all(folder) {
        printer.error(format_args!("{}: {error}", folder.display()));
        return printer.finish(Exit::of_conformance(3));
    }
    for case in cases {
        let file = folder.join(format!("{}.toml", copied_id(&case.id)));
        if let Err(error) = write(&file, &copy_of(case)) {
            printer.error(format_args!("{}: {error}", file.display()));
            return printer.finish(Exit::of_conformance(3));
        }
        let json = json!({"case": case.id, "copy": copied_id(&case.id), "file": file});
        printer.tell(file.display(), &json);
    }
    printer.finish(Exit::Ok)
}

fn write(file: &Path, text: &str) -> io::Result<()> {
    File::create_new(file)?.write_all(text.as_bytes())
}
