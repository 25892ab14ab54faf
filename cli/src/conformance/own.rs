//! An author's own cases: `--cases FILE` and `--cases FOLDER`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use extline_conformance::{Case, parse_own};
use extline_host::file::{WRITTEN_BYTES, read_text};

use crate::target::usage;

/// The cases of all these files, and of the `.toml` files in these folders, in that order.
pub(super) fn read(paths: &[OsString]) -> Result<&'static [Case], clap::Error> {
    let refused = |why: String| usage(super::SUBCOMMAND, ErrorKind::InvalidValue, &why);
    let mut cases: Vec<Case> = Vec::new();
    let mut places: BTreeMap<String, String> = BTreeMap::new();
    for path in paths.iter().map(Path::new) {
        let unreadable = |error| refused(format!("--cases {}: {error}", path.display()));
        let files =
            if path.is_dir() { files_in(path).map_err(unreadable)? } else { vec![path.into()] };
        if files.is_empty() {
            return Err(refused(format!("--cases {}: there is no .toml file", path.display())));
        }
        for file in files {
            let name = file.display().to_string();
            let text = read_text(&file, WRITTEN_BYTES)
                .map_err(|error| refused(format!("--cases {name}: {error}")))?;
            for case in parse_own(&name, &text).map_err(|error| refused(error.to_string()))? {
                let place = format!("{name}:{}", case.line);
                if let Some(other) = places.insert(case.id.clone(), place.clone()) {
                    let why = format!("{place}: case {}: its id is taken at {other}", case.id);
                    return Err(refused(why));
                }
                cases.push(case);
            }
        }
    }
    // They live as long as the program, as the built-in ones do.
    Ok(cases.leak())
}

fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut paths = paths.collect::<io::Result<Vec<_>>>()?;
    paths.retain(|path| path.extension().is_some_and(|end| end == "toml"));
    paths.sort();
    Ok(paths)
}
