//! docs/tester/test-your-extension.md, mcp-servers.md and mcp-clients.md, run as they stand: their scripts are written, their
//! changes are made, their commands are run, and what they show is compared with what comes.
//!
//! `...` on a line of its own stands for any lines. Times, sizes, counts of passes and other things
//! that differ between runs are not compared; ids of cases, verdicts, causes and fixes are, and no
//! verdict may come that the page does not show.

#![cfg(unix)]

mod support;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use support::{Extline, outcome, repository};

#[test]
fn the_page_on_extensions_shows_what_happens() {
    if Command::new("jq").arg("--version").stdout(Stdio::null()).status().is_err() {
        let _ = writeln!(std::io::stderr(), "SKIPPED docs/tester/test-your-extension.md: no jq");
        return;
    }
    let commands = play("docs/tester/test-your-extension.md");
    assert!(commands > 10, "the page has {commands} commands");
}

#[test]
fn the_page_on_mcp_servers_shows_what_happens() {
    let commands = play("docs/tester/mcp-servers.md");
    assert!(commands > 5, "the page has {commands} commands");
}

#[test]
#[cfg(unix)]
fn the_page_on_mcp_clients_shows_what_happens() {
    assert_eq!(play("docs/tester/mcp-clients.md"), 2);
}

/// Does what a page says, and returns how many commands it has.
fn play(page: &str) -> usize {
    let page = fs::read_to_string(repository().join(page)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut commands = 0;
    for (kind, text) in fences(&page) {
        match kind.split_once(' ') {
            Some(("diff", file)) => change(&folder.path().join(file), text),
            Some((_, file)) => fs::write(folder.path().join(file), text).unwrap(),
            None if kind == "console" => commands += console(text, folder.path()),
            // Commands that are only shown.
            None if kind == "text" => {}
            None => panic!("what is to be done with a block of {kind:?}?"),
        }
    }
    commands
}

/// The blocks of code, each with what stands behind its backquotes.
fn fences(page: &str) -> Vec<(&str, &str)> {
    let mut fences = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once("\n```") {
        let (kind, after) = after.split_once('\n').unwrap();
        let (text, after) = after.split_once("```\n").expect("a block has an end");
        fences.push((kind, text));
        rest = after;
    }
    fences
}

/// Makes a change: the lines with `-` become those with `+`.
fn change(file: &Path, diff: &str) {
    let side = |sign: char| -> String {
        let lines = diff.lines().filter(|line| line.starts_with([sign, ' ']));
        lines.flat_map(|line| [&line[1..], "\n"]).collect()
    };
    let text = fs::read_to_string(file).unwrap();
    assert_eq!(text.matches(&side('-')).count(), 1, "{diff}");
    fs::write(file, text.replace(&side('-'), &side('+'))).unwrap();
}

/// Runs the commands of a block, and returns how many there were.
fn console(block: &str, folder: &Path) -> usize {
    let extline = Extline::new();
    let mut code = None;
    let mut commands = 0;
    for part in block.split("$ ").skip(1) {
        let (line, wanted) = part.split_once('\n').unwrap();
        let words: Vec<_> = line.split_whitespace().collect();
        let shown = match words.as_slice() {
            ["extline", args @ ..] => {
                let child = extline.command(args).current_dir(folder).spawn().unwrap();
                let outcome = outcome(child);
                code = Some(outcome.code);
                outcome.stdout
            }
            ["echo", "$?"] => format!("{}\n", code.expect("a command came before")),
            _ => {
                let status = Command::new("sh").args(["-c", line]).current_dir(folder).status();
                assert!(status.unwrap().success(), "{line}");
                String::new()
            }
        };
        compare(line, wanted, &shown);
        commands += 1;
    }
    commands
}

fn compare(command: &str, wanted: &str, shown: &str) {
    let mut left = shown.lines();
    let mut any = false;
    for line in wanted.lines() {
        if line == "..." {
            any = true;
            continue;
        }
        let is_it = |one: &str| plain(one) == plain(line);
        let found = if any { left.any(is_it) } else { left.next().is_some_and(is_it) };
        assert!(found, "$ {command}\nthe page has the line\n{line}\nand this came:\n{shown}");
        any = false;
    }
    assert_eq!(verdicts(shown), verdicts(wanted), "$ {command}\nthis came:\n{shown}");
}

/// The lines that begin with a verdict, up to the title.
fn verdicts(text: &str) -> Vec<&str> {
    const WORDS: [&str; 5] = ["FAIL ", "warn ", "info ", "FLAKY ", "could not run "];
    let is_verdict = |line: &&str| WORDS.iter().any(|word| line.starts_with(word));
    text.lines().filter(is_verdict).collect()
}

/// A line without what differs between runs.
fn plain(line: &str) -> String {
    let words: Vec<_> = line.split_whitespace().collect();
    let before = |place: usize| place.checked_sub(1).map(|place| words[place]);
    let differs = |place: usize, word: &str| {
        let next =
            words.get(place + 1).map(|word| word.trim_end_matches([',', ')', '.', ':', ';']));
        word.parse::<f64>().is_ok()
            && (matches!(next, Some("ms" | "s" | "pass" | "n/a"))
                || matches!(before(place), Some("process")))
    };
    let kept =
        words.iter().enumerate().map(|(place, word)| if differs(place, word) { "#" } else { word });
    let text = kept.collect::<Vec<_>>().join(" ");
    // How often the same came depends on what was played.
    text.split_once(" (and ").map_or(text.clone(), |(text, _)| text.to_owned())
}
