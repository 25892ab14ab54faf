use extline_protocol::RawJson;
use extline_protocol::frame::{Content, ToolResult};
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn tool(name: &str, schema: &Value) -> RegisterTool {
    RegisterTool {
        name: name.to_owned(),
        description: Some("Does it.".to_owned()),
        schema: RawJson::parse(&schema.to_string()).unwrap(),
        ..RegisterTool::default()
    }
}

fn plain(name: &str) -> RegisterTool {
    tool(
        name,
        &json!({"type": "object", "properties": {"a": {"type": "string", "description": "A."}}}),
    )
}

fn all() -> Vec<&'static Client> {
    clients().iter().collect()
}

fn report(server: &str, tools: &[RegisterTool]) -> Report {
    let tools = tools.iter().map(|tool| Offer { tool, language: Language::Python }).collect();
    lint(&Subject { server, tools }, &all())
}

/// Check and client ids of each finding; `*` stands for every client.
fn told(report: &Report) -> Vec<(Check, Severity, String)> {
    let ids = |finding: &Finding| {
        let id = |effect: &Effect| effect.client.map_or("*", |client| &client.id);
        finding.effects.iter().map(id).collect::<Vec<_>>().join(" ")
    };
    report.findings.iter().map(|it| (it.check, it.severity, ids(it))).collect()
}

#[test]
fn a_plain_tool_has_no_findings_and_a_cost() {
    let report = report("weather", &[plain("get_forecast")]);
    assert_eq!(told(&report), []);
    assert_eq!(report.costs[0].tool, "get_forecast");
    assert!((20..60).contains(&report.tokens()), "{}", report.tokens());
}

#[test]
fn names_are_measured_as_each_client_makes_them() {
    // 40 + 7: fits everywhere but in a plugin.
    let fits = report("weather", &[plain(&"x".repeat(40))]);
    assert_eq!(told(&fits), [(Check::PluginName, Severity::Hint, "claude-code".to_owned())]);
    // mcp__weather__ and 51 characters are 65.
    let long = report("weather", &[plain(&"x".repeat(51))]);
    let found = told(&long);
    assert_eq!(found[0], (Check::NameLength, Severity::Dropped, "claude-code codex".to_owned()));
    let at_limit = report("weather", &[plain(&"x".repeat(50))]);
    assert!(told(&at_limit).iter().all(|it| it.0 != Check::NameLength), "{:?}", told(&at_limit));
    // Cursor counts the two names alone: 60 are one too many.
    let cursor = report("weather", &[plain(&"x".repeat(53))]);
    assert!(told(&cursor)[0].2.contains("cursor"), "{:?}", told(&cursor));
    assert!(!told(&report("weather", &[plain(&"x".repeat(52))]))[0].2.contains("cursor"));
    let longest = report(&"s".repeat(70), &[plain(&"x".repeat(64))]);
    let claude = &longest.findings[0].effects[0].what;
    assert!(claude.contains("leaves it out") && claude.contains("141"), "{claude}");
}

#[test]
fn a_dash_is_told_and_two_names_that_become_one() {
    let found = report("w", &[plain("get-it"), plain("get_it")]);
    assert_eq!(
        told(&found),
        [
            (Check::NameClash, Severity::Changed, "codex".to_owned()),
            (Check::NameCharacters, Severity::Hint, "codex cursor".to_owned()),
        ]
    );
    assert!(found.findings[0].what.contains("`get-it`"), "{}", found.findings[0].what);
    // The same first and last 30 characters.
    let middle = |it: &str| plain(&format!("{}{it}{}", "a".repeat(28), "b".repeat(35)));
    let found = report("weather", &[middle("x"), middle("y")]);
    let clash = found.findings.iter().find(|it| it.check == Check::NameClash).unwrap();
    assert_eq!(clash.effects[0].client.unwrap().id, "gemini");
}

