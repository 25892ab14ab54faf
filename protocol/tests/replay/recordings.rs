//! The transcripts.

use std::path::Path;

use super::trace::Trace;

/// Every transcript of the folder, but for the `.rpc` ones: those are between zot and its user.
pub(crate) fn all() -> Vec<Trace> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let traces: Vec<_> = paths.iter().filter_map(|path| read(path)).collect();
    assert!(traces.len() >= 18, "only {} traces are there", traces.len());
    traces
}

fn read(path: &Path) -> Option<Trace> {
    let name = path.file_name()?.to_str()?.strip_suffix(".ndjson")?;
    let is_between_the_user_and_zot = name.contains(".rpc");
    let text = || std::fs::read_to_string(path).unwrap();
    (!is_between_the_user_and_zot).then(|| Trace::read(name, &text()))
}
