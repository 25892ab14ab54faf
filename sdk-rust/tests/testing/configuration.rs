//! The configuration by the author's own type, and as docs/configuration.md says.

use extline::prelude::*;
use extline::testing::{Failure, Host};

use crate::configuration_page::weather;

#[derive(Debug, Deserialize)]
struct Retry {
    times: u8,
}

#[derive(Debug, Deserialize)]
struct Settings {
    url: String,
    retry: Retry,
}

fn telling() -> Extension {
    Extension::new("a", "1.0.0")
        .tool("typed", "", async |_: NoArgs, ctx: Context| {
            let settings: Settings = ctx.config()?;
            Ok(format!("{} {}", settings.url, settings.retry.times))
        })
        .tool("raw", "", async |_: NoArgs, ctx: Context| ctx.config::<Value>())
}

#[test]
fn the_sample_of_the_page_is_this_one() {
    let page = include_str!("../../../docs/configuration.md");
    let (_, program) = include_str!("configuration_page.rs").split_once("\n\n").unwrap();
    assert!(page.contains(&format!("```rust\n{program}```\n")));
    let mut host = Host::builder().config(json!({"base_url": "https://x"})).start(weather).unwrap();
    assert_eq!(host.call("where", json!({})).unwrap().text(), "https://x, for 5000 ms");
    host.change_config(json!({"base_url": "https://y", "timeout_ms": 7})).unwrap();
    assert_eq!(host.call("where", json!({})).unwrap().text(), "https://y, for 7 ms");
}

#[test]
fn what_does_not_fit_is_told_with_its_place() {
    let told = |config: Value| {
        let mut host = Host::builder().config(config).start(telling).unwrap();
        let answer = host.call("typed", json!({})).unwrap();
        assert_eq!(answer.error().unwrap().kind.as_str(), "fatal");
        answer.text()
    };
    let missing = told(json!({"url": "x"}));
    assert!(missing.contains("does not fit: /retry: required, and missing"), "{missing}");
    let wrong = told(json!({"url": "x", "retry": {"times": 300}}));
    assert!(wrong.contains("/retry/times: invalid value"), "{wrong}");
    assert!(wrong.contains("extline config DIR KEY VALUE"), "{wrong}");
}

#[test]
fn a_host_that_gives_none_gives_an_empty_one() {
    let mut host = Host::new(telling);
    assert_eq!(host.call("raw", json!({})).unwrap().text(), "{}");
    let mut zot = Host::builder().zot().start(telling).unwrap();
    assert_eq!(zot.call("raw", json!({})).unwrap().text(), "{}");
    let failure = zot.change_config(json!({})).unwrap_err();
    assert!(matches!(failure, Failure::Misuse { .. }), "{failure}");
}

#[test]
fn a_handler_is_told_of_a_change() {
    let mut host = Host::new(|| {
        Extension::new("a", "1.0.0").on("config_changed", async |event, ctx| {
            let config: Value = ctx.config().unwrap();
            ctx.notify_info(format!("{} {config}", event.payload.config.unwrap().get()));
        })
    });
    host.change_config(json!({"a": 1})).unwrap();
    assert_eq!(host.notes()[0].message, "{\"a\":1} {\"a\":1}");
}
