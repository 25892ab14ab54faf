use super::{Call, Envelope, Extracted, Extractor, Offered, Part, extract};

fn offered() -> Vec<Offered> {
    ["read", "write", "ls", "get_weather"].map(Offered::from).to_vec()
}

fn found(text: &str) -> Extracted {
    let whole = extract(text, &offered());
    // However it is cut into pieces.
    for size in [1, 3, 7, 64] {
        let mut extractor = Extractor::new(offered());
        let mut parts = Vec::new();
        let characters: Vec<_> = text.chars().collect();
        for piece in characters.chunks(size) {
            parts.extend(extractor.push(&piece.iter().collect::<String>()));
        }
        let (rest, pieced) = extractor.finish();
        parts.extend(rest);
        assert_eq!(pieced, whole, "{text} in pieces of {size}");
        let said: String = parts
            .iter()
            .filter_map(|part| if let Part::Text(text) = part { Some(text.as_str()) } else { None })
            .collect();
        assert_eq!(said.trim(), whole.remaining);
    }
    whole
}

fn shown(call: &Call) -> String {
    let cut = if call.truncated { " cut" } else { "" };
    let compact: serde_json::Value = serde_json::from_str(call.arguments.get()).unwrap();
    format!("{}({compact}){cut}", call.name)
}

/// The calls of a text, and what remains of it.
fn calls(text: &str) -> (Vec<String>, String) {
    let found = found(text);
    (found.calls.iter().map(shown).collect(), found.remaining)
}

#[track_caller]
fn one(text: &str, envelope: Envelope, call: &str) {
    let found = found(text);
    assert_eq!(found.calls.iter().map(shown).collect::<Vec<_>>(), [call], "{text}");
    assert_eq!(found.envelope, Some(envelope), "{text}");
    assert_eq!(found.remaining, "", "{text}");
}

#[track_caller]
fn none(text: &str) {
    let found = found(text);
    assert_eq!(found.calls, [], "{text}");
    assert_eq!(found.remaining, text.trim(), "{text}");
}

/// What each family calls.
const READ: &str = r#"read({"path":"a"})"#;

