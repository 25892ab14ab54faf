//! In which era each server speaks: with a handshake (until 2025-11-25), or without one.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rmcp::model::ProtocolVersion;
use rmcp::service::ClientLifecycleMode;

use crate::file::{create, make_folder};
use crate::lock::lock;

/// Servers that are kept in the file; of more it begins anew.
const KEPT: usize = 1000;

/// How a server wants to be spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    Handshake,
    Modern,
}

/// What is known of servers by their digest. A probe starts what a server would only start later, and some servers
/// end at a request before their handshake: each is asked once.
#[derive(Debug)]
pub(crate) struct Eras {
    file: PathBuf,
    known: Mutex<Option<BTreeMap<String, Era>>>,
}

impl Eras {
    /// Kept in `mcp-eras` in that folder.
    pub(crate) fn of_home(home: &Path) -> Self {
        Self { file: home.join("mcp-eras"), known: Mutex::default() }
    }

    pub(super) fn of(&self, digest: &str) -> Option<Era> {
        lock(&self.known).get_or_insert_with(|| self.read()).get(digest).copied()
    }

    /// A file that cannot be written costs a probe the next time.
    pub(super) fn learn(&self, digest: &str, era: Era) {
        let mut known = lock(&self.known);
        let known = known.get_or_insert_with(|| self.read());
        if known.insert(digest.to_owned(), era) == Some(era) {
            return;
        }
        if known.len() > KEPT {
            known.retain(|it, _| it == digest);
        }
        let lines = known.iter().map(|(digest, era)| format!("{digest} {}\n", era.word()));
        let text: String = lines.collect();
        let Some(folder) = self.file.parent() else { return };
        let written = make_folder(folder)
            .and_then(|()| create(&self.file))
            .and_then(|mut file| file.write_all(text.as_bytes()));
        if let Err(error) = written {
            tracing::debug!(%error, "the eras of MCP servers are not kept");
        }
    }

    fn read(&self) -> BTreeMap<String, Era> {
        let text = fs::read_to_string(&self.file).unwrap_or_default();
        let known = text.lines().filter_map(|line| {
            let (digest, word) = line.split_once(' ')?;
            let era = [Era::Handshake, Era::Modern].into_iter().find(|era| era.word() == word)?;
            Some((digest.to_owned(), era))
        });
        known.collect()
    }
}

impl Era {
    pub(super) fn of_version(version: &ProtocolVersion) -> Self {
        if version.has_initialize() { Self::Handshake } else { Self::Modern }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Handshake => "handshake",
            Self::Modern => "modern",
        }
    }
}

/// How to begin with a server of that era.
pub(super) fn lifecycle(era: Option<Era>) -> ClientLifecycleMode {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    match era {
        Some(Era::Handshake) => ClientLifecycleMode::Initialize,
        Some(Era::Modern) => ClientLifecycleMode::Discover { preferred_versions },
        None => ClientLifecycleMode::Auto {
            preferred_versions,
            legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_learnt_is_known_the_next_time() {
        let home = tempfile::tempdir().unwrap();
        let eras = Eras::of_home(&home.path().join("new"));
        assert_eq!(eras.of("sha256:a"), None);
        eras.learn("sha256:a", Era::Handshake);
        eras.learn("sha256:b", Era::Modern);
        let again = Eras::of_home(&home.path().join("new"));
        assert_eq!(again.of("sha256:a"), Some(Era::Handshake));
        assert_eq!(again.of("sha256:b"), Some(Era::Modern));
        fs::write(home.path().join("new/mcp-eras"), "sha256:a later\n\u{0}").unwrap();
        assert_eq!(Eras::of_home(&home.path().join("new")).of("sha256:a"), None);
    }
}
