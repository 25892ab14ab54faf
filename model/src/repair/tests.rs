use super::surroundings::find;
use super::{FixKind, MAX_DEPTH, RepairErrorKind, repair, repair_value};

fn value(text: &str) -> String {
    let repaired = repair(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    repaired.value.into_string()
}

fn refused(text: &str) -> RepairErrorKind {
    match repair(text) {
        Ok(repaired) => panic!("{text} became {}", repaired.value),
        Err(error) => error.kind,
    }
}

#[test]
fn valid_json_passes_as_it_is() {
    for text in [
        r#"{"big":123456789012345678901234567890.10,"e":1E400,"z":-0}"#,
        r#"{ "a" : [ 1 , "it's, }" ] }"#,
        r#""\u0041\/""#,
        "true",
        r#"{"a":1,"a":2}"#,
    ] {
        let repaired = repair(text).unwrap();
        assert_eq!(repaired.value.get(), text);
        assert!(repaired.fixes.is_empty() && !repaired.truncated, "{text}");
    }
}

#[test]
fn a_fix_says_what_was_changed_and_where() {
    let repaired = repair("{\n  \"ä\": \"x\",\n  'b': True,}").unwrap();
    let said: Vec<_> = repaired.fixes.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "line 3, column 3: a string was given double quotes: '",
            "line 3, column 8: a literal of another language became one of JSON: True",
            "line 3, column 12: the comma before a closing bracket was removed: ,",
        ]
    );
    assert_eq!(repaired.fixes[1].offset, 22);
}

