//! How the extensions that were found stand: what is wrong with each, and the command that mends it.

use std::borrow::Cow;
use std::path::PathBuf;

use crate::discovery::{Discovery, Found, Layer, Verdict};
use crate::home::LogPlace;
use crate::sandbox::limits_and_gaps;
use crate::secrets::{SecretStore, declared};
use crate::status::{Finding, Level, Standing, StatusReport};

impl Discovery {
    /// The file that a host writes the stderr of an extension to, by its name; an older part has `.1` behind its name.
    /// There is none before it has written something.
    pub fn log_of(&self, name: &str) -> PathBuf {
        LogPlace::of(name, &self.home, None).file
    }

    /// How all that are found stand, by their files alone: nothing is run.
    pub fn report(&self) -> StatusReport {
        let secrets = SecretStore::new(self.home.clone());
        let standing = |found: Found| {
            let mut findings = of_files(&found);
            findings.extend(of_secrets(&found, &secrets));
            findings.extend(self.of_sandbox(&found));
            Standing {
                name: found.name.clone(),
                version: found.manifest.as_ref().map(|it| it.version.clone()),
                path: Some(found.path.clone()),
                log: Some(self.log_of(&found.name)).filter(|log| log.exists()),
                found: Some(found),
                findings,
                ..Standing::default()
            }
        };
        let extensions = self.find().into_iter().map(standing).collect();
        StatusReport { extensions, ..StatusReport::default() }
    }

    /// What it is held to while it runs.
    fn of_sandbox(&self, found: &Found) -> Vec<Finding> {
        let (Verdict::Runs { .. }, Some(manifest)) = (&found.verdict, &found.manifest) else {
            return Vec::new();
        };
        let (held_to, not_held_to) = limits_and_gaps(manifest, &found.path, &self.cwd);
        let finding =
            |level, code: &'static str| move |what: String| Finding::new(level, code, what, None);
        let held_to = held_to.into_iter().map(finding(Level::Pass, "sandbox.limit"));
        held_to.chain(not_held_to.into_iter().map(finding(Level::Warn, "sandbox.gap"))).collect()
    }
}

fn of_files(found: &Found) -> Vec<Finding> {
    let mut findings: Vec<_> = of_verdict(found).into_iter().collect();
    let is_broken = matches!(found.verdict, Verdict::Broken(_));
    // Those of a manifest that cannot be used are told by its verdict.
    for fault in found.faults.iter().filter(|_| !is_broken) {
        let mend = command(&["ext", "validate", &found.path.to_string_lossy()]);
        let what = format!("its manifest: {fault}");
        findings.push(Finding::new(Level::Warn, &*fault.code, what, Some(mend)));
    }
    if matches!(found.verdict, Verdict::Runs { .. } | Verdict::Untrusted { .. }) {
        for missing in found.missing() {
            let mend = missing.command(&found.path);
            let code = "environment.missing";
            findings.push(Finding::new(Level::Warn, code, missing.to_string(), Some(mend)));
        }
    }
    findings
}

fn of_verdict(found: &Found) -> Option<Finding> {
    let name = &*found.name;
    let (level, mend) = match &found.verdict {
        Verdict::Runs { .. } => return None,
        Verdict::Untrusted { before: Some((_, changes)), .. } if changes.is_empty() => {
            (Level::Skip, Some(command(&["ext", "trust", name])))
        }
        Verdict::Untrusted { .. } => (Level::Warn, Some(command(&["ext", "trust", name]))),
        Verdict::Unfit { .. } => {
            let mend = format!("keep all that it runs, readable, in {}", found.path.display());
            (Level::Fail, Some(mend))
        }
        Verdict::SwitchedOff { mend, .. } => (Level::Warn, Some(mend.clone())),
        Verdict::Disabled { mend, .. } => (Level::Skip, Some(mend.clone())),
        Verdict::Shadowed { .. } => (Level::Warn, remove(found)),
        Verdict::Broken(_) => {
            let path = found.path.to_string_lossy();
            (Level::Fail, Some(command(&["ext", "validate", &path])))
        }
        Verdict::Foreign => (Level::Skip, None),
    };
    let code = format!("verdict.{}", found.verdict.as_str());
    Some(Finding::new(level, code, found.verdict.why().unwrap_or_default(), mend))
}

fn remove(found: &Found) -> Option<String> {
    match found.layer {
        Layer::Path => Some(
            "take its folder out of the paths of config.toml, or of EXTLINE_EXTENSION_PATHS"
                .to_owned(),
        ),
        Layer::User => Some(command(&["ext", "remove", &found.name])),
        Layer::Project => Some(command(&["ext", "remove", "--project", &found.name])),
        _ => None,
    }
}

/// The secrets that it declares and nobody has set. Of one that nobody trusts it is not said yet.
fn of_secrets(found: &Found, secrets: &SecretStore) -> Vec<Finding> {
    let Verdict::Runs { .. } = found.verdict else { return Vec::new() };
    let declared = found.manifest.as_ref().map(declared).unwrap_or_default();
    let finding = |secret: String| match secrets.is_secret_set(&found.name, &secret) {
        Ok(Some(_)) => None,
        Ok(None) => {
            let mend = command(&["secret", "set", &found.name, &secret]);
            let what = format!("the secret {secret} is not set");
            Some(Finding::new(Level::Warn, "secret.unset", what, Some(mend)))
        }
        Err(error) => {
            let mend =
                "make what the text names readable for you, or remove it and set the secret anew";
            let (what, mend) = (error.to_string(), Some(mend.to_owned()));
            Some(Finding::new(Level::Fail, "secret.unreadable", what, mend))
        }
    };
    declared.into_iter().filter_map(finding).collect()
}

/// As it is typed into a shell.
fn command(words: &[&str]) -> String {
    let word = |word| shlex::try_quote(word).unwrap_or(Cow::Borrowed("?"));
    let words = words.iter().map(|it| word(it));
    std::iter::once(Cow::Borrowed("extline")).chain(words).collect::<Vec<_>>().join(" ")
}
