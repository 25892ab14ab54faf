//! The attacks of attacks.toml, and the program that plays one.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use serde::Deserialize;

/// One attack, as attacks.toml has it.
#[derive(Debug, Deserialize)]
pub(crate) struct Attack {
    pub(crate) name: String,
    /// `extline inspect` prints one of these.
    #[serde(default)]
    #[allow(dead_code, reason = "for the tests of the command")]
    pub(crate) told: Vec<String>,
    #[serde(flatten)]
    steps: serde_json::Map<String, serde_json::Value>,
}

#[derive(Deserialize)]
struct Attacks {
    attack: Vec<Attack>,
}

/// All of them, or the one of that name.
pub(crate) fn all(only: Option<&str>) -> Vec<Attack> {
    let attacks: Attacks = toml::from_str(include_str!("attacks.toml")).unwrap();
    let is_wanted = |attack: &Attack| only.is_none_or(|only| attack.name == only);
    attacks.attack.into_iter().filter(is_wanted).collect()
}

impl Attack {
    /// The words of the program that plays it; what it does is written into that folder.
    pub(crate) fn program(&self, folder: &Path) -> Vec<OsString> {
        let steps = folder.join("attack.json");
        fs::write(&steps, serde_json::to_vec(&self.steps).unwrap()).unwrap();
        let player = concat!(env!("CARGO_MANIFEST_DIR"), "/../host/tests/hostile/attacker.py");
        vec!["python3".into(), "-S".into(), player.into(), steps.into()]
    }
}
