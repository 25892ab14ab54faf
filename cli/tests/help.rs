//! The help, the man pages and the completions; docs/cli.md is the help as it is.

#![cfg(unix)]

mod support;

use std::fmt::Write;
use std::fs;

use support::{Extline, repository};

const SUBCOMMANDS: [&str; 25] = [
    "ext",
    "run",
    "dev",
    "state",
    "call",
    "command",
    "inspect",
    "conformance",
    "record",
    "tap",
    "mock",
    "new",
    "completions",
    "man",
    "mcp",
    "lint",
    "install",
    "uninstall",
    "discover",
    "package",
    "hook",
    "secret",
    "config",
    "repair",
    "extract",
];

const TOP: &str = "\
# The command extline

What `extline --help` and the help of each subcommand say. This file is generated: `make generate` rewrites it, and a test fails when it has drifted.
";

#[test]
fn the_reference_is_what_the_help_says() {
    let mut text = TOP.to_owned();
    for words in
        std::iter::once(vec!["--help"]).chain(SUBCOMMANDS.iter().map(|name| vec![*name, "--help"]))
    {
        let outcome = Extline::new().run(&words);
        outcome.assert_code(0);
        let name = ["extline", words[0]].join(" ").replace(" --help", "");
        write!(text, "\n## {name}\n\n```text\n{}\n```\n", outcome.stdout.trim_end()).unwrap();
    }
    let file = repository().join("docs/cli.md");
    if std::env::var_os("EXTLINE_GENERATE").is_some() {
        fs::write(&file, &text).unwrap();
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    assert!(written == text, "docs/cli.md has drifted from the help: run `make generate`");
}

#[test]
fn every_subcommand_is_listed_and_has_examples() {
    let extline = Extline::new();
    let help = extline.run(&["--help"]).stdout;
    let listed = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let listed: Vec<_> =
        listed.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    let mut listed: Vec<_> = listed.into_iter().filter(|name| !name.is_empty()).collect();
    listed.sort_unstable();
    let mut known = SUBCOMMANDS;
    known.sort_unstable();
    listed.retain(|name| *name != "help");
    assert_eq!(listed, known);
    for name in SUBCOMMANDS {
        let help = extline.run(&[name, "--help"]).stdout;
        assert!(help.contains("Examples:\n  "), "{name}");
    }
    for name in ["run", "call", "command", "inspect", "mcp", "lint", "new", "install", "discover"] {
        let help = extline.run(&[name, "--help"]).stdout;
        assert!(help.contains("Exit codes:\n  0 "), "{name}");
    }
}

#[test]
fn help_is_had_as_a_word_too() {
    let extline = Extline::new();
    for (words, option) in
        [(vec!["help"], vec!["--help"]), (vec!["help", "call"], vec!["call", "--help"])]
    {
        let outcome = extline.run(&words);
        outcome.assert_code(0);
        assert_eq!(outcome.stdout, extline.run(&option).stdout);
    }
}

#[test]
fn version_and_near_matches() {
    let extline = Extline::new();
    let version = format!("extline {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(extline.run(&["--version"]).stdout, version);
    let outcome = extline.run(&["inspekt", "."]);
    outcome.assert_code(2);
    outcome.assert_says(&["a similar subcommand exists: 'inspect'"]);
}

#[test]
fn man_pages_are_written() {
    let extline = Extline::new();
    let folder = extline.home().join("a/man1");
    let outcome = extline.run(&["man", folder.to_str().unwrap()]);
    outcome.assert_code(0);
    let pages: Vec<_> = outcome.stdout.lines().collect();
    // `conformance check`, `copy`, `explain`, `fuzz`, `host`, `list`, `matrix`, `mcp-client`, `replay` and `selftest`
    // have pages of their own, and so have `secret set`, `list` and `remove`, and the fourteen of `ext`.
    assert_eq!(pages.len(), 1 + SUBCOMMANDS.len() + 13 + 14);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), pages.len());
    for page in pages {
        let text = fs::read_to_string(page).unwrap();
        assert!(text.contains(".SH NAME"), "{page}");
    }
    fs::write(extline.home().join("file"), "").unwrap();
    let outcome = extline.run(&["man", extline.home().join("file").to_str().unwrap()]);
    outcome.assert_code(1);
    outcome.assert_says(&["the man pages cannot be written to"]);
}

#[test]
fn shells_get_a_script() {
    let extline = Extline::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let outcome = extline.run(&["completions", shell]);
        outcome.assert_code(0);
        assert!(outcome.stdout.contains("inspect"), "{shell}");
    }
    extline.run(&["completions", "csh"]).assert_code(2);
    let outcome = extline.run(&["completions", "bash", "--json"]);
    outcome.assert_code(2);
    outcome.assert_says(&["a completion script is a script"]);

    // bash understands it, and offers what there is.
    let script = extline.home().join("completions.bash");
    fs::write(&script, extline.run(&["completions", "bash"]).stdout).unwrap();
    let offered = |words: &[&str]| {
        let (last, before) = (words[words.len() - 1], words[words.len() - 2]);
        let ask = format!(
            ". '{}'; COMP_WORDS=({}); COMP_CWORD={}; _extline extline '{last}' '{before}'; \
             echo \"${{COMPREPLY[*]}}\"",
            script.display(),
            words.join(" "),
            words.len() - 1,
        );
        let output = std::process::Command::new("bash").args(["-c", &ask]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(offered(&["extline", "insp"]), "inspect\n");
    assert_eq!(offered(&["extline", "new", "--lang", "ty"]), "typescript\n");
    assert_eq!(offered(&["extline", "install", "--for", "cl"]), "claude\n");
    assert_eq!(offered(&["extline", "uninstall", "--scope", ""]), "project user\n");
    let rules = offered(&["extline", "conformance", "explain", "E-FRM-0"]);
    assert!(rules.starts_with("E-FRM-01 E-FRM-02"), "{rules}");
    assert_eq!(offered(&["extline", "conformance", "explain", "frm.no-nu"]), "frm.no-null\n");
}
