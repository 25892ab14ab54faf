//! The pages on C, run as they stand: files are written, commands run, their output compared.
//!
//! A block that begins "```c name.c" is a file; with `before="..."` behind the name it is put into
//! that file, in front of these words. In a block "```console" lines with `$ ` are commands, and what
//! follows is what they print, where `...` stands for anything. Other blocks are not run.

use std::fs;
use std::path::Path;

use crate::c_library::{found, try_sh};
use crate::support::repository;

#[test]
fn the_tutorial_leads_where_it_says() {
    follow("c/guide.md", 8);
}

#[test]
fn tools_and_arguments() {
    follow("c/tools-and-types.md", 4);
}

#[test]
fn events_and_guards() {
    follow("c/events-and-guards.md", 4);
}

#[test]
fn the_functions_that_the_pages_name_are_in_the_header() {
    let header = fs::read_to_string(repository().join("sdk-c/include/extline.h")).unwrap();
    for page in fs::read_dir(repository().join("docs/c")).unwrap() {
        let path = page.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        // Between back quotes in a line: what ends with an underscore stands for several.
        let named = text.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
        let words =
            named.flat_map(|code| code.split(|it: char| !it.is_alphanumeric() && it != '_'));
        for word in words.filter(|word| word.starts_with("extline_") && !word.ends_with('_')) {
            assert!(names(&header, word), "{}: there is no {word}", path.display());
        }
    }
}

/// Whether the whole word stands in a text.
fn names(text: &str, word: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|it: char| it.is_alphanumeric() || it == '_');
    text.match_indices(word).any(|(at, _)| ends(&text[at + word.len()..]))
}

#[test]
fn answering_later() {
    follow("c/running.md", 3);
}

#[test]
fn an_event_loop_of_ones_own() {
    follow("c/poll.md", 2);
}

#[test]
fn memory_and_ownership() {
    follow("c/memory.md", 2);
}

#[test]
fn other_languages() {
    if found("go", "docs/c/other-languages.md") {
        follow("c/other-languages.md", 3);
    }
}

#[test]
fn the_sample_of_the_readme_answers() {
    let page = fs::read_to_string(repository().join("README.md")).unwrap();
    let (_, after) = page.split_once("## An extension in C\n").expect("it has a C extension");
    let (section, _) = after.split_once("\n## ").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut commands = 0;
    for block in blocks(section) {
        commands += play(&block, folder.path());
    }
    assert!(commands >= 2, "{commands} commands");
}

/// Writes the files of a page of docs/ and runs its commands, at least so many.
fn follow(page: &str, at_least: usize) {
    let text = fs::read_to_string(repository().join("docs").join(page)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let blocks = blocks(&text);
    let commands: usize = blocks.iter().map(|block| play(block, folder.path())).sum();
    assert!(commands >= at_least, "{page} has {commands} commands");
    for block in blocks.iter().filter(|block| ["c", "cpp", "go"].contains(&block.language)) {
        assert!(!block.name.is_empty(), "{page}: nothing compiles the sample\n{}", block.text);
        let consoles = blocks.iter().filter(|block| block.language == "console");
        let stem = block.name.split('.').next().unwrap();
        let used = consoles.into_iter().any(|console| console.text.contains(stem));
        assert!(used, "{page}: no command compiles {}", block.name);
    }
}

/// A block of code, with what stands behind its backquotes.
struct Block<'a> {
    language: &'a str,
    name: &'a str,
    before: Option<&'a str>,
    text: &'a str,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once("\n```") {
        let (head, after) = after.split_once('\n').unwrap();
        let (text, after) = after.split_once("```\n").expect("a block has an end");
        let (language, more) = head.split_once(' ').unwrap_or((head, ""));
        let (name, before) = match more.split_once(" before=") {
            Some((name, words)) => (name, Some(words.trim_matches('"'))),
            None => (more, None),
        };
        blocks.push(Block { language, name, before, text });
        rest = after;
    }
    blocks
}

/// Does what a block says, and returns how many commands that were.
fn play(block: &Block<'_>, folder: &Path) -> usize {
    if block.language == "console" {
        return console(block.text, folder);
    }
    let file = folder.join(block.name);
    match block.before {
        Some(words) => {
            let whole = fs::read_to_string(&file).unwrap();
            let at = whole.find(words).unwrap_or_else(|| panic!("{words:?} is not in {whole}"));
            fs::write(&file, format!("{}{}{}", &whole[..at], block.text, &whole[at..])).unwrap();
        }
        None if block.name.is_empty() => {}
        None => {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, block.text).unwrap();
        }
    }
    0
}

/// Runs the commands of a block.
fn console(block: &str, folder: &Path) -> usize {
    let mut commands = 0;
    for part in format!("\n{block}").split("\n$ ").skip(1) {
        let (command, shown) = part.split_once('\n').unwrap_or((part, ""));
        let (_, said) = try_sh(command, folder);
        assert!(
            matches(shown.trim_end(), said.trim_end()),
            "$ {command}\n{said}\nthe page has\n{shown}"
        );
        commands += 1;
    }
    commands
}

/// Whether that was said, where `...` stands for anything.
fn matches(shown: &str, said: &str) -> bool {
    let mut parts = shown.split("...");
    let Some(mut rest) = said.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}
