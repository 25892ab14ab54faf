//! The forms in which a tool writes its value, between which a model chooses by the argument `output`.
//!
//! A host knows nothing of it: it sees an argument like any other. The session puts the argument into the schema,
//! takes it out of the arguments before a handler gets them, and writes the text of the result. The structured content
//! is the value in every form.

mod argument;
mod labeled;

pub use labeled::labeled;

use crate::args::ArgsError;
use crate::frame::{Content, OutputFormat, RegisterTool, ToolResult};
use crate::json::{Elements, RawJson, read_string};

/// The argument by which a model chooses.
const OUTPUT: &str = "output";

/// Puts the argument into the schema of a tool that names more than one form. The first is the one that holds where a
/// model does not choose. `Err` says what is wrong with them.
pub(crate) fn declare(tool: &mut RegisterTool) -> Result<(), String> {
    let Some(formats) = &tool.outputs else { return Ok(()) };
    if formats.is_empty() {
        return Err("there is none; leave `outputs` out, or name one".to_owned());
    }
    for (position, format) in formats.iter().enumerate() {
        if let OutputFormat::Other(word) = format {
            return Err(["\"", word, "\" is none; there are labeled and json"].concat());
        }
        if formats[..position].contains(format) {
            return Err(["\"", format.as_str(), "\" is there twice"].concat());
        }
    }
    if formats.len() > 1 {
        let argument = argument(formats);
        tool.schema = argument::add(&tool.schema, OUTPUT, &argument)?;
    }
    Ok(())
}

/// The form that the arguments ask for, which are left without it; or why they ask for none.
pub(crate) fn take(
    formats: &[OutputFormat],
    args: &mut RawJson,
) -> Result<Option<OutputFormat>, ArgsError> {
    let [first, _, ..] = formats else { return Ok(formats.first().cloned()) };
    let mut members = argument::members_of(args.get());
    let Some(said) = members.iter().rfind(|member| member.0 == OUTPUT) else {
        return Ok(Some(first.clone()));
    };
    let word = read_string(&said.1);
    let named = formats.iter().find(|format| word.as_deref() == Some(format.as_str()));
    // Some models write `null` for what they leave out.
    let Some(format) = named.or((said.1 == "null").then_some(first)) else {
        let said = crate::json::excerpt(&said.1);
        let message = ["must be \"labeled\" or \"json\", and is ", &said].concat();
        return Err(ArgsError { pointer: "/output".to_owned(), message });
    };
    let format = format.clone();
    members.retain(|member| member.0 != OUTPUT);
    *args = argument::object_of(&members);
    Ok(Some(format))
}

/// Writes the value of a result in that form; whether there is one. Texts that its author wrote beside the value are
/// the labeled form. Failures, and results without a value, stay as they are.
pub(crate) fn write(format: &OutputFormat, result: &mut ToolResult) -> bool {
    let Some(value) = &result.structured_content else { return result.is_error };
    if result.is_error {
        return true;
    }
    // As the value is written where nobody chooses.
    let is_value = |block: &Content| block.plain().is_some_and(|text| text == value.get());
    let is_text = |block: &Content| block.plain().is_some();
    let has_other_text = result.content.iter().any(|block| is_text(block) && !is_value(block));
    let text = match format {
        OutputFormat::Labeled if has_other_text => {
            result.content.retain(|block| !is_value(block));
            return true;
        }
        OutputFormat::Labeled => labeled(value),
        _ => json(value),
    };
    // Images stay behind it.
    result.content.retain(|block| !is_text(block));
    result.content.insert(0, Content::Text(text));
    true
}

/// The value as JSON. A list stands in an object, so that how many there are is said before they are.
fn json(value: &RawJson) -> String {
    let Some(items) = Elements::of(value.get()) else { return value.get().to_owned() };
    format!("{{\"count\":{},\"items\":{}}}", items.count(), value.get())
}

