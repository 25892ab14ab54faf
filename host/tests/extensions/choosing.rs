//! Which tools a model gets for a turn: what their authors propose, what the agent selects, and in whose words.

use std::fs;
use std::sync::Arc;

use extline_host::{
    Descriptions, HostBuilder, News, Offer, SelectByWords, Selector, Tool, ToolFilter, WhyHidden,
};
use serde_json::{Value, json};

use crate::offers::{call, is_unknown, list, names, offer, start, tool, with};
use crate::support::{Home, LONG, end};

fn why(offer: &Offer, name: &str) -> Option<WhyHidden> {
    offer.hidden.iter().find(|hidden| hidden.tool.name() == name).map(|hidden| hidden.why)
}

fn filter(tools: &[&str]) -> ToolFilter {
    ToolFilter { tools: list(tools), ..ToolFilter::default() }
}

#[tokio::test]
async fn what_its_author_proposes_not_to_offer_is_offered_to_whoever_names_it() {
    let tools = json!([
        tool("read"),
        with(
            tool("purge"),
            &json!({"preference": {"enabled": false, "reason": "for administrators"}})
        ),
    ]);
    let home = Home::new();
    let host = start(&home, &tools, |it| it).await;
    let usual = offer(&host);
    assert_eq!(names(&usual.tools), ["read"]);
    assert_eq!(why(&usual, "purge"), Some(WhyHidden::NotProposed));
    is_unknown(&host, &usual, "purge", "{}").await;
    // A star names nothing in particular.
    assert_eq!(names(&host.offer(&filter(&["*"])).tools), ["read"]);
    let named = host.offer(&filter(&["*", "purge"]));
    assert_eq!(names(&named.tools), ["purge", "read"]);
    call(&host, &named, "purge", "{}").await.unwrap();

    // A result activates it, from then on for all.
    call(&host, &usual, "read", r#"{"activate":["purge"]}"#).await.unwrap();
    let later = offer(&host);
    assert_eq!(names(&later.tools), ["purge", "read"]);
    call(&host, &later, "purge", "{}").await.unwrap();
    end(host).await;
}

#[tokio::test]
async fn its_user_has_the_last_word_about_a_tool() {
    let tools =
        json!([with(tool("purge"), &json!({"preference": {"enabled": false}})), tool("read"),]);
    let home = Home::new();
    let file = home.path().join("config");
    fs::create_dir_all(&file).unwrap();
    let settings = json!({"version": 1, "tools": {"purge": {"enabled": true, "weight": 0.25,
        "description": "Mine."}}});
    fs::write(file.join("all.json"), settings.to_string()).unwrap();
    let descriptions = Descriptions::default();
    for name in ["purge", "read"] {
        descriptions.set(name, "The agent's.").unwrap();
    }
    let host = start(&home, &tools, |it| it.descriptions(descriptions)).await;
    let offered = offer(&host);
    assert_eq!(names(&offered.tools), ["purge", "read"]);
    let described: Vec<_> = offered.tools.iter().map(|tool| tool.description()).collect();
    assert_eq!(described, ["Mine.", "The agent's."]);
    assert_eq!(offered.tools[0].weight().to_string(), "0.25");
    end(host).await;
}

#[tokio::test]
async fn where_there_is_no_room_for_all_the_most_wanted_stay() {
    let weighing =
        |name: &str, weight: f64| with(tool(name), &json!({"preference": {"weight": weight}}));
    let tools = json!([
        tool("a"),
        weighing("b", 0.6),
        weighing("c", 0.9),
        weighing("d", 0.5),
        weighing("e", 0.1)
    ]);
    let home = Home::new();
    let host = start(&home, &tools, HostBuilder::tool_search).await;
    let each = offer(&host).tokens / 5;
    let offered = |room: usize| {
        let max_tokens = Some(room * each);
        let offer = host.offer(&ToolFilter { max_tokens, ..ToolFilter::default() });
        names(&offer.tools).join(" ")
    };
    assert_eq!(offered(5), "a b c d e");
    assert_eq!(offered(4), "b c tool_invoke tool_search");
    assert_eq!(offered(1), "c tool_invoke tool_search");
    end(host).await;
}

#[tokio::test]
async fn values_that_an_author_proposes_are_shown_as_defaults_and_not_put_in() {
    let schema = json!({"type": "object", "properties": {"limit": {"type": "integer"},
        "page": {"type": "integer", "default": 1}}});
    let preference = json!({"parameters": {"limit": 10, "page": 2, "other": 3}});
    let tools = json!([with(tool("find"), &json!({"schema": schema, "preference": preference}))]);
    let home = Home::new();
    let host = start(&home, &tools, |it| it).await;
    let offered = offer(&host);
    let shown: Value = offered.tools[0].definition.schema.to().unwrap();
    let limit = json!({"type": "integer", "default": 10});
    assert_eq!(shown["properties"], json!({"limit": limit, "page": schema["properties"]["page"]}));
    assert_eq!(call(&host, &offered, "find", "{}").await.unwrap(), json!(["find", {}]));
    end(host).await;
}

/// Two tools about the weather and the mail, and one that is always there.
fn office() -> Value {
    json!([
        {"name": "get_forecast", "description": "Tells the weather.", "schema": {"type": "object"}},
        {"name": "send_mail", "description": "Writes to somebody.", "schema": {"type": "object"}},
        with(tool("note"), &json!({"preference": {"weight": 1}})),
    ])
}

#[tokio::test]
async fn a_turn_gets_the_tools_that_its_words_are_about() {
    let home = Home::new();
    let host = start(&home, &office(), |it| it.selector(SelectByWords::default())).await;
    assert_eq!(names(&offer(&host).tools), ["get_forecast", "note", "send_mail"]);
    let usual = ToolFilter::default();
    let turn = host.offer_for(&usual, "what will the weather be?");
    assert_eq!(names(&turn.tools), ["get_forecast", "note"]);
    assert_eq!(turn.fingerprint, host.offer_for(&usual, "weather, please").fingerprint);
    assert_eq!(why(&turn, "send_mail"), Some(WhyHidden::NotSelected));
    // The gate holds to it.
    is_unknown(&host, &turn, "send_mail", "{}").await;
    call(&host, &turn, "get_forecast", "{}").await.unwrap();
    assert_eq!(names(&host.offer_for(&usual, "nothing of that").tools), ["note"]);
    end(host).await;
}

/// What somebody else's selector may answer.
struct Odd;

impl Selector for Odd {
    fn select(&self, turn: &str, tools: &[Arc<Tool>]) -> Vec<String> {
        assert!(tools.iter().all(|tool| tool.extension != "the host"));
        vec![turn.to_owned(), "nothing".to_owned(), turn.to_owned()]
    }
}

#[tokio::test]
async fn what_is_not_selected_is_found_by_a_search_and_a_selector_may_answer_anything() {
    let home = Home::new();
    let host = start(&home, &office(), |it| it.selector(Odd).tool_search()).await;
    let turn = host.offer_for(&ToolFilter::default(), "send_mail");
    assert_eq!(names(&turn.tools), ["send_mail", "tool_invoke", "tool_search"]);
    assert_eq!(names(&turn.deferred), ["get_forecast", "note"]);
    let invoke = r#"{"name":"get_forecast","args":{}}"#;
    assert_eq!(
        call(&host, &turn, "tool_invoke", invoke).await.unwrap(),
        json!(["get_forecast", {}])
    );
    end(host).await;
}

#[tokio::test]
async fn an_agent_changes_its_words_while_the_host_runs() {
    let home = Home::new();
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let tools = json!([with(tool("rain"), &json!({"schema": schema}))]);
    let descriptions = Descriptions::open(home.path().join("words.json")).unwrap();
    let host = start(&home, &tools, |it| it.descriptions(descriptions.clone())).await;
    let mut news = host.news();
    let before = offer(&host);
    descriptions.set("rain", "Tells of rain.").unwrap();
    descriptions.set_parameter("rain", "/properties/city", "Where").unwrap();
    let told = tokio::time::timeout(LONG, async {
        loop {
            if let Some(News::Descriptions { revision: 2 }) = news.next().await {
                break;
            }
        }
    });
    told.await.unwrap();
    let after = offer(&host);
    assert_eq!(after.tools[0].description(), "Tells of rain.");
    assert!(after.tools[0].definition.schema.get().contains(r#""description":"Where""#));
    assert_ne!(after.fingerprint, before.fingerprint);
    // What it is held to stays.
    call(&host, &after, "rain", r#"{"city":1}"#).await.unwrap_err();

    assert!(descriptions.delete("rain").unwrap());
    assert_eq!(offer(&host).fingerprint, before.fingerprint);
    end(host).await;
    // Nobody is told any more, and nothing fails.
    descriptions.set("rain", "Rain.").unwrap();
}