#[test]
fn a_root_that_is_no_object_and_alternatives_at_a_root() {
    let found = report(
        "w",
        &[tool("a", &json!({"type": "string"})), tool("b", &json!({"anyOf": [], "not": {}}))],
    );
    assert_eq!(
        told(&found),
        [
            (Check::RootType, Severity::Dropped, "*".to_owned()),
            (Check::RootChoices, Severity::Changed, "*".to_owned()),
        ]
    );
    assert_eq!(found.findings[1].what, "its schema has `anyOf`, `not` at its root");
    assert_eq!(found.costs.len(), 1);
}

#[test]
fn what_is_inside_a_schema_is_told_with_its_place_and_clients() {
    let described = |mut schema: Value| {
        schema["description"] = json!("x");
        schema
    };
    let schema = json!({"type": "object", "properties": {
        "list": described(json!({"type": "array"})),
        "two": described(json!({"type": ["string", "null"]})),
        "one of": described(json!({"oneOf": [{"type": "string"}]})),
        "bare": {"type": "string"},
        "ref": {"$ref": "#/$defs/N"},
    }, "$defs": {"N": {"description": "x", "type": "object", "properties": {"n": {"$ref": "#/$defs/N"}}}}});
    let found = report("w", &[tool("a", &schema)]);
    let of = |check: Check| found.findings.iter().find(|finding| finding.check == check).unwrap();
    assert_eq!(of(Check::ArrayItems).effects[0].client.unwrap().id, "vscode");
    assert_eq!(of(Check::ArrayItems).pointer.as_deref(), Some("/properties/list"));
    assert!(of(Check::ArrayItems).fix.contains("list[str]"));
    assert_eq!(of(Check::PropertyName).severity, Severity::Dropped);
    assert_eq!(of(Check::TypeList).effects[0].client.unwrap().id, "cursor");
    assert_eq!(of(Check::Choices).effects[0].client.unwrap().id, "codex");
    assert_eq!(of(Check::ParameterDescription).what, "the parameter `bare`: no description");
    assert_eq!(of(Check::Reference).effects.len(), 2);
    assert!(of(Check::Reference).what.ends_with("a reference (`$ref`) that leads back to itself"));
    // Only a result's schema that leads back to itself is minded.
    assert!(found.findings.iter().all(|it| it.check != Check::RecursiveReference));
}

#[test]
fn output_schemas_are_looked_at_too() {
    let output = |schema: Value| RegisterTool {
        output_schema: Some(RawJson::parse(&schema.to_string()).unwrap()),
        ..plain("a")
    };
    let found = report("w", &[output(json!({"type": "array"}))]);
    assert_eq!(told(&found), [(Check::OutputSchema, Severity::Changed, "*".to_owned())]);
    let node = json!({"type": "object", "properties": {"n": {"$ref": "#"}, "d": {"$ref": "#/x"}}});
    assert_eq!(
        told(&report("w", &[output(node)])),
        [
            (Check::RecursiveReference, Severity::Dropped, "claude-code cursor".to_owned()),
            (Check::DanglingReference, Severity::Changed, "*".to_owned()),
        ]
    );
}

#[test]
fn sizes_count_where_they_are_over_a_client_s_limit() {
    let mut long = plain("a");
    long.description = Some("x".repeat(2049));
    assert_eq!(
        told(&report("w", &[long])),
        [(Check::DescriptionLength, Severity::Changed, "claude-code".to_owned())]
    );
    let mut bare = plain("a");
    bare.description = None;
    assert_eq!(told(&report("w", &[bare]))[0].0, Check::Description);
    let values: Vec<_> = (0..1000).map(|it| format!("v{it}")).collect();
    let large = json!({"properties": {"a": {"enum": values, "description": "x"}}});
    assert_eq!(
        told(&report("w", &[tool("a", &large)])),
        [(Check::SchemaSize, Severity::Changed, "codex".to_owned())]
    );
    let many: Vec<_> = (0..129).map(|it| plain(&format!("t{it}"))).collect();
    assert_eq!(
        told(&report("w", &many)),
        [(Check::ToolCount, Severity::Dropped, "cursor vscode".to_owned())]
    );
    assert_eq!(told(&report("my server", &[plain("a")]))[0].0, Check::ServerName);
}

