//! Which extensions there are, and which of them run.
//!
//! Nothing is run to find out: manifests are read, and the files of a project's extensions are hashed. One function
//! decides for each, and says why; what it decides holds at each start, also when an extension is started again.

mod places;
mod settings;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Serialize;

use self::places::Place;
pub use self::places::{Layer, zot_home};
pub use self::settings::{ExtensionSettings, SettingsError, switch_extension};
use crate::environment::MissingEnvironment;
use crate::file::real;
use crate::home::default_home;
use crate::lazy::{KeptOffer, Whose};
use crate::source::{ExtensionSource, MANIFEST, Manifest, ManifestError, ManifestFault};
use crate::switch::{SWITCH, is_switched_off};
use crate::trust::{Change, Grant, Tree, TrustDecision, TrustStore};

/// Looks for extensions, and decides which of them run.
///
/// ```
/// use extline_host::discovery::{Discovery, Layer, Verdict};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (home, project) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// let folder = project.path().join(".extline/extensions/clock");
/// std::fs::create_dir_all(&folder)?;
/// std::fs::write(folder.join("extension.json"), r#"{"name": "clock", "exec": "./clock.sh"}"#)?;
///
/// let found = Discovery::new(home.path(), project.path())?.find();
/// assert_eq!((&*found[0].name, found[0].layer), ("clock", Layer::Project));
/// // What came with a project runs once somebody trusts it.
/// assert!(matches!(found[0].verdict, Verdict::Untrusted { .. }));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Discovery {
    pub(crate) home: PathBuf,
    pub(crate) cwd: PathBuf,
    settings: ExtensionSettings,
    explicit: Vec<PathBuf>,
    is_narrow: bool,
    /// Digests that hold for this once.
    once: BTreeSet<String>,
}

/// An extension that was found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Found {
    /// What its manifest calls it; its folder's name where that cannot be read.
    pub name: String,
    /// Its folder, without links.
    pub path: PathBuf,
    /// Where it was found.
    pub layer: Layer,
    /// Its manifest, where that can be used.
    pub manifest: Option<Manifest>,
    /// All that is wrong with its manifest.
    pub faults: Vec<ManifestFault>,
    /// Whether it runs.
    pub verdict: Verdict,
}

/// Whether an extension that was found runs, and why not.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Verdict {
    /// It runs; what came with a project as long as its files have this digest.
    Runs {
        /// The digest that somebody trusts.
        digest: Option<String>,
    },
    /// It belongs to a project, and nobody trusts it as it is now.
    Untrusted {
        /// What is to be trusted.
        digest: String,
        /// What was said before about another state of it, and what has changed since.
        before: Option<(Grant, Vec<Change>)>,
    },
    /// It cannot be trusted, as its files cannot be read, or run something outside of it.
    Unfit {
        /// Why not.
        why: String,
    },
    /// All are switched off.
    SwitchedOff {
        /// By what.
        by: String,
        /// What switches them on: a command for a shell, or what to do.
        mend: String,
    },
    /// It is disabled.
    Disabled {
        /// By what.
        by: String,
        /// What enables it: a command for a shell, or what to do.
        mend: String,
    },
    /// Another one of that name runs.
    Shadowed {
        /// The folder of the other one.
        by: PathBuf,
    },
    /// Its manifest cannot be used.
    Broken(ManifestError),
    /// It is of another agent, and is not run.
    Foreign,
}

impl Discovery {
    /// With the settings of that home, in that project.
    pub fn new(home: &Path, cwd: &Path) -> Result<Self, SettingsError> {
        let settings = ExtensionSettings::read(home)?;
        let (home, cwd) = (home.to_owned(), cwd.to_owned());
        let (explicit, once) = (Vec::new(), BTreeSet::new());
        Ok(Self { home, cwd, settings, explicit, is_narrow: false, once })
    }

    /// With the settings of the user, see [`default_home`].
    pub fn of_user(cwd: &Path) -> Result<Self, SettingsError> {
        Self::new(&default_home(), cwd)
    }

    /// Adds a folder before all others. Who names a folder wants it: it needs no trust.
    #[must_use]
    pub fn with(mut self, folder: impl Into<PathBuf>) -> Self {
        self.explicit.push(folder.into());
        self
    }

    /// Looks nowhere but where [`Discovery::with`] says.
    #[must_use]
    pub fn only_given(mut self) -> Self {
        self.is_narrow = true;
        self
    }

