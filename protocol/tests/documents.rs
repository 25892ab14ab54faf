//! What the documents name exists: the files of the glossary, and whatever is linked.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Folders that hold no document of ours.
const FOREIGN: [&str; 5] = ["target", "node_modules", "build", "dist", "npm"];

#[test]
fn the_glossary_names_files_that_exist() {
    let glossary = fs::read_to_string(root().join("docs/contributing/glossary.md")).unwrap();
    let rows = glossary.lines().filter(|line| line.starts_with("| ") && line.contains('/'));
    let files: Vec<&str> = rows
        .flat_map(|row| row.rsplit('|').nth(1).unwrap().split('`').skip(1).step_by(2))
        .collect();
    assert!(files.len() > 30);
    for file in files {
        assert!(root().join(file).exists(), "{file}");
    }
}

#[test]
fn every_link_to_a_file_or_heading_leads_there() {
    let pages = documents(&root());
    assert!(pages.len() > 30, "{pages:?}");
    let mut broken = Vec::new();
    for page in &pages {
        let text = fs::read_to_string(page).unwrap();
        for link in links(&text).filter(|link| !link.contains(':')) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.with_file_name(file) };
            let is_there = target.exists()
                && (heading.is_empty() || anchors(&target).iter().any(|one| one == heading));
            if !is_there {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn every_page_of_docs_stands_in_the_summary_of_the_site() {
    let docs = root().join("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let named: Vec<PathBuf> = links(&summary).map(|link| docs.join(link)).collect();
    let mut missing = documents(&docs);
    missing.retain(|page| !page.ends_with("SUMMARY.md") && !named.contains(page));
    assert!(missing.is_empty(), "name them in docs/SUMMARY.md: {missing:#?}");
}

/// The folders of `src` in each crate: whoever looks for a behaviour begins with them.
#[test]
fn each_folder_of_sources_is_in_the_map() {
    let map = fs::read_to_string(root().join("docs/ARCHITECTURE.md")).unwrap();
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let (_, members) = manifest.split_once("members = [").unwrap();
    let (members, _) = members.split_once(']').unwrap();
    let members = members.split('"').skip(1).step_by(2).filter(|it| !it.contains('*'));
    let mut missing = Vec::new();
    for member in members {
        for folder in fs::read_dir(root().join(member).join("src")).unwrap() {
            let folder = folder.unwrap();
            let name = folder.file_name().into_string().unwrap();
            if folder.file_type().unwrap().is_dir() && !map.contains(&format!("{name}/")) {
                missing.push(format!("{member}/src/{name}"));
            }
        }
    }
    assert!(missing.is_empty(), "name them in docs/ARCHITECTURE.md: {missing:#?}");
}

#[test]
fn no_room_uses_one_that_uses_it() {
    for folder in ["cli", "conformance", "host", "protocol"] {
        let circle = rooms_in_circles(&root().join(folder).join("src"));
        assert!(circle.is_empty(), "these of {folder} use each other: {circle:#?}");
    }
}

/// The rooms that use each other, with what they use. A room is a folder of the sources, or a file beside them.
fn rooms_in_circles(sources: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files(sources) {
        let inside = file.strip_prefix(sources).unwrap();
        let room = inside.components().next().unwrap().as_os_str().to_str().unwrap();
        let room = room.trim_end_matches(".rs").to_owned();
        let text = fs::read_to_string(&file).unwrap();
        let text = text.split("#[cfg(test)]").next().unwrap();
        if ["lib", "main"].contains(&&*room) || inside.ends_with("tests.rs") {
            continue;
        }
        let others = uses.entry(room.clone()).or_default();
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let names = line.split("crate::").skip(1);
            let names =
                names.map(|rest| rest.split(|it: char| !(it.is_alphanumeric() || it == '_')));
            let names = names.filter_map(|mut words| words.next());
            others.extend(names.filter(|name| *name != room).map(str::to_owned));
        }
    }
    let rooms: BTreeSet<_> = uses.keys().cloned().collect();
    for others in uses.values_mut() {
        others.retain(|name| rooms.contains(name));
    }
    // Whoever uses none of the others is not part of a circle.
    while let Some(free) =
        uses.iter().find(|(_, others)| others.is_empty()).map(|(room, _)| room.clone())
    {
        uses.remove(&free);
        for others in uses.values_mut() {
            others.remove(&free);
        }
    }
    assert!(rooms.len() > 10, "{rooms:?}");
    uses
}

/// The Rust files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|it| it == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn a_cell_of_an_index_has_few_links() {
    for page in ["README.md", "docs/README.md", "sdk-c/README.md"] {
        let text = fs::read_to_string(root().join(page)).unwrap();
        let rows = text.lines().filter(|line| line.starts_with('|'));
        for cell in rows.flat_map(|row| row.split('|')) {
            assert!(cell.matches("](").count() <= 4, "{page}: {cell}");
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every Markdown file below a folder.
fn documents(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_folder = entry.file_type().unwrap().is_dir();
        if is_folder && !name.starts_with('.') && !FOREIGN.contains(&&*name) {
            found.extend(documents(&entry.path()));
        } else if !is_folder && entry.path().extension().is_some_and(|it| it == "md") {
            found.push(entry.path());
        }
    }
    found
}

/// What stands in the round brackets of `[text](target)`.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|behind| behind.split([')', ' ', '\n']).next())
}

/// The headings of a page, as their anchors.
fn anchors(page: &Path) -> Vec<String> {
    let text = fs::read_to_string(page).unwrap_or_default();
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let mut anchors: Vec<String> = headings.map(anchor).collect();
    let named = text.split("<a id=\"").skip(1).filter_map(|behind| behind.split('"').next());
    anchors.extend(named.map(str::to_owned));
    anchors
}

fn anchor(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = |letter: &char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_');
    words.chars().filter(kept).map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}
