//! Whether a person trusts an extension of a project: by where it is, and by every byte of it.
//!
//! Who clones a project gets its `.extline/extensions` too, so nothing of them runs until a person has said so. The grant
//! holds for one path and one digest over all files; when any of them changes, it holds no more, and what changed is said.

mod store;
mod tree;

use std::path::Path;

pub use self::store::{Decision as TrustDecision, Grant, TrustStore};
pub use self::tree::{Change, Tree, TreeError};
use crate::report::Problem;

/// What an extension had to be when it was started: a digest that is held to just before each start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pin {
    pub(crate) digest: String,
}

impl Pin {
    /// Whether the folder still is what was trusted.
    pub(crate) fn check(&self, dir: &Path) -> Result<(), Problem> {
        let untrusted = |message: String| Problem::Untrusted {
            folder: dir.to_owned(),
            message,
            remedy: format!("look at it, and say `extline ext trust {}`", dir.display()),
        };
        let tree = Tree::read(dir).map_err(|error| untrusted(error.to_string()))?;
        if tree.digest() == self.digest {
            return Ok(());
        }
        Err(untrusted("its files have changed since somebody trusted them".to_owned()))
    }
}
