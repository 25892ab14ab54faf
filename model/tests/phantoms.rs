//! The docs and the sources of this repository hold no call, whatever tools are offered.

use std::fs;
use std::path::{Path, PathBuf};

use extline_model::{Offered, extract};

/// Folders that are made, or hold examples of calls on purpose.
const LEFT_OUT: [&str; 5] = ["target", "node_modules", ".git", "model", "dist"];
const ENDINGS: [&str; 11] =
    ["md", "rs", "py", "ts", "mts", "c", "h", "sh", "toml", "json", "jsonl"];

#[test]
fn no_call_is_found_in_texts_of_code_and_prose() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    collect(&root, &mut files);
    assert!(files.len() > 500, "{} files", files.len());
    let names = [
        "weather",
        "clock_now",
        "read",
        "write",
        "ls",
        "bash",
        "echo",
        "add",
        "run",
        "search",
        "name",
    ];
    let offered: Vec<_> = names.map(Offered::from).to_vec();
    for file in files {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        let found = extract(&text, &offered);
        assert_eq!(found.calls, [], "{}", file.display());
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let is_made =
            name.to_str().is_some_and(|name| LEFT_OUT.contains(&name) || name.starts_with('.'));
        if path.is_dir() && !path.is_symlink() {
            if !is_made {
                collect(&path, files);
            }
        } else if path
            .extension()
            .and_then(|it| it.to_str())
            .is_some_and(|it| ENDINGS.contains(&it))
        {
            files.push(path);
        }
    }
}
