//! Tools whose model chooses how their value is written, and what a tool proposes.

use extline::prelude::*;
use extline::testing::{Failure, Host};
use extline::{ErrorKind, OutputFormat, Preference};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Find {
    word: String,
}

#[derive(Serialize)]
struct Hit {
    path: String,
    line: u32,
}

fn find() -> Tool {
    Tool::new("find", "Finds a word.", async |args: Find, _| {
        Ok(Json(vec![Hit { path: format!("{}.rs", args.word), line: 3 }]))
    })
}

const BOTH: [OutputFormat; 2] = [OutputFormat::Labeled, OutputFormat::Json];

#[test]
fn a_model_chooses_how_a_value_is_written() -> Result<(), Failure> {
    let mut host = Host::new(|| Extension::new("find", "1").add_tool(find().outputs(BOTH)));
    let schema: Value = host.tools()[0].schema.to().unwrap();
    assert_eq!(schema["properties"]["output"]["enum"], json!(["labeled", "json"]));
    assert!(!host.transcript().to_string().contains("\"outputs\""));

    // A typed handler that refuses unknown arguments never sees this one.
    for (args, text) in [
        (json!({"word": "a"}), "path | line\na.rs | 3"),
        (json!({"word": "a", "output": "labeled"}), "path | line\na.rs | 3"),
        (
            json!({"word": "a", "output": "json"}),
            r#"{"count":1,"items":[{"path":"a.rs","line":3}]}"#,
        ),
    ] {
        let answer = host.call("find", args)?;
        assert_eq!(answer.text(), text);
        assert_eq!(answer.value(), json!([{"path": "a.rs", "line": 3}]));
    }
    Ok(())
}

#[test]
fn a_word_that_is_no_form_is_refused() -> Result<(), Failure> {
    let mut host = Host::new(|| Extension::new("find", "1").add_tool(find().outputs(BOTH)));
    let refused = host.call("find", json!({"word": "a", "output": "xml"}))?;
    assert_eq!(refused.kind(), Some(&ErrorKind::Validation));
    assert_eq!(refused.field(), Some("/output"));
    assert!(refused.text().contains(r#"must be "labeled" or "json""#), "{}", refused.text());
    Ok(())
}

#[test]
fn one_form_alone_adds_no_argument() -> Result<(), Failure> {
    let mut host = Host::new(|| {
        let raw = json!({"type": "object", "properties": {"output": {"type": "string"}}});
        let own = Tool::raw("own", "", raw, async |args: Value, _| Ok(args));
        Extension::new("find", "1")
            .add_tool(find().outputs([OutputFormat::Labeled]))
            .add_tool(own.outputs([OutputFormat::Labeled]))
    });
    assert_eq!(host.call("find", json!({"word": "a"}))?.text(), "path | line\na.rs | 3");
    let refused = host.call("find", json!({"word": "a", "output": "json"}))?;
    assert_eq!(refused.field(), Some("/output"));
    assert_eq!(host.call("own", json!({"output": "a.txt"}))?.text(), "output: a.txt");
    Ok(())
}

#[test]
fn texts_and_failures_stay_as_they_are() -> Result<(), Failure> {
    let mut host = Host::new(|| {
        let text = Tool::new("text", "", async |_: NoArgs, _| Ok("two hits"));
        let failure =
            Tool::new("failure", "", async |_: NoArgs, _| Err::<(), _>(ToolError::conflict("no")));
        Extension::new("find", "1").add_tool(text.outputs(BOTH)).add_tool(failure.outputs(BOTH))
    });
    assert_eq!(host.call("text", json!({"output": "json"}))?.text(), "two hits");
    let failed = host.call("failure", json!({"output": "json"}))?;
    assert_eq!((failed.kind(), failed.text()), (Some(&ErrorKind::Conflict), "no".to_owned()));
    Ok(())
}

#[test]
fn a_tool_proposes_how_it_is_offered() {
    let host = Host::new(|| {
        let preference = Preference {
            enabled: Some(false),
            weight: Some(0.8),
            parameters: Some(json!({"word": "todo"}).into()),
            reason: Some("few ask for it".to_owned()),
        };
        Extension::new("find", "1").add_tool(find().preference(preference))
    });
    let told = host.tools()[0].preference.clone().unwrap();
    assert_eq!((told.enabled, told.weight), (Some(false), Some(0.8)));
    assert_eq!(told.parameters.unwrap().get(), r#"{"word":"todo"}"#);
    assert_eq!(told.reason.as_deref(), Some("few ask for it"));
}

#[test]
fn mistakes_are_told_where_the_tool_is_added() {
    let heavy: fn() -> Tool =
        || find().preference(Preference { weight: Some(2.0), ..Preference::default() });
    let own = || {
        let schema = json!({"type": "object", "properties": {"output": {"type": "string"}}});
        Tool::raw("find", "", schema, async |args: Value, _| Ok(args)).outputs(BOTH)
    };
    for (tool, text) in [
        (heavy, "its weight is 2, and must be from 0 to 1"),
        (|| find().outputs([]), "there is none"),
        (|| find().outputs(["xml".into()]), "\"xml\" is none"),
        (own, "an argument `output` of its own"),
    ] {
        let line = line!() + 1;
        let mistaken = move || Extension::new("find", "1").add_tool(tool());
        let failure = Host::builder().start(mistaken).unwrap_err().to_string();
        assert!(failure.contains(&format!("outputs.rs:{line}:")), "{failure}");
        assert!(failure.contains(text), "{failure}");
    }
}
