//! Whether a person trusts an extension of a project: by where it is, and by every byte of it.
//!
//! Who clones a project gets its `.extline/extensions` too, so nothing of them runs until a person has said so. The grant
//! holds for one path and one digest over all files; when any of them changes, it holds no more, and what changed is said.

mod store;
mod tree;

pub use self::store::{Decision as TrustDecision, Grant, TrustStore};
pub(crate) use self::tree::text_of;
pub use self::tree::{Change, Tree, TreeError};
