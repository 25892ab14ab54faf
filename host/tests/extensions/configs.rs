//! Configurations: what an extension gets, when it is not started, what changes while it runs, and what a
//! user sets for its tools.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use extline_host::config::Configuration;
use extline_host::protocol::RawJson;
use extline_host::{CallError, Host, Manifest, Offer, Problem, ToolFilter};
use serde_json::{Value, json};

use crate::support::{Home, diagnosis, end, script, text};

const SCHEMA: &str = r#"{"type":"object","required":["url"],"properties":{
    "url":{"type":"string"},"timeout_ms":{"type":"integer","default":5000},
    "key":{"type":"string","secret":true}}}"#;

/// The folder of the extension, with that schema.
fn folder(home: &Home, schema: &str, args: &[&str]) -> PathBuf {
    let folder = home.folder("configured");
    let script = script("configured.py");
    let words: Vec<_> = [vec!["-S", script.to_str().unwrap()], args.to_vec()].concat();
    let mut manifest = json!({"name": "configured", "exec": "python3", "args": words});
    if !schema.is_empty() {
        manifest["config_schema"] = serde_json::from_str(schema).unwrap();
    }
    fs::write(folder.join("extension.json"), manifest.to_string()).unwrap();
    folder
}

fn set(home: &Home, folder: &Path, change: impl FnOnce(&mut Configuration)) {
    let manifest = Manifest::read(folder).unwrap();
    let (home, cwd) = (home.path(), home.path());
    let mut config = Configuration::read("configured", Some(&manifest), home, cwd).unwrap();
    change(&mut config);
    config.save().unwrap();
}

async fn told(host: &Host) -> Value {
    serde_json::from_str(&text(&host.call("config", "{}").await.unwrap())).unwrap()
}

fn raw(value: Value) -> RawJson {
    value.into()
}

#[tokio::test]
async fn it_gets_what_is_set_and_hears_of_changes_without_a_subscription() {
    let home = Home::new();
    let folder = folder(&home, SCHEMA, &[]);
    set(&home, &folder, |config| config.set("url", "https://x").unwrap());
    let host = home.builder().folder(&folder).start().await;
    let start = json!({"url": "https://x", "timeout_ms": 5000});
    assert_eq!(told(&host).await, json!({"start": start, "now": start}));

    assert!(!host.reload_config("configured").unwrap());
    set(&home, &folder, |config| config.set("timeout_ms", "9000").unwrap());
    assert!(host.reload_config("configured").unwrap());
    let now = json!({"url": "https://x", "timeout_ms": 9000});
    assert_eq!(told(&host).await, json!({"start": start, "now": now}));

    assert!(host.set_config("configured", raw(json!({"url": "https://y"}))).unwrap());
    let now = json!({"url": "https://y", "timeout_ms": 9000});
    assert_eq!(told(&host).await["now"], now);

    // What does not fit changes nothing.
    let error = host.set_config("configured", raw(json!({"timeout_ms": "soon"}))).unwrap_err();
    assert!(
        matches!(&error, CallError::Config { error, .. } if error.faults.len() == 1),
        "{error}"
    );
    assert_eq!(told(&host).await["now"], now);
    assert!(matches!(host.reload_config("nobody"), Err(CallError::Unknown { .. })));
    end(host).await;
}

#[tokio::test]
async fn one_that_knows_no_capability_gets_its_configuration_and_no_event() {
    let home = Home::new();
    let folder = folder(&home, SCHEMA, &["plain"]);
    let given = raw(json!({"url": "a"}));
    let host = home.builder().folder(&folder).config("configured", "a.json", given).start().await;
    let start = json!({"url": "a", "timeout_ms": 5000});
    assert!(host.set_config("configured", raw(json!({"url": "b"}))).unwrap());
    assert_eq!(told(&host).await, json!({"start": start, "now": start}));
    end(host).await;
}

