//! Frames: read as they were written, and known by their head whatever else is wrong.

use extline_protocol::frame::{AnyFrame, ExtensionFrame, HostFrame, Notify};
use extline_protocol::{Decoder, Head, Incoming, Line, Problem, decode_text};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::fuzz_targets::target;
use crate::json_text::{self, Style};
use crate::strategies::{extension_frame, host_frame};
use crate::{line_of, stream};

proptest! {
    #![proptest_config(crate::cases(1_000))]

    #[test]
    fn a_host_s_frame_is_read_as_it_was_written(frame in host_frame()) {
        check_round_trip(&frame)?;
    }

    #[test]
    fn an_extension_s_frame_is_read_as_it_was_written(frame in extension_frame()) {
        check_round_trip(&frame)?;
    }

    #[test]
    fn a_string_is_written_like_serde_json_writes_it(text in any::<String>()) {
        let line = line_of(&ExtensionFrame::from(Notify { level: "x".into(), message: text.clone() }));
        let expected = serde_json::to_string(&text).unwrap();
        prop_assert_eq!(line, format!("{{\"type\":\"notify\",\"level\":\"x\",\"message\":{expected}}}\n"));
    }
}

proptest! {
    #![proptest_config(crate::cases(300))]

    /// Members in any order, strange ones between them, white space, duplicates before them.
    #[test]
    fn type_and_id_are_found_wherever_they_stand(
        others in vec(member(), 0..6),
        id in "[^\\x00]{1,12}",
        (type_at, id_at) in any::<(Index, Index)>(),
        sizes in vec(1_usize..30, 1..6),
    ) {
        let mut members = others;
        members.insert(type_at.index(members.len() + 1), r#" "type" : "tool_cancel""#.to_owned());
        let id_member = format!(r#""i\u0064":{}"#, serde_json::to_string(&id).unwrap());
        members.insert(id_at.index(members.len() + 1), id_member);
        let text = format!("{{{}}}", members.join(","));

        let head = Head { frame_type: Some("tool_cancel".to_owned()), id: Some((&*id).into()) };
        prop_assert_eq!(&Head::of(&text), &head);
        let Incoming::Frame(HostFrame::ToolCancel(cancel)) = decode_text(&text) else {
            panic!("{text} is no tool_cancel")
        };
        prop_assert_eq!(Some(&cancel.id), head.id.as_ref());
        prop_assert_eq!(head_in_pieces(&text, &sizes), head);
    }

    /// Of a frame cut anywhere, what stands before the cut is still found.
    #[test]
    fn a_frame_that_is_cut_keeps_its_head(frame in host_frame(), cut in any::<Index>()) {
        let line = line_of(&frame);
        let head = Head::of(&line);
        prop_assert_eq!(head.frame_type.as_deref(), Some(frame.frame_type()));
        let found = Head::of(&String::from_utf8_lossy(&line.as_bytes()[..cut.index(line.len())]));
        prop_assert!(found.frame_type.is_none() || found.frame_type == head.frame_type);
        prop_assert!(found.id.is_none() || found.id == head.id);
    }

    #[test]
    fn of_duplicate_members_the_last_counts(first in json_text::value(Style::Any, 2)) {
        let text = format!(
            r#"{{"type":{first},"id":{first},"name":{first},"args":{first},"deadline_ms":{first},
                "type":"tool_call","id":"7","name":"x","args":{{"a":1}},"deadline_ms":5}}"#
        );
        let Incoming::Frame(HostFrame::ToolCall(call)) = decode_text(&text) else {
            panic!("{text} is no tool_call")
        };
        prop_assert_eq!((call.id.as_str(), &*call.name, call.deadline_ms), ("7", "x", Some(5)));
        prop_assert_eq!(call.args.get(), r#"{"a":1}"#);
    }

    #[test]
    fn depth_128_is_the_last_that_passes(
        levels in 120_usize..140,
        brackets in vec(any::<bool>(), 140),
        inside in "(\"[\\[{]{0,9}\")?",
    ) {
        // The frame's own object is the first level, and an object needs a member to hold a value.
        let kinds = &brackets[..levels - 1];
        let open: String = kinds.iter().map(|list| if *list { "[" } else { "{\"a\":" }).collect();
        let close: String = kinds.iter().rev().map(|list| if *list { "]" } else { "}" }).collect();
        let inside = if inside.is_empty() { "0" } else { &inside };
        let text =
            format!(r#"{{"args":{open}{inside}{close},"type":"tool_call","id":"7","name":"x"}}"#);
        match decode_text::<HostFrame>(&text) {
            Incoming::Frame(_) => prop_assert!(levels <= 128, "{levels}"),
            Incoming::Unusable(unusable) => {
                prop_assert!(levels > 128, "{levels}: {unusable}");
                prop_assert_eq!(unusable.problem, Problem::TooDeep { depth: levels });
                prop_assert_eq!(unusable.head, Head::of(r#"{"type":"tool_call","id":"7"}"#));
            }
        }
    }

    #[test]
    fn no_text_is_too_strange(text in anything()) {
        target("frame")(text.as_bytes());
    }
}

fn check_round_trip<F>(frame: &F) -> Result<(), TestCaseError>
where
    F: AnyFrame + PartialEq + std::fmt::Debug,
{
    let line = line_of(frame);
    let line = line.strip_suffix('\n').unwrap();
    prop_assert!(!line.contains('\n'));
    let Incoming::Frame(read) = decode_text::<F>(line) else { panic!("{line} is no frame") };
    prop_assert_eq!(&read, frame);
    let again = line_of(&read);
    prop_assert_eq!(again.strip_suffix('\n'), Some(line));
    Ok(())
}

/// A member that is neither the type nor the id.
fn member() -> impl Strategy<Value = String> {
    let key = prop_oneof![
        Just(r#""args""#.to_owned()),
        Just(r#""Type""#.to_owned()),
        Just(r#""\"id""#.to_owned()),
        "\"[^\"\\\\\\x00-\\x1f]{5,9}\"",
    ];
    let value = json_text::padded(Style::Any, json_text::value(Style::Any, 4));
    (json_text::padded(Style::Any, key), value).prop_map(|(key, value)| format!("{key}:{value}"))
}

/// The head as a decoder finds it when the line is too long and comes in pieces.
fn head_in_pieces(text: &str, sizes: &[usize]) -> Head {
    // An LF between tokens would end the line.
    let line = text.replace('\n', " ");
    let mut decoder = Decoder::new(3);
    for chunk in stream::chunks(line.as_bytes(), sizes) {
        decoder.feed(chunk);
        assert_eq!(decoder.next_line(), None);
    }
    match decoder.finish() {
        Some(Line::TooLong(line)) => line.head,
        other => panic!("{other:?} is not too long"),
    }
}

/// JSON, almost JSON, and anything else.
fn anything() -> impl Strategy<Value = String> {
    let frame = prop_oneof![
        host_frame().prop_map(|f| line_of(&f)),
        extension_frame().prop_map(|f| line_of(&f))
    ];
    let damaged = (frame, any::<Index>(), "[\\[\\]{}\",:\\\\u0-9a-f \\n]{0,3}", 0_usize..3)
        .prop_map(|(text, at, inserted, removed)| {
            let mut chars: Vec<_> = text.chars().collect();
            let at = at.index(chars.len());
            let end = (at + removed).min(chars.len());
            chars.splice(at..end, inserted.chars());
            chars.into_iter().collect::<String>()
        });
    prop_oneof![
        4 => damaged,
        1 => json_text::value(Style::Any, 3),
        1 => any::<String>(),
    ]
}
