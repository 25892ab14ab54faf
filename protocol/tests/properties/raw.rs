//! Raw JSON passes through byte for byte, or at least with its meaning.

use extline_protocol::frame::{AnyFrame, ExtensionFrame, HostFrame};
use extline_protocol::{
    ArgsValidator, Incoming, Member, Members, RawJson, decode_text, model_args,
};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use crate::json_text::{Style, object, padded, value};
use crate::meaning::{Meaning, has_half_a_surrogate, meaning};

proptest! {
    #![proptest_config(crate::cases(400))]

    #[test]
    fn any_text_keeps_its_meaning(text in padded(Style::Any, value(Style::Any, 5))) {
        let raw = RawJson::parse(&text).unwrap();
        prop_assert_eq!(meaning(raw.get()), meaning(&text));
        prop_assert!(!raw.get().contains(['\n', '\r']));
        prop_assert!(!has_half_a_surrogate(raw.get()));
        prop_assert_eq!(RawJson::parse(raw.get()).unwrap(), raw);
    }

    #[test]
    fn clean_text_keeps_every_byte(text in value(Style::Clean, 5)) {
        let raw = RawJson::parse(&text).unwrap();
        prop_assert_eq!(raw.get(), text);
    }

    #[test]
    fn args_keep_their_meaning_through_a_frame(args in object(Style::Any)) {
        let written = through_a_tool_call(&args);
        prop_assert_eq!(meaning(&written), meaning(&args));
        prop_assert!(!written.contains(['\n', '\r']) && !has_half_a_surrogate(&written));
    }

    #[test]
    fn clean_args_keep_every_byte_through_a_frame(args in object(Style::Clean)) {
        prop_assert_eq!(through_a_tool_call(&args), args);
    }

    #[test]
    fn members_of_args_from_a_frame_are_found_where_they_stand(
        earlier in object(Style::Any),
        args in prop_oneof![object(Style::Clean), object(Style::Any)],
        name in select(&["args", r"\u0061rgs"]),
    ) {
        let line = format!(
            r#"{{"args":{earlier},"type":"tool_call","id":"1","{name}":{args},"name":"x"}}"#
        );
        let Incoming::Frame(HostFrame::ToolCall(call)) = decode_text(&line) else { panic!("{line}") };
        let plain = RawJson::parse(&args).unwrap();
        prop_assert_eq!(&call.args, &plain);
        for pointer in pointers(plain.get(), "") {
            prop_assert_eq!(call.args.at(&pointer), plain.at(&pointer), "{}", pointer);
        }
        for wanted in ["string", "object", "number"] {
            let schema = json!({
                "properties": { "a": { "type": wanted } },
                "additionalProperties": { "$ref": "#" },
            });
            let validator = ArgsValidator::compile(&schema.into()).unwrap();
            prop_assert_eq!(validator.validate(&call.args), validator.validate(&plain));
        }
    }

    #[test]
    fn a_result_keeps_every_byte_of_a_clean_value(value in value(Style::Clean, 4)) {
        prop_assume!(value != "null");
        let line = format!(
            r#"{{"type":"tool_result","id":"1","content":[],"structured_content":{value}}}"#
        );
        prop_assert_eq!(rewritten::<ExtensionFrame>(&line), line);
    }

    #[test]
    fn an_unknown_frame_keeps_its_meaning(value in value(Style::Any, 4)) {
        let line = format!(r#"{{"type":"quantum","x":{value}, "id":"1"}}"#);
        prop_assert_eq!(meaning(&rewritten::<HostFrame>(&line)), meaning(&line));
    }

    #[test]
    fn a_model_s_args_lose_all_but_the_last_of_duplicates(args in object(Style::Any)) {
        let cleaned = model_args(&args).unwrap();
        prop_assert_eq!(meaning(cleaned.get()), without_duplicates(meaning(&args)));
        prop_assert_eq!(model_args(cleaned.get()).unwrap(), cleaned);
    }

    #[test]
    fn what_serde_writes_is_fit_for_the_wire(text in value(Style::Any, 3)) {
        let value = serde_json::value::RawValue::from_string(text.clone()).unwrap();
        let raw = RawJson::of(&value).unwrap();
        prop_assert_eq!(raw, RawJson::parse(&text).unwrap());
    }
}

/// To every member of an object, and of the objects in it.
fn pointers(text: &str, place: &str) -> Vec<String> {
    let members = Members::of(text);
    let members = members.iter().flat_map(Members::iter);
    let below = |member: &Member<'_>| {
        let name = member.key().replace('~', "~0").replace('/', "~1");
        let pointer = format!("{place}/{name}");
        let mut all = pointers(member.value, &pointer);
        all.push(pointer);
        all
    };
    members.flat_map(below).collect()
}

fn through_a_tool_call(args: &str) -> String {
    let line = format!(r#"{{"args":{args},"type":"tool_call","name":"x","id":"1"}}"#);
    let written = rewritten::<HostFrame>(&line);
    let args = written.strip_prefix(r#"{"type":"tool_call","id":"1","name":"x","args":"#).unwrap();
    args.strip_suffix('}').unwrap().to_owned()
}

fn rewritten<F: AnyFrame>(line: &str) -> String {
    let Incoming::Frame(frame) = decode_text::<F>(line) else { panic!("{line} is no frame") };
    let mut bytes = Vec::new();
    frame.write_line(&mut bytes);
    String::from_utf8(bytes).unwrap().strip_suffix('\n').unwrap().to_owned()
}

fn without_duplicates(value: Meaning) -> Meaning {
    match value {
        Meaning::List(items) => Meaning::List(items.into_iter().map(without_duplicates).collect()),
        Meaning::Object(members) => {
            let is_last =
                |at: usize| members[at + 1..].iter().all(|(key, _)| *key != members[at].0);
            let last: Vec<_> = (0..members.len()).filter(|at| is_last(*at)).collect();
            let kept = last.into_iter().map(|at| members[at].clone());
            Meaning::Object(kept.map(|(key, value)| (key, without_duplicates(value))).collect())
        }
        scalar => scalar,
    }
}
