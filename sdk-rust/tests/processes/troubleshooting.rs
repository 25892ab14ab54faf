//! Every text of docs/rust/troubleshooting.md is said where the mistake is made.

use std::collections::BTreeMap;
use std::time::Duration;

use extline::prelude::*;
use extline::testing::{Failure, Host, Moment, Ruling};

const PAGE: &str = include_str!("../../../docs/rust/troubleshooting.md");

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Weather {
    city: String,
}

#[test]
fn each_text_of_the_page_is_said() {
    let mut said = at_the_start();
    said.extend(while_it_runs().unwrap());
    let texts = PAGE.lines().filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`'));
    let texts: Vec<_> = texts.collect();
    assert!(texts.len() > 20, "{texts:?}");
    for text in texts {
        let parts: Vec<_> = text.split("...").collect();
        assert!(
            said.iter().any(|said| has_in_order(said, &parts)),
            "nobody said {text:?}: {said:#?}"
        );
    }
}

/// What the start of an extension with that mistake says: why it failed, or what is on stderr.
fn at_the_start() -> Vec<String> {
    fn said(extend: fn(Extension) -> Extension) -> String {
        let mistaken = move || extend(Extension::new("mistaken", "1.0.0"));
        match Host::builder().start(mistaken) {
            Ok(mut host) => {
                host.settle().unwrap();
                host.stderr().join("\n")
            }
            Err(failure) => without_quotes(&failure.to_string()),
        }
    }
    vec![
        said(|it| {
            it.tool("a", "", async |_: NoArgs, _| Ok(())).tool("a", "", async |_: NoArgs, _| Ok(()))
        }),
        said(|it| it.tool("größe", "", async |_: NoArgs, _| Ok(()))),
        said(|it| it.tool("a", "", async |_: String, _| Ok(()))),
        said(|it| it.raw_tool("a", "", json!({ "type": "objct" }), async |_: Value, _| Ok(()))),
        said(|it| {
            let schema = json!({ "type": "object", "properties": { "a": { "pattern": "(?=a)" } } });
            it.raw_tool("a", "", schema, async |_: Value, _| Ok(()))
        }),
        said(|it| it.setup(async |_, _| Err(ToolError::not_found("no notes")))),
        said(|it| it.required(Requirement::method("ui/ask"))),
        said(|it| it.on("turn_ends", async |_: Event, _: Context| {})),
        late(),
    ]
}

fn late() -> String {
    let setup = || {
        Extension::new("mistaken", "1.0.0").setup(async |_, ctx| {
            ctx.cancellation().await;
            Ok(())
        })
    };
    let host = Host::builder().start_deadline(Duration::from_millis(50)).start(setup);
    host.unwrap_err().to_string()
}

fn mistaken() -> Extension {
    let oh_no = || Err::<(), _>(ToolError::internal("oh no"));
    Extension::new("mistaken", "1.0.0")
        .tool("weather", "", async |w: Weather, _| Ok(w.city))
        .tool("panics", "", async |args: NoArgs, _| -> Result<(), _> { panic!("{args:?}") })
        .tool("map", "", async |_: NoArgs, _| Ok(Json(BTreeMap::from([((1, 2), 3)]))))
        .tool("calls", "", async |_: NoArgs, ctx: Context| {
            Ok(ctx.call_tool("other", &json!([])).await?.text())
        })
        .tool("asks", "", async |_: NoArgs, ctx: Context| {
            ctx.request::<Value, _>("other", &json!({})).await
        })
        .add_tool(
            Tool::new("promises", "", async |_: NoArgs, _| Ok("16"))
                .output_schema(json!({ "type": "object" })),
        )
        .on("turn_end", async move |_: Event, _: Context| oh_no())
        .teardown(async move |_| oh_no())
        .intercept(point::AssistantMessage, async |message, _| {
            let _ = message.replace("");
        })
        .intercept(point::ToolCall, async |call, _| {
            (call.tool() == "bash").then(|| call.rewrite(json!([])))
        })
        .guard("weather", async |call, _| call.args_as::<Weather>().map(|_| call.allow()))
}

/// What its handlers say.
fn while_it_runs() -> Result<Vec<String>, Failure> {
    let mut host = Host::new(mistaken);
    let mut said = Vec::new();
    for (tool, args) in [
        ("weather", json!({})),
        ("weather", json!({ "city": 7 })),
        ("weather", json!({ "city": "Bonn", "day": 7 })),
        ("panics", json!({})),
        ("map", json!({})),
        ("calls", json!({})),
        ("asks", json!({})),
    ] {
        said.push(without_quotes(&host.call(tool, args)?.text()));
    }
    for moment in [
        Moment::assistant_message("hi"),
        Moment::tool_call("bash", json!({})),
        Moment::tool_call("read", json!({ "path": "a" })),
    ] {
        match host.intercept(moment)? {
            Ruling::Blocked(reason) => said.push(without_quotes(&reason)),
            ruling => panic!("{ruling:?}"),
        }
    }
    said.push(host.event("turn_start", json!({})).unwrap_err().to_string());
    said.push(host.call("wether", json!({})).unwrap_err().to_string());
    said.push(host.call("promises", json!({})).unwrap_err().to_string());
    said.push(host.event("turn_end", json!({})).unwrap_err().to_string());
    said.push(host.shutdown().unwrap_err().to_string());
    Ok(said)
}

/// As a heading shows it.
fn without_quotes(text: &str) -> String {
    text.replace('`', "")
}

fn has_in_order(text: &str, parts: &[&str]) -> bool {
    let mut rest = text;
    parts.iter().all(|part| match rest.split_once(part) {
        Some((_, behind)) => {
            rest = behind;
            true
        }
        None => false,
    })
}