#[tokio::test]
async fn without_a_schema_it_gets_what_is_given_and_else_nothing() {
    let home = Home::new();
    let folder = folder(&home, "", &[]);
    let host = home.builder().folder(&folder).start().await;
    assert_eq!(told(&host).await["start"], Value::Null);
    end(host).await;
    let given = raw(json!({"__proto__": {"polluted": true}}));
    let builder = home.builder().folder(&folder).config("configured", "a.json", given.clone());
    let host = builder.start().await;
    assert_eq!(told(&host).await["start"], given.to::<Value>().unwrap());
    end(host).await;
}

#[tokio::test]
async fn one_whose_configuration_does_not_fit_is_not_started() {
    let home = Home::new();
    let folder = folder(&home, SCHEMA, &[]);
    let given = raw(json!({"timeout_ms": "soon"}));
    let host = home.builder().folder(&folder).config("configured", "a.json", given).start().await;
    let diagnosis = diagnosis(&host);
    let Problem::Config { faults, .. } = &diagnosis.problem else { panic!("{diagnosis}") };
    let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(
        faults,
        [
            "/timeout_ms: must be an integer, and is \"soon\" (a.json)",
            "/url: required, and missing"
        ]
    );
    assert_eq!(diagnosis.suggestion, "extline config ./configured url VALUE");
    assert_eq!(diagnosis.doing, "reading its configuration");
    // Nothing of it ran.
    assert!(!home.path().join("logs/configured.log").exists());
    end(host).await;
}

