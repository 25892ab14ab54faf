//! Nothing that an extension says reaches a terminal, a log or another program as more than text.

#![cfg(unix)]

mod support;

use std::fmt::Write;

use extline_protocol::is_hidden;
use serde_json::{Value, json};
use support::{Extline, in_terminal};

const HOSTILE: [&str; 4] = ["--", "python3", "-S", "cli/tests/support/hostile.py"];

fn hostile<'a>(words: &[&'a str]) -> Vec<&'a str> {
    words.iter().copied().chain(HOSTILE).collect()
}

/// The commands that show what an extension says.
fn commands() -> Vec<Vec<&'static str>> {
    let calls = ["good", "fails", "image", "odd", "updates", "missing"];
    let commands = ["prompt", "insert", "display", "tool_prompt", "panel", "fails", "missing"];
    let mut all = vec![hostile(&["inspect"]), hostile(&["inspect", "--json"])];
    for tool in calls {
        all.push(hostile(&["call", tool]));
        all.push(hostile(&["call", tool, "--json"]));
    }
    for args in ["{\"n\":\"no number\"}", "[1]", "{\u{202e}"] {
        all.push(hostile(&["call", "odd", args]));
        all.push(hostile(&["call", "--json", "odd", args]));
    }
    for command in commands {
        all.push(hostile(&["command", command]));
        all.push(hostile(&["command", command, "--json"]));
    }
    for words in [["inspect"].as_slice(), &["inspect", "--json"], &["call", "good"]] {
        all.push(hostile(words).into_iter().chain(["dies"]).collect());
    }
    all
}

const LINES: &str = ":tools\n:commands\n:status\n!good\n!fails\n!image\n!odd {\"n\":1}\n!odd {}\n!updates\n/prompt\n/panel\n\
                     :panel down\n/display\n/fails\n/nope\n!nope\n:frames 200\n:quit\n";

/// What would do something where it is shown; styles of the command's own and `allowed` sequences do
/// not count.
fn harm_in(output: &str, allowed: &[&str]) -> String {
    let own = ["0m", "1m", "2m", "31m", "32m", "33m", "31;1m"];
    let mut harm = String::new();
    for (at, character) in output.char_indices() {
        let rest = &output[at + character.len_utf8()..];
        let is_fine = match character {
            '\n' | '\t' => true,
            // A terminal's own line ends, and the line of progress.
            '\r' => !allowed.is_empty() && !rest.starts_with("FORGED"),
            '\u{1b}' => rest
                .strip_prefix('[')
                .is_some_and(|rest| own.iter().chain(allowed).any(|it| rest.starts_with(it))),
            character => !is_hidden(character),
        };
        if !is_fine {
            let before: String = output[..at].chars().rev().take(30).collect();
            let before: String = before.chars().rev().collect();
            let after: String = rest.chars().take(30).collect();
            let _ = writeln!(harm, "{before:?} {character:?} {after:?}");
        }
    }
    harm
}

#[track_caller]
fn assert_harmless(what: &dyn std::fmt::Debug, output: &str, allowed: &[&str]) {
    let harm = harm_in(output, allowed);
    assert!(harm.is_empty(), "{what:?} shows\n{harm}");
}

fn logs_of(extline: &Extline) -> String {
    let logs = std::fs::read_dir(extline.home().join("logs")).into_iter().flatten().flatten();
    logs.map(|log| std::fs::read_to_string(log.path()).unwrap()).collect()
}

#[test]
fn nothing_of_an_extension_s_acts_where_output_goes_elsewhere() {
    let mut seen = 0;
    for words in commands() {
        let extline = Extline::new();
        let outcome = extline.run(&words);
        let dies = words.last() == Some(&"dies");
        seen += usize::from((outcome.stdout.clone() + &outcome.stderr).contains("1b"));
        assert_harmless(&words, &outcome.stderr, &[]);
        // What a tool answered goes to files and programs as it is.
        let is_data = words[0] == "call" && outcome.code == 0 && !words.contains(&"--json");
        if is_data && words[1] != "image" && words[1] != "odd" {
            assert!(outcome.stdout.starts_with("<\u{1b}]0;title\u{7}"), "{outcome:?}");
        } else {
            assert_harmless(&words, &outcome.stdout, &[]);
        }
        if !dies {
            assert_harmless(&(words, "log"), &logs_of(&extline), &[]);
        }
    }
    assert!(seen > 20, "{seen} outputs showed what was planted");

    let extline = Extline::new();
    let outcome = extline.run_with_input(&hostile(&["run"]), &LINES.replace("!good\n", ""));
    // The results of tools are data there too.
    let told = outcome.stdout.lines().filter(|line| !line.starts_with("<\u{1b}]0;title"));
    assert_harmless(&"run", &told.collect::<Vec<_>>().join("\n"), &[]);
    assert_harmless(&"run", &outcome.stderr, &[]);
    assert!(outcome.stderr.contains("notice: "), "{outcome:?}");
    assert_harmless(&"log of run", &logs_of(&extline), &[]);
    let json = extline.run_with_input(&hostile(&["run", "--json"]), LINES);
    assert_harmless(&"run --json", &json.stdout, &[]);
    assert!(json.json_lines().len() > 15);
}

