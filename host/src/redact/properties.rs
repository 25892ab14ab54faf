//! What holds for every text.

use proptest::prelude::*;

use super::{Redactor, Stream};

const VALUE: &str = "tr\"0ub4dor &3";

fn in_json(text: &str) -> String {
    let json = serde_json::to_string(text).unwrap();
    json[1..json.len() - 1].to_owned()
}

proptest! {
    #[test]
    fn any_bytes_are_taken(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        Redactor::default().bytes(&bytes);
    }

    #[test]
    fn a_text_stays_a_text(text in "(token|password|\"|\\\\|=|:| |sk-|é|eyJ|\\.|a1b2c3d4e5f6g7h8i9|-----BEGIN |PRIVATE KEY-----|\n){0,60}") {
        let redactor = Redactor::default();
        redactor.learn(VALUE);
        let redacted = redactor.text(&text);
        let is_cut = redacted.contains('\u{fffd}');
        prop_assert!(!is_cut);
        // What is JSON stays JSON.
        let json = format!("{{\"a\":\"{}\"}}", in_json(&text));
        let line = redactor.line(json.as_bytes());
        prop_assert!(serde_json::from_slice::<serde_json::Value>(&line).is_ok(), "{json}");
    }

    #[test]
    fn a_planted_value_does_not_survive(before in "\\PC{0,40}", after in "\\PC{0,40}") {
        let redactor = Redactor::default();
        redactor.learn(VALUE);
        for planted in [VALUE.to_owned(), in_json(VALUE), in_json(&in_json(VALUE))] {
            let redacted = redactor.text(&format!("{before}{planted}{after}")).into_owned();
            prop_assert!(!redacted.contains(&planted), "{redacted}");
        }
    }

    #[test]
    fn nor_in_pieces(
        lines in proptest::collection::vec("[a-z =:\"]{0,30}", 0..6),
        at in any::<proptest::sample::Index>(),
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..8),
    ) {
        let redactor = Redactor::default();
        redactor.learn(VALUE);
        let mut text = lines.join("\n");
        text.insert_str(at.index(text.len() + 1), VALUE);
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        cuts.sort_unstable();
        let mut stream = Stream::new(redactor);
        let (mut out, mut from) = (Vec::new(), 0);
        for cut in cuts.into_iter().chain([text.len()]) {
            out.extend(stream.push(&text.as_bytes()[from..cut]));
            from = cut;
        }
        out.extend(stream.end());
        let out = String::from_utf8(out).unwrap();
        prop_assert!(!out.contains(VALUE) && out.contains("***"), "{out}");
    }
}

#[test]
fn a_private_key_in_pieces_is_taken_out() {
    let pem = "x\n-----BEGIN PRIVATE KEY-----\nMIIEabc\nMIIEdef\n-----END PRIVATE KEY-----\ny\n";
    for size in 1..20 {
        let mut stream = Stream::new(Redactor::default());
        let mut out: Vec<u8> =
            pem.as_bytes().chunks(size).flat_map(|chunk| stream.push(chunk)).collect();
        out.extend(stream.end());
        assert_eq!(String::from_utf8(out).unwrap(), "x\n***\ny\n");
    }
}

#[test]
fn a_line_without_an_end_is_passed_on_and_its_secret_is_not() {
    let redactor = Redactor::default();
    redactor.learn(VALUE);
    let mut stream = Stream::new(redactor);
    let text = format!("{}{VALUE} ", "x ".repeat(500)).repeat(200);
    let (mut out, mut most) = (Vec::new(), 0);
    for chunk in text.as_bytes().chunks(1000) {
        out.extend(stream.push(chunk));
        most = most.max(stream.waiting().len());
    }
    out.extend(stream.end());
    let out = String::from_utf8(out).unwrap();
    assert_eq!(out, text.replace(VALUE, "***"));
    assert!(most <= super::stream::LINE_BYTES + 1000, "{most}");
}

#[test]
fn digits_in_place_of_a_number_leave_json() {
    let redactor = Redactor::default();
    redactor.learn("123456789");
    let line = redactor.line(br#"{"n":123456789,"s":"x 123456789"}"#);
    assert_eq!(String::from_utf8_lossy(&line), r#"{"n":"***","s":"x ***"}"#);
}

#[test]
fn a_value_of_several_lines_is_known_by_each() {
    let redactor = Redactor::default();
    redactor.learn("first line\r\nsecond line\nx\n");
    assert_eq!(redactor.text("a second line, x"), "a ***, x");
}

#[test]
fn a_short_value_is_not_learned() {
    let redactor = Redactor::default();
    redactor.learn("abcde");
    assert_eq!(redactor.text("abcde"), "abcde");
}

/// Megabytes of what is almost a secret: were the time not in proportion, this would not end.
#[test]
fn no_text_takes_long() {
    let redactor = Redactor::default();
    redactor.learn(VALUE);
    for piece in [
        "eyJaaaaaaaa-",
        "password=\"",
        "token: ",
        "-----BEGIN ",
        "sk-a",
        "xox",
        "Bearer ",
        "tr\"0ub4",
        "\\\"",
        "x",
    ] {
        let text = piece.repeat(10_000_000 / piece.len());
        redactor.bytes(text.as_bytes());
    }
}
