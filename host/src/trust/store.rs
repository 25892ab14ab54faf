//! What a person has said about extensions of projects: a file for each, in the home.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::tree::{Change, Tree, text_of};
use crate::file::{make_folder, read_text, real, replace};

/// The longest file that is read: one line for each file of an extension.
const AT_MOST: u64 = 32 * 1024 * 1024;
/// The version of these files.
const VERSION: u32 = 1;

/// The grants of a home, in `trust/` there: for their owner only, and never in a project.
#[derive(Clone, Debug)]
pub struct TrustStore {
    folder: PathBuf,
}

/// What was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Decision {
    /// It may run, as it was then.
    Trusted,
    /// It may not run.
    Declined,
}

/// What was said about one extension.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Grant {
    version: u32,
    /// Its folder, without links.
    pub path: PathBuf,
    /// The digest over its files.
    pub digest: String,
    /// What was said.
    pub decision: Decision,
    /// When, in seconds since 1970.
    pub at: u64,
    /// The files as they were.
    pub files: BTreeMap<String, String>,
}

impl TrustStore {
    /// That of a home. Nothing is made until something is kept.
    pub fn of(home: &Path) -> Self {
        Self { folder: home.join("trust") }
    }

    /// What was said about the extension in a folder, the last time. One that cannot be read counts as none: then a
    /// person is asked again.
    pub fn grant(&self, dir: &Path) -> Option<Grant> {
        let path = real(dir).ok()?;
        let text = read_text(self.file_of(&path), AT_MOST).ok()?;
        let grant: Grant = serde_json::from_str(&text).ok()?;
        (grant.version == VERSION && grant.path == path).then_some(grant)
    }

    /// Keeps what a person says about a folder that has these files.
    pub fn keep(&self, dir: &Path, tree: &Tree, decision: Decision) -> io::Result<Grant> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let grant = Grant {
            version: VERSION,
            path: real(dir)?,
            digest: tree.digest(),
            decision,
            at: since.map(|since| since.as_secs()).unwrap_or_default(),
            files: tree.files().clone(),
        };
        self.folder.parent().map_or(Ok(()), make_folder)?;
        make_folder(&self.folder)?;
        replace(&self.file_of(&grant.path), &serde_json::to_vec(&grant)?)?;
        Ok(grant)
    }

    /// Forgets what was said about a folder, which may be gone; whether something was.
    pub fn forget(&self, dir: &Path) -> io::Result<bool> {
        let path = real(dir).unwrap_or_else(|_| dir.to_owned());
        match std::fs::remove_file(self.file_of(&path)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether a person trusts what has that digest, in a list: of script hooks, or of servers of MCP.
    pub fn has_digest(&self, list: &str, digest: &str) -> bool {
        self.digests(list).contains(digest)
    }

    /// Keeps that a person trusts what has that digest, in a list.
    pub fn keep_digest(&self, list: &str, digest: &str) -> io::Result<()> {
        let mut digests = self.digests(list);
        if !digests.insert(digest.to_owned()) {
            return Ok(());
        }
        let lines = digests.iter().flat_map(|digest| [digest.as_str(), "\n"]).collect::<String>();
        self.folder.parent().map_or(Ok(()), make_folder)?;
        make_folder(&self.folder)?;
        replace(&self.folder.join(list), lines.as_bytes())
    }

    /// A list that cannot be read is empty: then a person is asked again.
    fn digests(&self, list: &str) -> BTreeSet<String> {
        let text = read_text(self.folder.join(list), AT_MOST).unwrap_or_default();
        let digests = text.lines().filter_map(|line| line.split_whitespace().next());
        digests.map(str::to_owned).collect()
    }

    fn file_of(&self, path: &Path) -> PathBuf {
        let digest = text_of(Sha256::new().chain_update(path.as_os_str().as_encoded_bytes()));
        let digest = digest.trim_start_matches("sha256:");
        self.folder.join(format!("{digest}.json"))
    }
}

impl Grant {
    /// What has changed since it was given.
    pub fn changes(&self, tree: &Tree) -> Vec<Change> {
        tree.changes_since(&self.files)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_grant_is_kept_for_its_owner_and_read_again() {
        let (home, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(dir.path().join("a"), "one").unwrap();
        let store = TrustStore::of(home.path());
        assert_eq!(store.grant(dir.path()), None);
        let tree = Tree::read(dir.path()).unwrap();
        let kept = store.keep(dir.path(), &tree, Decision::Trusted).unwrap();
        assert_eq!(store.grant(dir.path()), Some(kept.clone()));
        let file = home.path().join("trust").read_dir().unwrap().next().unwrap().unwrap().path();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&file), mode(&home.path().join("trust"))), (0o600, 0o700));
        }
        fs::write(dir.path().join("a"), "two").unwrap();
        let now = Tree::read(dir.path()).unwrap();
        assert_eq!(kept.changes(&now), [Change::Changed("a".to_owned())]);
        // One that somebody has cut off is none.
        fs::write(&file, "{").unwrap();
        assert_eq!(store.grant(dir.path()), None);
        assert!(store.forget(dir.path()).unwrap());
        assert!(!store.forget(dir.path()).unwrap());
    }
    #[test]
    fn digests_are_kept_in_lists_of_their_own() {
        let home = tempfile::tempdir().unwrap();
        let store = TrustStore::of(home.path());
        assert!(!store.has_digest("mcp", "sha256:1"));
        for digest in ["sha256:1", "sha256:2", "sha256:1"] {
            store.keep_digest("mcp", digest).unwrap();
        }
        assert!(store.has_digest("mcp", "sha256:1") && store.has_digest("mcp", "sha256:2"));
        assert!(!store.has_digest("hooks", "sha256:1"));
    }
}