#[test]
fn nothing_of_an_extension_s_acts_on_a_terminal() {
    for words in commands().into_iter().filter(|words| !words.contains(&"--json")) {
        let screen = in_terminal(&Extline::new(), false, &[], &words);
        assert_harmless(&words, &screen.output, &["#"]);
    }
    let json = in_terminal(&Extline::new(), false, &[], &hostile(&["call", "fails", "--json"]));
    assert_harmless(&"json", &json.output, &["#"]);
}

#[test]
fn nothing_of_an_extension_s_acts_at_the_prompt() {
    let send = |text: &str| json!({ "send": text });
    let expect = |text: &str| json!({ "expect": text });
    let mut steps: Vec<Value> = vec![expect("> ")];
    let lines =
        [":frames on", ":tools", "!good", "!fails", "!updates", "!odd {}", "/display", ":status"];
    for (number, line) in lines.iter().enumerate() {
        let last = format!("unknown tool nope{number}");
        steps.extend([send(&format!("{line}\r!nope{number}\r")), expect(&last), expect("> ")]);
    }
    // Tab lists names, descriptions and the values of arguments.
    steps.extend([send("!\t"), expect("!updates  "), expect("> !"), send("\x03")]);
    steps.extend([send("!good {\t"), expect("FORGED"), expect("> !good {"), send("\x03")]);
    // The panel's own title begins so: its escape sequences are left out.
    steps.extend([send("/panel\r"), expect("<\\u{9b}2J"), send("\x1b"), expect("is closed")]);
    steps.push(send(":quit\r"));
    let screen = in_terminal(&Extline::new(), false, &steps, &hostile(&["run"]));
    let of_the_editor = [
        "?2004h",
        "?2004l",
        "?2026h",
        "?2026l",
        "?1049h",
        "?1049l",
        "?25h",
        "?25l",
        "K",
        "J",
        "H\u{1b}[J",
        "1C",
        "2C",
        "A",
        "1A",
        "6n",
    ];
    let cursor: Vec<String> = (1..100).flat_map(|n| [format!("{n}C"), format!("{n}A")]).collect();
    let allowed: Vec<&str> =
        of_the_editor.into_iter().chain(cursor.iter().map(String::as_str)).collect();
    assert_harmless(&"run", &screen.output, &allowed);
}

#[test]
fn nothing_of_an_extension_s_acts_in_a_report() {
    let only = ["conformance", "--only", "E-FRM-0*", "--only", "E-REG-*", "--call", "--verbose"];
    for report in ["", "tap=-", "markdown=-", "junit=-", "html=-", "ndjson=-"] {
        let asked = if report.is_empty() { vec![] } else { vec!["--report", report] };
        let words: Vec<_> = only.into_iter().chain(asked).collect();
        let outcome = Extline::new().run(&hostile(&words));
        assert!(outcome.stdout.contains("E-FRM-0"), "{outcome:?}");
        assert_harmless(&words, &outcome.stdout, &[]);
        assert_harmless(&words, &outcome.stderr, &[]);
    }
    let screen = in_terminal(&Extline::new(), false, &[], &hostile(&only));
    assert!(screen.output.contains("FAIL"), "{screen:?}");
    assert_harmless(&"conformance", &screen.output, &["#"]);
}

#[test]
fn nothing_of_a_trace_or_a_word_of_the_command_line_acts_on_a_terminal() {
    let extline = Extline::new();
    let trace = extline.home().join("t\u{202e}.trace");
    let trace = trace.to_str().unwrap();
    extline.run(&hostile(&["call", "good", "--trace", trace]));
    for words in [
        vec!["conformance", "check", trace],
        vec!["conformance", "check", trace, "--extension", "\u{1b}[2J"],
        vec!["mock", trace, "--extension", "x"],
        vec!["call", "--no-such\u{1b}[2J", "x"],
        vec!["\u{9b}2J"],
    ] {
        let screen = in_terminal(&extline, false, &[], &words);
        assert_harmless(&words, &screen.output, &["#"]);
        let outcome = extline.run(&words);
        assert_harmless(&words, &(outcome.stdout + &outcome.stderr), &[]);
    }
}
