//! What is done with a model's calls beside the gate, each by the embedder's word.

mod memo;
mod signature;

pub use self::memo::MemoPolicy;
pub(crate) use self::memo::{Keeping, Memo, Recalled};
pub(crate) use self::signature::Signature;

/// What the embedder wants of it; nothing by default.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModelSettings {
    /// Arguments that are no JSON are repaired.
    pub(crate) repairs: bool,
    pub(crate) memo: MemoPolicy,
}

/// The same of a host that runs, with what it remembers.
#[derive(Debug)]
pub(crate) struct ModelSide {
    pub(crate) repairs: bool,
    pub(crate) memo: Memo,
}

impl ModelSide {
    pub(crate) fn new(settings: &ModelSettings) -> Self {
        Self { repairs: settings.repairs, memo: Memo::new(settings.memo) }
    }
}
