//! The configuration of the extension under test: what its user has set, or one that fits its schema.

use extline_host::config::{ConfigSchema, Configuration};
use extline_host::{Manifest, default_home};
use serde_json::{Value, json};

use super::Options;
use super::arguments::made;

/// The `hello_ack` with `config`, where the manifest has a `config_schema`: without it an extension that
/// requires a setting would end at once.
pub(super) fn with_config(ack: String, options: &Options) -> String {
    let Some(config) = options.program.manifest().and_then(|it| config(it, options)) else {
        return ack;
    };
    match ack.strip_suffix('}') {
        Some(members) if !ack.contains("\"config\":") => format!("{members},\"config\":{config}}}"),
        _ => ack,
    }
}

fn config(manifest: &Manifest, options: &Options) -> Option<String> {
    let schema = manifest.config_schema.as_ref()?;
    let (name, home, cwd) = (&manifest.name, default_home(), options.program.dir());
    let set = Configuration::read(name, Some(manifest), &home, cwd).and_then(|it| it.config());
    if let Ok(Some(set)) = set {
        return Some(set.get().to_owned());
    }
    let mut made: Value = serde_json::from_str(&made(schema)?).ok()?;
    for key in ConfigSchema::compile(schema).ok()?.secrets() {
        let pointer = format!("/{}", key.replace('.', "/"));
        if let Some(secret) = made.pointer_mut(&pointer) {
            *secret = json!({ "$secret": key });
        }
    }
    Some(made.to_string())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use extline_host::{ExtensionSource, Program};

    use super::*;

    #[test]
    fn what_is_required_is_made_and_a_secret_is_a_reference() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = r#"{"name":"a","exec":"/bin/sh","config_schema":{"type":"object",
            "required":["url","key"],"properties":{"url":{"type":"string","minLength":1},
            "times":{"default":3},"key":{"type":"string","secret":true}}}}"#;
        std::fs::write(folder.path().join("extension.json"), manifest).unwrap();
        let source = ExtensionSource::folder(folder.path());
        let options = Options::of(Program::of(&source, Path::new("/")).unwrap());
        let ack = with_config("{\"type\":\"hello_ack\"}".to_owned(), &options);
        let ack: Value = serde_json::from_str(&ack).unwrap();
        assert_eq!(ack["config"]["key"], json!({"$secret": "key"}));
        assert!(!ack["config"]["url"].as_str().unwrap().is_empty());
    }
}
