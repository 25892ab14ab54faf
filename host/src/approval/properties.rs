//! Keys and patterns over drawn texts.

use extline_protocol::RawJson;
use proptest::prelude::*;
use serde_json::json;

use super::key::Key;
use super::pattern::ApprovalPattern;

fn key(template: &str, args: &serde_json::Value) -> Key {
    Key::of(Some(template), &RawJson::of(args).unwrap())
}

/// What a pattern means, as slow and simple as it gets.
fn fits(glob: &[char], text: &[char]) -> bool {
    match glob {
        [] => text.is_empty(),
        ['*', rest @ ..] => (0..=text.len()).any(|at| fits(rest, &text[at..])),
        ['\\', next, rest @ ..] => text.first() == Some(next) && fits(rest, &text[1..]),
        [first, rest @ ..] => text.first() == Some(first) && fits(rest, &text[1..]),
    }
}

proptest! {
    /// `tool.approval-strings`: what is inserted can be told from everything around it.
    #[test]
    fn a_string_is_inserted_so_that_it_can_be_read_back(text in "\\PC{0,40}|.{0,40}") {
        let key = key("<{p}>", &json!({ "p": text }));
        if let Key::Made(made) = &key {
            let inserted = made.strip_prefix('<').unwrap().strip_suffix('>').unwrap();
            let is_plain = |it: char| it.is_ascii_alphanumeric() || "._/@:-%".contains(it);
            prop_assert!(inserted.len() <= 256 && inserted.chars().all(is_plain), "{}", inserted);
            let mut bytes = Vec::new();
            let mut rest = inserted.as_bytes();
            while let [first, behind @ ..] = rest {
                if *first == b'%' {
                    let digits = std::str::from_utf8(&behind[..2]).unwrap();
                    bytes.push(u8::from_str_radix(digits, 16).unwrap());
                    rest = &behind[2..];
                } else {
                    bytes.push(*first);
                    rest = behind;
                }
            }
            prop_assert_eq!(String::from_utf8(bytes).unwrap(), text);
        } else {
            prop_assert!(text.len() * 3 > 256, "{}", text);
        }
    }

    /// `tool.approval-compare`: two calls have one key only where what is inserted is the same.
    #[test]
    fn different_values_make_different_keys(a in ".{0,12}", b in ".{0,12}", c in ".{0,12}", d in ".{0,12}") {
        let one = key("{x}|{y}", &json!({ "x": a, "y": b }));
        let other = key("{x}|{y}", &json!({ "x": c, "y": d }));
        prop_assert_eq!(one == other, (a, b) == (c, d));
    }

    /// `tool.approval-digest`: without a template, or with one that nothing fits, the bytes count.
    #[test]
    fn a_digest_is_of_the_exact_bytes(a in ".{0,12}", b in ".{0,12}") {
        let [one, other] = [&a, &b].map(|text| key("{missing}", &json!({ "x": text })));
        prop_assert!(one.to_string().starts_with('#'));
        prop_assert_eq!(one == other, a == b);
    }

    #[test]
    fn any_template_and_arguments_make_a_key(template in ".{0,30}", name in "[ab}{]{0,2}", value in any::<f64>()) {
        let key = key(&template, &json!({ name: value }));
        prop_assert!((1..=1024).contains(&key.to_string().len()));
    }

    #[test]
    fn a_pattern_fits_what_it_means(glob in r"([ab*]|\\\*|\\\\){0,10}", text in r"[ab*\\]{0,12}") {
        let pattern: ApprovalPattern = format!("t({glob})").parse().unwrap();
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        prop_assert_eq!(pattern.matches(&text), fits(&chars(&glob), &chars(&text)));
    }

    #[test]
    fn the_pattern_of_a_key_fits_that_key_alone(key in ".{0,30}", other in ".{0,30}") {
        let exactly = ApprovalPattern::exactly("t", &key);
        let read: ApprovalPattern = exactly.to_string().parse().unwrap();
        prop_assert_eq!(&read, &exactly);
        prop_assert!(read.allows(&key));
        prop_assert_eq!(read.allows(&other), key == other);
    }

    #[test]
    fn no_text_panics(text in ".{0,40}", key in ".{0,40}") {
        if let Ok(pattern) = text.parse::<ApprovalPattern>() {
            let _ = pattern.allows(&key);
        }
    }
}