#[test]
fn strings_keep_what_looks_like_damage() {
    assert_eq!(value(r#"{"q": "a,}", "n": 1,}"#), r#"{"q":"a,}","n":1}"#);
    assert_eq!(value(r#"{"re":"[a-z,]+", "x":[1, 2 "#), r#"{"re":"[a-z,]+","x":[1,2]}"#);
    assert_eq!(value(r#"{"c": "// no", k: "/* b */ # c"}"#), r#"{"c":"// no","k":"/* b */ # c"}"#);
}

#[test]
fn an_inner_value_is_never_taken_for_the_whole() {
    assert_eq!(
        value(r#"Sure: {"path": "a", "edit": {"from": 1}} done"#),
        r#"{"path":"a","edit":{"from":1}}"#
    );
    assert_eq!(value(r#"{"a": {"b": 1}}}"#), r#"{"a":{"b":1}}"#);
    assert_eq!(refused(r#"{"a": 1, %, {"c": 1}}"#), RepairErrorKind::NoKey);
}

#[test]
fn what_is_ambiguous_is_refused() {
    assert_eq!(refused(r#"{"a":1}{"a":1}"#), RepairErrorKind::SeveralValues);
    assert_eq!(refused("{\"a\":1}\n{\"b\":2}"), RepairErrorKind::SeveralValues);
    assert_eq!(refused(r#"{"a":1}, "b": 2}"#), RepairErrorKind::GoesOn);
    // The first quote that could end the string need not be the one that does.
    assert_eq!(refused(r#"{"a":"x "}} y" z"}"#), RepairErrorKind::GoesOn);
    assert_eq!(refused(" \n"), RepairErrorKind::Blank);
    assert_eq!(refused(""), RepairErrorKind::Blank);
    assert_eq!(refused("There is no JSON here."), RepairErrorKind::NoJson);
    assert_eq!(refused(r#""Yes," she said, "it is"."#), RepairErrorKind::NoJson);
    assert_eq!(refused("See [1] and [this]."), RepairErrorKind::NoJson);
    assert_eq!(refused("{placeholder}"), RepairErrorKind::NoColon);
}

#[test]
fn a_text_that_ends_early_is_truncated_and_no_other() {
    for (text, expected) in [
        (r#"{"path":"a","content":"package ma"#, r#"{"path":"a","content":"package ma"}"#),
        (r#"{"a":1,"n":12"#, r#"{"a":1}"#),
        (r#"{"a":1,"n":12."#, r#"{"a":1}"#),
        (r#"{"a":1,"n":tru"#, r#"{"a":1}"#),
        (r#"{"a":true"#, r#"{"a":true}"#),
        (r#"{"a":1 ,"#, r#"{"a":1}"#),
        (r#"{"a":1 ,"b"#, r#"{"a":1}"#),
        (r#"{"a":1 ,"b""#, r#"{"a":1}"#),
        (r#"{"a":1 ,"b":"#, r#"{"a":1}"#),
        (r#"{"a":1 ,b"#, r#"{"a":1}"#),
        (r#"{"a":"x\"#, r#"{"a":"x"}"#),
        (r#"{"a":"x\u00"#, r#"{"a":"x"}"#),
        (r#"{"a":"x\ud83d\ud"#, r#"{"a":"x"}"#),
        (r#"{"a":[{"b":["c"#, r#"{"a":[{"b":["c"]}]}"#),
        ("{", "{}"),
        ("```json\n{\"a\": [\"x\", \"y\n```", r#"{"a":["x","y"]}"#),
        ("```json\n{\"a\": [1, 2\n```\nThat is it.", r#"{"a":[1,2]}"#),
    ] {
        let repaired = repair(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(repaired.value.get(), expected, "{text}");
        assert!(repaired.truncated, "{text}");
        assert!(repaired.fixes.iter().any(|fix| fix.kind.is_cut()), "{text}");
    }
    for text in [
        r#"{"a": [1, 2}"#,
        r#"{"a":{"b":[1}}"#,
        r#"{"a": 1,}"#,
        "```json\n{\"a\": 1}\n```",
        r#"{"tool_calls":[{"function":{"name":"x","arguments":{"a":1}]}}"#,
    ] {
        let repaired = repair(text).unwrap();
        assert!(!repaired.truncated, "{text}");
        assert!(!repaired.fixes.iter().any(|fix| fix.kind.is_cut()), "{text}");
    }
}

#[test]
fn quotes_in_strings() {
    assert_eq!(value(r#"{"a": "say "hi" to", "b": 1}"#), r#"{"a":"say \"hi\" to","b":1}"#);
    assert_eq!(
        value(r#"{"a": "say "hi", then go", "b": 1}"#),
        r#"{"a":"say \"hi\", then go","b":1}"#
    );
    assert_eq!(value(r"{'a': 'it's'}"), r#"{"a":"it's"}"#);
    assert_eq!(value(r#"{'a': 'x "y" z'}"#), r#"{"a":"x \"y\" z"}"#);
    assert_eq!(value(r#"{"a": """print("hi")"""}"#), r#"{"a":"print(\"hi\")"}"#);
    assert_eq!(value("{“a”: “b”}"), r#"{"a":"b"}"#);
    assert_eq!(value(r#"["x", foo, "y"]"#), r#"["x","foo","y"]"#);
    assert_eq!(
        value(r#"{"re": "\d+\.\w", 'p': "C:\dir"}"#),
        r#"{"re":"\\d+\\.\\w","p":"C:\\dir"}"#
    );
}

#[test]
fn a_text_that_was_escaped_as_a_whole() {
    assert_eq!(value(r#"{\"a\": \"b\", \"n\": 1}"#), r#"{"a":"b","n":1}"#);
    assert_eq!(
        value(r#"{\n  \"a\": \"x\\ny \\\"z\\\" \\\\\",\n \"b\": []\n}"#),
        r#"{"a":"x\ny \"z\" \\","b":[]}"#
    );
}

#[test]
fn depth_is_bounded() {
    assert_eq!(refused(&"[".repeat(MAX_DEPTH + 1)), RepairErrorKind::TooDeep);
    assert_eq!(
        refused(&format!("{}{}", "[".repeat(129), "]".repeat(129))),
        RepairErrorKind::TooDeep
    );
    let repaired = repair(&"[".repeat(MAX_DEPTH)).unwrap();
    assert_eq!(repaired.fixes.len(), MAX_DEPTH);
}

#[test]
fn of_many_fixes_the_first_are_listed_and_the_others_counted() {
    let repaired = repair(&format!("[{}", "1,,".repeat(2_000))).unwrap();
    assert_eq!(repaired.fixes.len() + repaired.unlisted, 2_002);
    assert!(repaired.fixes.iter().any(|fix| fix.kind == FixKind::CutCloser));
}

/// Twice the text takes twice the steps.
#[test]
fn the_time_is_linear() {
    for piece in [
        "[",
        "]",
        "{",
        "}",
        "[]",
        "{\"",
        "\"",
        "{'a':",
        "[[],",
        "```",
        "```json\n{",
        "{\"a\":\"",
        "\\",
        "{\\\"",
        "\"a\" + ",
        "/*",
        "{a:1}",
        "[1 ",
        "“",
        "\" \" ",
        "{\"a\": \"x\" y ",
        "#\n",
        "'",
        "[{\"a\" 1},",
        "\"a\": ",
        "{a ",
        "[\"a\"+",
        " ",
        "[\"\"//\n",
    ] {
        for prefix in ["", "[", "{\"a\": \"", "x "] {
            let steps = |count: usize| {
                let text = format!("{prefix}{}", piece.repeat(count));
                let mut steps = 0;
                let _ = find(&text, &mut steps);
                steps / text.len()
            };
            let (short, long) = (steps(1_000), steps(4_000));
            assert!(long <= short + 4, "{prefix:?} {piece:?}: {short} {long} a byte");
        }
    }
}

#[test]
fn fixes_are_listed_later_as_at_once() {
    let text = "{'ä': 1,\n 'b': 2,}";
    let found = repair_value(text).unwrap();
    let whole = repair(text).unwrap();
    assert_eq!(found.value, whole.value);
    assert_eq!(found.fixes.list(text), whole.fixes);
    // A mistake of the caller's is no panic.
    for other in ["", "{", "äääääää", "{'b': 1}"] {
        assert_eq!(found.fixes.list(other).len(), whole.fixes.len());
    }
}