#[test]
fn each_family_by_tags() {
    let read = READ;
    one(
        r#"<tool_call>{"name": "read", "arguments": {"path": "a"}}</tool_call>"#,
        Envelope::Hermes,
        read,
    );
    one(
        "<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>",
        Envelope::Hermes,
        read,
    );
    one(
        "<tool_call>\n```json\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}\n```\n</tool_call>",
        Envelope::Hermes,
        read,
    );
    one(
        "<tool_call>\n<function=read>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>",
        Envelope::QwenCoder,
        read,
    );
    one("<function=read><parameter=path>a</parameter></function>", Envelope::QwenCoder, read);
    one(r#"<function=read>{"path": "a"}</function>"#, Envelope::Llama, read);
    one(
        r#"<|python_tag|>{"name": "read", "parameters": {"path": "a"}}<|eom_id|>"#,
        Envelope::Llama,
        read,
    );
    one(r#"[read(path="a")]"#, Envelope::Llama, read);
    one(r"<|python_start|>[read(path='a')]<|python_end|><|eot|>", Envelope::Llama, read);
    one(r"<|tool_call_start|>[read(path='a')]<|tool_call_end|><|im_end|>", Envelope::Llama, read);
    one(
        r#"<TOOLCALL>[{"name": "read", "arguments": {"path": "a"}}]</TOOLCALL>"#,
        Envelope::Tagged,
        read,
    );
    one(
        r#"<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "read", "parameters": {"path": "a"}}]<|END_ACTION|>"#,
        Envelope::Tagged,
        read,
    );
}

#[test]
fn each_family_by_tokens_and_words() {
    let read = READ;
    one(
        r#"[TOOL_CALLS][{"name": "read", "arguments": {"path": "a"}}]</s>"#,
        Envelope::Mistral,
        read,
    );
    one(r#"[TOOL_CALLS]read[ARGS]{"path": "a"}"#, Envelope::Mistral, read);
    one(r#"[TOOL_CALLS]read[CALL_ID]x9[ARGS]{"path": "a"}"#, Envelope::Mistral, read);
    one(
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n```json\n{\"path\": \"a\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        Envelope::DeepSeek,
        read,
    );
    one(
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read<｜tool▁sep｜>{\"path\": \"a\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>",
        Envelope::DeepSeek,
        read,
    );
    one(
        "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"read\">\n<｜DSML｜parameter name=\"path\" string=\"true\">a</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
        Envelope::DeepSeek,
        read,
    );
    one(">>>read\n{\"path\": \"a\"}", Envelope::Functionary, read);
    one(r#"<|tool_call|>[{"name": "read", "arguments": {"path": "a"}}]"#, Envelope::Granite, read);
    one("<|tool_call>call:read{path:<|\"|>a<|\"|>}<tool_call|>", Envelope::Gemma, read);
    one(
        "<start_function_call>call:read{path:<escape>a<escape>}<end_function_call>",
        Envelope::Gemma,
        read,
    );
    one("```tool_code\nread(path=\"a\")\n```", Envelope::Gemma, read);
    one(
        "<function_calls>\n<invoke name=\"read\">\n<parameter name=\"path\">a</parameter>\n</invoke>\n</function_calls>",
        Envelope::Claude,
        read,
    );
    one(
        "<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>",
        Envelope::Glm,
        read,
    );
    one(
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{\"path\": \"a\"}<|tool_call_end|><|tool_calls_section_end|>",
        Envelope::Kimi,
        read,
    );
    one(
        "<|channel|>commentary to=functions.read <|constrain|>json<|message|>{\"path\": \"a\"}<|call|>",
        Envelope::Harmony,
        read,
    );
    one("Action: read\nAction Input: {\"path\": \"a\"}", Envelope::ReAct, read);
    one(
        "```json\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}\n```",
        Envelope::Fenced,
        read,
    );
    one("```\n[{\"name\": \"read\", \"input\": {\"path\": \"a\"}}]\n```", Envelope::Fenced, read);
    one(r#"{"name": "read", "arguments": {"path": "a"}}"#, Envelope::Bare, read);
    one(
        r#"{"tool_calls": [{"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{\"path\": \"a\"}"}}]}"#,
        Envelope::Bare,
        read,
    );
    one(
        r#"[{"id": "c1", "function": {"name": "read", "arguments": "{\"path\": \"a\"}"}}]"#,
        Envelope::Bare,
        read,
    );
    one(
        r#"<tool_calls>[{"name": "read", "arguments": {"path": "a"}}]</tool_calls>"#,
        Envelope::Tagged,
        read,
    );
}

#[test]
fn ids_that_the_model_gave() {
    let text = r#"{"tool_calls": [{"id": "c1", "function": {"name": "ls", "arguments": {}}}]}"#;
    assert_eq!(found(text).calls[0].id.as_deref(), Some("c1"));
    assert_eq!(found(r"[TOOL_CALLS]ls[CALL_ID]x9[ARGS]{}").calls[0].id.as_deref(), Some("x9"));
}

#[test]
fn calls_come_in_the_order_of_the_text_and_what_is_between_remains() {
    let text = "One.\n```json\n{\"name\":\"ls\",\"arguments\":{}}\n```\nTwo.\n<tool_call>{\"name\":\"read\",\"arguments\":{\"n\":1}}</tool_call>\nThree.";
    let (calls, remaining) = calls(text);
    assert_eq!(calls, ["ls({})", r#"read({"n":1})"#]);
    assert_eq!(remaining, "One.\n\nTwo.\n\nThree.");
}

#[test]
fn marks_in_strings_belong_to_them() {
    one(
        r#"<tool_call>{"name":"write","arguments":{"c":"x } </tool_call> y"}}</tool_call>"#,
        Envelope::Hermes,
        r#"write({"c":"x } </tool_call> y"})"#,
    );
    one(
        "<invoke name=\"write\"><parameter name=\"c\">a</parameter>b</parameter></invoke>",
        Envelope::Claude,
        r#"write({"c":"a</parameter>b"})"#,
    );
    one(
        "<|tool_call>call:write{c:<|\"|>a, b: } \"c\"<|\"|>,n:1}<tool_call|>",
        Envelope::Gemma,
        r#"write({"c":"a, b: } \"c\"","n":1})"#,
    );
    one(
        "```json\n{\"name\":\"write\",\"arguments\":{\"c\":\"```\\nx\\n```\"}}\n```",
        Envelope::Fenced,
        r#"write({"c":"```\nx\n```"})"#,
    );
}

#[test]
fn broken_json_of_a_call_is_repaired() {
    let found = found("<tool_call>{'name': 'ls', 'arguments': {'all': True,}}</tool_call>");
    assert_eq!(shown(&found.calls[0]), r#"ls({"all":true})"#);
    assert!(found.repaired && !found.truncated);
    one(
        "<tool_call>{\"name\":\"ls\",\"arguments\":{\"a\":1}}}</tool_call>",
        Envelope::Hermes,
        r#"ls({"a":1})"#,
    );
    // The brackets of the arguments are closed, those around them are not.
    one(
        "<tool_call>{\"name\":\"ls\",\"arguments\":{\"a\":1}</tool_call>",
        Envelope::Hermes,
        r#"ls({"a":1})"#,
    );
    one(
        "<tool_call>{\"name\":\"ls\",\"arguments\":{\"a\":\"say \"hi\" now\"}}</tool_call>",
        Envelope::Hermes,
        r#"ls({"a":"say \"hi\" now"})"#,
    );
    assert_eq!(
        calls("<tool_call>{\"name\":\"ls\",\"arguments\":{}}\n<tool_call>{\"name\":\"read\",\"arguments\":{}}</tool_call>").0,
        ["ls({})", "read({})"]
    );
}

#[test]
fn a_cut_call_is_truncated_and_no_other() {
    for (text, call) in [
        (
            r#"<tool_call>{"name":"write","arguments":{"c":"package ma"#,
            r#"write({"c":"package ma"}) cut"#,
        ),
        (r#"<tool_call>{"name":"write","arguments":{"c":"x"#, r#"write({"c":"x"}) cut"#),
        (r#"<tool_call>{"name":"write","arguments":{"c":"x""#, r#"write({"c":"x"}) cut"#),
        (r#"<tool_call>{"name":"write""#, "write({}) cut"),
        (r#"<tool_call>{"name":"write","arguments":{"c":"x"}"#, r#"write({"c":"x"})"#),
        (r#"<tool_call>{"name":"write","arguments":{"c":"x"}}"#, r#"write({"c":"x"})"#),
        (r#"<tool_call>{"name":"write","arguments":{"c":"x"}}</tool_c"#, r#"write({"c":"x"})"#),
        ("<function=write><parameter=c>package ma", r#"write({"c":"package ma"}) cut"#),
        ("<function=write><parameter=c>package ma</para", r#"write({"c":"package ma"}) cut"#),
        ("<function=write><parameter=c>x</parameter>", r#"write({"c":"x"}) cut"#),
        ("<function=write><parameter=c>x</parameter></fun", r#"write({"c":"x"}) cut"#),
        ("<function=write><parameter=c", "write({}) cut"),
        ("<invoke name=\"write\"><parameter name=\"c\">x", r#"write({"c":"x"}) cut"#),
        ("[write(c=\"package ma", r#"write({"c":"package ma"}) cut"#),
        ("[write(c=\"x\"", r#"write({"c":"x"}) cut"#),
        ("[write(c=\"x\")", r#"write({"c":"x"})"#),
        ("<|tool_call>call:write{c:<|\"|>package ma", r#"write({"c":"package ma"}) cut"#),
        ("{\"name\":\"write\",\"arguments\":{\"c\":\"pack", r#"write({"c":"pack"}) cut"#),
        (
            "{\"tool_calls\":[{\"function\":{\"name\":\"write\",\"arguments\":\"{\\\"c\\\":\\\"pa",
            r#"write({"c":"pa"}) cut"#,
        ),
        ("```json\n{\"name\":\"write\",\"arguments\":{\"c\":\"pack", r#"write({"c":"pack"}) cut"#),
        ("Action: write\nAction Input: {\"c\":\"pack", r#"write({"c":"pack"}) cut"#),
        ("[TOOL_CALLS]write[ARGS]{\"c\":\"pack", r#"write({"c":"pack"}) cut"#),
        ("[TOOL_CALLS][{\"name\":\"ls\",\"arguments\":{}}", "ls({})"),
        ("<tool_call>write\n<arg_key>c</arg_key>\n<arg_value>pack", r#"write({"c":"pack"}) cut"#),
    ] {
        assert_eq!(calls(text), (vec![call.to_owned()], String::new()), "{text}");
        assert_eq!(found(text).truncated, call.ends_with("cut"));
    }
}

#[test]
fn what_is_spoken_of_is_not_called() {
    let call = r#"{"name":"ls","arguments":{}}"#;
    none(&format!("<think><tool_call>{call}</tool_call></think>done"));
    none(&format!("<think>I will say\n{call}\n"));
    none(&format!("Write `<tool_call>{call}</tool_call>` to call it."));
    none(&format!("The form is {call} on a line."));
    none(&format!("{call} is the form."));
    none(&format!("```python\nx = [\n{call}\n]\n```"));
    none(&format!("```xml\n<tool_call>{call}</tool_call>\n```"));
    none("```json\n{\"name\":\"my-package\",\"version\":\"1\"}\n```");
    none("```json\n{\"name\":\"ls\",\"version\":\"1\"}\n```");
    none(r#"[{"name":"ls"},{"name":"read"}]"#);
    none(r#"[{"name":"alice"},{"name":"bob"}]"#);
    none(&format!("{{\"cases\": [\n{call},\n{call}\n]}}"));
    none(&format!("[\n{call},\n{{\"name\":\"rm\",\"arguments\":{{}}}}\n]"));
    none(&format!("{{\"it\":\n{call}\n}}"));
    none(&format!("x = (\n{call})"));
    none("I could use [ls(a=1)] here.");
    none("Action: none\nThe end.");
    none(">>> read\n{\"path\": 1}");
    none("a < b, c > d, x[0] {y} `z`");
}

#[test]
fn what_looks_like_a_call_and_is_none_is_told() {
    for (text, reason) in [
        (r#"<tool_call>{"name":"rm","arguments":{}}</tool_call>"#, "there is no tool rm"),
        (
            r#"<tool_call>{"name":"ls","arguments":[1]}</tool_call>"#,
            "the arguments are no JSON object",
        ),
        (r#"<tool_call>{"name":"ls","path":"a"}</tool_call>"#, "the call of ls has no arguments"),
        (r#"<tool_call>{"arguments":{}}</tool_call>"#, "a call needs a name"),
        (
            r#"<tool_call>{"name":"write","arguments":{"c":"x "}} y" z"}}</tool_call>"#,
            "the JSON is closed before its end; escape the quotes in its strings",
        ),
        (r"[TOOL_CALLS]ls 12", "the arguments of ls are no JSON object"),
    ] {
        let found = found(text);
        assert_eq!((&*found.calls, found.remaining.as_str()), (&[][..], text));
        assert_eq!(found.refused[0].reason, reason);
    }
}

#[test]
fn a_schema_says_what_untyped_arguments_are() {
    let text =
        "<function=write><parameter=c>{\"a\":1}</parameter><parameter=n>12</parameter></function>";
    assert_eq!(shown(&extract(text, &offered()).calls[0]), r#"write({"c":{"a":1},"n":12})"#);
    let schema = r#"{"properties":{"c":{"type":"string"},"n":{"type":"integer"}}}"#;
    let write = Offered::with_schema("write", schema).unwrap();
    assert_eq!(shown(&extract(text, &[write]).calls[0]), r#"write({"c":"{\"a\":1}","n":12})"#);
}

#[test]
fn values_as_python_writes_them_are_read() {
    let text = "<function=write><parameter=c>True</parameter><parameter=n>['a', None]</parameter></function>";
    let call = &extract(text, &offered()).calls[0];
    assert_eq!(shown(call), r#"write({"c":true,"n":"['a', None]"})"#);
    let of = |c, n| {
        let schema = format!(r#"{{"properties":{{"c":{{"type":"{c}"}},"n":{{"type":"{n}"}}}}}}"#);
        let write = Offered::with_schema("write", &schema).unwrap();
        extract(text, &[write]).calls.remove(0)
    };
    let call = of("boolean", "array");
    assert_eq!(call.arguments.get(), r#"{"c":true,"n":["a",null]}"#);
    assert!(!call.fixes.is_empty());
    assert_eq!(of("string", "string").arguments.get(), r#"{"c":"True","n":"['a', None]"}"#);
}

#[test]
fn several_calls_of_one_envelope() {
    let text =
        r#"[TOOL_CALLS][{"name":"ls","arguments":{}},{"name":"read","arguments":{"path":"a"}}]"#;
    assert_eq!(calls(text).0, ["ls({})", r#"read({"path":"a"})"#]);
    let text =
        "<|python_tag|>{\"name\":\"ls\",\"parameters\":{}}; {\"name\":\"read\",\"parameters\":{}}";
    assert_eq!(calls(text).0, ["ls({})", "read({})"]);
    assert_eq!(
        calls("[ls(), read(path='a', n=[1, None])]").0,
        ["ls({})", r#"read({"n":[1,null],"path":"a"})"#]
    );
}

/// Were the time quadratic, this would take minutes.
#[test]
fn texts_that_open_much_and_close_nothing() {
    for piece in [
        "<tool_call>{\"name\":\"ls",
        "{\"name\":\"ls\n",
        "<tool_call>{\"",
        "```json\n{\"name\":\"",
        "`",
        "` ``",
        "<think>",
        "<invoke name=\"ls\"><parameter name=\"a\">x</parameter>y",
        "A",
        "Action:\n",
        "[",
        "<",
        "<function=ls>",
        "[TOOL_CALLS]ls{\"",
        "<|tool_call>call:ls{<|\"|>",
        ">>>ls\n{\"a",
        "\n[ls(a=",
        "\n\n[",
        "<tool_call>{\"name\":\"ls\",\"arguments\":{\"a\":'}}",
        "```\n",
        "<｜tool▁call▁begin｜>ls<｜tool▁sep｜>{'",
    ] {
        let text = piece.repeat(100_000 / piece.len());
        let whole = extract(&text, &offered());
        let mut extractor = Extractor::new(offered());
        for piece in text.as_bytes().chunks(10_000) {
            // What is cut in a character is read with its rest.
            extractor.push(&String::from_utf8_lossy(piece));
        }
        let pieced = extractor.finish().1;
        if text.is_ascii() {
            assert_eq!(pieced, whole, "{piece}");
        }
    }
}