    /// Somebody trusts what has this digest, this once: nothing of it is kept.
    pub fn trust_once(&mut self, digest: impl Into<String>) {
        self.once.insert(digest.into());
    }

    /// The grants.
    pub fn trust_store(&self) -> TrustStore {
        TrustStore::of(&self.home)
    }

    /// What an extension in that folder offered is forgotten, which hosts list it by without starting it
    /// ([`HostBuilder::lazy_start`](crate::HostBuilder::lazy_start)): for one that is removed.
    pub fn forget_offer(&self, name: &str, dir: &Path) {
        KeptOffer::forget(Whose { home: &self.home, name, dir, profile: "" });
    }

    /// All that there are, those before others first: given, of the project, of further paths, of the user, of zot, of
    /// other agents. In a place by name.
    pub fn find(&self) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        let mut seen = BTreeSet::new();
        let mut winners: BTreeMap<String, PathBuf> = BTreeMap::new();
        let places = if self.is_narrow { Vec::new() } else { self.places() };
        let given = self.explicit.iter().map(|path| (Layer::Given, self.cwd.join(path)));
        let folders = given.chain(places.into_iter().flat_map(Place::folders));
        for (layer, path) in folders {
            let path = real(&path).unwrap_or(path);
            if !seen.insert(path.clone()) {
                continue;
            }
            let one = self.look_at(layer, path, &winners);
            if matches!(one.verdict, Verdict::Runs { .. }) {
                winners.insert(one.name.clone(), one.path.clone());
            }
            found.push(one);
        }
        found
    }

    fn look_at(&self, layer: Layer, path: PathBuf, winners: &BTreeMap<String, PathBuf>) -> Found {
        let stem = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Layer::Foreign(_) = layer {
            let verdict = Verdict::Foreign;
            return Found { name: stem, path, layer, manifest: None, faults: Vec::new(), verdict };
        }
        let check = Manifest::check(&path);
        let faults = check.faults;
        match check.manifest {
            Err(error) => {
                let verdict = Verdict::Broken(error);
                Found { name: stem, path, layer, manifest: None, faults, verdict }
            }
            Ok(manifest) => {
                let verdict = self.decide(layer, &path, &manifest, winners);
                let name = manifest.name.clone();
                Found { name, path, layer, manifest: Some(manifest), faults, verdict }
            }
        }
    }

    /// Whether code of an extension may run: the one place where this is decided. What it decides about files holds at
    /// each start, see [`Found::source`].
    fn decide(
        &self,
        layer: Layer,
        path: &Path,
        manifest: &Manifest,
        winners: &BTreeMap<String, PathBuf>,
    ) -> Verdict {
        let is_given = layer == Layer::Given;
        if is_switched_off() || (!is_given && !self.settings.enabled) {
            return self.switched_off();
        }
        if !manifest.enabled {
            let file = path.join(MANIFEST);
            return Verdict::Disabled {
                by: "its manifest says \"enabled\": false".to_owned(),
                mend: format!("set \"enabled\" to true in {}", file.display()),
            };
        }
        if let Some((by, mend)) = self.settings.off(&manifest.name).filter(|_| !is_given) {
            return Verdict::Disabled { by, mend };
        }
        if !self.settings.auto_load && layer.is_known_place() {
            return Verdict::Disabled {
                by: "config.toml says auto_load = false".to_owned(),
                mend: "name its folder by --ext, or take auto_load out of config.toml".to_owned(),
            };
        }
        if let Some(by) = winners.get(&manifest.name) {
            return Verdict::Shadowed { by: by.clone() };
        }
        // What is not trusted is in nobody's way: it takes no name from another.
        if layer == Layer::Project {
            return self.trusted(path, manifest);
        }
        Verdict::Runs { digest: None }
    }

    fn switched_off(&self) -> Verdict {
        let (by, mend) = if is_switched_off() {
            (SWITCH, format!("unset {SWITCH}"))
        } else {
            let file = self.home.join("config.toml");
            ("config.toml", format!("set enabled = true under [extensions] in {}", file.display()))
        };
        Verdict::SwitchedOff { by: by.to_owned(), mend }
    }

    fn trusted(&self, path: &Path, manifest: &Manifest) -> Verdict {
        if let Some(why) = leads_out(path, &self.cwd, manifest) {
            return Verdict::Unfit { why };
        }
        let tree = match Tree::read(path) {
            Ok(tree) => tree,
            Err(error) => return Verdict::Unfit { why: error.to_string() },
        };
        let digest = tree.digest();
        let grant = self.trust_store().grant(path);
        let holds = grant.as_ref().is_some_and(|grant| {
            grant.decision == TrustDecision::Trusted && grant.digest == digest
        });
        if holds || self.once.contains(&digest) {
            return Verdict::Runs { digest: Some(digest) };
        }
        let before = grant.map(|grant| {
            let changes = grant.changes(&tree);
            (grant, changes)
        });
        Verdict::Untrusted { digest, before }
    }
}

