use std::fs;

use serde_json::{Value, json};

use super::*;
use crate::secrets::SecretStore;

const SCHEMA: &str = r#"{"name":"weather","config_schema":{"type":"object","required":["url","key"],
    "properties":{"url":{"type":"string"},"timeout_ms":{"type":"integer","minimum":1,"default":5000},
    "key":{"type":"string","secret":true},
    "retry":{"type":"object","properties":{"times":{"type":"integer"}}}}}}"#;

struct Scene {
    home: tempfile::TempDir,
    cwd: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap(), cwd: tempfile::tempdir().unwrap() }
    }

    fn read(&self) -> Configuration {
        self.try_read().unwrap()
    }

    fn try_read(&self) -> Result<Configuration, ConfigError> {
        let manifest = Manifest::parse(SCHEMA, Path::new("extension.json")).unwrap();
        Configuration::read("weather", Some(&manifest), self.home.path(), self.cwd.path())
    }

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn user(&self, text: &str) {
        Self::write(&user_file(self.home.path(), "weather"), text);
    }

    fn project(&self, text: &str) {
        Self::write(&project_file(self.cwd.path(), "weather"), text);
    }

    fn set_secret(&self) {
        SecretStore::new(self.home.path()).set("weather", "key", "x").unwrap();
    }
}

fn told(error: &ConfigError) -> Vec<String> {
    error.faults.iter().map(|fault| format!("{}: {}", fault.pointer, fault.message)).collect()
}

#[test]
fn what_is_set_later_holds_over_what_is_set_before() {
    let scene = Scene::new();
    scene.set_secret();
    scene.user(r#"{"config":{"url":"u","timeout_ms":1,"retry":{"times":1}}}"#);
    scene.project(r#"{"config":{"timeout_ms":2}}"#);
    let mut config = scene.read();
    config.give("a.json", r#"{"retry":{"times":3}}"#).unwrap();
    let got: Value = config.config().unwrap().unwrap().to().unwrap();
    assert_eq!(
        got,
        json!({"url": "u", "timeout_ms": 2, "retry": {"times": 3}, "key": {"$secret": "key"}})
    );
    let origins: Vec<_> = config.values().into_iter().map(|it| (it.key, it.origin)).collect();
    assert_eq!(
        origins,
        [
            ("key".to_owned(), Origin::Secret),
            ("retry.times".to_owned(), Origin::Given("a.json".to_owned())),
            ("timeout_ms".to_owned(), Origin::Project(project_file(scene.cwd.path(), "weather"))),
            ("url".to_owned(), Origin::User(user_file(scene.home.path(), "weather"))),
        ]
    );
}

#[test]
fn all_that_is_wrong_is_told_at_once_with_the_commands() {
    let scene = Scene::new();
    scene.user(r#"{"config":{"timeout_ms":"soon"}}"#);
    let error = scene.read().config().unwrap_err();
    assert_eq!(
        told(&error),
        [
            "/timeout_ms: must be an integer, and is \"soon\"",
            "/url: required, and missing",
            "/key: a secret that is required, and not set",
        ]
    );
    assert_eq!(
        error.remedy("weather", "."),
        "extline config . timeout_ms VALUE and extline config . url VALUE and extline secret set \
         weather key"
    );
    let file = user_file(scene.home.path(), "weather");
    assert_eq!(error.faults[0].source, Some(file.display().to_string()));
}

#[test]
fn a_secret_in_a_file_is_refused_and_not_shown() {
    let scene = Scene::new();
    scene.set_secret();
    scene.project(r#"{"config":{"url":"u","key":"sesame"}}"#);
    let error = scene.read().config().unwrap_err();
    assert!(told(&error)[0].starts_with("/key: is a secret, and stands in no configuration"));
    assert!(!error.to_string().contains("sesame"), "{error}");
    let error = scene.read().set("key", "sesame").unwrap_err();
    assert!(error.to_string().contains("extline secret set weather key"), "{error}");
    assert!(!error.to_string().contains("sesame"), "{error}");
}

#[test]
fn a_project_says_nothing_of_tools() {
    let scene = Scene::new();
    scene.project(r#"{"tools":{"rain":{"enabled":true}}}"#);
    let error = scene.try_read().unwrap_err();
    assert!(error.to_string().starts_with("/tools/rain: tools are switched off"), "{error}");
}

#[test]
fn a_value_is_held_against_the_schema_before_it_is_written() {
    let scene = Scene::new();
    let mut config = scene.read();
    config.set("url", "5").unwrap();
    config.set("timeout_ms", "9000").unwrap();
    config.set("retry.times", "2").unwrap();
    let refused = |config: &mut Configuration, key: &str, text: &str| {
        config.set(key, text).unwrap_err().to_string()
    };
    assert_eq!(
        refused(&mut config, "timeout_ms", "soon"),
        "/timeout_ms: must be an integer, and is \"soon\""
    );
    assert_eq!(
        refused(&mut config, "timeout_ms", "0"),
        "/timeout_ms: must be at least 1, and is 0"
    );
    assert!(refused(&mut config, "timeout", "1").contains("there is key, retry.times, timeout_ms"));
    assert!(refused(&mut config, "", "1").contains("is no key"));
    assert!(refused(&mut config, "url", &"x".repeat(1024 * 1024)).contains("at most 262144"));
    config.save().unwrap();
    let mut config = scene.read();
    assert_eq!(
        Value::Object(config.user.config.clone()),
        json!({"url": "5", "timeout_ms": 9000, "retry": {"times": 2}})
    );
    assert!(config.unset("retry.times").unwrap());
    assert!(!config.unset("retry.times").unwrap());
    assert_eq!(config.user.config.keys().collect::<Vec<_>>(), ["timeout_ms", "url"]);
}

#[test]
fn tools_have_settings_and_descriptions() {
    let scene = Scene::new();
    let mut config = scene.read();
    config.set_tool("rain", "enabled", "false").unwrap();
    config.set_tool("rain", "timeout_ms", "5").unwrap();
    config.set_tool("rain", "weight", "0.75").unwrap();
    assert!(config.set_tool("rain", "enabled", "perhaps").is_err());
    // A text is what it is, whether or not it is JSON too.
    config.set_tool("rain", "description", "5").unwrap();
    config.set_tool("rain", "/properties/city", "Where").unwrap();
    config.set_tool("rain", "/properties/day", "When").unwrap();
    assert!(config.unset_tool("rain", Some("/properties/day")));
    assert!(!config.unset_tool("rain", Some("/properties/day")));
    assert!(config.set_tool("rain", "description", " ").is_err());
    assert!(config.set_tool("rain", "city", "Where").is_err());
    config.save().unwrap();
    let mut config = scene.read();
    let settings = ToolSettings {
        enabled: Some(false),
        timeout_ms: Some(5),
        weight: Some(0.75),
        description: Some("5".to_owned()),
        parameters: [("/properties/city".to_owned(), "Where".to_owned())].into(),
    };
    assert_eq!(config.tools().get("rain"), Some(&settings));
    assert!(config.unset_tool("rain", Some("enabled")));
    assert!(config.unset_tool("rain", None));
    assert!(!config.unset_tool("rain", None));
    assert!(config.tools().is_empty());
}
