//! How the extensions that were found stand: what is wrong with each, and the command that mends it.

use std::borrow::Cow;
use std::path::PathBuf;

use serde::{Serialize, Serializer};
use serde_json::json;

use super::{Discovery, Found, Layer, Verdict};
use crate::connection::{ExtensionState, ExtensionStatus};
use crate::home::LogPlace;
use crate::sandbox::sandbox_limits;
use crate::secrets::{SecretStore, declared};
use crate::switch::SWITCH;

/// How all extensions stand that were found. `Serialize` gives `{"extensions": [...]}`, each with what [`Found`] gives,
/// and `log` and `findings`.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct StatusReport {
    /// Each, in the order of [`Discovery::find`].
    pub extensions: Vec<Standing>,
}

/// How one extension stands.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Standing {
    /// What was found.
    pub found: Found,
    /// What it wrote to stderr, where it ever ran: at most two files of 1 MiB, the older one with `.1` behind its name.
    pub log: Option<PathBuf>,
    /// What is to be said of it.
    pub findings: Vec<Finding>,
}

/// One thing that is to be said of an extension.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// How bad it is.
    pub level: Level,
    /// What it is, in a word that does not change: `verdict.disabled`, `start.failed.no_hello`.
    pub code: String,
    /// What it is, in one line.
    pub what: String,
    /// What mends it: a command for a shell, or what to do.
    pub mend: Option<String>,
}

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Level {
    /// It is as it should be.
    Pass,
    /// It does not run, as somebody wants it.
    Skip,
    /// It is probably not as somebody wants it.
    Warn,
    /// It cannot be used.
    Fail,
}

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
            let log = Some(self.log_of(&found.name)).filter(|log| log.exists());
            let mut findings = of_files(&found);
            findings.extend(of_secrets(&found, &secrets));
            findings.extend(self.of_sandbox(&found));
            Standing { found, log, findings }
        };
        StatusReport { extensions: self.find().into_iter().map(standing).collect() }
    }
}

impl Discovery {
    /// What it is held to while it runs.
    fn of_sandbox(&self, found: &Found) -> Vec<Finding> {
        let (Verdict::Runs { .. }, Some(manifest)) = (&found.verdict, &found.manifest) else {
            return Vec::new();
        };
        let limits = sandbox_limits(manifest, &found.path, &self.cwd);
        limits
            .into_iter()
            .map(|limit| Finding::new(Level::Pass, "sandbox.limit", limit, None))
            .collect()
    }
}

impl StatusReport {
    /// Adds how those stand that a host has started ([`Host::extensions`](crate::Host::extensions)).
    pub fn add_started(&mut self, statuses: &[ExtensionStatus]) {
        for standing in &mut self.extensions {
            let path = Some(&standing.found.path);
            let is_it = |status: &&ExtensionStatus| status.dir.as_ref() == path;
            if let Some(status) = statuses.iter().find(is_it) {
                standing.findings.extend(of_start(status));
                standing.log = status.log.clone().or(standing.log.take());
            }
        }
    }

    /// The worst of all findings.
    pub fn level(&self) -> Level {
        self.extensions.iter().map(Standing::level).max().unwrap_or(Level::Pass)
    }
}

impl Standing {
    /// The worst of its findings.
    pub fn level(&self) -> Level {
        self.findings.iter().map(|finding| finding.level).max().unwrap_or(Level::Pass)
    }
}

impl Serialize for Standing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut value = json!(self.found);
        value["log"] = json!(self.log);
        value["findings"] = json!(self.findings);
        value.serialize(serializer)
    }
}

impl Level {
    /// A word for it: `pass`, `skip`, `warn`, `fail`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Skip => "skip",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

impl Finding {
    fn new(
        level: Level,
        code: impl Into<String>,
        what: impl Into<String>,
        mend: Option<String>,
    ) -> Self {
        Self { level, code: code.into(), what: what.into(), mend }
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
        Verdict::Unfit { .. } => (Level::Fail, None),
        Verdict::SwitchedOff { by } if by == SWITCH => (Level::Warn, Some(format!("unset {by}"))),
        Verdict::SwitchedOff { .. } => (Level::Warn, None),
        Verdict::Disabled { .. } => (Level::Skip, Some(command(&["ext", "enable", name]))),
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
        Err(error) => Some(Finding::new(Level::Fail, "secret.unreadable", error.to_string(), None)),
    };
    declared.into_iter().filter_map(finding).collect()
}

/// What came of its start, what of its registrations is not used, and what the host noticed.
fn of_start(status: &ExtensionStatus) -> Vec<Finding> {
    let rejected = status.report.rejected.iter().map(|rejection| {
        let (kind, name) = (&rejection.kind, &rejection.name);
        ("registration.refused", format!("the {kind} {name} is not used: {}", rejection.message))
    });
    let notices = status.notices.iter().map(|notice| ("notice", notice.to_string()));
    let warnings =
        rejected.chain(notices).map(|(code, what)| Finding::new(Level::Warn, code, what, None));
    warnings.chain(of_state(status)).collect()
}

fn of_state(status: &ExtensionStatus) -> Option<Finding> {
    match &status.state {
        ExtensionState::Ready => {
            let after = status.start_took.unwrap_or_default().as_millis();
            let what = format!("it starts, in {after} ms");
            Some(Finding::new(Level::Pass, "start.ready", what, None))
        }
        ExtensionState::Failed(diagnosis) => {
            let what = format!("{}: {}", diagnosis.doing, diagnosis.problem);
            let code = json!(diagnosis.problem)["code"].as_str().unwrap_or_default().to_owned();
            let code = format!("start.failed.{code}");
            Some(Finding::new(Level::Fail, code, what, Some(diagnosis.suggestion.clone())))
        }
        _ => None,
    }
}

/// As it is typed into a shell.
fn command(words: &[&str]) -> String {
    let word = |word| shlex::try_quote(word).unwrap_or(Cow::Borrowed("?"));
    let words = words.iter().map(|it| word(it));
    std::iter::once(Cow::Borrowed("extline")).chain(words).collect::<Vec<_>>().join(" ")
}
