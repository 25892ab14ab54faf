//! `extline repair` and `extline extract`.

mod support;

use serde_json::json;
use support::Extline;

#[test]
fn json_is_repaired_and_what_was_done_is_told() {
    let extline = Extline::new();
    let outcome = extline.run_with_input(&["repair"], "{'path': 'a.txt', lines: [1, 2,],}");
    outcome.assert_code(0);
    assert_eq!(outcome.stdout, "{\"path\":\"a.txt\",\"lines\":[1,2]}\n");
    outcome.assert_says(&["line 1, column 31: the comma before a closing bracket was removed: ,"]);

    let outcome = extline.run_with_input(&["repair"], "{\"a\": 1e400}");
    outcome.assert_code(0);
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("{\"a\": 1e400}\n", ""));

    let outcome = extline.run_with_input(&["repair", "--json"], "{\"a\": \"b");
    outcome.assert_code(0);
    let json = outcome.json();
    assert_eq!((&json["value"], &json["truncated"]), (&json!({"a": "b"}), &json!(true)));
    assert_eq!(json["fixes"][0]["kind"], "cut_string");
}

#[test]
fn what_cannot_be_repaired_ends_with_1() {
    let extline = Extline::new();
    let outcome = extline.run_with_input(&["repair"], "{\"a\":1} {\"a\":2}");
    outcome.assert_code(1);
    outcome.assert_says(&["line 1, column 9: a second JSON value begins here"]);
    assert_eq!(outcome.stdout, "");
    let outcome = extline.run_with_input(&["repair", "--json"], " ");
    outcome.assert_code(1);
    assert_eq!(outcome.json()["error"]["kind"], "blank");
    extline.run_with_input(&["repair", "file.json"], "").assert_code(2);
}

#[test]
fn calls_are_found_in_text() {
    let extline = Extline::new();
    let text =
        "I look.\n<tool_call>{\"name\": \"read\", \"arguments\": {\"path\": \"a\",}}</tool_call>";
    let outcome = extline.run_with_input(&["extract", "--tool", "read"], text);
    outcome.assert_code(0);
    assert_eq!(outcome.stdout, "read {\"path\":\"a\"}\n");
    outcome.assert_says(&["read: line 1, column 43: the comma"]);

    let outcome = extline.run_with_input(&["extract", "--json", "--tool", "ls"], text);
    outcome.assert_code(1);
    assert_eq!(outcome.json()["refused"][0]["reason"], "there is no tool read");
    assert_eq!(outcome.json()["calls"], json!([]));

    let cut = "<tool_call>{\"name\": \"read\", \"arguments\": {\"path\": \"a";
    let outcome = extline.run_with_input(&["extract", "--tool", "read"], cut);
    outcome.assert_code(1);
    outcome.assert_says(&["the text ends in the call of read"]);
    extline.run_with_input(&["extract"], text).assert_code(2);
}

/// What docs/host/model-side.md shows of the command is what it says.
#[cfg(unix)]
#[test]
fn the_page_shows_what_is_said() {
    let page =
        std::fs::read_to_string(support::repository().join("docs/host/model-side.md")).unwrap();
    let extline = Extline::new();
    let mut sessions = 0;
    for block in page.split("\n```console\n$ ").skip(1) {
        let (line, rest) = block.split_once('\n').unwrap();
        let (shown, _) = rest.split_once("```").unwrap();
        let (input, words) = line.split_once(" | extline ").unwrap();
        let written = std::process::Command::new("sh").args(["-c", input]).output().unwrap();
        let words: Vec<_> = words.split(' ').collect();
        let outcome = extline.run_with_input(&words, &String::from_utf8(written.stdout).unwrap());
        outcome.assert_code(0);
        assert_eq!(format!("{}{}", outcome.stdout, outcome.stderr), shown);
        sessions += 1;
    }
    assert_eq!(sessions, 2);
}