#[tokio::test]
async fn what_no_file_should_hold_is_refused_without_a_crash() {
    let home = Home::new();
    let folder = folder(&home, SCHEMA, &[]);
    let file = home.path().join("config/configured.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let long = format!(r#"{{"config":{{"url":"{}"}}}}"#, "x".repeat(1024 * 1024));
    for (written, expected) in [
        (r#"{"config":{"url":NaN}}"#, "is not JSON"),
        (r#"{"config":{"url":"a","url":"b"}}"#, "/config/url: stands there twice"),
        (long.as_str(), "has 1048597 bytes, and a configuration has at most 262144"),
        ("\u{0}", "is not JSON"),
        (r#"{"config":{"url":"a","key":"sesame"}}"#, "/key: is a secret"),
    ] {
        fs::write(&file, written).unwrap();
        let host = home.builder().folder(&folder).start().await;
        let diagnosis = diagnosis(&host).to_string();
        assert!(diagnosis.contains(expected), "{expected}: {diagnosis}");
        assert!(
            diagnosis.contains("configured.json") && !diagnosis.contains("sesame"),
            "{diagnosis}"
        );
        end(host).await;
    }
    // A name that means something in some languages is a name.
    fs::write(&file, r#"{"config":{"url":"a","__proto__":{"polluted":true}}}"#).unwrap();
    let host = home.builder().folder(&folder).start().await;
    assert_eq!(told(&host).await["start"]["__proto__"], json!({"polluted": true}));
    end(host).await;
}

#[tokio::test]
async fn a_secret_that_is_required_keeps_it_from_starting_and_travels_as_a_reference() {
    let home = Home::new();
    let schema = SCHEMA.replace("[\"url\"]", "[\"key\"]");
    let folder = folder(&home, &schema, &[]);
    let host = home.builder().folder(&folder).start().await;
    let missing = diagnosis(&host);
    assert!(missing.to_string().contains("/key: a secret that is required, and not set"));
    assert_eq!(missing.suggestion, "extline secret set configured key");
    end(host).await;
    let secrets = home.folder("secrets");
    let file = secrets.join("configured.json");
    fs::write(&file, r#"{"version":1,"secrets":{"key":"c2VzYW1l"}}"#).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&secrets, fs::Permissions::from_mode(0o700)).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    }
    let host = home.builder().folder(&folder).start().await;
    let start = json!({"timeout_ms": 5000, "key": {"$secret": "key"}});
    assert_eq!(told(&host).await["start"], start);
    end(host).await;
}

#[tokio::test]
async fn a_tool_that_its_user_has_disabled_is_neither_offered_nor_called() {
    let home = Home::new();
    let folder = folder(&home, "", &[]);
    set(&home, &folder, |config| config.set_tool("config", "enabled", "false").unwrap());
    let host = home.builder().folder(&folder).start().await;
    let names =
        |host: &Host| host.tools().iter().map(|tool| tool.name().to_owned()).collect::<Vec<_>>();
    assert_eq!(names(&host), ["sleep"]);
    let error = host.call("config", "{}").await.unwrap_err();
    let file = home.path().join("config/configured.json");
    assert_eq!(error.to_string(), format!("config is disabled by its user, in {}", file.display()));
    let rejected = &host.extensions()[0].report.rejected;
    assert_eq!(rejected[0].name, "config");
    // It is offered again as soon as the user wants it.
    set(&home, &folder, |config| assert!(config.unset_tool("config", None)));
    host.reload_config("configured").unwrap();
    assert_eq!(names(&host), ["config", "sleep"]);
    assert_eq!(told(&host).await["start"], Value::Null);
    end(host).await;
}

#[tokio::test]
async fn the_time_that_a_user_gives_a_tool_holds_over_that_of_the_host() {
    let home = Home::new();
    let folder = folder(&home, "", &[]);
    set(&home, &folder, |config| config.set_tool("sleep", "timeout_ms", "50").unwrap());
    let host = home.builder().folder(&folder).start().await;
    let error = host.call("sleep", "{}").await.unwrap_err();
    let after = Duration::from_millis(50);
    assert!(matches!(&error, CallError::Timeout { after: it, .. } if *it == after), "{error}");
    end(host).await;
}

#[tokio::test]
async fn a_model_reads_what_a_user_says_of_a_tool_and_its_parameters() {
    let home = Home::new();
    let folder = folder(&home, "", &[]);
    let host = home.builder().folder(&folder).start().await;
    let offered = |host: &Host| host.offer(&ToolFilter::default());
    let before = offered(&host);
    set(&home, &folder, |config| {
        config.set_tool("sleep", "description", "Waits, as I want it.").unwrap();
        config.set_tool("sleep", "", "x").unwrap_err();
        config.set_tool("sleep", "/properties/nothing", "leads nowhere").unwrap();
    });
    // It is read when that is asked for, and changes the fingerprint.
    assert_eq!(offered(&host).fingerprint, before.fingerprint);
    host.reload_config("configured").unwrap();
    let after = offered(&host);
    let sleep =
        |offer: &Offer| Arc::clone(offer.tools.iter().find(|it| it.name() == "sleep").unwrap());
    assert_eq!(sleep(&after).description(), "Waits, as I want it.");
    assert_eq!(sleep(&after).definition.schema, sleep(&before).definition.schema);
    assert_ne!(after.fingerprint, before.fingerprint);
    assert_eq!(host.tools().iter().filter(|it| it.name() == "sleep").count(), 1);

    set(&home, &folder, |config| assert!(config.unset_tool("sleep", None)));
    host.reload_config("configured").unwrap();
    assert_eq!(offered(&host).fingerprint, before.fingerprint);
    end(host).await;
}

#[tokio::test]
async fn a_parameter_is_described_where_its_pointer_leads() {
    let home = Home::new();
    let folder = folder(&home, "", &["described"]);
    set(&home, &folder, |config| {
        config.set_tool("described", "/properties/city", "The city, in English.").unwrap();
    });
    let host = home.builder().folder(&folder).start().await;
    let tools = host.tools();
    let described = tools.iter().find(|it| it.name() == "described").unwrap();
    let schema: Value = described.definition.schema.to().unwrap();
    assert_eq!(
        schema["properties"]["city"],
        json!({"type": "string", "description": "The city, in English."})
    );
    // What its arguments are held to stays.
    let error = host.call("described", "{\"city\":5}").await.unwrap_err();
    assert_eq!(error.field(), Some("/city"));
    end(host).await;
}
