//! What holds of every text.

use extline_model::{Extractor, MAX_DEPTH, Offered, Part, extract, repair};
use proptest::prelude::*;
use serde_json::Value;

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<i32>().prop_map(|number| Value::from(f64::from(number) / 8.0)),
        "[ -~\n\t\\\\\"',:{}\\[\\]äß“]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec(("[a-z\"',: ]{0,5}", inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Objects and arrays: of a scalar a part is often whole.
fn containers() -> impl Strategy<Value = Value> {
    prop::collection::vec(values(), 0..4).prop_map(Value::from)
}

/// Pieces that meet where repair decides something.
fn broken() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "'",
        "`",
        "```",
        "```json\n",
        "\\",
        "\\\"",
        "\\u00",
        "a",
        "true",
        "None",
        "1",
        "-",
        ".",
        "...",
        "\n",
        " ",
        "//",
        "/*",
        "*/",
        "#",
        "+",
        "=",
        ";",
        "“",
        "”",
        "ä",
        "\u{feff}",
        "\"a\": ",
        "{\"a\":",
        "\"\"\"",
        "text ",
        "u'",
        "0x",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Pieces of calls of each family, in any order.
fn spoken() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "<tool_call>",
        "</tool_call>",
        "{\"name\": \"ls\", \"arguments\": {}}",
        "{\"name\": \"ls\",",
        "\"arguments\": {\"a\": \"",
        "\"}}",
        "<function=ls>",
        "<parameter=a>",
        "</parameter>",
        "</function>",
        "<think>",
        "</think>",
        "```json\n",
        "```",
        "`",
        "\n",
        " ",
        "Action: ls\n",
        "Action Input: ",
        "{}",
        "{",
        "}",
        "[",
        "]",
        "\"",
        "'",
        "\\",
        "[TOOL_CALLS]",
        "ls",
        "[ARGS]",
        "<|python_tag|>",
        "<|tool_call>call:ls",
        "<|\"|>",
        "<tool_call|>",
        ">>>",
        "<function_calls>",
        "<invoke name=\"ls\">",
        "<parameter name=\"a\">",
        "</invoke>",
        "[ls(a=1)]",
        "<",
        "text ",
        "ä",
        "<｜tool▁call▁begin｜>",
        "<｜tool▁sep｜>",
        "<arg_key>",
        "</arg_value>",
        "<|channel|>",
        "to=functions.ls",
        "<|message|>",
        "```tool_code\nls(a='x')\n```",
    ]);
    prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn valid_json_passes_byte_for_byte(value in values()) {
        let text = value.to_string();
        let repaired = repair(&text).unwrap();
        prop_assert_eq!(repaired.value.get(), &text);
        prop_assert!(repaired.fixes.is_empty() && !repaired.truncated);
    }

    #[test]
    fn what_is_repaired_is_json_and_needs_no_repair(text in broken()) {
        if let Ok(repaired) = repair(&text) {
            serde_json::from_str::<Value>(repaired.value.get()).unwrap();
            let again = repair(repaired.value.get()).unwrap();
            prop_assert_eq!(&again.value, &repaired.value);
            prop_assert!(again.fixes.is_empty());
            prop_assert!(extline_json::depth(repaired.value.get()) <= MAX_DEPTH);
            let is_cut = repaired.fixes.iter().any(|fix| fix.kind.is_cut());
            prop_assert_eq!(is_cut, repaired.truncated);
            for fix in &repaired.fixes {
                prop_assert!(text.is_char_boundary(fix.offset), "{}", fix);
            }
        }
    }

    #[test]
    fn calls_are_the_same_however_the_text_comes(
        text in spoken(),
        sizes in prop::collection::vec(1_usize..9, 1..6),
    ) {
        let offered = vec![Offered::from("ls")];
        let whole = extract(&text, &offered);
        let mut extractor = Extractor::new(offered);
        let mut parts = Vec::new();
        let mut characters = text.chars().peekable();
        for size in sizes.iter().cycle() {
            let piece: String = characters.by_ref().take(*size).collect();
            parts.extend(extractor.push(&piece));
            if characters.peek().is_none() {
                break;
            }
        }
        let (rest, pieced) = extractor.finish();
        parts.extend(rest);
        prop_assert_eq!(&pieced, &whole, "{}", text);
        let said: String = parts
            .iter()
            .filter_map(|part| if let Part::Text(text) = part { Some(text.as_str()) } else { None })
            .collect();
        prop_assert_eq!(said.trim(), &whole.remaining);
        let mut end = 0;
        for call in &whole.calls {
            prop_assert!(call.start >= end || call.end == end, "{}", text);
            prop_assert!(call.arguments.is_object() && call.end <= text.len());
            end = call.end;
        }
    }

    #[test]
    fn a_cut_is_told(value in containers(), at in any::<prop::sample::Index>()) {
        let text = value.to_string();
        let mut end = at.index(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let cut = &text[..end];
        if !cut.is_empty() {
            let repaired = repair(cut).unwrap();
            prop_assert!(repaired.truncated, "{} of {}", cut, text);
            let kept: Value = serde_json::from_str(repaired.value.get()).unwrap();
            prop_assert!(is_beginning(&kept, &value), "{} of {}", kept, value);
        }
    }
}

/// Whether the first value has nothing that the second has not.
fn is_beginning(kept: &Value, whole: &Value) -> bool {
    match (kept, whole) {
        (Value::Array(kept), Value::Array(whole)) => {
            kept.len() <= whole.len() && kept.iter().zip(whole).all(|(a, b)| is_beginning(a, b))
        }
        (Value::Object(kept), Value::Object(whole)) => kept
            .iter()
            .all(|(name, value)| whole.get(name).is_some_and(|it| is_beginning(value, it))),
        (Value::String(kept), Value::String(whole)) => whole.starts_with(kept.as_str()),
        (kept, whole) => kept == whole,
    }
}
