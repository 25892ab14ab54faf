//! Pages of docs/ that are run as they stand: files are written, commands run, their output compared.
//!
//! A block that begins "```c name.c" is a file. With `before="..."` behind the name it is put into that
//! file, in front of these words; with `instead="..."` in their place; with `append` behind all of it.
//! In a block "```console" lines with `$ ` are commands, and what follows is what they print, where `...`
//! stands for anything. Other blocks are not run.

use std::fs;
use std::path::Path;

/// A block of code, with what stands behind its backquotes.
pub(crate) struct Block<'a> {
    pub(crate) language: &'a str,
    pub(crate) name: &'a str,
    pub(crate) place: Place,
    pub(crate) text: &'a str,
}

/// Where a block stands in its file.
pub(crate) enum Place {
    Whole,
    Before(String),
    Instead(String),
    Append,
}

pub(crate) fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once("\n```") {
        let (head, after) = after.split_once('\n').unwrap();
        let (text, after) = after.split_once("```\n").expect("a block has an end");
        let (language, more) = head.split_once(' ').unwrap_or((head, ""));
        let (name, place) = place_of(more);
        blocks.push(Block { language, name, place, text });
        rest = after;
    }
    blocks
}

fn place_of(head: &str) -> (&str, Place) {
    let words = |quoted: &str| {
        let inner = quoted.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
        inner.expect("the words stand in quotes").replace("\\\"", "\"")
    };
    if let Some((name, quoted)) = head.split_once(" before=") {
        (name, Place::Before(words(quoted)))
    } else if let Some((name, quoted)) = head.split_once(" instead=") {
        (name, Place::Instead(words(quoted)))
    } else if let Some(name) = head.strip_suffix(" append") {
        (name, Place::Append)
    } else {
        (head, Place::Whole)
    }
}

/// Does what a block says, and returns how many commands that were; `run` runs one in the folder and
/// returns what it printed.
pub(crate) fn play(block: &Block<'_>, folder: &Path, run: &impl Fn(&str) -> String) -> usize {
    if block.language == "console" {
        return console(block.text, run);
    }
    if block.name.is_empty() {
        return 0;
    }
    let file = folder.join(block.name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let whole = fs::read_to_string(&file).unwrap_or_default();
    let parts = |words: &str| {
        let (head, tail) =
            whole.split_once(words).unwrap_or_else(|| panic!("{words:?} is not in {whole}"));
        (head.to_owned(), tail.to_owned())
    };
    let text = match &block.place {
        Place::Whole => block.text.to_owned(),
        Place::Append => format!("{whole}\n{}", block.text),
        Place::Before(words) => {
            let (head, tail) = parts(words);
            format!("{head}{}{words}{tail}", block.text)
        }
        Place::Instead(words) => {
            let (head, tail) = parts(words);
            format!("{head}{}{tail}", block.text.trim_end())
        }
    };
    fs::write(&file, text).unwrap();
    0
}

/// Runs the commands of a block.
fn console(block: &str, run: &impl Fn(&str) -> String) -> usize {
    let mut commands = 0;
    for part in format!("\n{block}").split("\n$ ").skip(1) {
        let (command, shown) = part.split_once('\n').unwrap_or((part, ""));
        let said = run(command);
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
