//! Which of the paths that a call names are in a folder, whatever links lead where.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use extline_protocol::{Elements, Members, read_string};

/// So many texts of one call are looked at.
const TEXTS: usize = 64;

/// A longer text is no path.
const PATH: usize = 4_096;

/// So deep they are looked for.
const DEPTH: usize = 8;

/// The path below the root that the text names, absolute or from the root; `None` where it leads out of it. What does not
/// exist is looked for in the nearest folder that does. `root` is without links.
pub(super) fn contained(root: &Path, text: &str) -> Option<PathBuf> {
    if text.is_empty() || text.len() > PATH || text.contains(['\0', '\n']) {
        return None;
    }
    let mut existing = root.join(text);
    let mut missing: Vec<OsString> = Vec::new();
    let found = loop {
        match existing.canonicalize() {
            Ok(found) => break found,
            // A link that leads nowhere may lead anywhere tomorrow.
            Err(_) if existing.is_symlink() => return None,
            Err(_) => {
                // Nor does a missing folder have a folder above it.
                let Some(Component::Normal(name)) = existing.components().next_back() else {
                    return None;
                };
                missing.push(name.to_owned());
                existing.pop();
            }
        }
    };
    let mut path = found.strip_prefix(root).ok()?.to_owned();
    path.extend(missing.into_iter().rev());
    (!path.as_os_str().is_empty()).then_some(path)
}

/// The texts in the arguments of a call that may be paths, each once.
pub(super) fn texts(args: &str) -> Vec<String> {
    let mut found = Vec::new();
    collect(args, DEPTH, &mut found);
    found
}

fn collect(value: &str, depth: usize, found: &mut Vec<String>) {
    if found.len() >= TEXTS || depth == 0 {
        return;
    }
    if let Some(members) = Members::of(value) {
        members.iter().for_each(|member| collect(member.value, depth - 1, found));
    } else if let Some(elements) = Elements::of(value) {
        elements.for_each(|element| collect(element, depth - 1, found));
    } else if let Some(text) = read_string(value)
        && !found.iter().any(|known| *known == *text)
    {
        found.push(text.into());
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_what_is_below_the_root_is_in_it() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let inside = root.join("project");
        fs::create_dir_all(inside.join("src")).unwrap();
        fs::write(root.join("secret"), "x").unwrap();
        symlink(&root, inside.join("out")).unwrap();
        symlink(root.join("nowhere"), inside.join("dangling")).unwrap();
        symlink("src", inside.join("in")).unwrap();
        let of = |text: &str| contained(&inside, text);
        assert_eq!(of("src/new/a.rs"), Some("src/new/a.rs".into()));
        assert_eq!(of("in/a.rs"), Some("src/a.rs".into()));
        assert_eq!(of("src/../b"), Some("b".into()));
        assert_eq!(of(&inside.join("b").to_string_lossy()), Some("b".into()));
        for out in [
            "../secret",
            "out/secret",
            "out/new",
            "dangling",
            "/etc/passwd",
            "missing/../../x",
            ".",
            "",
        ] {
            assert_eq!(of(out), None, "{out}");
        }
    }

    #[test]
    fn texts_are_found_wherever_they_stand_and_not_without_end() {
        let args = r#"{"path": "a", "edits": [{"file": "b\u0063"}, "a"], "n": 1}"#;
        assert_eq!(texts(args), ["a", "bc"]);
        let many: Vec<_> = (0..1000).map(|number| format!("\"{number}\"")).collect();
        assert_eq!(texts(&format!("[{}]", many.join(","))).len(), TEXTS);
        assert!(texts(&format!("{}\"deep\"{}", "[".repeat(20), "]".repeat(20))).is_empty());
    }
}