impl Found {
    /// What a host starts, where it runs: with its digest held to at each start.
    pub fn source(&self) -> Option<ExtensionSource> {
        let Verdict::Runs { digest } = &self.verdict else { return None };
        let source = ExtensionSource::folder(&self.path);
        Some(match digest {
            Some(digest) => source.pinned(digest),
            None => source,
        })
    }

    /// What it needs and has not: the packages of its language, by an installer of that. Nothing for one whose manifest
    /// cannot be read.
    pub fn missing(&self) -> Vec<MissingEnvironment> {
        let words = |manifest: &'_ Manifest| {
            let words = manifest.exec.iter().chain(&manifest.args);
            MissingEnvironment::in_folder(&self.path, words.map(String::as_str))
        };
        self.manifest.as_ref().map(words).unwrap_or_default()
    }
}

impl Verdict {
    /// A word for it: `runs`, `untrusted`, `unfit`, `off`, `disabled`, `shadowed`, `broken`, `foreign`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Runs { .. } => "runs",
            Self::Untrusted { .. } => "untrusted",
            Self::Unfit { .. } => "unfit",
            Self::SwitchedOff { .. } => "off",
            Self::Disabled { .. } => "disabled",
            Self::Shadowed { .. } => "shadowed",
            Self::Broken(_) => "broken",
            Self::Foreign => "foreign",
        }
    }

    /// Why it does not run.
    pub fn why(&self) -> Option<String> {
        match self {
            Self::Runs { .. } => None,
            Self::Untrusted { before: None, .. } => Some("nobody has trusted it yet".to_owned()),
            Self::Untrusted { before: Some((_, changes)), .. } if changes.is_empty() => {
                Some("somebody has declined it".to_owned())
            }
            Self::Untrusted { before: Some((_, changes)), .. } => {
                let more = changes.len().saturating_sub(3);
                let mut told: Vec<_> = changes.iter().take(3).map(ToString::to_string).collect();
                if more > 0 {
                    told.push(format!("{more} more"));
                }
                Some(format!("it has changed since it was last asked about: {}", told.join(", ")))
            }
            Self::Unfit { why } => Some(format!("it cannot be trusted: {why}")),
            Self::SwitchedOff { by, .. } => {
                Some(format!("all extensions are switched off by {by}"))
            }
            Self::Disabled { by, .. } => Some(by.clone()),
            Self::Shadowed { by } => Some(format!("{} has its name and runs", by.display())),
            Self::Broken(error) => Some(error.to_string()),
            Self::Foreign => Some("it is of another agent, and extline does not run it".to_owned()),
        }
    }
}

impl Serialize for Found {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let manifest = self.manifest.as_ref();
        let (digest, changes) = match &self.verdict {
            Verdict::Runs { digest } => (digest.as_ref(), None),
            Verdict::Untrusted { digest, before } => {
                (Some(digest), before.as_ref().map(|(_, changes)| changes))
            }
            _ => (None, None),
        };
        let missing = self.missing();
        let needs: Vec<_> = missing.iter().map(|one| one.command(&self.path)).collect();
        serde_json::json!({
            "name": self.name,
            "version": manifest.map(|it| &it.version),
            "description": manifest.map(|it| &it.description),
            "layer": self.layer.as_str(),
            "path": self.path,
            "verdict": self.verdict.as_str(),
            "why": self.verdict.why(),
            "digest": digest,
            "changes": changes,
            "faults": self.faults,
            "needs": needs,
        })
        .serialize(serializer)
    }
}

/// What the command of a project's extension names that is in the project, and not in its folder: nobody trusts that.
fn leads_out(dir: &Path, cwd: &Path, manifest: &Manifest) -> Option<String> {
    let project = real(cwd).ok()?;
    let words = manifest.exec.iter().chain(&manifest.args);
    let named = words.filter_map(|word| Some((word, real(dir.join(word)).ok()?)));
    let mut outside =
        named.filter(|(_, file)| !file.starts_with(dir) && file.starts_with(&project));
    let (word, _) = outside.next()?;
    Some(format!("its command names {word}, which is outside of its folder"))
}