#[test]
fn only_the_clients_that_were_asked_for_are_told_of() {
    let codex: Vec<_> = clients().iter().filter(|client| client.id == "codex").collect();
    let dashed = plain("get-it");
    let tools = vec![Offer { tool: &dashed, language: Language::Other }];
    let report = lint(&Subject { server: "w", tools }, &codex);
    assert_eq!(told(&report), [(Check::NameCharacters, Severity::Hint, "codex".to_owned())]);
}

#[test]
fn a_refused_tool_is_dropped_for_everybody() {
    let finding = refused("a", "the schema leads nowhere");
    assert_eq!((finding.severity, finding.check), (Severity::Dropped, Check::Rejected));
    assert_eq!(finding.what, "the schema leads nowhere");
}

fn result(content: Vec<Content>, value: Option<&Value>) -> ToolResult {
    let structured_content = value.map(|it| RawJson::parse(&it.to_string()).unwrap());
    ToolResult { structured_content, ..ToolResult::new("1".into(), content) }
}

#[test]
fn a_result_is_judged_as_it_would_be_sent() {
    let promised = RegisterTool {
        output_schema: Some(RawJson::parse(r#"{"type":"object"}"#).unwrap()),
        ..plain("a")
    };
    let judge = |tool: &RegisterTool, result: &ToolResult, violation: Option<&str>| {
        let offer = Offer { tool, language: Language::Python };
        let findings = lint_result(offer, result, violation, &all());
        findings.into_iter().map(|it| (it.check, it.what)).collect::<Vec<_>>()
    };
    let value = json!({"a": 1});
    let mirror = result(vec![Content::text(value.to_string())], Some(&value));
    assert_eq!(judge(&promised, &mirror, None), []);
    assert_eq!(judge(&promised, &mirror, Some("/a: no"))[0].0, Check::ResultSchema);
    let bare = result(vec![Content::text("one")], None);
    assert_eq!(judge(&promised, &bare, None)[0].0, Check::ResultSchema);
    assert_eq!(judge(&plain("a"), &bare, None), []);
    let image = result(vec![Content::image(b"x", "image/png")], Some(&value));
    let found = judge(&promised, &image, None);
    assert_eq!(
        found[0],
        (Check::ResultBeside, "its result has an image beside its value".to_owned())
    );
    // Without an output schema the bridge leaves the value out, so nothing is lost.
    assert_eq!(judge(&plain("a"), &image, None), []);
    let large = result(vec![Content::text("x".repeat(60_000))], None);
    assert_eq!(judge(&plain("a"), &large, None)[0].0, Check::ResultSize);
}

/// Any JSON, with the words of schemas in it.
fn any_schema() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "type",
        "object",
        "array",
        "items",
        "properties",
        "anyOf",
        "oneOf",
        "allOf",
        "$ref",
        "#",
        "#/$defs/a",
        "#/a~1b",
        "#/%zz",
        "$defs",
        "a",
        "not",
        "description",
        "https://x",
        "",
        "é",
    ]);
    let leaf = prop_oneof![
        word.clone().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(6, 64, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(word.clone().prop_map(str::to_owned), inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_as_a_schema_is_looked_through(schema in any_schema(), output in any_schema()) {
        let tool = RegisterTool {
            output_schema: Some(RawJson::parse(&output.to_string()).unwrap()),
            ..tool("a-b", &schema)
        };
        for finding in report("größe 2", &[tool]).findings {
            prop_assert!(!finding.what.is_empty() && !finding.fix.is_empty() && !finding.effects.is_empty());
            let (Some(place), Some(pointer)) = (finding.place, &finding.pointer) else { continue };
            let schema = if place == Place::Input { &schema } else { &output };
            prop_assert!(schema.pointer(pointer).is_some(), "{pointer} in {schema}");
        }
    }

    #[test]
    fn a_schema_of_any_depth_ends(depth in 0_usize..4000) {
        let text = "{\"items\":".repeat(depth) + "{}" + &"}".repeat(depth);
        let Ok(schema) = RawJson::parse(&text) else { return Ok(()) };
        let tool = RegisterTool { schema, ..plain("a") };
        prop_assert!(report("w", &[tool]).tokens() > 0);
    }
}
