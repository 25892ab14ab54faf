//! What a model is offered, and that it can call nothing else.

use std::fs;
use std::sync::Arc;

use extline_host::model::Provider;
use extline_host::protocol::ErrorKind;
use extline_host::{
    CallError, CallOptions, ExtensionSource, Host, HostBuilder, MemoPolicy, Offer, Tool,
    ToolFilter, WhyHidden,
};
use extline_host::{News, NewsStream};
use serde_json::{Value, json};

use crate::stage::Stage;
use crate::support::{Home, LONG, end, python, text};

/// An extension with these tools.
fn extension(home: &Home, name: &str, tools: &Value) -> ExtensionSource {
    let file = home.path().join(format!("{name}.json"));
    fs::write(&file, tools.to_string()).unwrap();
    python("offered.py", [name.into(), file.into_os_string()]).named(name)
}

pub(crate) fn tool(name: &str) -> Value {
    json!({"name": name, "description": format!("Does {name}. More of it."), "schema": {"type": "object"}})
}

pub(crate) fn with(mut tool: Value, more: &Value) -> Value {
    tool.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    tool
}

/// Sixty tools whose schemas cost more than 40,000 tokens; one is about the weather.
fn sixty() -> Value {
    let padding = "long ".repeat(600);
    let large = |at: usize| {
        let schema = json!({"type": "object", "properties": {"value": {"type": "string", "description": padding}}});
        json!({"name": format!("part_{at:02}"), "description": format!("Part number {at}."), "schema": schema})
    };
    let mut tools: Vec<_> = (0..59).map(large).collect();
    tools.push(json!({"name": "get_forecast", "description": "Tells the weather of the coming days.",
        "schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}));
    json!(tools)
}

pub(crate) fn names(tools: &[Arc<Tool>]) -> Vec<&str> {
    tools.iter().map(|tool| tool.name()).collect()
}

pub(crate) fn offer(host: &Host) -> Offer {
    host.offer(&ToolFilter::default())
}

pub(crate) fn list(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// What a call of a model comes to that has the offer.
pub(crate) async fn call(
    host: &Host,
    offer: &Offer,
    name: &str,
    args: &str,
) -> Result<Value, CallError> {
    let options = CallOptions::default().offered(offer);
    let result = host.start_call(name, args, options).await?.outcome().await?;
    Ok(serde_json::from_str(&text(&result)).unwrap_or_else(|_| text(&result).into()))
}

pub(crate) async fn is_unknown(host: &Host, offer: &Offer, name: &str, args: &str) {
    let error = call(host, offer, name, args).await.unwrap_err();
    assert!(matches!(&error, CallError::Unknown { what: "tool", .. }), "{name}: {error}");
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

pub(crate) async fn start(
    home: &Home,
    tools: &Value,
    with: impl FnOnce(HostBuilder) -> HostBuilder,
) -> Host {
    with(home.builder()).extension(extension(home, "all", tools)).start().await
}

#[tokio::test]
async fn of_sixty_tools_over_the_budget_one_is_found_by_a_search_and_called() {
    let home = Home::new();
    let host = start(&home, &sixty(), HostBuilder::tool_search).await;
    let offered = offer(&host);
    assert_eq!(names(&offered.tools), ["tool_invoke", "tool_search"]);
    assert_eq!(offered.deferred.len(), 60);
    assert!(offered.tokens < 300, "{}", offered.tokens);
    assert!(offered.summary.contains("- get_forecast: Tells the weather of the coming days.\n"));
    assert!(offered.summary.len() <= 8_300, "{}", offered.summary.len());

    let options = CallOptions::default().offered(&offered);
    let found = host
        .start_call("tool_search", r#"{"query":"what will the weather be"}"#, options)
        .await
        .unwrap();
    let found = found.outcome().await.unwrap();
    assert_eq!(found.trust.as_deref(), Some("untrusted"));
    let value: Value = found.structured_content.unwrap().to().unwrap();
    assert_eq!(value["tools"].as_array().unwrap().len(), 1);
    assert_eq!(value["tools"][0]["name"], "get_forecast");
    assert_eq!(value["tools"][0]["schema"]["required"], json!(["city"]));
    let invoke = r#"{"name":"get_forecast","args":{"city":"Oslo"}}"#;
    let answer = call(&host, &offered, "tool_invoke", invoke).await.unwrap();
    assert_eq!(answer, json!(["get_forecast", {"city": "Oslo"}]));

    // Its own schema holds, and what cannot be meant is told.
    let error = call(&host, &offered, "tool_invoke", r#"{"name":"get_forecast","args":{}}"#)
        .await
        .unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::Validation, Some("/city")));
    is_unknown(&host, &offered, "tool_invoke", r#"{"name":"nope","args":{}}"#).await;
    let error =
        call(&host, &offered, "tool_invoke", r#"{"name":"get_forecast"}"#).await.unwrap_err();
    assert!(matches!(&error, CallError::Invalid { .. }), "{error}");
    let itself = r#"{"name":"tool_invoke","args":{"name":"get_forecast","args":{}}}"#;
    let said = call(&host, &offered, "tool_invoke", itself).await.unwrap();
    assert_eq!(said, "tool_invoke cannot call itself; name the tool that is meant");

    let parts = call(&host, &offered, "tool_search", r#"{"query":"part"}"#).await.unwrap();
    assert_eq!(parts.as_str().unwrap().matches("\n\n").count(), 4);
    let parts =
        call(&host, &offered, "tool_search", r#"{"query":"part","limit":20}"#).await.unwrap();
    assert_eq!(parts.as_str().unwrap().matches("\n\n").count(), 19);
    let none = call(&host, &offered, "tool_search", r#"{"query":"zzz"}"#).await.unwrap();
    assert_eq!(none, "No tool fits these words. There are 60; try other words.");

    // With room for all, all are listed, and nothing searches.
    let roomy = host.offer(&ToolFilter { max_tokens: Some(1_000_000), ..ToolFilter::default() });
    assert_eq!((roomy.tools.len(), roomy.deferred.len()), (60, 0));
    assert_eq!(roomy.summary, "");
    end(host).await;
}

#[tokio::test]
async fn guards_see_the_tool_that_an_invocation_names() {
    let stage = Stage::new().guard("g", &json!({}));
    let host = stage.start_with(HostBuilder::tool_search).await;
    let invoke = r#"{"name":"run","args":{"command":"ls"}}"#;
    host.call("tool_invoke", invoke).await.unwrap();
    let asked = &stage.entries()[0];
    assert_eq!(asked.who, "g guard");
    assert_eq!(
        (&asked.frame["tool_name"], &asked.frame["tool_args"]),
        (&json!("run"), &json!({"command": "ls"}))
    );
    end(host).await;
    // Without a search it is a name like any other.
    let host = stage.start_with(|builder| builder).await;
    let error = host.call("tool_invoke", invoke).await.unwrap_err();
    assert!(matches!(error, CallError::Unknown { .. }), "{error}");
    end(host).await;
}

#[tokio::test]
async fn without_a_search_all_are_listed_whatever_they_cost() {
    let home = Home::new();
    let host = start(&home, &sixty(), |builder| builder).await;
    let offered = offer(&host);
    assert_eq!((offered.tools.len(), offered.deferred.len()), (60, 0));
    assert!(offered.tokens > extline_host::MAX_TOKENS);
    is_unknown(&host, &offered, "tool_search", r#"{"query":"weather"}"#).await;
    end(host).await;
}

#[tokio::test]
async fn two_offers_of_the_same_are_the_same_bytes_whoever_registered_first() {
    let home = Home::new();
    let (one, two) = (json!([tool("b"), tool("d")]), json!([tool("c"), tool("a")]));
    let mut offers = Vec::new();
    for (first, second) in [(&one, &two), (&two, &one)] {
        let builder = home.builder().tool_search();
        let builder = builder.extension(extension(&home, "one", first));
        let host = builder.extension(extension(&home, "two", second)).start().await;
        offers.push(offer(&host));
        offers.push(offer(&host));
        end(host).await;
    }
    for offered in &offers {
        assert_eq!(names(&offered.tools), ["a", "b", "c", "d"]);
        assert_eq!(offered.json(), offers[0].json());
        assert_eq!(offered.fingerprint, offers[0].fingerprint);
        assert_eq!((&offered.summary, offered.tokens), (&offers[0].summary, offers[0].tokens));
    }
    let listed: Value = serde_json::from_str(&offers[0].json()).unwrap();
    assert_eq!(
        listed[0],
        json!({"name": "a", "description": "Does a. More of it.", "schema": {"type": "object"}})
    );
    let host = start(
        &home,
        &json!([tool("a"), tool("b"), tool("c"), with(tool("d"), &json!({"description": "D."}))]),
        |it| it,
    )
    .await;
    assert_ne!(offer(&host).fingerprint, offers[0].fingerprint);
    end(host).await;
}

#[tokio::test]
async fn what_a_filter_does_not_let_through_is_not_found_at_the_gate() {
    let home = Home::new();
    let read = json!({"annotations": {"read_only": true}});
    let first = json!([
        with(tool("read"), &read),
        tool("write"),
        with(tool("list"), &json!({"namespace": "files"}))
    ]);
    let second = json!([with(tool("fetch"), &read), tool("post")]);
    let builder = home.builder().tool_search().extension(extension(&home, "one", &first));
    let host = builder.extension(extension(&home, "two", &second)).start().await;
    let cases = [
        (
            ToolFilter { extensions: list(&["one"]), ..ToolFilter::default() },
            list(&["list", "read", "write"]),
        ),
        (
            ToolFilter {
                extensions: list(&["two"]),
                tools: list(&["wr*"]),
                ..ToolFilter::default()
            },
            list(&["fetch", "post", "write"]),
        ),
        (ToolFilter { namespaces: list(&["files"]), ..ToolFilter::default() }, list(&["list"])),
        (
            ToolFilter { tags: list(&["read_only"]), ..ToolFilter::default() },
            list(&["fetch", "read"]),
        ),
        (
            ToolFilter { disabled: list(&["two", "write"]), ..ToolFilter::default() },
            list(&["list", "read"]),
        ),
        (
            ToolFilter {
                extensions: list(&["one"]),
                enabled_only: list(&["two", "read"]),
                ..ToolFilter::default()
            },
            list(&["read"]),
        ),
        (ToolFilter { tools: list(&["nope"]), ..ToolFilter::default() }, list(&[])),
    ];
    for (filter, expected) in cases {
        let offered = host.offer(&filter);
        assert_eq!(names(&offered.tools), expected, "{filter:?}");
        assert!(offered.hidden.iter().all(|it| it.why == WhyHidden::Filtered));
        for name in ["read", "write", "list", "fetch", "post"] {
            if expected.contains(&name.to_owned()) {
                assert_eq!(call(&host, &offered, name, "{}").await.unwrap(), json!([name, {}]));
            } else {
                is_unknown(&host, &offered, name, "{}").await;
                // Nor by the way round.
                let invoke = json!({"name": name, "args": {}}).to_string();
                is_unknown(&host, &offered, "tool_invoke", &invoke).await;
            }
        }
        let found =
            call(&host, &offered, "tool_search", r#"{"query":"does read write list fetch post"}"#)
                .await
                .unwrap();
        for name in ["read", "write", "list", "fetch", "post"] {
            let is_found = found.as_str().unwrap().contains(&format!("{name}: Does"));
            assert_eq!(is_found, expected.contains(&name.to_owned()), "{name} {found}");
        }
    }
    let wrong = ToolFilter {
        tools: list(&["read", "raed", "x*"]),
        tags: list(&["readonly"]),
        ..ToolFilter::default()
    };
    assert_eq!(host.offer(&wrong).unknown, ["raed", "x*", "readonly"]);
    // Who has no offer calls all, an extension in the midst of its call too.
    assert!(host.call("write", "{}").await.is_ok());
    let offered = host.offer(&ToolFilter { tools: list(&["read"]), ..ToolFilter::default() });
    let nested = call(&host, &offered, "read", r#"{"call":"post"}"#).await.unwrap();
    assert!(nested.to_string().contains("post"), "{nested}");
    assert_ne!(nested["is_error"], true, "{nested}");
    end(host).await;
}

#[tokio::test]
async fn a_filter_of_the_host_holds_for_every_call_that_no_extension_makes() {
    let home = Home::new();
    let own = ToolFilter { disabled: list(&["write"]), ..ToolFilter::default() };
    let tools = json!([tool("read"), tool("write")]);
    let host = start(&home, &tools, |builder| builder.tool_filter(own).tool_search()).await;
    let wide = offer(&host);
    assert_eq!(names(&wide.tools), ["read"]);
    is_unknown(&host, &wide, "write", "{}").await;
    for error in [
        host.call("write", "{}").await,
        host.call("tool_invoke", r#"{"name":"write","args":{}}"#).await,
    ] {
        assert!(matches!(error.unwrap_err(), CallError::Unknown { .. }));
    }
    let narrow = host.offer(&ToolFilter { tools: list(&["write"]), ..ToolFilter::default() });
    assert_eq!(names(&narrow.tools), Vec::<&str>::new());
    end(host).await;
}

/// The tools that the next news of this kind names.
async fn activated(news: &mut NewsStream) -> Vec<String> {
    let next = async {
        loop {
            if let Some(News::ToolsActivated { names, active: true, .. }) = news.next().await {
                return names;
            }
        }
    };
    tokio::time::timeout(LONG, next).await.unwrap()
}

#[tokio::test]
async fn each_exposure_is_acted_on_and_results_activate_what_is_deferred() {
    let home = Home::new();
    let exposed = |name: &str, exposure: &str| with(tool(name), &json!({"exposure": exposure}));
    let tools = json!([
        tool("plain"),
        exposed("later", "deferred"),
        exposed("script", "codemode"),
        exposed("inner", "hidden"),
        exposed("model", "model-only"),
        with(tool("older"), &json!({"deferred": true})),
    ]);
    let host = start(&home, &tools, HostBuilder::tool_search).await;
    let mut news = host.news();
    let offered = offer(&host);
    assert_eq!(names(&offered.tools), ["model", "plain", "tool_invoke", "tool_search"]);
    assert_eq!(names(&offered.codemode), ["script"]);
    assert_eq!(names(&offered.deferred), ["later", "older"]);
    assert_eq!(offered.hidden.len(), 1);
    assert_eq!(
        (offered.hidden[0].tool.name(), offered.hidden[0].why),
        ("inner", WhyHidden::NotForModels)
    );
    assert_eq!(
        offered.summary,
        "## Tools for scripts\n\nScripts can call: script\n\n## More tools\n\ntool_search finds these by words and says \
         what arguments they take, and tool_invoke calls them:\n\n- later: Does later.\n- older: Does older."
    );
    is_unknown(&host, &offered, "inner", "{}").await;
    let nested = call(&host, &offered, "plain", r#"{"call":"inner"}"#).await.unwrap();
    assert!(nested.to_string().contains("inner"), "{nested}");
    assert_ne!(nested["is_error"], true, "{nested}");

    call(&host, &offered, "plain", r#"{"activate":["older","nope","older"]}"#).await.unwrap();
    assert_eq!(activated(&mut news).await, ["older"]);
    let again = offer(&host);
    assert_eq!(names(&again.tools), ["model", "older", "plain", "tool_invoke", "tool_search"]);
    assert_ne!(again.fingerprint, offered.fingerprint);
    call(&host, &again, "plain", r#"{"activate":["later"]}"#).await.unwrap();
    // Nothing is left to find.
    assert_eq!(names(&offer(&host).tools), ["later", "model", "older", "plain"]);
    end(host).await;
}

#[tokio::test]
async fn what_was_activated_is_listed_first_where_the_budget_is_passed() {
    let home = Home::new();
    let host = start(&home, &sixty(), HostBuilder::tool_search).await;
    let offered = offer(&host);
    call(&host, &offered, "part_00", r#"{"activate":["get_forecast","part_07"]}"#).await.unwrap();
    let again = offer(&host);
    assert_eq!(names(&again.tools), ["get_forecast", "part_07", "tool_invoke", "tool_search"]);
    assert_eq!(again.deferred.len(), 58);
    // Of two that do not fit both, the newest.
    let small = host.offer(&ToolFilter { max_tokens: Some(900), ..ToolFilter::default() });
    assert_eq!(names(&small.tools), ["get_forecast", "part_07", "tool_invoke", "tool_search"]);
    let smaller = host.offer(&ToolFilter { max_tokens: Some(800), ..ToolFilter::default() });
    assert_eq!(names(&smaller.tools), ["part_07", "tool_invoke", "tool_search"]);
    end(host).await;
}

#[tokio::test]
async fn groups_are_told_and_an_offer_is_rendered_for_a_provider() {
    let home = Home::new();
    let files = json!({"namespace": "files", "namespace_description": "Files of the project.",
        "namespace_instructions": "Read before you write."});
    let recursive = json!({"schema": {"type": "object", "properties": {"child": {"$ref": "#"}}}});
    let tools = json!([with(tool("read"), &files), with(tool("tree"), &recursive)]);
    let host = start(&home, &tools, HostBuilder::tool_search).await;
    let offered = offer(&host);
    assert_eq!(
        offered.summary,
        "## Tools of files\n\nFiles of the project.\n\nRead before you write."
    );
    let google = offered.render(Provider::Google);
    assert_eq!(google.tools.len(), 1);
    let schema: Value = google.tools[0].schema.to().unwrap();
    assert_eq!(schema, json!({"type": "object"}));
    let (left_out, error) = &google.left_out[0];
    assert_eq!((left_out.name(), error.reason.as_str()), ("tree", "recursion"));
    assert_eq!(offered.render(Provider::Anthropic).tools.len(), 2);
    end(host).await;
}

#[tokio::test]
async fn a_call_in_tool_invoke_is_repaired_and_remembered_as_the_tool_s_own() {
    let home = Home::new();
    let tools = json!([with(tool("outline"), &json!({"pure": true, "deferred": true}))]);
    let with = |builder: HostBuilder| builder.tool_search().repair(true).memo(MemoPolicy::Answer);
    let host = start(&home, &tools, with).await;
    let mut news = host.news();
    let offered = offer(&host);
    let options = || CallOptions::default().offered(&offered).task("one");
    let broken = "{'name': 'outline', 'args': {'path': 'a',},}";
    let first = host.start_call("tool_invoke", broken, options()).await.unwrap();
    let first = first.outcome().await.unwrap();
    let second = host.start_call("outline", r#"{"path":"a"}"#, options()).await.unwrap();
    assert_eq!(text(&second.outcome().await.unwrap()), text(&first));
    // The words are the extension's, whichever way it was called.
    let said = host.for_model("tool_invoke", &Ok(first));
    assert_eq!(said.content.len(), 3, "{said:?}");
    let mut seen = (false, false);
    while seen != (true, true) {
        match news.next().await.unwrap() {
            News::ArgsRepaired { tool, fixes, .. } => {
                assert_eq!((tool.as_str(), fixes.is_empty()), ("tool_invoke", false));
                seen.0 = true;
            }
            News::CallEnded { tool, cache_hit: true, .. } => {
                assert_eq!(tool, "outline");
                seen.1 = true;
            }
            _ => {}
        }
    }
    end(host).await;
}
