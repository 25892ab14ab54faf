//! The pages on C, run as they stand (`support/page.rs`).

use std::fs;
use std::path::Path;

use crate::c_library::{found, sh, try_sh};
use crate::page::{blocks, play};
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
    let read = |name| fs::read_to_string(repository().join("sdk-c/include").join(name)).unwrap();
    let header = read("extline.h") + &read("extline_model.h");
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
fn testing() {
    follow("c/testing.md", 8);
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
fn asking_the_person() {
    follow("asking.md", 4);
}

#[test]
fn running_programs() {
    follow("running-programs.md", 6);
}

#[test]
fn pending_actions() {
    follow("pending-actions.md", 2);
}

#[test]
fn configuration() {
    follow("configuration.md", 10);
}

#[test]
fn state() {
    follow("state.md", 5);
}

#[test]
fn views() {
    follow("views.md", 5);
}

#[test]
fn the_c_of_the_page_on_asking_asks() {
    let page = fs::read_to_string(repository().join("docs/asking.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let blocks = blocks(&page);
    let program = blocks.iter().find(|block| block.name == "ship.c").unwrap();
    play(program, folder.path(), &said_in(folder.path()));
    let flags = "$(pkg-config --cflags --libs extline)";
    sh(&format!("cc -Wall -Wextra -Wno-unused-parameter ship.c -o ship {flags}"), folder.path());
    let script = repository().join("cli/tests/support/ships.py");
    let command = format!("TERM=xterm python3 {} \"$(which extline)\" -- ./ship", script.display());
    assert_eq!(sh(&command, folder.path()), "");
}

#[test]
fn the_c_of_the_page_on_secrets_asks() {
    let page = fs::read_to_string(repository().join("docs/secrets.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let blocks = blocks(&page);
    let program = blocks.iter().find(|block| block.name == "weather.c").unwrap();
    play(program, folder.path(), &said_in(folder.path()));
    let flags = "$(pkg-config --cflags --libs extline)";
    sh(
        &format!("cc -Wall -Wextra -Wno-unused-parameter weather.c -o weather {flags}"),
        folder.path(),
    );
    let manifest =
        r#"{"name":"weather","exec":"./weather","permissions":{"secrets":["OPENWEATHER_KEY"]}}"#;
    fs::write(folder.path().join("extension.json"), manifest).unwrap();
    let command = "OPENWEATHER_KEY=swordfish EXTLINE_HOME=$PWD/home extline call . weather";
    assert_eq!(sh(command, folder.path()), "asked with a key of 9 characters\n");
}

#[test]
fn other_languages() {
    if found("go", "docs/c/other-languages.md") {
        follow("c/other-languages.md", 3);
    }
}

#[test]
fn the_sample_of_the_library_s_readme_answers() {
    let page = fs::read_to_string(repository().join("sdk-c/README.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let run = said_in(folder.path());
    let commands: usize = blocks(&page).iter().map(|block| play(block, folder.path(), &run)).sum();
    assert!(commands >= 2, "{commands} commands");
}

/// Writes the files of a page of docs/ and runs its commands, at least so many.
fn follow(page: &str, at_least: usize) {
    let text = fs::read_to_string(repository().join("docs").join(page)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let blocks = blocks(&text);
    let run = said_in(folder.path());
    let commands: usize = blocks.iter().map(|block| play(block, folder.path(), &run)).sum();
    assert!(commands >= at_least, "{page} has {commands} commands");
    for block in blocks.iter().filter(|block| ["c", "cpp", "go"].contains(&block.language)) {
        assert!(!block.name.is_empty(), "{page}: nothing compiles the sample\n{}", block.text);
        let consoles = blocks.iter().filter(|block| block.language == "console");
        let stem = block.name.split('.').next().unwrap();
        let used = consoles.into_iter().any(|console| console.text.contains(stem));
        assert!(used, "{page}: no command compiles {}", block.name);
    }
}

/// Runs a command in a folder, and returns what it prints.
fn said_in(folder: &Path) -> impl Fn(&str) -> String {
    // What a page sets and keeps is gone with it.
    let home = folder.join(".extline");
    move |command| try_sh(&format!("export EXTLINE_HOME='{}'; {command}", home.display()), folder).1
}