/// There are two forms, so that whoever names more than one names both.
fn argument(formats: &[OutputFormat]) -> String {
    let [first, second] = [0, 1].map(|place| formats[place].as_str());
    let about = "How the result is written: `labeled` to read it, `json` for programs";
    [
        r#"{"type":"string","enum":[""#,
        first,
        r#"",""#,
        second,
        r#""],"default":""#,
        first,
        r#"","description":""#,
        about,
        r#""}"#,
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::ArgsValidator;

    const BOTH: [OutputFormat; 2] = [OutputFormat::Labeled, OutputFormat::Json];

    fn raw(text: &str) -> RawJson {
        RawJson::parse(text).unwrap()
    }

    fn tool(schema: &str, formats: &[&str]) -> RegisterTool {
        let outputs = Some(formats.iter().map(|word| OutputFormat::from(*word)).collect());
        RegisterTool { name: "find".to_owned(), schema: raw(schema), outputs, ..Default::default() }
    }

    fn mistake(schema: &str, formats: &[&str]) -> String {
        crate::Registrations::default().tool(tool(schema, formats)).unwrap_err().to_string()
    }

    #[test]
    fn the_argument_stands_in_the_schema_behind_the_others() {
        let mut find = tool(
            r#"{"type":"object","properties":{"a":{}},"required":["a"]}"#,
            &["json", "labeled"],
        );
        declare(&mut find).unwrap();
        assert_eq!(
            find.schema.get(),
            r#"{"type":"object","required":["a"],"properties":{"a":{},"output":{"type":"string","enum":["json","labeled"],"default":"json","description":"How the result is written: `labeled` to read it, `json` for programs"}}}"#
        );
        let open = r#"{"anyOf":[{"required":["k"]},{"required":["m"]}]}"#;
        let mut either = tool(open, &["labeled", "json"]);
        declare(&mut either).unwrap();
        let validator = ArgsValidator::compile(&either.schema).unwrap();
        assert!(validator.unsupported().is_empty());
        validator.validate(&raw(r#"{"k":1,"output":"json"}"#)).unwrap();
        let mut bare = tool("{}", &["labeled"]);
        declare(&mut bare).unwrap();
        assert_eq!(bare.schema.get(), "{}");
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(
            mistake("{}", &["xml"]),
            r#"the outputs of the tool "find": "xml" is none; there are labeled and json"#
        );
        assert_eq!(
            mistake("{}", &["json", "json"]),
            r#"the outputs of the tool "find": "json" is there twice"#
        );
        assert!(mistake("{}", &[]).contains("there is none"));
        let own = r#"{"properties":{"output":{}}}"#;
        assert!(mistake(own, &["labeled", "json"]).contains("an argument `output` of its own"));
        let elsewhere = r##"{"$ref":"#/$defs/a","$defs":{"a":{"type":"object"}}}"##;
        let closed = r#"{"anyOf":[{"properties":{"k":{}},"additionalProperties":false}]}"#;
        for schema in [elsewhere, closed] {
            assert!(
                mistake(schema, &["labeled", "json"]).contains("in a branch or behind a `$ref`")
            );
        }
    }

    #[test]
    fn the_choice_is_taken_out_of_the_arguments() {
        let mut args = raw(r#"{"a":1,"output":"json","b":"\u00e9"}"#);
        assert_eq!(take(&BOTH, &mut args).unwrap(), Some(OutputFormat::Json));
        assert_eq!(args.get(), r#"{"a":1,"b":"\u00e9"}"#);
        assert_eq!(take(&BOTH, &mut args).unwrap(), Some(OutputFormat::Labeled));
        assert_eq!(args.get(), r#"{"a":1,"b":"\u00e9"}"#);
        let mut null = raw(r#"{"output":null}"#);
        assert_eq!(take(&BOTH, &mut null).unwrap(), Some(OutputFormat::Labeled));
        assert_eq!(null.get(), "{}");
        let error = take(&BOTH, &mut raw(r#"{"output":"xml"}"#)).unwrap_err();
        assert_eq!(error.pointer, "/output");
        assert_eq!(error.message, r#"must be "labeled" or "json", and is "xml""#);
        // Where there is no choice, an argument of that name is the tool's own.
        let mut own = raw(r#"{"output":"a.txt"}"#);
        assert_eq!(take(&BOTH[..1], &mut own).unwrap(), Some(OutputFormat::Labeled));
        assert_eq!(take(&[], &mut own).unwrap(), None);
        assert_eq!(own.get(), r#"{"output":"a.txt"}"#);
    }

    fn written(format: &OutputFormat, mut result: ToolResult) -> Vec<Content> {
        write(format, &mut result);
        result.content
    }

    #[test]
    fn a_value_is_written_in_the_form_that_was_chosen() {
        let image = Content::image(b"1", "image/png");
        let mut result = ToolResult::new("1".into(), Vec::new());
        result.push_value(raw("[1,2]"));
        result.content.push(image.clone());
        let [labeled, json] = BOTH.map(|format| written(&format, result.clone()));
        assert_eq!(labeled, [Content::text("1\n2"), image.clone()]);
        assert_eq!(json, [Content::text(r#"{"count":2,"items":[1,2]}"#), image]);
    }

    #[test]
    fn what_the_author_wrote_is_the_labeled_form() {
        let mut result = ToolResult::new("1".into(), vec![Content::text("two hits")]);
        result.push_value(raw(r#"{"hits":2}"#));
        let [labeled, json] = BOTH.map(|format| written(&format, result.clone()));
        assert_eq!(labeled, [Content::text("two hits")]);
        assert_eq!(json, [Content::text(r#"{"hits":2}"#)]);
    }

    #[test]
    fn failures_and_texts_stay_as_they_are() {
        let mut none = ToolResult::new("1".into(), vec![Content::text("two")]);
        assert!(!write(&OutputFormat::Json, &mut none));
        let text = ToolResult::new("1".into(), vec![Content::text("two")]);
        assert_eq!(written(&OutputFormat::Json, text.clone()), text.content);
        let mut failure = text;
        failure.is_error = true;
        failure.structured_content = Some(raw("{}"));
        assert_eq!(written(&OutputFormat::Json, failure.clone()), failure.content);
    }
}
